"""What policies that race share: the leader, due arms, pending decisions, arms that come and go."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowbid
from lowbid import Bandit, BatchLikelihood, MomentIMED
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.policies._base import arrays_of, copy_of

POLICIES = [MomentIMED(), BatchLikelihood(batches=5)]
KNOWN = [MomentIMED(low=-2.0, high=2.0), BatchLikelihood(low=-2.0, high=2.0)]
ids = {"ids": lambda policy: policy.name}


def choices(policy, plays, n_arms=3, seed=0):
    """What a bandit chooses when each arm's losses come from a list, in turn."""
    bandit = Bandit(n_arms, policy, seed=seed)
    seen, counts = [], [0] * n_arms
    for _ in range(60):
        arm = bandit.select()
        seen.append(arm)
        bandit.update(arm, loss=plays[arm][counts[arm] % len(plays[arm])])
        counts[arm] += 1
    return seen


losses = st.lists(st.integers(-64, 64).map(lambda i: i / 64), min_size=1, max_size=7)


@pytest.mark.parametrize("policy", POLICIES, **ids)
@given(st.tuples(losses, losses, losses), st.integers(-40, 40), st.sampled_from([3.0, 1000.0]))
@settings(max_examples=25, deadline=None)
def test_unit_and_location_do_not_matter(policy, plays, shift, scale):
    with interpreted():
        moved = [[scale * x + shift for x in row] for row in plays]
        assert choices(policy, plays) == choices(policy, moved)


@pytest.mark.parametrize("policy", POLICIES, **ids)
@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e99])
def test_huge_and_tiny_losses_are_as_good_as_any(policy, scale):
    plays = [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]]
    with interpreted():
        small = [[scale * x for x in row] for row in plays]
        assert choices(policy, plays) == choices(policy, small)


extremes = st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, 5e-324, 1e100, 0.1, 1 / 3])


@pytest.mark.parametrize("policy", [*POLICIES, *KNOWN], **ids)
@given(st.lists(st.tuples(st.integers(0, 2), extremes), max_size=40))
@settings(max_examples=60, deadline=None)
def test_no_history_makes_an_index_that_is_no_number(policy, plays):
    low, high = policy.loss_range
    parameters, state = policy.start(3, None, 100)
    stream = np.ones(1, np.uint64)
    with interpreted():
        for step, (arm, loss) in enumerate(plays, start=1):
            policy.kernels.update(parameters, state, arm, min(max(loss, low), high), step, stream)
            chosen = policy.kernels.select(parameters, state, step + 1, stream)
            assert 0 <= chosen < 3
            assert not np.isnan(state.race.ranking.indices).any()
            assert not any(np.isnan(values).any() for values in arrays_of(state))


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_arms_that_are_alike_are_played_alike(policy):
    """Three arms of the same constant loss: no play may favour one of them."""
    runs = 300
    arms = lowbid.Deterministic([0.5, 0.5, 0.5])
    pulls = lowbid.simulate(policy, arms, horizon=7, runs=runs, seed=1).pulls[0]
    assert (pulls.max(axis=1) == 3).all()
    assert (pulls.min(axis=1) == 2).all()
    for arm in range(3):
        error = math.sqrt(runs * (1 / 3) * (2 / 3))
        assert abs((pulls[:, arm] == 3).sum() - runs / 3) < 4 * error


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_constant_arms_are_told_apart_after_two_plays_each(policy):
    arms = lowbid.Deterministic([0.5, 0.4, 0.6])
    assert lowbid.simulate(policy, arms, horizon=200, runs=1).pulls[0, 0].tolist() == [2, 196, 2]


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_a_burst_of_decisions_spreads(policy):
    bandit = Bandit(4, policy, seed=2)
    first = bandit.decide(40)
    shares = np.bincount([decision.arm for decision in first])
    assert shares.tolist() == [10, 10, 10, 10]
    for decision in first:
        loss = [0.5, 0.45, 0.55, 9.0][decision.arm] + 0.5 * (bandit.counts()[decision.arm] % 3 == 0)
        bandit.update(decision, loss=loss)
    second = np.bincount([decision.arm for decision in bandit.decide(30)], minlength=4)
    assert second[3] == 0
    assert (second[:3] > 0).sum() >= 2


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_late_losses_of_other_arms_end_the_leaders_stay(policy):
    bandit = Bandit(2, policy, seed=0)
    for _ in range(300):
        for arm, loss in ((0, 0.4), (1, 0.6)):
            bandit.update(arm, loss=loss + 0.1 * math.sin(bandit.counts()[arm]))
    assert bandit.select() == 0
    late = bandit.decide(5)
    assert {decision.arm for decision in late} == {0}
    for _ in range(300):
        bandit.update(1, loss=-5.0)
    assert bandit.select() == 1


