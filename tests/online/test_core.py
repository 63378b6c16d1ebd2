"""Late feedback, expiry, and what merging makes of two bandits."""

import numpy as np
import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble, schedules
from lowbid.errors import InvalidValueError, LossesWarning
from naive.batch_ensemble import dealt
from naive.online import pending_index
from online_play import ENSEMBLE, Listener, used


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


def test_an_index_is_worked_out_again_while_exactly_one_decision_is_pending():
    bandit = Bandit(2, BatchEnsemble(batches=2, ties="first"), seed=0)
    losses = {0: [0.75, 0.5, 0.25], 1: [1.0, 1.0]}
    for arm, values in losses.items():
        bandit.update_many([arm] * len(values), losses=values)
    decision = bandit.decide()
    for loss in (1.0, 0.0, 0.5, 1.0, 1.0):  # of its arm, but not its outcome
        bandit.update(decision.arm, loss=loss)
        losses[decision.arm].append(loss)
        expected = [pending_index(dealt(x, 2), held(bandit, arm)) for arm, x in losses.items()]
        assert bandit.indices() == pytest.approx(dict(enumerate(expected)))


def test_a_policy_is_told_the_step_at_which_a_loss_is_known():
    bandit = Bandit(["a", "b", "c"], Listener())
    first, second, third = bandit.decide(3)
    bandit.update(second, loss=0.5)  # known after step 3, which was the last to be played
    assert bandit.state.steps.tolist() == [0, 3, 0]
    assert bandit.step == 4
    bandit.update("a", loss=0.25)  # step 4
    assert bandit.state.steps.tolist() == [4, 3, 0]
    assert bandit.step == 5
    bandit.update_many([third, "b", first], losses=[0.5, 0.5, 0.5])
    assert bandit.state.steps.tolist() == [5, 5, 4]
    assert bandit.step == 6


def test_a_policy_is_told_how_many_decisions_it_waits_for():
    bandit = Bandit(["a", "b"], Listener(), expiry=6)
    decisions = bandit.decide(5)
    assert bandit.state.held.tolist() == [3, 2]
    bandit.update(decisions[0], loss=0.5)
    bandit.update("a", loss=0.5)
    bandit.forget(decisions[1])
    assert bandit.state.held.tolist() == [2, 1]
    bandit.pause_arm("a")
    bandit.forget(decisions[2])
    bandit.resume_arm("a")  # comes back as the last arm
    assert dict(zip(bandit.arms, bandit.state.held.tolist(), strict=True)) == {"b": 1, "a": 1}
    bandit.pause_arm("b")
    latest = bandit.decide(6)  # so that the old ones, one of which is of a paused arm, expire
    bandit.resume_arm("b")
    assert bandit.pending() == latest
    assert dict(zip(bandit.arms, bandit.state.held.tolist(), strict=True)) == {"a": 6, "b": 0}


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
    bandit = Bandit(2, ENSEMBLE, seed=0, expiry=5)
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


def test_merged_bandits_know_what_both_saw():
    ones = [(arm, i % 4 + (7 * i % 5) / 4) for i, arm in enumerate(["a", "b", "c", 4] * 30)]
    left = Bandit(["a", "b", "c", 4], ENSEMBLE, seed=0)
    right = Bandit([4, "c", "b", "a"], ENSEMBLE, seed=1)
    for i, (arm, reward) in enumerate(ones):
        (left if i % 3 else right).update(arm, reward=reward)
    waiting = right.decide(4)
    mine = left.decide(2)
    left.merge(right)
    everything = {arm: [x for other, x in ones if other == arm] for arm in left.arms}
    assert left.counts() == {arm: len(x) for arm, x in everything.items()}
    assert left.means() == pytest.approx({arm: sum(x) / len(x) for arm, x in everything.items()})
    assert left.step == len(ones) + 6 + 1
    assert left.state.batches.pending.sum() == 6
    for decision in [*waiting, *mine]:
        assert left.update(decision, reward=1.0) is None
    go = [left.select() for _ in range(5)]
    assert set(go) <= set(left.arms)


def test_arms_that_were_removed_from_either_are_answered_after_a_merge():
    left, right = Bandit(["a", "b"], ENSEMBLE), Bandit(["a", "b", "old"], ENSEMBLE)
    right.remove_arm("old")
    left.merge(right)
    assert left.update("old", loss=1.0) == "removed"


def test_only_like_is_merged_with_like():
    base = used(ENSEMBLE)
    for other, reason in [
        (used(lowbid.UCB1()), "different policies"),
        (Bandit(["a", "b"], ENSEMBLE), "different arms"),
        (used(ENSEMBLE, loss_range=(0, 2)), "different kinds or ranges"),
        (Bandit.from_json(base.to_json()), "common past"),
        ("no bandit", "not a bandit"),
    ]:
        before = base.to_json()
        with pytest.raises(InvalidValueError, match=reason):
            base.merge(other)
        assert base.to_json() == before
    with pytest.raises(InvalidValueError, match="cannot be merged"):
        used(lowbid.LBSDA()).merge(used(lowbid.LBSDA()))


def far(offset, gap=4.0, **options):
    bandit = Bandit(2, seed=1, compiled="never", **options)
    for step in range(40):
        bandit.update(arm := bandit.select(), loss=offset + gap * arm + 2 * (step % 2))
    return bandit


def test_where_floating_point_ends_is_said_once():
    with pytest.warns(LossesWarning, match=r"1e-14 of their size.*Subtract .* 1e\+15") as told:
        far(1e15)
    assert len(told) == 1
    with pytest.warns(LossesWarning, match="rewards such as -1"):
        Bandit(2).update_many([0, 1], rewards=[-1e15, -1e15 - 4])
    with pytest.warns(LossesWarning, match="losses such as 1"):
        Bandit(2).learn_from({"arm": [0, 1], "loss": [1e15, 1e15 + 4]})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("offset", "options"),
    [(0.0, {}), (1e14, {}), (-1e14, {}), (1e15, {"loss_range": (1e15, 1e15 + 8)})],
)
def test_before_that_nothing_is_said_and_the_better_arm_is_played(offset, options):
    counts = far(offset, **options).counts()
    assert counts[0] > 2 * counts[1]
