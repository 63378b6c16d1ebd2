import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import lowbid
from lowbid._kernel import kernel
from lowbid.errors import InvalidValueError
from lowbid.simulation import _inputs, loss_of

ARMS = lowbid.RandomArms(lowbid.Bernoulli, n_arms=4)
POLICIES = [lowbid.UCB1(), lowbid.BatchEnsemble(batches=3), lowbid.BetaThompson()]


def same(first, second):
    return np.array_equal(first.regret, second.regret) and np.array_equal(first.pulls, second.pulls)


@pytest.mark.parametrize("workers", [2, 5])
def test_the_number_of_workers_does_not_matter(workers):
    one = lowbid.simulate(POLICIES, ARMS, horizon=300, runs=23, seed=1, workers=1)
    assert same(one, lowbid.simulate(POLICIES, ARMS, 300, runs=23, seed=1, workers=workers))


def test_the_order_of_policies_does_not_matter():
    forth = lowbid.simulate(POLICIES, ARMS, horizon=300, runs=20, seed=1)
    back = lowbid.simulate(POLICIES[::-1], ARMS, horizon=300, runs=20, seed=1)
    for policy in POLICIES:
        assert same(forth[policy.name], back[policy.name])


def test_more_runs_begin_with_the_same_runs():
    few = lowbid.simulate(POLICIES, ARMS, horizon=100, runs=3, seed=1)
    many = lowbid.simulate(POLICIES, ARMS, horizon=100, runs=30, seed=1)
    assert np.array_equal(few.regret, many.regret[:, :3])


def test_seeds_matter():
    results = [lowbid.simulate(POLICIES, ARMS, 100, runs=5, seed=seed) for seed in (0, 1)]
    assert not same(*results)


class Everything(lowbid.Policy):
    """Play the arms in turn, and write down what came."""

    seen: list = []  # noqa: RUF012

    def init(self, n_arms, capacity):
        return n_arms

    def select(self, state, step, stream):
        return (step - 1) % state

    def update(self, state, arm, loss, step, stream):
        self.seen.append((arm, loss))


def test_the_loop_deals_out_the_pure_function_of_seed_run_arm_and_n():
    arms = lowbid.Gaussian([0.0, 1.0, 2.0])
    Everything.seen.clear()
    lowbid.simulate(Everything(), arms, horizon=12, runs=2, seed=5, workers=1)
    expected = [
        (arm, loss_of(arms, arms.table(), 5, run, arm, n))
        for run in range(2)
        for n in range(4)
        for arm in range(3)
    ]
    assert Everything.seen == expected


class GreedyState(NamedTuple):
    counts: np.ndarray
    sums: np.ndarray


class Greedy(lowbid.Policy):
    """A user's own policy, in plain Python."""

    def init(self, n_arms, capacity):
        return GreedyState(np.zeros(n_arms), np.zeros(n_arms))

    def select(self, state, step, stream):
        return int(np.argmin(state.sums / (state.counts + 2.0)))

    def update(self, state, arm, loss, step, stream):
        state.counts[arm] += 1
        state.sums[arm] += loss


def test_a_plain_python_policy_beside_a_compiled_one():
    """One batch, first ties, is the greedy rule: the same choices, step for step."""
    policies = {"mine": Greedy(), "ours": lowbid.BatchEnsemble(batches=1, ties="first")}
    result = lowbid.simulate(policies, ARMS, horizon=200, runs=10, seed=2)
    assert same(result["mine"], result["ours"])


def test_regret_is_pulls_times_gaps():
    arms = lowbid.Gaussian([0.3, 0.1, 0.7])
    result = lowbid.simulate(lowbid.UCB1(), arms, horizon=500, runs=8)
    np.testing.assert_allclose(result.regret[:, :, -1], result.pulls @ (arms.means - 0.1))
    assert (result.pulls.sum(axis=-1) == 500).all()
    assert (np.diff(result.regret, axis=-1) >= 0).all()


def test_checkpoints():
    result = lowbid.simulate(lowbid.UCB1(), ARMS, horizon=50, runs=1, checkpoints=[1, 10, 20])
    assert result.checkpoints.tolist() == [1, 10, 20, 50]
    for horizon in (1, 2, 7, 200, 2000, 10**7):
        steps = _inputs.default_checkpoints(horizon)
        assert steps[0] == 1
        assert steps[-1] == horizon
        assert (np.diff(steps) > 0).all()
        assert len(steps) <= 262


