import numpy as np
import pytest

from contextual.play import GOLDEN_ROWS, Player, golden, history
from lowbid._compile import interpreted
from lowbid.contextual import LinearIMED
from lowbid.contextual._model import CENTRE, NOISE, SHARE, VARIANCE
from lowbid.policies import arrays_of
from naive import contextual as naive


def unit_of(model):
    """Losses are measured in this unit, from the first one."""
    return model.yardstick[1], model.yardstick[0]


def full(packed):
    d = int((2 * len(packed)) ** 0.5)
    matrix = np.zeros((d, d))
    matrix[np.triu_indices(d)] = packed
    return matrix + np.triu(matrix, 1).T


def test_one_step_has_the_values_of_the_specification():
    state = golden(LinearIMED(columns=2)).state
    model, (unit, first) = state.model, unit_of(state.model)
    prior = model.prior
    assert prior[VARIANCE] * unit**2 == pytest.approx(1.3763222222, abs=5e-11)
    assert prior[NOISE] * unit**2 == pytest.approx(0.9420412285, abs=5e-11)
    assert prior[SHARE] == 0.5
    assert model.centre[1:] + model.columns.origin == pytest.approx([5.0322580645, 201.6129032258])
    assert model.scale[1:] == pytest.approx([3.1365058735, 139.4018737828])
    assert state.means * unit + first == pytest.approx([1.53954814, 1.63650118, 2.43724165])
    assert state.uncertainties == pytest.approx([0.12696386, 0.10367953, 0.10563703])
    assert state.evidence == pytest.approx([0, 0.04812048, 4.04892814], abs=5e-9)
    assert state.indices == pytest.approx([2.06385279, 2.59889793, 8.36073739])


def test_one_step_agrees_with_the_naive_oracle():
    state = golden(LinearIMED(columns=2)).state
    unit, first = unit_of(state.model)
    contexts = [x for _, x, _ in GOLDEN_ROWS] + [(4, 250)]
    oracle = naive.Refreshed(GOLDEN_ROWS, contexts, 3, None, None, 1.0)
    means, uncertainties = oracle.at((4, 250))
    assert state.means * unit + first == pytest.approx(means)
    assert state.uncertainties == pytest.approx(uncertainties)
    assert state.model.prior[NOISE] * unit**2 == pytest.approx(oracle.noise)