@pytest.mark.parametrize("policy", [*POLICIES, *KNOWN], **ids)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(-64, 64)), max_size=60), st.integers(0, 60)
)
@settings(max_examples=25, deadline=None)
def test_a_merged_state_is_that_of_all_losses(policy, plays, cut):
    """Up to the clip, which depends on the order of losses; ranges here are seen at once."""
    first = [(0, -64), (1, 64), (2, 64), *plays[:cut]]
    second = [(0, -64), (0, 64), *plays[cut:]]
    with interpreted():
        merged = policy.merge(fed(policy, first), fed(policy, second))
        whole = fed(policy, [*first, *second])
        scale = merged.yardstick[1] / whole.yardstick[1]
        np.testing.assert_allclose(merged.race.counts, whole.race.counts)
        for name, power, off in (("squares", 2, 1e-9), ("cubes", 3, 1e-8)):
            one, two = (getattr(state.deviations, name) for state in (merged, whole))
            np.testing.assert_allclose(scale**power * one, two, atol=off)
        means = [state.race.sums / np.maximum(state.race.counts, 1) for state in (merged, whole)]
        origins = [state.yardstick[0] / state.yardstick[1] for state in (merged, whole)]
        np.testing.assert_allclose(
            scale * (means[0] + origins[0]), means[1] + origins[1], atol=1e-9
        )
        if isinstance(policy, BatchLikelihood):
            dealt = merged.batches
            np.testing.assert_array_equal(dealt.counts.sum(axis=1), merged.race.counts)
            np.testing.assert_allclose(dealt.sums.sum(axis=1), merged.race.sums, atol=1e-9)


def fed(policy, plays):
    parameters, state = policy.start(3, None, 200)
    stream = np.ones(1, np.uint64)
    for step, (arm, loss) in enumerate(plays, start=1):
        policy.kernels.update(parameters, state, arm, loss / 64, step, stream)
    return state


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_merged_bandits_go_on(policy):
    ours, theirs = (Bandit(3, policy, seed=seed) for seed in (0, 1))
    for bandit in (ours, theirs):
        for step in range(60):
            bandit.update(step % 3, reward=step % 3 + 0.1 * (step % 7))
    ours.merge(theirs)
    assert ours.counts() == {0: 40, 1: 40, 2: 40}
    assert ours.select() == 2


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_a_saved_state_goes_on_bit_for_bit(policy):
    bandit = Bandit(3, policy, seed=0)
    for step in range(80):
        bandit.update(bandit.select(), loss=math.sin(step))
    again = Bandit.from_json(bandit.to_json())
    for step in range(80):
        arm = bandit.select()
        assert again.select() == arm
        bandit.update(arm, loss=math.cos(step))
        again.update(arm, loss=math.cos(step))


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_indices_name_the_arm_that_is_played_next(policy):
    bandit = Bandit(3, policy, seed=0)
    for step in range(200):
        indices = np.array(list(bandit.indices().values()))
        arm = bandit.select()
        assert indices[arm] == indices.min()
        bandit.update(arm, loss=math.sin(7 * step) + 0.3 * arm)


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_one_absurd_loss_changes_little(policy):
    """A loss of a million for the best arm, or a gain of a million for the worst, after a while."""
    arms = lowbid.Gaussian([0.0, 0.5])
    plain = lowbid.simulate(policy, arms, horizon=4000, runs=40, seed=0)
    for value in (1e6, -1e6):
        wrong = lowbid.Contaminated(arms, value=value, chance=1 / 2000)
        hit = lowbid.simulate(policy, wrong, horizon=4000, runs=40, seed=0)
        assert hit.regret[0, :, -1].mean() < 2 * plain.regret[0, :, -1].mean() + 20


@pytest.mark.parametrize("policy", [MomentIMED, BatchLikelihood])
def test_a_declared_range_finds_a_jackpot(policy):
    """100 with a chance of 0.002 against 0.1 for sure: without the range both rules give up."""
    arms = lowbid.Mixed([lowbid.Deterministic([99.9]), lowbid.ScaledBernoulli([99.8], [100.0])])
    known = policy(low=0.0, high=100.0)
    result = lowbid.simulate([policy(), known], arms, horizon=50_000, runs=10, seed=0)
    share = result.pulls[:, :, 1].mean(axis=1) / 50_000
    assert share[0] < 0.2
    assert share[1] > 0.8


@pytest.mark.parametrize("policy", [MomentIMED, BatchLikelihood])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"patience": 0.0}, "patience is 0.0; give a finite number above 0"),
        ({"recheck": -0.1}, "recheck is -0.1"),
        ({"pooling": math.nan}, "pooling is nan"),
        ({"low": 0.0}, "low, high are 0.0, None; give both or none"),
        ({"low": 1.0, "high": 1.0}, "high is 1.0; give a finite number above 1"),
        ({"low": -math.inf, "high": 1.0}, "low is -inf"),
    ],
)
def test_bad_parameters_are_named(policy, bad, message):
    with pytest.raises(InvalidValueError, match=message):
        policy(**bad)


def test_a_range_is_filled_in_once():
    known = MomentIMED(patience=2.0).for_range(0.0, 5.0)
    assert known == MomentIMED(patience=2.0, low=0.0, high=5.0)
    assert known.for_range(0.0, 9.0) is known
    assert known.loss_range == (0.0, 5.0)
    assert not known.scale_free