def test_one_step_one_run_one_arm():
    result = lowbid.simulate(POLICIES, lowbid.Bernoulli([0.5]), horizon=1, runs=1)
    assert (result.regret == 0).all()
    assert (result.pulls == 1).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": 0}, "horizon is 0"),
        ({"horizon": 2.5}, r"horizon is 2\.5"),
        ({"runs": 0}, "runs is 0"),
        ({"workers": -1}, "workers is -1"),
        ({"seed": -3}, "seed is -3"),
        ({"policies": []}, "policies is empty"),
        ({"policies": [lowbid.UCB1]}, r"give an object such as UCB1\(\)"),
        ({"policies": [lowbid.UCB1(), lowbid.UCB1()]}, "two policies are named 'UCB1'"),
        ({"environment": [0.1, 0.2]}, "environment is"),
        ({"checkpoints": [5, 4]}, "increasing whole numbers"),
        ({"checkpoints": [0, 4]}, "increasing whole numbers"),
        ({"checkpoints": [4, 400]}, "increasing whole numbers"),
        ({"checkpoints": [0.5]}, "increasing whole numbers"),
        ({"checkpoints": np.array([400, 4], np.uint64)}, "increasing whole numbers"),
        ({"environment": lowbid.Deterministic([1e150, 0.0])}, "would overflow; scale the arms"),
        (
            {"policies": lowbid.BetaThompson(), "environment": lowbid.Gaussian([0.5])},
            "takes losses from 0 to 1, but",
        ),
    ],
)
def test_bad_input_is_named(arguments, message):
    good = {"policies": lowbid.UCB1(), "environment": ARMS, "horizon": 10, "runs": 1}
    with pytest.raises(InvalidValueError, match=message):
        lowbid.simulate(**{**good, **arguments})


class Failing(Greedy):
    def select(self, state, step, stream):
        raise RuntimeError("no idea")


def test_an_error_in_a_user_s_policy_comes_through():
    """And a subclass that changes one method is not its parent."""
    with pytest.raises(RuntimeError, match="no idea"):
        lowbid.simulate(Failing(), ARMS, horizon=10, runs=5)


@pytest.mark.parametrize("answer", [-1, 4, None, 1.0, True])
def test_a_user_s_policy_must_return_an_arm(answer):
    class Lost(Greedy):
        def select(self, state, step, stream):
            return answer

    with pytest.raises(InvalidValueError, match=r"select of Lost returned .* arm, 0 to 3"):
        lowbid.simulate(Lost(), ARMS, horizon=10, runs=1)


@kernel
def _as_told(parameters, state, step, stream):
    return parameters.chosen


@kernel
def _unsigned(parameters, state, step, stream):
    return np.uint64(9)


@dataclass(frozen=True)
class Astray(lowbid.UCB1):
    """UCB1, with a compiled rule that returns whatever it is told."""

    chosen: int = 0
    kernels = lowbid.UCB1.kernels._replace(select=_as_told)


class Unsigned(Astray):
    kernels = lowbid.UCB1.kernels._replace(select=_unsigned)


def test_an_unsigned_number_is_shown_as_it_is():
    with pytest.raises(InvalidValueError, match=r"returned 9; "):
        lowbid.simulate(Unsigned(), ARMS, horizon=9, runs=2)


@pytest.mark.parametrize("chosen", [-1, 4, 1000])
@pytest.mark.parametrize("delay", [0, 3])
def test_a_compiled_rule_must_return_an_arm(chosen, delay):
    arms = lowbid.Bernoulli([0.1, 0.2, 0.3, 0.4])
    assert lowbid.simulate(Astray(chosen=3), arms, horizon=9, runs=2, seed=0).pulls[0, 0, 3] == 9
    message = rf"select of Astray.* returned {chosen}; .* arm, 0 to 3"
    with pytest.raises(InvalidValueError, match=message):
        lowbid.simulate(Astray(chosen=chosen), arms, horizon=9, runs=2, seed=0, delay=delay)


def test_a_policy_without_a_rule_is_named():
    class Empty(lowbid.Policy):
        pass

    with pytest.raises(InvalidValueError, match="Empty has no rule"):
        lowbid.simulate(Empty(), ARMS, horizon=10, runs=1)


def test_regret_of_random_arms_is_pulls_times_their_own_gaps():
    result = lowbid.simulate(lowbid.UCB1(), ARMS, horizon=300, runs=20, seed=6)
    means = ARMS.means_of(ARMS.table(seed=6, runs=20))
    gaps = means - means.min(axis=1, keepdims=True)
    np.testing.assert_allclose(result.regret[0, :, -1], (result.pulls[0] * gaps).sum(axis=1))


def test_the_configuration_hash_knows_what_a_function_gives():
    def hash_of(schedule):
        policy = lowbid.BatchEnsemble(batches=schedule)
        result = lowbid.simulate(policy, ARMS, horizon=20, runs=1)
        return result.provenance["configuration_hash"]

    assert hash_of(lambda t: 1) != hash_of(lambda t: 5)
    assert hash_of(lambda t: 1) == hash_of(lambda t: 1)


def test_numbers_of_another_type_are_the_same_policy():
    assert lowbid.BatchEnsemble(padding=2).identity == lowbid.BatchEnsemble().identity
    assert lowbid.BatchEnsemble(baseline=0).identity == lowbid.BatchEnsemble().identity
    ours, theirs = lowbid.BatchEnsemble(batches=3), lowbid.BatchEnsemble(batches=np.int64(3))
    assert ours.identity == theirs.identity
    partial = functools.partial(max, 2)
    assert "0x" not in lowbid.BatchEnsemble(batches=partial).identity
