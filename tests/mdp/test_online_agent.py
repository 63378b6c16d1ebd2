import copy
import io
import json
import pickle

import numpy as np
import pytest

from follow import Wanderer
from lowbid import mdp
from lowbid._compile import background, interpreted
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.mdp import _saved_agent
from lowbid.mdp._outcomes import outcome
from lowbid.testing import check_agent

RULES = [getattr(mdp, name) for name in mdp.agents.__all__]
VARIANTS = [rule for cls in RULES for rule in cls.variants()]
BEVI = mdp.BatchEnsembleValueIteration
FEW = [*BEVI.variants()[:4], mdp.QLearning(), mdp.PSRL()]  # compiled for docs/mdp.md anyway


@pytest.fixture(autouse=True)
def uncompiled(request):
    """Compiling takes longer than these tests; those about it say so in their names."""
    if "compiled" in request.node.name:
        yield
    else:
        with interpreted():
            yield


@pytest.mark.parametrize("rule", VARIANTS, ids=lambda rule: rule.name)
def test_keeps_the_promises_of_all_agents(rule):
    check_agent(rule, episodes=8)


@pytest.mark.slow
def test_compiled_agents_keep_them_too(monkeypatch):
    monkeypatch.setenv("LOWBID_COMPILED", "now")
    check_agent(BEVI())


@pytest.mark.slow
@pytest.mark.parametrize("rule", VARIANTS, ids=lambda rule: rule.name)
def test_all_compiled_agents_keep_them_too(rule, monkeypatch):
    monkeypatch.setenv("LOWBID_COMPILED", "now")
    check_agent(rule)


def steps_of(agent, episodes, after=lambda episode: None):
    """Play on RiverSwim's outcomes of run 0, and return the actions."""
    model, counts, actions = mdp.RiverSwim(horizon=6), {}, []
    for episode in range(1, episodes + 1):
        s = 0
        agent.begin(s)
        for stage in range(6):
            place = (stage, s, agent.act())
            loss, s = outcome(model, 3, 0, *place, counts.get(place, 0))
            counts[place] = counts.get(place, 0) + 1
            agent.update(reward=1.0 - loss, next_state=s)
            actions.append(place[2])
        after(episode)
    return actions


def test_compiled_in_the_background_now_or_never_an_agent_acts_the_same():
    model, rule, found = mdp.RiverSwim(horizon=6), BEVI(), {}

    def wait(episode):
        if episode == 5:
            assert background.wait(120)

    for when in ("never", "background", "now"):
        agent = mdp.Agent.for_model(model, rule, seed=4, compiled=when)
        assert bool(agent._bound) == (when == "now")
        found[when] = steps_of(agent, 12, wait if when == "background" else lambda episode: None)
        assert set(agent._bound) == {"plan", "act", "update"}  # those that are compiled, if any
    assert found["background"] == found["now"] == found["never"]
    with interpreted():
        agent = mdp.Agent.for_model(model, rule, seed=4)
        assert steps_of(agent, 12) == found["never"]


def test_the_default_for_when_rules_are_compiled_is_that_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("LOWBID_COMPILED", "background")
    agent = corridor()
    assert agent._compiled == "background"
    agent.save(tmp_path / "agent.npz")
    assert mdp.Agent.load(tmp_path / "agent.npz")._compiled == "background"
    assert mdp.Agent.load(tmp_path / "agent.npz", compiled="never")._compiled == "never"
    monkeypatch.setenv("LOWBID_COMPILED", "soon")
    with pytest.raises(InvalidValueError, match="LOWBID_COMPILED is 'soon'"):
        corridor()
    with pytest.raises(InvalidValueError, match="compiled is 'later'"):
        mdp.Agent.load(tmp_path / "agent.npz", compiled="later")


@pytest.mark.slow
@pytest.mark.parametrize("rule", FEW, ids=lambda rule: rule.name)
def test_compiled_and_uncompiled_simulations_agree(rule):
    model, every = mdp.RiverSwim(horizon=6), np.arange(1, 31)
    compiled = mdp.simulate(rule, model, 30, runs=2, seed=1, checkpoints=every)
    with interpreted():
        plain = mdp.simulate(rule, model, 30, runs=2, seed=1, checkpoints=every)
    assert np.array_equal(compiled.pulls, plain.pulls)
    assert np.array_equal(compiled.regret, plain.regret)


def corridor(**options):
    settings = {"n_states": 3, "n_actions": 2, "horizon": 4, "reward_range": (0, 1)}
    return mdp.Agent(**(settings | options))


def test_calls_in_the_wrong_order_are_refused():
    agent = corridor()
    with pytest.raises(InvalidValueError, match="call begin"):
        agent.act()
    with pytest.raises(InvalidValueError, match="call act"):
        agent.update(reward=1.0, next_state=0)
    agent.begin(0)
    assert agent.stage == 0
    with pytest.raises(InvalidValueError, match="call act"):
        agent.update(reward=1.0, next_state=0)
    assert agent.act() == agent.act()
    with pytest.raises(InvalidValueError, match="call end"):
        agent.begin(0)
    agent.end()
    assert agent.stage is None
    agent.begin(1)
    assert agent.episode == 2


