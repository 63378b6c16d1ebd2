"""The policies of the literature, against regressions that are solved from scratch at each step."""

import numpy as np
import pytest

from contextual.play import Player
from lowbid.contextual import LinearACB, LinearBatchEnsemble, LinTS, LinUCB
from naive.contextual import ridge


def played(policy, steps=60, columns=3, n_arms=2):
    """A player after some steps, and what each arm has seen."""
    rng, player = np.random.default_rng(5), Player(policy, n_arms)
    seen = [[] for _ in range(n_arms)]
    for _ in range(steps):
        x = rng.normal(size=columns)
        arm = player.select(x)
        loss = x[0] * (1 - 2 * arm) + rng.normal()
        player.update(arm, x, loss)
        seen[arm].append((np.array([1.0, *x]), loss))
    x = rng.normal(size=columns)
    player.select(x)
    return player, seen, np.array([1.0, *x])


def test_lin_ucb_is_a_bound_on_the_regression():
    player, seen, x = played(LinUCB(alpha=0.7, penalty=2.0, columns=3))
    for index, rows in zip(player.state.ridge.indices, seen, strict=True):
        weights, inverse = ridge(rows, 2.0, 4)
        assert index == pytest.approx(weights @ x - 0.7 * np.sqrt(x @ inverse @ x))


def test_lin_ts_draws_from_the_posterior_with_a_draw_for_each_arm():
    player, seen, x = played(LinTS(scale=0.5, columns=3))
    draws = []
    for _ in range(4000):
        player.select(x[1:])
        draws.append(player.state.ridge.indices.copy())
    draws = np.array(draws)
    for column, rows in zip(draws.T, seen, strict=True):
        weights, inverse = ridge(rows, 1.0, 4)
        sd = 0.5 * np.sqrt(x @ inverse @ x)
        assert column.mean() == pytest.approx(weights @ x, abs=5 * sd / 4000**0.5)
        assert column.std() == pytest.approx(sd, rel=5 / 8000**0.5)
    assert abs(np.corrcoef(draws.T)[0, 1]) < 5 / 4000**0.5


def test_linear_acb_adds_the_largest_of_its_members():
    player, seen, x = played(LinearACB(beta=0.3, members=5, columns=3))
    for index, rows, noise in zip(
        player.state.ridge.indices, seen, player.state.noise, strict=True
    ):
        weights, _ = ridge(rows, 1.0, 4)
        assert index == pytest.approx(weights @ x - 0.3 * np.abs(noise @ x).max())


def test_the_members_of_linear_acb_are_as_uncertain_as_the_regression():
    """Fitted to noise, their predictions at x have the variance x' A^-1 x."""
    policy = LinearACB(members=1000, penalty=0.5, columns=2)
    player, rows = Player(policy, 1), []
    rng = np.random.default_rng(0)
    for _ in range(12):
        x = rng.normal(size=2)
        player.update(0, x, 0.0)
        rows.append((np.array([1.0, *x]), 0.0))
    x = np.array([1.0, 0.5, -2.0])
    predictions = player.state.noise[0] @ x
    _, inverse = ridge(rows, 0.5, 3)
    assert predictions.var() == pytest.approx(x @ inverse @ x, rel=5 * (2 / 1000) ** 0.5)


def test_linear_batch_ensemble_leaves_out_one_batch_at_a_time():
    player, seen, x = played(LinearBatchEnsemble(batches=3, penalty=1.5, columns=3))
    for index, rows in zip(player.state.ridge.indices, seen, strict=True):
        kept = [[row for i, row in enumerate(rows) if i % 3 != batch] for batch in range(3)]
        estimates = [ridge(each, 1.5, 4)[0] @ x for each in kept]
        assert index == pytest.approx(min(estimates))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinUCB(alpha=-1), "alpha is -1"),
        (lambda: LinUCB(penalty=0), "penalty is 0"),
        (lambda: LinTS(scale=float("nan")), "scale is nan"),
        (lambda: LinearACB(members=0), "members is 0"),
        (lambda: LinearBatchEnsemble(batches=1), "batches is 1"),
    ],
)
def test_impossible_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
