"""The checks of what is proved about the default policy hold, and can fail."""

import pytest

from lowbid import BatchLikelihood
from lowbid.theory import default_rule
from lowbid.theory.checks import QUICK

SHORT = QUICK._replace(horizon=100, restarts=1)


@pytest.mark.parametrize("check", default_rule.CHECKS, ids=lambda check: check.__name__)
def test_the_statement_holds(check, monkeypatch):
    monkeypatch.setattr(default_rule, "longest", lambda budget: 100_000)
    finding = check(SHORT)
    assert finding.holds, finding


def test_without_forced_exploration_the_checks_fail(monkeypatch):
    class Unforced(BatchLikelihood):
        def __init__(self, exploration=1e-9):
            super().__init__(exploration=1e-9)

    monkeypatch.setattr(default_rule, "longest", lambda budget: 1_000_000)
    monkeypatch.setattr(default_rule, "BatchLikelihood", Unforced)
    assert not default_rule.lemma1(SHORT).holds
    assert not default_rule.unlucky(SHORT).holds


def test_a_wrong_bound_on_the_depth_is_found(monkeypatch):
    monkeypatch.setattr(default_rule, "depth", lambda *arguments: 1e9)
    assert not default_rule.lemma4(SHORT).holds


def test_dealing_to_any_batch_is_found_out(monkeypatch):
    monkeypatch.setattr(default_rule.np, "argmin", lambda sizes: 0)
    assert not default_rule.lemma5(SHORT).holds
