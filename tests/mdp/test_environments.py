"""Environments against their definitions: optimal values, and what is drawn from them."""

import tracemalloc

import numpy as np
import pytest

import lowbid
from lowbid import mdp
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.mdp._course import draw_loss, draw_outcome, place_of

PUBLISHED = [
    (mdp.RiverSwim(), 3.39726),
    (mdp.Chain(8), 0.39270),
    (mdp.Chain(16), 0.37981),
    (mdp.Chain(32), 0.37373),
    (mdp.DeepSea(10), 0.99),
    (mdp.DeepSea(20), 0.99),
    (mdp.DeepSea(10, stochastic=True), 0.38091),
    (mdp.DeepSea(20, stochastic=True), 0.37094),
    (mdp.SixArms(), 1.79069),
    (mdp.MetaChain(), 0.2),
    (mdp.BanditMDP(lowbid.paper_test(2)), 0.9),
    (mdp.Grid("S..G", slip=0.0, horizon=5), 2.0),
]
NOISY = [
    mdp.RiverSwim("strehl"),
    mdp.RiverSwim(noise="bernoulli"),
    mdp.Chain(4),
    mdp.DeepSea(4, stochastic=True),
    mdp.SixArms(),
    mdp.Garnet(5, 2, 3),
    mdp.Grid("S.G", slip=0.4, horizon=3),
    mdp.MetaChain(means=(-0.5, 0.5), n_actions=3),
    mdp.BanditMDP(lowbid.ScaledBernoulli([0.2, 0.5], scale=[1.0, 4.0])),
]


@pytest.mark.parametrize(("model", "optimum"), PUBLISHED, ids=lambda each: repr(each)[:30])
def test_optimal_values(model, optimum):
    assert model.optimum == pytest.approx(optimum, abs=5e-6)


@pytest.mark.parametrize("model", NOISY, ids=lambda model: repr(model)[:40])
def test_draws_have_the_stated_means_and_chances(model):
    draws = 400
    course, world, stream = model.course, model.world, np.array([5], np.uint64)
    with interpreted():
        for stage, s, a in np.argwhere(model._used)[:30]:
            place = place_of(course, stage, s, a)
            listed = np.array([draw_outcome(course, place, stream) for _ in range(draws)])
            losses = np.array([draw_loss(course, place, i, stream) for i in listed])
            outcomes, chances = listed - course.room * place, world.probabilities[stage, s, a]
            found = np.bincount(outcomes, minlength=len(chances)) / draws
            assert np.all(abs(found - chances) <= 5 * np.sqrt(chances * (1 - chances) / draws))
            error = 5 * losses.std() / np.sqrt(draws) + 1e-9
            assert abs(losses.mean() - world.means[stage, s, a]) <= error


def test_the_two_rivers_are_told_apart():
    ours, theirs = mdp.RiverSwim(), mdp.RiverSwim("strehl")
    assert ours.world.means[0, 5, 1] == pytest.approx(0.0)
    assert theirs.world.means[0, 5, 1] == pytest.approx(10_000 - 0.3 * 10_000)
    assert theirs.world.first.tolist() == [0, 0.5, 0.5, 0, 0, 0]
    assert "strehl" in repr(theirs)


def test_deep_sea_has_the_actions_of_bsuite():
    """The way right along the diagonal earns the treasure, and no other deterministic way does."""
    model = mdp.DeepSea(6)
    mapping = np.random.RandomState(42).binomial(1, 0.5, [6, 6])
    assert [model.optimal_policy[i, i] for i in range(6)] == [mapping[i, i] for i in range(6)]
    for slip in range(6):
        policy = model.optimal_policy.copy()
        policy[slip] = 1 - policy[slip]
        assert model.policy_return(policy) <= 0


def test_random_models_differ_by_instance_and_not_by_call():
    assert repr(mdp.Garnet(instance=1)) == repr(mdp.Garnet(instance=1))
    same, other = mdp.Garnet(instance=1).optimum, mdp.Garnet(instance=2).optimum
    assert mdp.Garnet(instance=1).optimum == same
    assert same != other


def test_grid_from_a_drawing():
    model = mdp.Grid(
        """
        S#G
        ...
        """,
        slip=0.0,
        horizon=6,
    )
    assert model.cells == [(0, 0), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert model.shape == (2, 3)
    assert model.optimum == 2.0  # four moves around the wall
    assert model.optimal_policy[:4, 0].tolist()[0] == 2


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("S.\n.", "lengths"),
        ("", "lengths"),
        ("S?G", "'\\?'"),
        ("..G", "no start"),
        ("S..", "no goal"),
        (None, "the drawing is None"),
        (["SG"], "the drawing is \\['SG'\\]"),
    ],
)
def test_bad_drawings_are_refused(drawing, message):
    with pytest.raises(InvalidValueError, match=message):
        mdp.Grid(drawing)


@pytest.mark.parametrize(
    "make",
    [
        lambda: mdp.RiverSwim("nile"),
        lambda: mdp.RiverSwim(n_states=2),
        lambda: mdp.Chain(1),
        lambda: mdp.DeepSea(0),
        lambda: mdp.DeepSea(4, stochastic="maybe"),
        lambda: mdp.Grid(slip=True),
        lambda: mdp.Garnet(3, 2, branching=4),
        lambda: mdp.Grid(slip=2.0),
        lambda: mdp.BanditMDP(lowbid.Beta([0.5], [2.0])),
        lambda: mdp.MetaChain(means=(np.nan,)),
        lambda: mdp.MetaChain(means=0.5),
        lambda: mdp.MetaChain(means=()),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(InvalidValueError):
        make()


def test_moves_that_slip_have_the_chances_of_all_four_moves():
    model = mdp.Grid("S.\n#G", slip=np.float64(0.4), horizon=3)
    aims = [[0, 1, 0, 0], [1, 1, 2, 0], [2, 2, 2, 2]]  # up, right, down, left, from each cell
    for state, cells in enumerate(aims):
        for action, aim in enumerate(cells):
            chances = np.zeros(3)
            np.add.at(chances, cells, 0.1)
            chances[aim] += 0.6
            found = np.zeros(3)
            world = model.world
            np.add.at(found, world.next_states[0, state, action],
                      world.probabilities[0, state, action])  # fmt: skip
            assert np.allclose(found, chances, rtol=0, atol=1e-15)
    assert world.probabilities.shape == (1, 3, 4, 3)


def test_large_grids_fit_in_memory():
    line = "." * 100
    drawing = "\n".join(["S" + line[1:], *[line] * 98, line[1:] + "G"])
    tracemalloc.start()
    try:
        model = mdp.Grid(drawing, slip=0.1, horizon=3)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert model.world.probabilities.shape == (1, 10_000, 4, 4)
    assert peak < 100e6  # 3.2 GB for one full table


def test_large_models_fit_in_memory():
    model = mdp.Garnet(10_000, 2, branching=5, horizon=5)
    assert model.world.probabilities.shape == (1, 10_000, 2, 5)
    assert model.problem().successors == 5
