"""States whose arms are taken, joined and renumbered, for every policy of the library."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lowbid
from lowbid import Bandit, BatchEnsemble, schedules
from lowbid.errors import InvalidValueError
from lowbid.policies._arms import arm_axes
from lowbid.policies._base import arrays_of
from variants import VARIANTS, quick_by_default

EXTRA = [
    BatchEnsemble(batches=schedules.Logarithmic(1.5), growth="redistribute"),
    BatchEnsemble(batches=3, baseline="minimum"),
    BatchEnsemble(batches=schedules.Logarithmic(1.5), growth="redistribute", baseline="minimum"),
]
ALL = VARIANTS + EXTRA
HORIZON = 1000


def can_change(policy):
    def start(n_arms):
        return policy.start(n_arms, HORIZON, HORIZON)[1]

    try:
        arm_axes(policy, 4, start)
    except InvalidValueError:
        return False
    return True


CHANGING = [policy for policy in ALL if can_change(policy)]


def bandit_of(policy, n_arms, steps=60):
    bandit = Bandit(n_arms, policy, seed=1, horizon=HORIZON)
    for step in range(steps):
        arm = bandit.select()
        bandit.update(arm, loss=(0.3 + 0.1 * arm + 0.1 * (step % 3)) % 1.0)
    return bandit


def assert_same_state(first, second):
    for one, two in zip(arrays_of(first), arrays_of(second), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("policy", quick_by_default(CHANGING))
def test_an_arm_learns_the_same_under_another_number(policy):
    order, back = [2, 0, 3, 1], [1, 3, 0, 2]
    ours, theirs = bandit_of(policy, 4), bandit_of(policy, 4)
    theirs._core.engine.reorder(order)
    for step in range(120):
        arm, loss = step * 7 % 4, (0.3 + 0.07 * (step % 9)) % 1.0
        ours.update(arm, loss=loss)
        theirs.update(order.index(arm), loss=loss)
    theirs._core.engine.reorder(back)
    ours._core.engine.reorder([0, 1, 2, 3])
    assert_same_state(ours.state, theirs.state)


@pytest.mark.parametrize("policy", quick_by_default(CHANGING))
def test_a_new_arm_is_explored_and_a_paused_one_comes_back(policy):
    bandit = bandit_of(policy, 3)
    bandit.pause_arm(1)
    bandit.add_arm("new")
    chosen = []
    for step in range(200):
        arm = bandit.select()
        chosen.append(arm)
        bandit.update(arm, loss=0.05 if arm == "new" else 0.5 + 0.1 * (step % 4))
    assert 1 not in chosen
    assert chosen.count("new") > 20
    bandit.resume_arm(1)
    bandit.remove_arm(0)
    later = []
    for step in range(400):
        arm = bandit.select()
        later.append(arm)
        bandit.update(arm, loss=0.01 * (step % 3) if arm == 1 else 1.0)
    assert 0 not in later
    assert set(later) <= {1, 2, "new"}
    assert 1 in later


def test_a_policy_whose_arms_are_fixed_says_so():
    class Committed(BatchEnsemble):
        fixed_arms = "it commits to one of them at a step that depends on their number"

    bandit = Bandit(3, Committed())
    for change in (lambda: bandit.add_arm("x"), lambda: bandit.pause_arm(0)):
        with pytest.raises(InvalidValueError, match="cannot change: it commits"):
            change()
    assert bandit.arms == [0, 1, 2]
    assert bandit.paused == []


@pytest.mark.parametrize("n_arms", [95, 96, 97, 128, 130])
def test_ranked_trees_follow_the_arms(n_arms):
    bandit = Bandit(n_arms, BatchEnsemble(batches=2, ties="first"))
    for arm in range(n_arms):
        for _ in range(4):
            bandit.update(arm, loss=1.0 + (arm * 37 % n_arms))
    for gone in range(0, n_arms, 2):
        bandit.remove_arm(gone)
    rest = [arm for arm in range(n_arms) if arm % 2]
    assert bandit.select() == min(rest, key=lambda arm: arm * 37 % n_arms)
    bandit.add_arm(1000)
    assert bandit.select() == 1000


@given(
    losses=st.lists(st.tuples(st.integers(0, 2), st.integers(-8, 8)), min_size=0, max_size=80),
    split=st.integers(0, 80),
    growth=st.sampled_from(["append", "redistribute"]),
    baseline=st.sampled_from([-8.0, "minimum"]),
    batches=st.sampled_from([3, schedules.Logarithmic(1.0)]),
)
def test_merged_batches_hold_all_losses(losses, split, growth, baseline, batches):
    policy = BatchEnsemble(batches=batches, growth=growth, baseline=baseline)
    parts = [Bandit(3, policy, horizon=200), Bandit(3, policy, horizon=200)]
    for number, (arm, loss) in enumerate(losses):
        parts[number < split].select()
        parts[number < split].update(arm, loss=loss / 4)
    merged = policy.merge(parts[0].state, parts[1].state)
    lowest = min((loss / 4 for _, loss in losses), default=np.inf)
    assert merged.batches.baseline[0] == (lowest if baseline == "minimum" else baseline)
    finite = np.nan_to_num(merged.batches.baseline[0], posinf=0.0)
    for arm in range(3):
        mine = [loss / 4 for other, loss in losses if other == arm]
        assert merged.batches.counts[arm].sum() == len(mine)
        total = sum(mine) - (merged.batches.baseline[0] * len(mine) if mine else 0.0)
        assert merged.batches.sums[arm].sum() == pytest.approx(total)
        for batch in range(merged.batches.in_use[0]):
            total, count = merged.batches.sums[arm, batch], merged.batches.counts[arm, batch]
            above = total / (count + 2) if count else 0.0
            assert policy.estimates(merged)[arm, batch] == above + finite
    if growth == "redistribute" and batches != 3:
        counts = merged.batches.counts[:, : merged.batches.in_use[0]]
        assert (counts.max(axis=1) - counts.min(axis=1) <= 1).all()
        assert merged.batches.history_length[0] == len(losses)


@pytest.mark.parametrize("policy", [lowbid.UCB1(), lowbid.BetaThompson()], ids=str)
def test_merged_counts_are_those_of_one_who_saw_everything(policy):
    losses = [(i % 3, float(i * 7 % 5 > 2)) for i in range(50)]
    bandits = [Bandit(3, policy) for _ in range(3)]
    for i, (arm, loss) in enumerate(losses):
        for bandit in (bandits[2], bandits[i % 2]):
            bandit.update(arm, loss=loss)
    assert_same_state(
        policy.merge(bandits[0].state, bandits[1].state),
        policy.merge(bandits[2].state, Bandit(3, policy).state),
    )
