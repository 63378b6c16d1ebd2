"""How a measured value becomes a loss, and what a policy learns about its range."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble, schedules
from lowbid.errors import InvalidValueError
from lowbid.online._feedback import feedback_for, feedback_from, policy_for, scaled_loss
from online_play import Listener
from variants import VARIANTS, quick_by_default


def test_losses_are_scaled_for_a_policy_that_needs_it():
    bandit = Bandit(2, lowbid.BetaThompson(), loss_range=(-100.0, 300.0))
    bandit.update(0, loss=300.0)
    bandit.update(1, loss=-100.0)
    assert bandit.state.bad.tolist() == [2.0, 1.0]
    assert bandit.state.good.tolist() == [1.0, 2.0]
    assert bandit.means() == {0: 300.0, 1: -100.0}


@pytest.mark.filterwarnings("ignore::lowbid.errors.LossesWarning")
def test_negating_rewards_into_the_plain_rule_is_the_trap_that_the_default_avoids():
    """A reward is 1 with chance 0.9, 0.8, ...: as a loss -1, where the plain rule hopes for 0."""
    arms = lowbid.Empirical([[-1.0] * n + [0.0] * (100 - n) for n in (90, 80, 75, 70)])
    plain, ours = BatchEnsemble(batches=2), BatchEnsemble(batches=2, baseline="minimum")
    result = lowbid.simulate([plain, ours], arms, 2000, runs=50, seed=0)
    regret = result.regret[:, :, -1].mean(axis=1)
    assert regret[0] > 2 * regret[1]


def test_a_loss_of_minus_zero_reaches_the_policy_as_it_is():
    bandit = Bandit(2, BatchEnsemble(batches=schedules.Logarithmic(1.0), growth="redistribute"))
    bandit.update(0, loss=-0.0)
    assert np.signbit(bandit.state.batches.history_losses[0])


# A count of events has no other unit: two dozens are not 2.
COUNTS = [policy for policy in VARIANTS if policy.name.endswith(".poisson")]


@pytest.mark.parametrize(
    "policy", quick_by_default([policy for policy in VARIANTS if policy not in COUNTS])
)
def test_choices_are_the_same_in_any_unit_of_measurement(policy):
    expected = choices(policy, "loss", 0.0, 1.0)
    assert len(set(expected)) > 1
    for kind, low, width in [("loss", 0.0, 64.0), ("reward", -32.0, 1024.0), ("loss", 0.25, 0.5)]:
        assert choices(policy, kind, low, width) == expected


def choices(policy, kind, low, width):
    """The arms chosen when losses in [0, 1] are measured in another unit, or as rewards."""
    span = {f"{kind}_range": (low, low + width)}
    bandit, chosen = Bandit(4, policy, seed=3, horizon=300, **span), []
    for step in range(300):
        arm = bandit.select()
        loss = ((5 * step + 9 * arm) % 17 + 3 * arm) / 32
        bandit.update(arm, **{kind: low + width * (loss if kind == "loss" else 1.0 - loss)})
        chosen.append(arm)
    return chosen


def test_counts_are_the_exceptions():
    assert len(COUNTS) == 5


def test_what_the_user_gave_stays_and_what_runs_knows_the_range():
    bandit = Bandit(3, lowbid.UCB1(), reward_range=(0.0, 64.0))
    assert bandit.policy == lowbid.UCB1()
    assert bandit.parameters.scale == 64.0
    twin = Bandit.from_json(bandit.to_json())
    assert twin.policy == lowbid.UCB1()
    assert twin.parameters.scale == 64.0
    twin.add_arm("new")
    assert twin.parameters.scale == 64.0


def test_a_range_that_contradicts_the_policy_is_refused():
    with pytest.raises(InvalidValueError, match=r"scale=5, .* width 64"):
        Bandit(3, lowbid.UCB1(scale=5.0), reward_range=(0.0, 64.0))
    assert Bandit(3, lowbid.UCB1(scale=64.0), reward_range=(0.0, 64.0)).parameters.scale == 64.0


@dataclass(frozen=True)
class Ranged(Listener):
    """Takes losses that start at a given one, and remembers the declared range."""

    best: float = 0.0
    span: tuple = ()

    def for_range(self, low, high):
        return replace(self, span=(low, high))

    @property
    def loss_range(self):
        return self.best, math.inf

    @property
    def location_free(self):
        return False


@pytest.mark.parametrize(
    ("kind", "declared", "told"),
    [
        ("loss", (0.0, 8.0), (0.0, 8.0)),
        ("loss", (2.0, 8.0), (0.0, 6.0)),  # measured from the lowest
        ("loss", (-2.0, 8.0), (0.0, 10.0)),
        ("reward", (-2.0, 8.0), (0.0, 10.0)),  # the highest reward is the lowest loss
    ],
)
def test_the_range_is_that_of_the_losses_which_the_policy_sees(kind, declared, told):
    feedback = feedback_for(Ranged(), kind, declared)
    assert policy_for(Ranged(), feedback).span == told
    ends = [scaled_loss(feedback.scale, value) for value in declared]
    assert sorted(ends) == list(told)
    assert [feedback.value(loss) for loss in ends] == list(declared)
    assert feedback_from(Ranged(), feedback.to_data()) == feedback
    assert policy_for(Ranged(), feedback_for(Ranged(), "loss", None)).span == ()
    assert policy_for(Ranged(), None).span == ()


@pytest.mark.parametrize("kind", ["loss", "reward"])
@pytest.mark.parametrize("value", [1.25, -0.25, 50])
def test_a_policy_that_needs_a_range_says_so_when_it_matters(kind, value):
    bandit = Bandit(3, lowbid.UCB1())
    for fine in (0.0, 1.0, 0.5):
        bandit.update(0, **{kind: fine})
    before = bandit.to_json()
    with pytest.raises(InvalidValueError, match=rf"UCB1 takes .*{kind}_range=.* its scale"):
        bandit.update(1, **{kind: value})
    assert bandit.to_json() == before
    for knows in (
        Bandit(3, lowbid.UCB1(scale=60.0)),
        Bandit(3, lowbid.UCB1(), **{f"{kind}_range": (-1.0, 60.0)}),
        Bandit(3, lowbid.BatchEnsemble(baseline="minimum")),
    ):
        knows.update(1, **{kind: value})
        assert knows.means()[1] == value


def test_dollars_do_not_mislead_a_policy_that_was_told_the_range():
    """Orders of 50 dollars: UCB1 that takes them to be 1 wide locks onto the first arm."""
    rng = np.random.default_rng(0)
    bandit = Bandit(3, lowbid.UCB1(), seed=0, reward_range=(0.0, 64.0))
    for _ in range(600):
        arm = bandit.select()
        bandit.update(arm, reward=64.0 * (rng.random() < (0.2, 0.5, 0.8)[arm]))
    assert max(bandit.counts(), key=bandit.counts().get) == 2
