import importlib
import itertools
import json
import math
import sys
import zipfile

import gymnasium
import jax
import numpy as np
import pytest

from lowbid import mdp
from lowbid._compile import interpreted
from lowbid.cli import main
from lowbid.errors import FileFormatError, InvalidValueError, MissingPackageError
from lowbid.mdp import deep
from mdp.deep.small import SMALL

START = [0.1, -0.2, 0.3, 0.4]


def agent(seed=0, rule=SMALL):
    return deep.DeepAgent(rule, n_actions=2, observation_size=4, seed=seed)


def bits(agent):
    return [np.array(each) for each in jax.tree.leaves(agent.learner)]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def play(player, steps, random, begin=True):
    """Random outcomes; an episode ends every five steps."""
    actions = []
    for step in range(steps):
        if step % 5 == 0 and begin:
            player.begin(random.normal(size=4))
        actions.append(player.act())
        over = step % 5 == 4
        next_observation = None if over else random.normal(size=4)
        player.update(reward=random.normal(), next_observation=next_observation)
        begin = True
    return actions


def test_the_same_seed_gives_the_same_bits_and_another_one_others():
    one, other, third = agent(7), agent(7), agent(8)
    actions = play(one, 20, np.random.default_rng(0))
    assert actions == play(other, 20, np.random.default_rng(0))
    assert same(bits(one), bits(other))
    play(third, 20, np.random.default_rng(0))
    assert not same(bits(one), bits(third))
    assert (one.episode, one.steps, int(one.learner.updates)) == (4, 20, 8)


def test_large_seeds_differ_from_their_lower_half():
    assert not same(bits(agent(1)), bits(agent(2**40 + 1)))


def test_an_action_stays_until_its_outcome_and_the_member_for_an_episode():
    player = agent()
    player.begin(START)
    worth = player.values(START)
    assert worth.shape == (3, 2)
    np.testing.assert_allclose(player.bids, worth.max(axis=1), rtol=1e-5)
    assert player.member == player.bids.argmax()
    assert len({player.act() for _ in range(5)}) == 1
    acting = [np.array(each) for each in jax.tree.leaves(player._acting)]
    for _ in range(12):
        player.act()
        player.update(reward=1.0, next_observation=START)
    assert int(player.learner.updates) > 0
    assert same(acting, jax.tree.leaves(player._acting))
    player.end()
    with pytest.raises(InvalidValueError, match="no episode is under way"):
        player.act()


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"reward": math.nan, "next_observation": START}, "reward is nan"),
        ({"reward": 1e31, "next_observation": START}, "in size"),
        ({"reward": "1", "next_observation": START}, "reward is '1'"),
        ({"reward": 1.0, "next_observation": START[:3]}, "give 4 finite numbers"),
        ({"reward": 1.0, "next_observation": [0.0, 0.0, 0.0, math.inf]}, "4 finite numbers"),
        ({"reward": 1.0, "next_observation": "abcd"}, "4 finite numbers"),
        ({"reward": 1.0, "next_observation": 3}, "4 finite numbers"),
    ],
)
def test_bad_outcomes_are_refused_and_change_nothing(told, message):
    player = agent()
    player.begin(START)
    player.act()
    before = bits(player)
    with pytest.raises(InvalidValueError, match=message):
        player.update(**told)
    assert same(before, bits(player))
    player.update(reward=1.0, next_observation=None)
    assert player.steps == 1


def test_calls_out_of_turn_are_refused():
    player = agent()
    for call in (lambda: player.bids, lambda: player.member):
        with pytest.raises(InvalidValueError, match="no episode has begun"):
            call()
    with pytest.raises(InvalidValueError, match="call act"):
        player.update(reward=1.0, next_observation=START)
    player.begin(START)
    with pytest.raises(InvalidValueError, match="episode 1 is under way; call end"):
        player.begin(START)
    at_sea = deep.DeepAgent.for_model(mdp.DeepSea(3), SMALL)
    at_sea.begin(0)
    with pytest.raises(InvalidValueError, match="under way"):
        next(deep.play(at_sea, mdp.DeepSea(3)))
    for state in (-1, 6, 1.0, True, None):
        with pytest.raises(InvalidValueError, match="a whole number from 0 to 5"):
            at_sea.values(state)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "neither of observation_size and n_states"),
        ({"observation_size": 1, "n_states": 1}, "both of observation_size and n_states"),
        ({"n_states": 0}, "n_states is 0"),
        ({"observation_size": 1.5}, "observation_size is 1.5"),
        ({"n_states": 2, "n_actions": 0}, "n_actions is 0"),
        ({"n_states": 2, "seed": -1}, "seed is -1"),
        ({"n_states": 2, "rule": mdp.PSRL()}, "such as deep.BootstrappedDQN"),
        ({"n_states": 2, "rule": deep.BootstrappedDQN}, "such as deep.BootstrappedDQN"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(InvalidValueError, match=message):
        deep.DeepAgent(**{"rule": SMALL, "n_actions": 2, **options})


def test_classic_control_is_played_and_cut_short_episodes_go_on_in_the_targets():
    player = deep.DeepAgent.for_gymnasium("CartPole-v1", SMALL, seed=3, max_episode_steps=6)
    played = list(
        itertools.islice(deep.play_gymnasium(player, "CartPole-v1", max_episode_steps=6), 3)
    )
    assert [each.rewards.sum() for each in played] == [6.0, 6.0, 6.0]
    assert played[0].states.shape == (6, 4)
    assert player.learner.replay.goes_on.tolist() == [1.0] * 10  # cut short, not over
    again = deep.DeepAgent.for_gymnasium("CartPole-v1", SMALL, seed=3)
    env = gymnasium.make("CartPole-v1", max_episode_steps=6)
    for one, other in zip(played, deep.play_gymnasium(again, env), strict=False):
        assert np.array_equal(one.states, other.states)
        assert np.array_equal(one.actions, other.actions)
    assert deep.DeepAgent.for_gymnasium("MountainCar-v0", SMALL).n_actions == 3
    assert deep.DeepAgent.for_gymnasium("Acrobot-v1", SMALL).inputs == (6, 6, False)
    assert deep.DeepAgent.for_gymnasium("FrozenLake-v1", SMALL).inputs == (16, 16, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Pendulum-v1", "the actions of Pendulum-v1 are Box"),
        ("Blackjack-v1", "Blackjack-v1 shows Tuple"),
        ("CartPol-v1", "Gymnasium cannot make"),
    ],
)
def test_environments_that_networks_cannot_play_are_refused(name, message):
    with pytest.raises(InvalidValueError, match=message):
        deep.DeepAgent.for_gymnasium(name, SMALL)


