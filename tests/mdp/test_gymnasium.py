import sys

import gymnasium
import pytest

from lowbid import mdp
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError, MissingPackageError


def newest(name):
    """The newest version that is installed of an environment."""
    found = [
        spec for spec in gymnasium.registry.values() if spec.name == name and not spec.namespace
    ]
    return max(found, key=lambda spec: spec.version).id


@pytest.mark.parametrize(
    ("name", "options", "optimum"),
    [
        ("FrozenLake-v1", {}, 0.7442),
        ("FrozenLake-v1", {"horizon": 1000}, 0.8235),  # the known limit
        ("FrozenLake8x8-v1", {}, 0.9132),
        ("FrozenLake-v1", {"is_slippery": False}, 1.0),
        (newest("CliffWalking"), {"horizon": 100}, -13.0),
        (newest("CliffWalking"), {"horizon": 100, "is_slippery": True}, -63.01),
        (newest("Taxi"), {}, 7.93),
    ],
)
def test_optimal_values_of_known_tables(name, options, optimum):
    model = mdp.FromGymnasium(name, **options)
    digits = 2 if name != "FrozenLake-v1" and "8x8" not in name else 4
    assert round(model.optimum, digits) == pytest.approx(optimum, abs=1e-9)


def test_an_agent_in_gymnasiums_own_loop_learns():
    with interpreted():
        model = mdp.FromGymnasium("FrozenLake-v1", is_slippery=False, horizon=10, best_return=1.0)
        result = mdp.simulate(mdp.BatchEnsembleValueIteration(1), model, episodes=120, runs=1)
        late = result.regret[0, 0, -1] - result.regret[0, 0, result.checkpoints.tolist().index(90)]
        env = gymnasium.make("FrozenLake-v1", is_slippery=False)
        agent = mdp.Agent(16, 4, 10, reward_range=(0, 1), best_return=1.0, ends=True)
        won = 0.0
        for episode in range(150):
            state, _ = env.reset(seed=episode)
            agent.begin(state)
            while agent.stage is not None:
                state, reward, terminated, _, _ = env.step(agent.act())
                agent.update(reward=float(reward), next_state=None if terminated else int(state))
                won += reward * (episode >= 120)
    assert late < 3.0
    assert won >= 27


def test_a_made_environment_and_its_description():
    env = gymnasium.make("FrozenLake-v1")
    model = mdp.FromGymnasium(env, horizon=7)
    assert model.n_states == 17
    assert model.horizon == 7
    assert "FrozenLake-v1" in repr(model)
    with pytest.raises(InvalidValueError, match="already exists"):
        mdp.FromGymnasium(env, is_slippery=False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("CartPole-v1", "not a table"),
        (newest("CliffWalking"), "give horizon"),
        ("NoSuchPlace-v0", "cannot make"),
        ("no_such_module:Place-v0", "cannot make"),
        (None, "environment is None; give a name such as"),
    ],
)
def test_what_is_not_a_table_is_refused(name, message):
    with pytest.raises(InvalidValueError, match=message):
        mdp.FromGymnasium(name)


def test_the_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingPackageError, match="lowbid\\[gymnasium\\]"):
        mdp.FromGymnasium("FrozenLake-v1")
