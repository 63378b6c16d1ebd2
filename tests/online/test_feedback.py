"""Names, units and signs; late feedback; the same choices as in a simulation."""

import enum

import numpy as np
import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble, schedules
from lowbid.errors import InvalidValueError
from lowbid.simulation import loss_of
from naive.batch_ensemble import dealt
from naive.online import pending_index

ARMS = lowbid.Bernoulli([0.2, 0.4, 0.5])
POLICIES = [
    BatchEnsemble(),
    BatchEnsemble(baseline="minimum", growth="redistribute"),
    lowbid.UCB1(),
    lowbid.BetaThompson(),
]


def play(bandit, steps, choose, tell):
    """Play arms 0, 1, 2 on the losses of run 0, and give the arms chosen."""
    table, counts, chosen = ARMS.table(), [0, 0, 0], []
    for _ in range(steps):
        arm, what = choose(bandit)
        tell(bandit, what, loss_of(ARMS, table, 5, 0, arm, counts[arm]))
        counts[arm] += 1
        chosen.append(arm)
    return chosen


def select(bandit):
    arm = bandit.select()
    return arm, arm


def decide(bandit):
    decision = bandit.decide()
    return decision.arm, decision


def tell_loss(bandit, what, loss):
    assert bandit.update(what, loss=loss) is None


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("choose", [select, decide])
def test_it_makes_the_choices_of_the_simulation(policy, choose):
    steps = 2500  # past the first doubling of the room for steps
    bandit = Bandit(3, policy, seed=5, horizon=steps)
    chosen = play(bandit, steps, choose, tell_loss)
    result = lowbid.simulate(policy, ARMS, steps, runs=1, seed=5)
    assert np.bincount(chosen, minlength=3).tolist() == result.pulls[0, 0].tolist()


def test_rewards_of_any_sign_and_size_make_the_same_choices():
    def tell_reward(scale, shift):
        return lambda bandit, arm, loss: bandit.update(arm, reward=shift - scale * loss)

    ours = play(Bandit(3, seed=1), 600, select, tell_loss)
    for scale, shift in [(1.0, 0.0), (1024.0, 0.0), (0.5, -64.0), (1.0, 4096.0)]:
        assert play(Bandit(3, seed=1), 600, select, tell_reward(scale, shift)) == ours


@pytest.mark.parametrize("policy", [BatchEnsemble(), lowbid.BetaThompson()], ids=str)
def test_a_policy_that_must_know_the_best_reward_asks_for_it(policy):
    with pytest.raises(InvalidValueError, match="reward_range"):
        Bandit(3, policy).update(0, reward=1.0)

    def tell_reward(bandit, arm, loss):
        bandit.update(arm, reward=30.0 - 40.0 * loss)

    bandit = Bandit(3, policy, seed=1, reward_range=(-10.0, 30.0))
    assert play(bandit, 300, select, tell_reward) == play(
        Bandit(3, policy, seed=1), 300, select, tell_loss
    )
    with pytest.raises(InvalidValueError, match="from -10 to 30"):
        bandit.update(0, reward=30.5)


def test_losses_are_scaled_for_a_policy_that_needs_it():
    bandit = Bandit(2, lowbid.BetaThompson(), loss_range=(-100.0, 300.0))
    bandit.update(0, loss=300.0)
    bandit.update(1, loss=-100.0)
    assert bandit.state.bad.tolist() == [2.0, 1.0]
    assert bandit.state.good.tolist() == [1.0, 2.0]
    assert bandit.means() == {0: 300.0, 1: -100.0}


def test_negating_rewards_into_the_plain_rule_is_the_trap_that_the_default_avoids():
    """A reward is 1 with chance 0.9, 0.8, ...: as a loss -1, where the plain rule hopes for 0."""
    arms = lowbid.Empirical([[-1.0] * n + [0.0] * (100 - n) for n in (90, 80, 75, 70)])
    plain, ours = BatchEnsemble(batches=2), BatchEnsemble(batches=2, baseline="minimum")
    result = lowbid.simulate([plain, ours], arms, 2000, runs=50, seed=0)
    regret = result.regret[:, :, -1].mean(axis=1)
    assert regret[0] > 2 * regret[1]


def test_true_and_numpy_numbers_are_rewards_too():
    bandit = Bandit(["a", "b"])
    for reward in [True, np.bool_(False), 1, np.int32(2), np.float32(0.5)]:
        bandit.update(np.str_("a"), reward=reward)
    assert bandit.counts() == {"a": 5, "b": 0}
    assert bandit.means()["a"] == pytest.approx(0.9)
    assert {type(arm) for arm in bandit.arms} == {str}


