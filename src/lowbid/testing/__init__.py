"""Conformance kits: what all policies, environments and agents must do, yours as ours."""

from lowbid.testing._agents import check_agent
from lowbid.testing._environments import check_environment
from lowbid.testing._policies import check_policy

__all__ = ["check_agent", "check_environment", "check_policy"]
