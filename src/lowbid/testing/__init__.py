"""Conformance checks for all policies, environments, agents and stores, including your own."""

from lowbid.testing._agents import check_agent
from lowbid.testing._environments import check_environment
from lowbid.testing._policies import check_policy
from lowbid.testing._stores import check_store

__all__ = ["check_agent", "check_environment", "check_policy", "check_store"]