@pytest.mark.parametrize("columns", [0, 1, 3])
def test_every_refresh_agrees_with_the_naive_oracle(columns):
    """The whole course: when refreshes happen, what they estimate, and what is learned between."""
    rng = np.random.default_rng(columns)
    player = Player(LinearIMED(columns=columns, low=-1e3, high=1e3), 3)
    model = player.state.model
    outcomes, contexts, due = [], [], 1
    noise, centre, share = None, None, 1.0
    for step, (arm, x, loss) in enumerate(history(rng, 3, columns, 150), start=1):
        contexts.append(x)
        player.select(x)
        if step >= due and len(outcomes) > 1:
            starting = step <= 3
            oracle = naive.Refreshed(
                outcomes,
                contexts,
                3,
                None if starting else noise,
                None if starting else centre,
                share,
            )
            noise, share = oracle.noise, oracle.share
            centre = None if starting else oracle.centre
            unit, first = unit_of(model)
            assert model.prior[NOISE] * unit**2 == pytest.approx(noise, rel=1e-6)
            assert model.prior[SHARE] == share
            if not starting:
                assert model.prior[CENTRE] * unit + first == pytest.approx(centre)
                means, uncertainties = oracle.at(x)
                known = model.counts > 0
                assert (player.state.means * unit + first)[known] == pytest.approx(
                    np.array(means)[known], rel=1e-6, abs=1e-6
                )
                assert player.state.uncertainties[known] == pytest.approx(
                    np.array(uncertainties)[known], rel=1e-6
                )
            else:
                centre = np.mean([y for _, _, y in outcomes])
        if step >= due:
            due = max(step + 1, -(-11 * step // 10))
        player.update(arm, x, loss)
        outcomes.append((arm, x, loss))
    assert len(outcomes) == 150


def test_updates_between_refreshes_are_exact():
    rng = np.random.default_rng(3)
    player = Player(LinearIMED(columns=4, low=-1e3, high=1e3), 2)
    rows = list(history(rng, 2, 4, 300))
    for arm, x, loss in rows[:60]:
        player.select(x)
        player.update(arm, x, loss)
    model = player.state.model
    player.select(rows[60][1], step=10_000)  # a refresh; the next one is far away
    before = [full(inverse) for inverse in model.inverse.copy()]
    prior = [np.linalg.inv(p) - full(s) for p, s in zip(before, model.moments.copy(), strict=True)]
    for arm, x, loss in rows[60:]:
        player.update(arm, x, loss)
    for arm in range(2):
        precision = full(model.moments[arm]) + prior[arm]
        assert full(model.inverse[arm]) == pytest.approx(np.linalg.inv(precision), rel=1e-6)


def test_pending_decisions_are_plays_with_the_loss_that_was_predicted():
    """Open, answered and forgotten at random, against a direct solve."""
    rng = np.random.default_rng(0)
    player = Player(LinearIMED(columns=3, low=-100.0, high=100.0), 2)
    model = player.state.model
    for arm, x, loss in history(rng, 2, 3, 40):
        player.select(x)
        player.update(arm, x, loss)
    player.select(x, step=100_000)
    start = [(full(p), w.copy()) for p, w in zip(model.inverse, model.weights, strict=True)]
    unit, first = unit_of(model)
    added, open_ = [[], []], []
    for arm, x, loss in history(rng, 2, 3, 2000):
        player.hold(arm, x, 1)
        open_.append((arm, model.columns.x.copy(), x, model.forecast[0]))
        if len(open_) < 15:
            continue
        arm, shifted, x, forecast = open_.pop(int(rng.integers(15)))
        if rng.random() > 0.2:
            player.update(arm, x, loss)
            added[arm].append((shifted, (loss - first) / unit))
        model.forecast[0] = forecast
        player.hold(arm, x, -1)
    for arm, (inverse, weights) in enumerate(start):
        plays = added[arm] + [(x, f) for a, x, _, f in open_ if a == arm]
        xs, ys = np.array([x for x, _ in plays]), np.array([y for _, y in plays])
        precision = np.linalg.inv(inverse) + xs.T @ xs
        solved = np.linalg.solve(precision, np.linalg.solve(inverse, weights) + xs.T @ ys)
        assert model.weights[arm] == pytest.approx(solved, abs=1e-9, rel=1e-8)
        assert full(model.inverse[arm]) == pytest.approx(np.linalg.inv(precision), abs=1e-9)
    held = model.pending.copy()
    assert held.tolist() == [sum(a == arm for a, *_ in open_) for arm in range(2)]
    for arm, _, x, forecast in open_:
        model.forecast[0] = forecast
        player.hold(arm, x, -1)
    assert not model.held.any()
    assert not model.held_targets.any()


def test_a_refresh_is_the_same_in_parts(monkeypatch):
    """With little time per call, a refresh takes several calls, and ends with the same models."""

    def played():
        player = Player(LinearIMED(columns=3), 4)
        rng = np.random.default_rng(1)
        for arm, x, loss in history(rng, 4, 3, 100):
            player.update(arm, x, loss)
        calls = 0
        while calls == 0 or player.state.model.due[1] != 0:
            player.select((1, 2, 3), step=50)
            calls += 1
            player.state.model.columns.seen[0] -= 1  # the same decision, once more
        return player.state.model, calls

    whole, calls = played()
    assert calls == 1
    with interpreted():
        monkeypatch.setattr("lowbid.contextual._model._MULTIPLICATIONS", 1)
        parts, calls = played()
    assert calls == 8
    assert parts.built.tolist() == [1] * 4
    assert parts.inverse == pytest.approx(whole.inverse, rel=0.1)


def test_one_absurd_loss_is_clipped_to_what_can_be_expected():
    rng = np.random.default_rng(2)
    player = Player(LinearIMED(columns=2), 2)
    for arm, x, loss in history(rng, 2, 2, 200):
        player.select(x)
        player.update(arm, x, loss)
    model = player.state.model
    widest = np.ptp([model.yardstick[3], model.yardstick[5]])
    before = model.targets[0, 0]
    player.update(0, x, 1e9)
    assert abs(model.targets[0, 0] - before) <= 1.5 * widest
    known = Player(LinearIMED(columns=2, low=0.0, high=1e9), 2)
    known.update(0, x, 1e9)
    assert known.state.model.targets[0, 0] == 1.0


def test_losses_that_are_all_alike_and_features_that_are_too():
    player = Player(LinearIMED(columns=3), 3)
    for _ in range(60):
        player.update(player.select((1, 1, 2)), (1, 1, 2), 7.0)
    assert all(np.isfinite(values).all() for values in arrays_of(player.state))
    assert player.state.model.counts.tolist() == [20, 20, 20]


def test_more_columns_than_losses_and_columns_that_are_copies():
    rng = np.random.default_rng(0)
    player = Player(LinearIMED(columns=30), 2)
    for _ in range(25):
        x = np.repeat(rng.normal(size=10), 3)
        player.update(player.select(x), x, x[0] + rng.normal())
    assert np.isfinite(player.state.indices).all()
    for inverse in player.state.model.inverse:
        assert (np.linalg.eigvalsh(full(inverse)) > 0).all()


@pytest.mark.slow
def test_a_million_updates_between_refreshes_leave_the_matrix_positive():
    rng = np.random.default_rng(0)
    player = Player(LinearIMED(columns=49), 1)
    xs = rng.normal(size=(1000, 49))
    for i in range(200):
        player.update(player.select(xs[i]), xs[i], xs[i, 0])
    update, _ = player.policy.kernels.update.bind(
        player.parameters, player.state, 0, 0.0, 1, player.stream
    )
    given = player.state.model.columns.given
    for i in range(1_000_000):
        given[:] = xs[i % 1000]
        update(0, float(i % 7), 200)
    assert (np.linalg.eigvalsh(full(player.state.model.inverse[0])) > 0).all()