def test_a_look_changes_no_state():
    policy = MomentIMED()
    parameters, state = policy.start(3, None, 100)
    for step in range(1, 30):
        policy.kernels.update(parameters, state, step % 3, math.sin(step), step, np.ones(1, "u8"))
    before = copy_of(state)
    policy.indices(parameters, state, 31)
    for one, two in zip(arrays_of(before), arrays_of(state), strict=True):
        np.testing.assert_array_equal(one, two)


def in_a_stay(policy, n_arms=2):
    """A bandit whose leader, arm 0, is to be played a few times more without a look at others."""
    bandit = Bandit(n_arms, policy, seed=0)
    for step in range(300):
        for arm in range(n_arms):
            if arm == 0 or step < 20:
                bandit.update(arm, loss=0.4 + 0.2 * arm + 0.3 * math.sin(7 * step + arm))
    assert bandit.select() == 0
    race = bandit.state.race
    assert race.until[0] > race.counts[0] + race.pending[0]
    return bandit


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_a_new_arm_ends_the_leaders_stay(policy):
    bandit = in_a_stay(policy)
    bandit.add_arm("new")
    assert bandit.select() == "new"


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_a_leader_that_is_removed_leads_no_more(policy):
    bandit = in_a_stay(policy, n_arms=3)
    bandit.remove_arm(0)
    assert bandit.select() == 1


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_nobody_sleeps_on_when_the_leader_is_gone(policy):
    """Both others were far behind the leader; which of them is better must be found out."""
    bandit = Bandit(3, policy, seed=0)
    for step in range(600):
        for arm, loss in ((0, -2.0), (1, 0.85), (2, 0.8)):
            if arm == 0 or step < 12:
                bandit.update(arm, loss=loss + 0.3 * math.sin(5 * step + arm))
    bandit.select()
    assert (bandit.state.race.asleep[1:] > 0.0).all()
    bandit.remove_arm(0)
    later = []
    for step in range(60):
        later.append(bandit.select())
        bandit.update(later[-1], loss=0.8 + 0.3 * math.sin(3 * step))
    assert set(later) == {1, 2}


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_a_late_loss_that_makes_an_arm_due_ends_the_leaders_stay(policy):
    bandit = in_a_stay(policy)
    race = bandit.state.race
    for _ in range(60):
        bandit.update(1, loss=0.0)
        due = race.ranking.indices[1] < race.counts[0] + race.pending[0]
        if due and race.sums[1] / race.counts[1] > race.sums[0] / race.counts[0]:
            assert race.until[0] == 0.0
            return
    pytest.fail("the arm was never due without leading")


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_pending_decisions_add_to_the_evidence(policy):
    """Ten pending plays of an arm make it due much later than their number alone would."""
    parameters, state = policy.start(2, None, 100)
    stream = np.ones(1, np.uint64)
    for step in range(1, 21):
        for arm, loss in ((0, 0.2), (1, 0.6)):
            policy.kernels.update(parameters, state, arm, loss + 0.5 * (step % 2), step, stream)
    before = policy.indices(parameters, state, 41)[1]
    type(policy).hold(parameters, state, 1, 10)
    after = policy.indices(parameters, state, 41)[1]
    assert after > 2 * before * 30 / 20


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_all_arms_are_looked_at_again_when_another_leads(policy):
    bandit = in_a_stay(policy, n_arms=3)
    race = bandit.state.race
    race.asleep[2] = 1e9
    for _ in range(60):
        bandit.update(1, loss=-5.0)
    bandit.select()
    assert race.leader[0] == 1
    assert race.asleep[2] < 1e9


@pytest.mark.parametrize("policy", [*POLICIES, BatchLikelihood()], **ids)
@pytest.mark.parametrize("n_arms", [2, 9])
@pytest.mark.parametrize("already_pending", [0, 500])
def test_a_new_arm_gets_its_fair_share_of_a_burst(policy, n_arms, already_pending):
    """And not much less, so that its first outcomes, when they come, say something."""
    bandit = Bandit(n_arms, policy, seed=0)
    for step in range(3000):
        arm = bandit.select()
        bandit.update(arm, loss=0.3 * arm + math.sin(7 * step))
    bandit.decide(already_pending)
    bandit.add_arm("new")
    share = sum(decision.arm == "new" for decision in bandit.decide(1000)) / 1000
    fair = 1 / (n_arms + 1)
    assert 0.5 * fair < share < 2 * fair


@pytest.mark.parametrize("policy", POLICIES, **ids)
def test_a_new_arm_with_good_outcomes_leads_soon(policy):
    bandit = in_a_stay(policy, n_arms=3)
    bandit.add_arm("new")
    waiting = [decision for decision in bandit.decide(30) if decision.arm == "new"]
    for decision in waiting:
        bandit.update(decision, loss=-1.0)
    assert [bandit.select() for _ in range(5)] == ["new"] * 5
