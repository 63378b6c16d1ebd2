import dataclasses
import inspect

import pytest

from lowbid import policies
from lowbid.policies import Policy
from lowbid.testing import check_policy
from variants import VARIANTS, quick_by_default

CLASSES = [getattr(policies, name) for name in policies.__all__]


@pytest.mark.parametrize("policy", quick_by_default(VARIANTS))
def test_keeps_the_promises_of_all_policies(policy):
    check_policy(
        policy,
        learns=not isinstance(policy, policies.UniformPlay),
        fair_ties=getattr(policy, "ties", "random") == "random",
    )


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_is_documented(cls):
    text = inspect.getdoc(cls)
    assert ">>>" in text, "a runnable example"
    assert "References\n" in text
    for field in dataclasses.fields(cls):
        assert field.name in text, f"the parameter {field.name}"
    assert issubclass(cls, Policy)


def test_names_are_unique():
    names = [policy.name for policy in VARIANTS]
    assert len(set(names)) == len(names)
