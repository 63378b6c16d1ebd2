import functools
from typing import NamedTuple

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError

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


def test_one_step_one_run_one_arm():
    result = lowbid.simulate(POLICIES, lowbid.Bernoulli([0.5]), horizon=1, runs=1)
    assert (result.regret == 0).all()
    assert (result.pulls == 1).all()


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


def test_numbers_of_another_type_are_the_same_policy():
    assert lowbid.BatchEnsemble(padding=2).identity == lowbid.BatchEnsemble().identity
    assert lowbid.BatchEnsemble(baseline=0).identity == lowbid.BatchEnsemble().identity
    ours, theirs = lowbid.BatchEnsemble(batches=3), lowbid.BatchEnsemble(batches=np.int64(3))
    assert ours.identity == theirs.identity
    partial = functools.partial(max, 2)
    assert "0x" not in lowbid.BatchEnsemble(batches=partial).identity
