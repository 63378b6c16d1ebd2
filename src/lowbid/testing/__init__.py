"""Conformance kits: what every policy and every environment must do, for yours as for ours."""

from lowbid.testing._environments import check_environment
from lowbid.testing._policies import check_policy

__all__ = ["check_environment", "check_policy"]
