from dataclasses import dataclass

import numpy as np
import pytest

import lowbid
from lowbid._compile import kernel
from lowbid.errors import InvalidValueError
from lowbid.simulation import loss_of

ARMS = lowbid.RandomArms(lowbid.Bernoulli, n_arms=4)


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


def test_regret_is_pulls_times_gaps():
    arms = lowbid.Gaussian([0.3, 0.1, 0.7])
    result = lowbid.simulate(lowbid.UCB1(), arms, horizon=500, runs=8)
    np.testing.assert_allclose(result.regret[:, :, -1], result.pulls @ (arms.means - 0.1))
    assert (result.pulls.sum(axis=-1) == 500).all()
    assert (np.diff(result.regret, axis=-1) >= 0).all()


@kernel
def _as_told(parameters, state, step, stream):
    return parameters.chosen


@kernel
def _unsigned(parameters, state, step, stream):
    return np.uint64(9)


@dataclass(frozen=True)
class Astray(lowbid.UCB1):
    """UCB1, with a compiled rule that returns a given arm."""

    chosen: int = 0
    kernels = lowbid.UCB1.kernels._replace(select=_as_told)


class Unsigned(Astray):
    kernels = lowbid.UCB1.kernels._replace(select=_unsigned)


def test_an_unsigned_number_is_shown_as_it_is(caplog):
    with pytest.raises(InvalidValueError, match=r"returned 9; "):
        lowbid.simulate(Unsigned(), ARMS, horizon=9, runs=2)
    assert "signed and unsigned numbers are mixed" in caplog.text  # so it ran uncompiled


@pytest.mark.parametrize("chosen", [-1, 4, 1000])
@pytest.mark.parametrize("delay", [0, 3])
def test_a_compiled_rule_must_return_an_arm(chosen, delay):
    arms = lowbid.Bernoulli([0.1, 0.2, 0.3, 0.4])
    assert lowbid.simulate(Astray(chosen=3), arms, horizon=9, runs=2, seed=0).pulls[0, 0, 3] == 9
    message = rf"select of Astray.* returned {chosen}; .* arm, 0 to 3"
    with pytest.raises(InvalidValueError, match=message):
        lowbid.simulate(Astray(chosen=chosen), arms, horizon=9, runs=2, seed=0, delay=delay)


def test_regret_of_random_arms_is_pulls_times_their_own_gaps():
    result = lowbid.simulate(lowbid.UCB1(), ARMS, horizon=300, runs=20, seed=6)
    means = ARMS.means_of(ARMS.table(seed=6, runs=20))
    gaps = means - means.min(axis=1, keepdims=True)
    np.testing.assert_allclose(result.regret[0, :, -1], (result.pulls[0] * gaps).sum(axis=1))
