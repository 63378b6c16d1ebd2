import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowbid
from lowbid import BatchEnsemble, schedules
from lowbid.errors import InvalidValueError
from naive import batch_ensemble as naive
from replay import lowest_arms, replay

ARMS = lowbid.Mixed([lowbid.Bernoulli([0.2, 0.4, 0.5]), lowbid.Uniform(0.1, 0.9)])
GROWING = schedules.Logarithmic(1.5)


@pytest.mark.parametrize("batches", [1, 3, 12])
@pytest.mark.parametrize("padding", [2.0, 0.0, 0.5])
def test_a_fixed_number_of_batches_is_algorithm_1(batches, padding):
    policy = BatchEnsemble(batches=batches, padding=padding)
    for moment in replay(policy, ARMS, horizon=400, seed=1):
        split = [naive.dealt(losses, batches) for losses in moment.losses]
        assert moment.arm in lowest_arms(naive.indices(split, padding=padding))


@pytest.mark.parametrize("batches", [GROWING, lambda t: 1 + t // 90, lambda t: 1 if t < 50 else 7])
@pytest.mark.parametrize("baseline", [0.0, -0.3, "minimum"])
def test_redistribute_deals_the_whole_history_again(batches, baseline):
    policy = BatchEnsemble(batches=batches, growth="redistribute", baseline=baseline)
    for moment in replay(policy, ARMS, horizon=400, seed=2):
        split = [naive.dealt(losses, batches(moment.step)) for losses in moment.losses]
        at = _baseline(baseline, moment.losses)
        assert moment.arm in lowest_arms(naive.indices(split, baseline=at))


@pytest.mark.parametrize("batches", [GROWING, lambda t: 1 + t // 90, lambda t: 1 if t < 50 else 7])
@pytest.mark.parametrize("warmup", [0, 2])
@pytest.mark.parametrize("baseline", [0.0, "minimum"])
def test_append_feeds_the_smallest_batch(batches, warmup, baseline):
    policy = BatchEnsemble(batches=batches, growth="append", warmup=warmup, baseline=baseline)
    model = naive.Appending(ARMS.n_arms)
    previous = None
    for moment in replay(policy, ARMS, horizon=400, seed=3):
        if previous is not None:
            model.feed(previous, moment.losses[previous][-1])
        model.grow_to(batches(moment.step))
        at = _baseline(baseline, moment.losses)
        expected = naive.indices(model.arms, warmup=warmup, baseline=at)
        assert moment.arm in lowest_arms(expected)
        previous = moment.arm


def _baseline(baseline, losses):
    return min((min(x) for x in losses if x), default=0.0) if baseline == "minimum" else baseline


@pytest.mark.parametrize("growth", ["append", "redistribute"])
def test_both_growths_are_algorithm_1_until_the_first_growth(growth):
    first_growth = 120
    policies = {
        "grows": BatchEnsemble(
            batches=lambda t: 4 if t < first_growth else 5, growth=growth, ties="first"
        ),
        "fixed": BatchEnsemble(batches=4, ties="first"),
    }
    steps = np.arange(1, 200)
    result = lowbid.simulate(policies, ARMS, horizon=199, runs=20, checkpoints=steps)
    before = steps < first_growth
    assert np.array_equal(result.regret[0][:, before], result.regret[1][:, before])
    assert not np.array_equal(result.regret[0], result.regret[1])


histories = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 64).map(lambda k: k / 64.0)), max_size=120
)


@settings(max_examples=60)
@given(histories, st.integers(1, 9), st.sampled_from([0.0, "minimum"]))
def test_the_lowest_bid_is_the_lowest_index(history, batches, baseline):
    policy = BatchEnsemble(batches=batches, baseline=baseline)
    bandit = lowbid.Bandit(4, policy, seed=0)
    losses = [[] for _ in range(4)]
    for arm, loss in history:
        bandit.update(arm, loss=loss)
        losses[arm].append(loss)
    at = _baseline(baseline, losses)
    split = [naive.dealt(x, batches) for x in losses]
    ours, expected = policy.bids(bandit.state), naive.bids(split, baseline=at)
    assert [bid.estimate for bid in ours] == pytest.approx([estimate for _, estimate in expected])
    lowest = min(bid.estimate for bid in ours)
    winners = {arm for arm in range(4) if policy.estimates(bandit.state)[arm].min() == lowest}
    assert bandit.select() in winners
    assert min(ours, key=lambda bid: bid.estimate).arm in winners


@settings(max_examples=60)
@given(histories, st.sampled_from(["append", "redistribute"]), st.sampled_from([0.0, "minimum"]))
def test_scale_never_matters_and_location_only_without_a_moving_baseline(history, growth, baseline):
    policy = BatchEnsemble(batches=lambda t: 1 + t // 30, growth=growth, baseline=baseline)
    shift = 5.0 if baseline == "minimum" else 0.0
    plain, changed = (lowbid.Bandit(4, policy, seed=4) for _ in range(2))
    for arm, loss in history:
        assert plain.select() == changed.select()
        plain.update(arm, loss=loss)
        changed.update(arm, loss=1000.0 * loss + shift)
    assert plain.select() == changed.select()


@pytest.mark.filterwarnings("ignore::lowbid.errors.LossesWarning")
def test_the_paper_s_rule_is_not_location_free():
    """Shifted by -1, it locks onto bad arms: why rewards must not simply be negated."""
    means = np.array([0.001, 0.15, 0.2, 0.25, 0.3])
    arms, shifted = (
        lowbid.Empirical([[s + 1.0] * round(1000 * m) + [s] * round(1000 * (1 - m)) for m in means])
        for s in (0.0, -1.0)
    )
    policies = {
        "zero": BatchEnsemble(batches=2),
        "minimum": BatchEnsemble(batches=2, baseline="minimum"),
    }
    good = lowbid.simulate(policies, arms, horizon=2000, runs=100).regret[:, :, -1].mean(axis=1)
    bad = lowbid.simulate(policies, shifted, horizon=2000, runs=100).regret[:, :, -1].mean(axis=1)
    assert bad[0] > 10 * good[0]
    assert bad[1] == pytest.approx(good[1])


def test_first_ties_play_the_first_arm():
    assert lowbid.Bandit(5, BatchEnsemble(ties="first"), seed=0).select() == 0
    chosen = {lowbid.Bandit(5, BatchEnsemble(), seed=seed).select() for seed in range(60)}
    assert chosen == {0, 1, 2, 3, 4}


def test_a_fixed_schedule_keeps_no_history():
    for batches in (4, schedules.HighProbability()):
        policy = BatchEnsemble(batches=batches, growth="redistribute")
        _, state = policy.start(n_arms=3, horizon=1000)
        assert state.batches.history_losses.size == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"batches": 0}, "batches is 0"),
        ({"batches": 2.5}, r"batches is 2\.5"),
        ({"growth": "shrink"}, "choose one of 'append', 'redistribute'"),
        ({"padding": -1.0}, r"padding is -1\.0"),
        ({"padding": math.nan}, "padding is nan"),
        ({"warmup": -1}, "warmup is -1"),
        ({"baseline": math.inf}, "baseline is inf"),
        ({"baseline": "robust"}, "choose one of 'minimum'"),
        ({"ties": "last"}, "choose one of 'random', 'first'"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(InvalidValueError, match=message):
        BatchEnsemble(**parameters)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (lambda t: 0, "at step 1 is 0"),
        (lambda t: 3 if t < 10 else 2, "shrinks from 3 to 2 batches at step 10"),
        (lambda t: 1.5, r"at step 1 is 1\.5"),
    ],
)
def test_bad_schedules_are_named(schedule, message):
    with pytest.raises(InvalidValueError, match=message):
        lowbid.simulate(BatchEnsemble(batches=schedule), ARMS, horizon=20, runs=1)


