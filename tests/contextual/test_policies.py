"""What all policies with features have in common."""

import numpy as np
import pytest

from contextual.play import Player
from lowbid import contextual
from lowbid._compile import interpreted
from lowbid.testing import check_policy

CLASSES = [getattr(contextual, name) for name in contextual.__all__]
IDS = [cls.__name__ for cls in CLASSES]


def problem(steps=120, columns=4, n_arms=3, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(n_arms, columns))
    xs = rng.normal(size=(steps, columns))
    return xs, np.exp(0.3 * xs @ weights.T + 0.05 * rng.normal(size=(steps, n_arms)))


def choices(policy, xs, losses):
    player, played = Player(policy, losses.shape[1]), []
    for x, row in zip(xs, losses, strict=True):
        arm = player.select(x)
        played.append(arm)
        player.update(arm, x, row[arm])
    return played


@pytest.mark.parametrize("cls", CLASSES, ids=IDS)
def test_without_features_it_keeps_the_promises_of_all_policies(cls):
    check_policy(cls(), horizon=120)


@pytest.mark.parametrize("cls", CLASSES, ids=IDS)
def test_with_features_compiled_and_uncompiled_choose_alike(cls):
    xs, losses = problem()
    compiled = choices(cls(columns=4), xs, losses)
    with interpreted():
        assert choices(cls(columns=4), xs, losses) == compiled
    assert not cls.kernels.select.reason
    assert not cls.kernels.update.reason


@pytest.mark.parametrize("cls", CLASSES, ids=IDS)
def test_it_learns_which_arm_is_best_where(cls):
    rng = np.random.default_rng(1)
    xs = rng.choice([-1.0, 1.0], size=(600, 1))
    losses = 0.5 + 0.4 * xs * [-1, 1] + 0.1 * rng.normal(size=(600, 2))
    played = np.array(choices(cls(columns=1), xs, losses))
    wrong = (played[300:] == 0) == (xs[300:, 0] < 0)
    assert wrong.mean() < 0.1


@pytest.mark.parametrize("cls", CLASSES, ids=IDS)
def test_its_random_numbers_do_not_depend_on_the_number_of_columns(cls):
    assert cls(columns=3).stream_name == cls().stream_name == cls().for_columns(7).stream_name


@pytest.mark.parametrize("cls", [contextual.LinearIMED, contextual.LinearMED])
@pytest.mark.parametrize(
    ("factor", "shift"), [(2.0**-10, 0.0), (1000.0, 0.0), (1.0, 16.0), (0.01, 7.0)]
)
def test_no_unit_changes_a_choice(cls, factor, shift):
    xs, losses = problem(300)
    policy = cls(columns=4)
    played = choices(policy, xs, losses)
    assert choices(policy, xs, factor * losses + shift) == played
    assert choices(policy, factor * xs + shift, losses) == played


@pytest.mark.parametrize("cls", [contextual.LinearIMED, contextual.LinearMED])
def test_arms_can_be_taken_and_joined(cls):
    xs, losses = problem()
    policy = cls(columns=4)
    player = Player(policy, 3)
    for x, row in zip(xs, losses, strict=True):
        arm = player.select(x)
        player.update(arm, x, row[arm])
    player.state = policy.take(player.state, 3, [2, -1, 0], lambda n: policy.start(n)[1])
    assert player.select(xs[0]) == 1  # the new one comes first
    player.update(1, xs[0], 0.1)
    assert {player.select(x) for x in xs} <= {0, 1, 2}


@pytest.mark.parametrize("cls", [contextual.LinearIMED, contextual.LinearMED])
def test_two_states_are_merged_as_if_one_had_seen_everything(cls):
    xs, losses = problem(300)
    losses = 3.0 + 4.0 * (losses > 1.0)  # of two values, none is clipped
    policy = cls(columns=4)
    parts, whole = [Player(policy, 3), Player(policy, 3)], Player(policy, 3)
    for i, (x, row) in enumerate(zip(xs, losses, strict=True)):
        for player in (parts[i % 2], whole):
            player.update(i % 3, x, row[i % 3])
    one, two = (part.state for part in parts)
    parts[0].state = policy.merge(one, two)
    for player in (parts[0], whole):
        player.select(xs[0], step=301)
        player.select(xs[0], step=400)
    means = [
        p.state.means * p.state.model.yardstick[1] + p.state.model.yardstick[0]
        for p in (parts[0], whole)
    ]
    assert means[0] == pytest.approx(means[1], rel=1e-6)