def test_an_episode_is_over_after_the_last_stage():
    agent = corridor()
    agent.begin(0)
    for stage in range(4):
        assert agent.stage == stage
        agent.act()
        agent.update(reward=0.0, next_state=1)
    assert agent.stage is None
    agent.end()  # does no harm
    agent.begin(2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: a.update(0.5, next_state=0), "this agent takes rewards"),
        (lambda a: a.update(loss=0.5, next_state=0), "this agent takes rewards"),
        (lambda a: a.update(next_state=0), "this agent takes rewards"),
        (lambda a: a.update(reward=2.0, next_state=0), "the range is from 0 to 1"),
        (lambda a: a.update(reward=np.nan, next_state=0), "finite number"),
        (lambda a: a.update(reward="1", next_state=0), "finite number"),
        (lambda a: a.update(reward=0.5, next_state=3), "from 0 to 2"),
        (lambda a: a.update(reward=0.5, next_state=1.0), "from 0 to 2"),
        (lambda a: a.update(reward=0.5), "ends=True"),
    ],
)
def test_bad_outcomes_are_refused_and_change_nothing(call, message):
    agent = corridor()
    agent.begin(0)
    agent.act()
    before = pickle.dumps([array.tolist() for array in agent._state.visits])
    with pytest.raises(InvalidValueError, match=message):
        call(agent)
    assert pickle.dumps([array.tolist() for array in agent._state.visits]) == before
    agent.update(reward=0.5, next_state=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward_range": None}, "neither of reward_range"),
        ({"loss_range": (0, 1)}, "both of reward_range"),
        ({"reward_range": (1, 0)}, "the lower one first"),
        ({"reward_range": 1.0}, "give two numbers"),
        ({"reward_range": None, "loss_range": (0, 1), "best_return": 1.0}, "goes with reward"),
        ({"n_states": 0}, "n_states is 0"),
        ({"n_actions": [1, 2]}, "how many actions"),
        ({"rule": "psrl"}, "mdp.PSRL\\(\\)"),
        ({"rule": mdp.UCBVI()}, "must know the number of episodes"),
        ({"ends": True, "reward_range": (-5, -1)}, "give \\(-5, 0\\)"),
        ({"first": 3}, "from 0 to 2"),
        ({"n_actions": None}, "n_actions is nan"),
        ({"n_actions": "ab"}, "n_actions is not a table of numbers"),
        ({"n_actions": [[1, 2], [3]]}, "n_actions is"),
        ({"reward_range": "01"}, "give two numbers"),
        ({"best_return": np.nan}, "best_return is nan"),
        ({"best_return": "1"}, "best_return is '1'"),
        ({"best_return": -5.0}, "best_return is -5.0; give a finite number at least 0"),
        ({"reward_range": (0.5, 1), "best_return": 1.0}, "at least 2"),
        ({"bounded": "no"}, "bounded is 'no'; give True or False"),
        ({"stationary": None}, "stationary is None"),
        ({"ends": 1}, "ends is 1"),
        ({"rule": mdp.PSRL(stationary="no")}, "stationary is 'no'"),
        ({"n_states": 10_000}, "would take 8 GB, since any of the 10000 states .* successors="),
        ({"n_states": 10_000, "rule": mdp.RLSVI()}, "RLSVI would take"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(options, message):
    with pytest.raises(InvalidValueError, match=message):
        corridor(**options)


def test_rules_that_need_no_room_for_successors_have_many_states():
    assert corridor(n_states=10_000, rule=mdp.QLearning()).n_states == 10_000
    assert corridor(n_states=10_000, successors=5).problem.successors == 5


def test_an_agent_for_a_model_is_not_where_the_model_never_leads():
    agent = mdp.Agent.for_model(mdp.Chain(4), mdp.PSRL())
    with pytest.raises(InvalidValueError, match="cannot be there at stage 0"):
        agent.begin(3)
    assert (agent.episode, agent.stage) == (0, None)
    agent.begin(0)
    agent.act()
    with pytest.raises(InvalidValueError, match=r"next_state is 3.* at stage 1"):
        agent.update(reward=0.0, next_state=3)
    agent.update(reward=0.0, next_state=1)
    with pytest.raises(InvalidValueError, match="model is 'chain'"):
        mdp.Agent.for_model("chain")


def test_more_successors_than_there_is_room_for_are_refused():
    agent = corridor(successors=1, n_actions=1)
    agent.begin(0)
    agent.act()
    agent.update(reward=0.0, next_state=1)
    agent.end()
    agent.begin(0)
    agent.act()
    with pytest.raises(InvalidValueError, match="as many as successors allows"):
        agent.update(reward=0.0, next_state=2)
    agent.update(reward=0.0, next_state=1)


def test_episodes_that_end_early_lead_to_a_state_that_brings_nothing():
    agent = corridor(ends=True)
    agent.begin(0)
    agent.act()
    agent.update(reward=1.0, next_state=None)
    assert agent.stage is None
    visits = agent._state.visits
    assert visits.counts[0, 3].sum() == 3  # the rest of the episode
    assert visits.losses[0, 3].sum() == 3.0
    assert visits.counts[0, 0].sum() == 1
    assert agent.policy.shape == (4, 3)


def test_an_agent_learns_to_finish_a_game():
    """Action 1 wins at once in state 1, and action 0 goes there from state 0."""
    agent = mdp.Agent(2, 2, horizon=5, reward_range=(0, 1), best_return=1.0, ends=True)
    won = 0
    for episode in range(60):
        state = 0
        agent.begin(state)
        while agent.stage is not None:
            action = agent.act()
            if state == 1 and action == 1:
                agent.update(reward=1.0, next_state=None)
                won += episode >= 40
            else:
                state = 1 - action if state == 0 else 0
                agent.update(reward=0.0, next_state=state)
    assert won == 20


def test_losses_are_measured_from_the_best_of_their_range():
    agent = mdp.Agent(1, 2, horizon=1, loss_range=(2.0, 5.0), rule=mdp.PaddedCounts())
    agent.begin(0)
    agent.act()
    agent.update(loss=2.5, next_state=0)
    assert agent._state.visits.losses.sum() == 0.5


def train(agent, model, episodes):
    counts = {}
    for _ in range(episodes):
        s = 0
        agent.begin(s)
        for stage in range(model.horizon):
            action = agent.act()
            n = counts[stage, s, action] = counts.get((stage, s, action), -1) + 1
            loss, s = outcome(model, 0, 0, stage, s, action, n)
            agent.update(reward=model.best_reward - loss, next_state=s)
    return agent


def test_agents_are_saved_copied_and_pickled(tmp_path):
    model = mdp.RiverSwim(horizon=5)
    agent = train(mdp.Agent.for_model(model, mdp.RLSVI(variance=0.2), seed=3), model, 20)
    agent.begin(0)
    agent.act()
    agent.save(tmp_path / "agent.npz")
    twins = [
        mdp.Agent.load(tmp_path / "agent.npz"),
        copy.deepcopy(agent),
        pickle.loads(pickle.dumps(agent)),
    ]
    for twin in twins:
        assert twin.rule == agent.rule
        assert twin.episode == 21
        assert twin.act() == agent.act()
        twin.end()
    agent.end()
    for each in (agent, *twins):
        each.begin(0)
        assert np.array_equal(each.policy, agent.policy)


def test_bad_files_are_refused(tmp_path):
    path = tmp_path / "agent.npz"
    corridor().save(path)
    whole = path.read_bytes()
    other = io.BytesIO()
    np.savez(other, header=np.array(json.dumps({"format": "other", "format_version": 1})))
    for bad in (b"", whole[:100], whole[:-200], b"text", other.getvalue()):
        path.write_bytes(bad)
        with pytest.raises(FileFormatError, match="not a saved agent"):
            mdp.Agent.load(path)
    with pytest.raises(FileNotFoundError):
        mdp.Agent.load(tmp_path / "none.npz")


def test_newer_files_and_foreign_rules_are_named(tmp_path, monkeypatch):
    path = tmp_path / "agent.npz"
    newer = _saved_agent._FORMAT._replace(newest=9)
    monkeypatch.setattr(_saved_agent, "_FORMAT", newer)
    corridor().save(path)
    monkeypatch.undo()
    with pytest.raises(FileFormatError, match="format version 9"):
        mdp.Agent.load(path)
    corridor(rule=Wanderer()).save(path)
    with pytest.raises(FileFormatError, match="rule="):
        mdp.Agent.load(path)
    with pytest.raises(InvalidValueError, match="was saved"):
        mdp.Agent.load(path, rule=mdp.PSRL())
    assert isinstance(mdp.Agent.load(path, rule=Wanderer()).rule, Wanderer)


def changed(path, header=None, **columns):
    """A saved agent with some of its header and columns replaced; those that are None left out."""
    with np.load(path) as saved:
        whole = {**saved, **columns}
    whole["header"] = np.array(json.dumps(json.loads(str(whole["header"])) | (header or {})))
    np.savez(path, **{name: column for name, column in whole.items() if column is not None})
    return path


def test_agents_of_a_rule_that_has_changed_are_not_called_damaged(tmp_path):
    path = tmp_path / "agent.npz"
    rule = {"class": "PSRL", "identity": "PSRL(speed=3)", "parameters": {"speed": 3}}
    for change in (
        {"state_values": np.zeros(3)},
        {"state_values": None, "state_merits": np.zeros((3, 4))},
        {"state_more": np.zeros(1)},
        {"problem_slack": None},
        {"header": {"rule": rule}},
        {"header": {"agent": {}}},
    ):
        corridor().save(path)
        with pytest.raises(FileFormatError, match="is intact, but was written by lowbid"):
            mdp.Agent.load(changed(path, **change))


def test_headers_are_plain_json(tmp_path):
    corridor().save(tmp_path / "agent.npz")
    header = json.loads(str(np.load(tmp_path / "agent.npz")["header"]))
    assert header["rule"]["class"] == "BatchEnsembleValueIteration"