@pytest.mark.parametrize(
    "schedule",
    [
        type("Zero", (schedules.Schedule,), {"__call__": lambda self, step: 0})(),
        type("Shrinks", (schedules.Schedule,), {"__call__": lambda self, step: 9 - step})(),
    ],
)
def test_schedules_of_one_s_own_class_are_checked_too(schedule):
    with pytest.raises(InvalidValueError, match="batches"):
        lowbid.simulate(BatchEnsemble(batches=schedule), ARMS, horizon=20, runs=1)


def test_a_class_is_not_a_schedule():
    with pytest.raises(InvalidValueError, match="give an object of it"):
        BatchEnsemble(batches=schedules.Anytime)


@pytest.mark.parametrize("growth", ["append", "redistribute"])
@pytest.mark.parametrize("baseline", [0.0, "minimum"])
def test_many_arms_grow_like_few(growth, baseline):
    """Above 96 arms a tree ranks them: it must follow growths and a moving baseline."""
    arms = lowbid.Uniform(0.2, np.linspace(0.5, 1.0, 120))
    policy = BatchEnsemble(batches=lambda t: 1 + t // 400, growth=growth, baseline=baseline)
    model = naive.Appending(120)
    previous = None
    for moment in replay(policy, arms, horizon=1000, seed=5):
        batches = policy.batches(moment.step)
        at = _baseline(baseline, moment.losses)
        if growth == "append":
            if previous is not None:
                model.feed(previous, moment.losses[previous][-1])
            model.grow_to(batches)
            split = model.arms
        else:
            split = [naive.dealt(losses, batches) for losses in moment.losses]
        if moment.step % 7 == 0 or moment.step % 400 < 3:
            assert moment.arm in lowest_arms(naive.indices(split, baseline=at))
        previous = moment.arm


def test_losses_beyond_all_measure_are_refused():
    with pytest.raises(InvalidValueError, match="would overflow"):
        lowbid.simulate(BatchEnsemble(), lowbid.Deterministic(np.full(98, 1.5e308)), 100, 1)


def test_bids_are_those_of_the_next_choice_at_a_growth_too():
    policy = BatchEnsemble(batches=lambda t: 1 if t < 5 else 2, ties="first")
    bandit = lowbid.Bandit(2, policy)
    for arm, loss in [(0, 1.0), (0, 1.0), (1, 0.1), (1, 0.1)]:
        bandit.update(arm, loss=loss)
    assert len(bandit.bids()) == 2
    assert min(bandit.bids(), key=lambda bid: bid.estimate).arm == bandit.select()


def test_a_schedule_that_fails_later_leaves_the_bandit_as_it_was():
    policy = BatchEnsemble(batches=lambda t: 3 if t < 1500 else 2, growth="redistribute")
    bandit = lowbid.Bandit(2, policy)
    for _ in range(1024):
        bandit.update(bandit.select(), loss=0.5)
    for _ in range(3):
        with pytest.raises(InvalidValueError, match="shrinks from 3 to 2 batches at step 1500"):
            bandit.select()
        assert bandit.state.batches.history_losses.size == 1024
