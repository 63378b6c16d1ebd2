import numpy as np
import pytest

import lowbid
from contextual.play import Player
from lowbid._compile import interpreted
from lowbid.contextual import LinearBatchEnsemble, LinearIMED, LinearMED, LinUCB
from lowbid.contextual.problems import Linear, Logistic, Segments, Tabled
from lowbid.simulation import loss_of
from lowbid.testing import check_environment

MEANS = [[0.1, 0.9], [0.9, 0.1], [0.5, 0.4]]
PROBLEMS = [
    Linear(3, columns=2, sd=0.3),
    Logistic(3, columns=2),
    Segments(MEANS),
    Tabled([[0.0, 1.0], [2.0, 3.0], [4.0, 4.0]], MEANS),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_it_keeps_the_promises_of_all_environments(problem):
    check_environment(problem, draws=1000)
    assert np.array_equal(problem.features_at(7, 1, 2), problem.features_at(7, 1, 2))
    assert not np.array_equal(
        [problem.features_at(step) for step in range(1, 9)],
        [problem.features_at(step, run=1) for step in range(1, 9)],
    )


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
@pytest.mark.filterwarnings("ignore::lowbid.errors.LossesWarning")
@pytest.mark.parametrize("delay", [0, 7])
def test_compiled_and_uncompiled_simulations_agree(problem, delay):
    policies = [LinearIMED(), LinUCB(), lowbid.UCB1()] if delay else [LinearMED(), LinUCB()]

    def played():
        steps = range(1, 60)
        return lowbid.simulate(
            policies, problem, 60, 2, checkpoints=list(steps), delay=delay, lost=0.1 * bool(delay)
        )

    compiled = played()
    with interpreted():
        plain = played()
    assert np.array_equal(compiled.regret, plain.regret)
    assert np.array_equal(compiled.pulls, plain.pulls)


@pytest.mark.parametrize("policy", [LinearIMED(), LinUCB(), LinearBatchEnsemble()])
def test_a_simulation_shows_the_features_and_counts_regret_step_by_step(policy):
    problem = Logistic(3, columns=2)
    result = lowbid.simulate(policy, problem, 80, 1, seed=3, checkpoints=list(range(1, 81)))
    player, counts, regret = Player(policy.for_columns(2), 3, seed=3), [0] * 3, []
    for step in range(1, 81):
        table = problem.table_at(step, seed=3)
        x = problem.features_at(step, seed=3)
        arm = player.select(x)
        player.update(arm, x, loss_of(problem, table, 3, 0, arm, counts[arm]))
        counts[arm] += 1
        means = problem.means_of(table)[0]
        regret.append(means[arm] - means.min())
    assert result.pulls[0, 0].tolist() == counts
    assert result.regret[0, 0] == pytest.approx(np.cumsum(regret))


def test_features_are_worth_looking_at():
    result = lowbid.simulate([LinearIMED(), lowbid.BatchLikelihood()], Segments(MEANS), 600, 20)
    looking, blind = result.regret[:, :, -1].mean(axis=1)
    assert looking < 0.3 * blind


def test_labels_become_arms():
    cases = Tabled.of_labels([[0.0], [1.0], [2.0]], ["b", "a", "b"])
    assert cases.losses.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Linear(0, 2), "n_arms is 0"),
        (lambda: Linear(2, -1), "columns is -1"),
        (lambda: Linear(2, 2, sd=-1), "sd is -1"),
        (lambda: Logistic(2, 2, slope=0), "slope is 0"),
        (lambda: Segments([[0.5, 1.5]]), "below 0 or above 1"),
        (lambda: Segments([0.5]), r"means have the shape \(1,\)"),
        (lambda: Tabled([[1.0]], [[1.0], [2.0]]), "features have 1 rows, and losses 2"),
        (lambda: Tabled([[float("nan")]], [[1.0]]), "give finite numbers"),
        (lambda: Tabled([["x"]], [[1.0]]), "features are not numbers"),
        (lambda: Tabled.of_labels([[1.0]], []), "labels are not a list"),
    ],
)
def test_impossible_problems_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
