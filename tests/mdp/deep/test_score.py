import numpy as np
import pytest

from lowbid import mdp
from lowbid.errors import InvalidValueError
from lowbid.mdp import deep
from lowbid.mdp.deep._trial import is_bad


def test_sizes_and_episodes_are_those_of_bsuite():
    assert deep.BSUITE_SIZES[0] == 10
    assert deep.BSUITE_SIZES[-1] == 50
    assert len(deep.BSUITE_SIZES) == 21
    assert deep.BSUITE_EPISODES == 10_000


def test_logged_episodes_are_those_at_which_bsuite_writes():
    ratios = [1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    wanted = [
        episode
        for episode in range(1, 2001)
        if any(episode == 10 ** np.floor(np.log10(episode)) * ratio for ratio in ratios)
    ]
    assert deep.logged_episodes(2000).tolist() == wanted
    assert deep.logged_episodes(1).tolist() == [1]


def test_solved_is_below_the_threshold_and_not_at_it():
    bad = np.array([True] * 8 + [False] * 2 + [True, False])
    # The shares are 1 up to 8, then 8/9, 8/10, 9/11 and 9/12.
    assert deep.solving_episode(bad) == 12
    assert deep.solving_episode(bad[:11]) is None
    assert deep.solving_episode(bad, threshold=0.9) == 9
    assert deep.solving_episode(bad, threshold=0.9, start=10) == 10
    assert deep.solving_episode(bad, threshold=0.9, at=deep.logged_episodes(12)) == 9
    assert deep.solving_episode(bad, threshold=0.9, at=[1, 2, 11]) == 11
    assert deep.solving_episode([]) is None
    assert deep.solving_episode([False]) == 1


def test_the_score_counts_what_beats_dithering():
    assert deep.bsuite_score([(10, 1123)]) == 1.0
    assert deep.bsuite_score([(10, 1124)]) == 0.0
    assert deep.bsuite_score([(50, 9_999), (48, None)]) == 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: deep.bsuite_score([]), "no sizes were given"),
        (lambda: deep.bsuite_score([(0, 1)]), "size is 0"),
        (lambda: deep.solving_episode([0.5]), "give True or False for each episode"),
        (lambda: deep.solving_episode([[True]]), "give True or False for each episode"),
        (lambda: deep.solving_episode([True], threshold=2), "threshold is 2"),
        (lambda: deep.solving_episode([True], start=0), "start is 0"),
        (lambda: deep.logged_episodes(0), "last is 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidValueError, match=message):
        call()


def test_an_episode_is_bad_if_the_agent_leaves_the_diagonal_by_itself():
    sea = mdp.DeepSea(3, stochastic=True)

    def bad(columns, moves):
        actions = [
            sea.right[row, column] if move == "right" else 1 - sea.right[row, column]
            for row, (column, move) in enumerate(zip(columns, moves, strict=True))
        ]
        empty = np.zeros(3)
        return is_bad(sea, deep.Played(np.array(columns), np.array(actions), empty, 0, empty))

    assert not bad([0, 1, 2], ["right", "right", "right"])
    assert bad([0, 1, 2], ["right", "right", "left"])
    assert bad([0, 0, 1], ["left", "right", "right"])
    # Blown off course: what is done away from the diagonal does not count.
    assert not bad([0, 0, 0], ["right", "left", "left"])
