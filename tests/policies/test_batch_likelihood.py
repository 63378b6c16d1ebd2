import numpy as np
import pytest

import lowbid
from lowbid import BatchLikelihood
from lowbid.errors import InvalidValueError, StateError
from lowbid.policies import batch_likelihood
from naive import race

ARMS = {
    "two values": lowbid.Bernoulli([0.2, 0.3, 0.4, 0.6]),
    "gaussian": lowbid.Gaussian([0.3, 0.0, 0.2, 0.9], sd=[1.0, 0.5, 0.2, 2.0]),
    "skewed": lowbid.Rewards(lowbid.Orders([0.3, 0.35, 0.4], log_sd=1.0)),
}


def follow(policy, arms, horizon=250, recheck=0.01, low=None, high=None):
    dealt = race.Dealt(arms.n_arms, policy.batches)
    evidence = race.batch_evidence(dealt, policy)
    follower = race.Follower(arms.n_arms, evidence, policy.patience, recheck, low, high, dealt)
    race.follow(policy, arms, follower, tolerance=1e-4, horizon=horizon)


@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
@pytest.mark.parametrize("batches", [2, 7, 32])
def test_follows_the_rule_by_the_book(arms, batches):
    """The stake is found to a thousandth, so indices agree to about a millionth of the evidence.

    With few batches more come into use: 12 at step 250.
    """
    follow(BatchLikelihood(batches=batches, recheck=0.1), arms, recheck=0.1)


@pytest.mark.parametrize(
    "changed", [{"null_weight": 0.0}, {"null_weight": 1.0}, {"exploration": 3.0}]
)
def test_follows_the_rule_with_other_constants(changed):
    follow(BatchLikelihood(**changed), ARMS["skewed"])
    follow(BatchLikelihood(**changed), ARMS["gaussian"])


def test_follows_the_rule_with_a_declared_range():
    policy = BatchLikelihood(batches=8, patience=1.0, low=0.0, high=1.0)
    arms = lowbid.Mixed([lowbid.Bernoulli([0.3, 0.1]), lowbid.Deterministic([0.21, 0.4])])
    follow(policy, arms, low=0.0, high=1.0)


def fed(policy, losses, capacity=100):
    parameters, state = policy.start(1, None, capacity)
    stream = np.ones(1, np.uint64)
    for step, loss in enumerate(losses, start=1):
        policy.kernels.select(parameters, state, step, stream)
        policy.kernels.update(parameters, state, 0, loss, step, stream)
    return state


def test_merged_batches_are_as_large_as_if_dealt_in_one_go():
    policy = BatchLikelihood(batches=10)
    losses = np.sin(np.arange(23))
    losses[[0, 1, 7, 8]] = -1.0, 1.0, 1.0, -1.0  # nothing is clipped
    one, two = fed(policy, losses[:7]), fed(policy, losses[7:])
    merged = policy.merge(one, two)
    assert sorted(merged.batches.counts[0]) == [2] * 7 + [3] * 3
    whole = fed(policy, losses)
    scale = merged.yardstick[1] / whole.yardstick[1]
    both = merged.deviations, whole.deviations
    np.testing.assert_allclose(scale**2 * both[0].squares, both[1].squares)
    np.testing.assert_allclose(scale**3 * both[0].cubes, both[1].cubes, atol=1e-12)
    np.testing.assert_allclose(merged.batches.sums.sum(), merged.race.sums[0])


def test_merged_states_go_on_with_the_larger_number_of_batches():
    policy = BatchLikelihood(batches=2)
    short, long = fed(policy, np.sin(np.arange(4))), fed(policy, np.cos(np.arange(90)))
    for merged in (policy.merge(short, long), policy.merge(long, short)):
        assert merged.batches.in_use[0] == long.batches.in_use[0] == 9
        assert merged.batches.counts[0].sum() == 94


@pytest.mark.parametrize(("step", "batches"), [(8_886_110, 32), (8_886_111, 33), (2**62, 86)])
def test_there_are_two_batches_per_unit_of_log_time(step, batches):
    steps = BatchLikelihood().parameters(2, None, step).growth_steps
    assert np.searchsorted(steps, step, side="right") == batches
    assert len(steps) == batches + 1


def test_a_new_batch_is_filled_first():
    policy = BatchLikelihood(batches=2)
    dealt = race.Dealt(1, 2)
    losses = np.sin(np.arange(1, 60))
    for step, loss in enumerate(losses, start=1):
        dealt.play(0, loss, step)
        counts = fed(policy, losses[:step]).batches.counts[0]
        assert [len(batch) for batch in dealt.batches[0][: len(counts)]] == counts.tolist()


def test_an_unlucky_arm_is_played_again():
    """The better arm's losses are 1 twice in a quarter of the runs; the other's are always 0.6."""
    arms = lowbid.Mixed([lowbid.Bernoulli([0.5]), lowbid.Deterministic([0.6])])
    result = lowbid.simulate(BatchLikelihood(), arms, horizon=200_000, runs=100, seed=0)
    assert (result.pulls[0, :, 0].min()) >= 3
    without = lowbid.simulate(
        BatchLikelihood(exploration=1e-3), arms, horizon=200_000, runs=100, seed=0
    )
    given_up = (without.pulls[0, :, 0] == 2).mean()
    assert abs(given_up - 0.25) < 4 * (0.25 * 0.75 / 100) ** 0.5


def test_regret_does_not_double_from_decade_to_decade():
    """Two Gaussian arms one standard deviation apart; a rule that learns pays some more each."""
    arms = lowbid.Gaussian([0.0, 1.0])
    result = lowbid.simulate(
        BatchLikelihood(), arms, horizon=100_000, runs=40, seed=3, checkpoints=[10_000, 100_000]
    )
    early, late = result.regret[0].mean(axis=0)
    assert late < 1.6 * early


def test_large_losses_do_not_make_an_arm_look_safe():
    """Skewness of the arm's own counts where it makes the rule careful, not where it does not."""
    parameters, state = BatchLikelihood().start(2, None, 100)
    stream = np.ones(1, np.uint64)
    for step, loss in enumerate([0.0, 1.0, 0.4, 0.6, 0.5, 9.0], start=1):
        BatchLikelihood.kernels.update(parameters, state, 0, loss, step, stream)
    for step, loss in enumerate([0.0, 1.0, 0.4, 0.6, 0.5, 0.4], start=7):
        BatchLikelihood.kernels.update(parameters, state, 1, loss, step, stream)
    batch_likelihood.survey(parameters, state)
    pooled = state.pool[1] / state.pool[0]
    assert batch_likelihood.skewness(parameters, state, 0) == pooled
    assert batch_likelihood.skewness(parameters, state, 1) < pooled


def test_one_batch_is_too_few():
    with pytest.raises(InvalidValueError, match="batches is 1; give a whole number, 2 or larger"):
        BatchLikelihood(batches=1)


@pytest.mark.parametrize("name", ["null_weight", "exploration"])
def test_constants_are_checked(name):
    with pytest.raises(InvalidValueError, match=f"{name} is -1.0; give a finite number"):
        BatchLikelihood(**{name: -1.0})


def test_a_saved_state_whose_batches_lack_losses_is_refused():
    bandit = lowbid.Bandit(2, seed=0)
    for step in range(20):
        bandit.update(bandit.select(), loss=float(np.sin(step)))
    saved = bandit.to_json()
    assert lowbid.Bandit.from_json(saved).counts() == bandit.counts()
    bandit.state.batches.counts[0, 0] += 1.0
    with pytest.raises(StateError, match="dealt"):
        lowbid.Bandit.from_json(bandit.to_json())