def test_the_members_of_an_enumeration_are_arms():
    class Page(str, enum.Enum):  # noqa: UP042 - its str() is not its value
        SHORT = "short"
        LONG = "long"

    bandit = Bandit(Page)
    assert bandit.arms == ["short", "long"]
    assert bandit.update(Page.SHORT, loss=1.0) is None
    assert bandit.update("short", loss=1.0) is None
    assert bandit.counts() == {"short": 2, "long": 0}


@pytest.mark.parametrize("growth", ["append", "redistribute"])
def test_while_decisions_are_pending_batches_are_filled_with_the_mean(growth):
    policy = BatchEnsemble(batches=schedules.Fixed(3), growth=growth, ties="first")
    bandit = Bandit(2, policy, seed=0)
    losses = {0: [1.0, 0.0, 0.5, 0.25, 1.0], 1: [0.75, 0.5, 1.0, 0.5]}
    for arm, values in losses.items():
        for loss in values:
            bandit.update(arm, loss=loss)
    for _ in range(12):
        expected = [pending_index(dealt(x, 3), held(bandit, arm)) for arm, x in losses.items()]
        assert bandit.indices() == pytest.approx(dict(enumerate(expected)))
        assert bandit.decide().arm == int(np.argmin(expected))
    while bandit.pending():
        decision = bandit.pending()[len(bandit.pending()) // 2]
        bandit.update(decision, loss=0.5)
        losses[decision.arm].append(0.5)
        expected = [pending_index(dealt(x, 3), held(bandit, arm)) for arm, x in losses.items()]
        assert bandit.indices() == pytest.approx(dict(enumerate(expected)))
    assert bandit.state.batches.pending.tolist() == [0, 0]


def held(bandit, arm):
    return sum(decision.arm == arm for decision in bandit.pending())


def test_a_burst_of_decisions_does_not_herd_on_an_arm_that_is_new():
    bandit = Bandit(3, seed=0)
    for i in range(60):
        bandit.update(i % 3, loss=0.5 + 0.25 * (i % 2))
    bandit.add_arm("new")
    arms = [decision.arm for decision in bandit.decide(100)]
    assert "new" in arms[:4]
    assert set(arms) == {0, 1, 2, "new"}
    assert max(arms.count(arm) for arm in set(arms)) < 60


def test_an_old_decision_expires():
    bandit = Bandit(2, seed=0, expiry=5)
    first = bandit.decide()
    later = bandit.decide(5)
    assert len(bandit.pending()) == 6
    bandit.decide()
    assert first not in bandit.pending()
    assert bandit.update(first, loss=1.0) == "closed"
    assert bandit.update(later[0], loss=1.0) is None
    assert bandit.state.batches.pending.sum() == len(bandit.pending())


def test_late_feedback_of_a_removed_arm_is_answered_even_if_the_name_is_used_again():
    bandit = Bandit(["a", "b"], seed=0)
    decision = next(d for d in bandit.decide(30) if d.arm == "a")
    bandit.remove_arm("a")
    assert bandit.update("a", loss=1.0) == "removed"
    bandit.add_arm("a")
    assert bandit.update(decision, loss=1.0) == "removed"
    assert bandit.counts() == {"b": 0, "a": 0}
    assert bandit.update("a", loss=1.0) is None


def test_late_feedback_of_a_paused_arm_is_taken_in():
    policy = BatchEnsemble(batches=2, ties="first")
    bandit = Bandit(["a", "b", "c"], policy)
    decisions = bandit.decide(3)
    bandit.pause_arm("a")
    for decision in decisions:
        bandit.update(decision, loss=0.25)
    bandit.update("a", loss=0.75)
    bandit.resume_arm("a")
    assert bandit.counts() == {"b": 0, "c": 0, "a": 4}
    assert bandit.state.batches.sums[2].tolist() == [0.5, 1.0]
    assert bandit.state.batches.pending.tolist() == [0, 0, 0]


def test_a_loss_of_minus_zero_reaches_the_policy_as_it_is():
    bandit = Bandit(2, BatchEnsemble(batches=schedules.Logarithmic(1.0), growth="redistribute"))
    bandit.update(0, loss=-0.0)
    assert np.signbit(bandit.state.batches.history_losses[0])
