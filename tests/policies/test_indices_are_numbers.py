"""No index is NaN, whatever the history: short, long, constant, extreme."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowbid
from lowbid.policies import Policy
from replay import spelled_out
from variants import VARIANTS, quick_by_default

NUMBERS = {
    *("indices", "draws", "weights", "lowest", "heights", "intercepts", "slopes"),
    *("totals", "sizes", "highest", "floor", "watched_means", "noise"),
}


def numbers(state) -> list[np.ndarray]:
    """All indices in a state, with what they are made of."""
    found = []
    for name, value in state._asdict().items():
        if isinstance(value, tuple):
            found += numbers(value)
        elif name in NUMBERS:
            found.append(value)
    return found


def play(policy: Policy, losses: list[float], arms: list[int]) -> None:
    """Give losses to arms, whatever the policy would have played."""
    bandit = lowbid.Bandit(3, spelled_out(policy), seed=0, horizon=len(losses))
    for loss, arm in zip(losses, arms, strict=True):
        chosen = bandit.select()
        assert 0 <= chosen < 3
        bandit.update(arm, loss=loss)
        assert not any(np.isnan(array).any() for array in numbers(bandit.state))
    bandit.select()
    assert not any(np.isnan(array).any() for array in numbers(bandit.state))


def legal(policy: Policy) -> list[float]:
    """Losses that are allowed, the extreme ones first."""
    low, high = policy.loss_range
    extreme = [low, high, 0.0, 1e-300, 1e-12, 0.5, 1.0 - 2**-53, 1.0, 1e9, -1e9]
    return [loss for loss in extreme if math.isfinite(loss) and low <= loss <= high]


@pytest.mark.parametrize("policy", quick_by_default(VARIANTS))
@given(data=st.data())
@settings(max_examples=8)
def test_after_any_short_history(policy, data):
    few = data.draw(st.lists(st.sampled_from(legal(policy)), min_size=1, max_size=3))
    losses = data.draw(st.lists(st.sampled_from(few), min_size=1, max_size=40))
    arms = data.draw(st.lists(st.integers(0, 2), min_size=len(losses), max_size=len(losses)))
    play(policy, losses, arms)


@pytest.mark.parametrize("loss", [0.0, 0.3])
@pytest.mark.parametrize("policy", quick_by_default(VARIANTS))
def test_after_a_long_constant_history(policy, loss):
    bandit = lowbid.Bandit(3, spelled_out(policy), seed=0, horizon=1000)
    for step in range(1000):
        bandit.select()
        bandit.update(min(step, 2) if step < 3 else 0, loss=loss)
    bandit.select()
    assert not any(np.isnan(array).any() for array in numbers(bandit.state))