@pytest.mark.parametrize("steps", [0, 12, 15], ids=["new", "within an episode", "between two"])
def test_a_loaded_agent_goes_on_as_the_one_that_was_saved(tmp_path, steps):
    player, random = agent(2), np.random.default_rng(1)
    play(player, steps, random)
    if steps == 12:
        player.act()
    player.save(tmp_path / "agent.npz")
    loaded = deep.DeepAgent.load(tmp_path / "agent.npz")
    assert same(bits(player), bits(loaded))
    assert (loaded.rule, loaded.seed, loaded._action) == (SMALL, 2, player._action)
    seeds = [np.random.default_rng(4), np.random.default_rng(4)]
    under_way = steps == 12
    actions = [
        play(each, 10, chance, begin=not under_way)
        for each, chance in zip((player, loaded), seeds, strict=True)
    ]
    assert actions[0] == actions[1]
    assert np.array_equal(player.bids, loaded.bids)
    assert same(bits(player), bits(loaded))


def test_damaged_files_are_refused(tmp_path):
    path, other = tmp_path / "agent.npz", tmp_path / "other.npz"
    agent().save(path)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 255
    for damage in (whole[: len(whole) // 2], b"", bytes(flipped), b"hello"):
        path.write_bytes(damage)
        with pytest.raises(FileFormatError, match="damaged or cut short"):
            deep.DeepAgent.load(path)
    with interpreted():
        mdp.Agent(2, 2, 2, reward_range=(0, 1)).save(other)
    with pytest.raises(FileFormatError, match="not a saved deep agent"):
        deep.DeepAgent.load(other)
    with pytest.raises(FileNotFoundError):
        deep.DeepAgent.load(tmp_path / "nowhere.npz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": 99}, "Upgrade lowbid"),
        ({"rule": "Nobody"}, "intact, but was written by lowbid"),
        ({"n_actions": 3}, "whose BiddingDQN has a different state"),
        ({"parameters": {"members": 0}}, "intact, but was written by lowbid"),
    ],
)
def test_headers_that_do_not_fit_are_refused(tmp_path, change, message):
    agent().save(tmp_path / "agent.npz")
    columns = columns_of(tmp_path / "agent.npz")
    write_with(tmp_path / "changed.npz", columns, change)
    with pytest.raises(FileFormatError, match=message):
        deep.DeepAgent.load(tmp_path / "changed.npz")


def columns_of(path):
    """The arrays of a saved agent, in the order in which they were saved."""
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
    with np.load(path) as saved:
        return {name: saved[name] for name in names}


def write_with(path, columns, change):
    """Write arrays with a header of which some has changed."""
    header = json.loads(str(columns["header"])) | change
    np.savez(path, **{**columns, "header": np.array(json.dumps(header))})


def test_a_rule_of_ones_own_cannot_be_saved(tmp_path):
    class Mine(deep.BootstrappedDQN):
        pass

    player = agent(rule=Mine(members=1, hidden=()))
    with pytest.raises(FileFormatError, match="not one of lowbid's rules"):
        player.save(tmp_path / "agent.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("package", ["jax", "optax"])
def test_without_jax_or_optax_there_is_a_line_to_type(package, monkeypatch, capsys):
    for name in [each for each in sys.modules if each.startswith("lowbid.mdp.deep")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(mdp, "deep")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=r"pip install 'lowbid\[deep\]'"):
        importlib.import_module("lowbid.mdp.deep")
    assert main(["mdp", "deep-sea"]) == 2
    assert "pip install 'lowbid[deep]'" in capsys.readouterr().err
