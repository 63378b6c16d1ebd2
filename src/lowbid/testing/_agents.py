"""Checks that every agent must pass."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lowbid import mdp
from lowbid.errors import LowbidError
from lowbid.mdp import first_state, loop_for, outcome
from lowbid.policies import arrays_of
from lowbid.testing._promises import three_ways

_SEED = 7
_RUNS = 2


def check_agent(rule: mdp.Rule, episodes: int = 40) -> None:
    """Check that a rule keeps the promises common to all rules.

    - Its kernels can be compiled, and their indices are inside their arrays.
    - The compiled simulation, the uncompiled one and the online agent take the same actions, bit
      for bit, from the same seed.
    - The same seed gives the same result, whatever the number of workers.
    - The policy of an episode is fixed when it begins, so its exact value is that of the actions
      played.
    - An agent that is saved and loaded in the middle of a run continues as the original would.
    - The regret never decreases.
    - Invalid input is refused, and leaves the agent unchanged.

    Parameters
    ----------
    rule : Rule
        The rule to check.
    episodes : int
        The number of episodes to play in each check.

    Raises
    ------
    AssertionError
        If a promise is broken; the message says which and in which model.

    Examples
    --------
    >>> from lowbid import mdp
    >>> from lowbid.testing import check_agent
    >>> check_agent(mdp.PaddedCounts())
    """
    for model in small_models():
        _check_same_actions(rule, model, episodes)
        _check_fixed_policy(rule, model, episodes)
        _check_round_trip(rule, model, episodes)
        _check_bad_input(rule, model)


def small_models() -> list[mdp.Tabular]:
    """Models with noise, with stages that differ, with uneven actions, and with losses."""
    return [
        mdp.Chain(3),
        mdp.DeepSea(3, stochastic=True),
        mdp.MetaChain(means=(-0.5, 0.5), n_actions=3),
        mdp.Tabular(
            [[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.2, 0.8]]],
            losses=[[0.3, 0.5], [1.0, 0.1]],
            horizon=3,
            noise="bernoulli",
        ),
    ]


def _check_same_actions(rule: mdp.Rule, model: mdp.Tabular, episodes: int) -> None:
    every = np.arange(1, episodes + 1)
    settings: dict[str, Any] = {"runs": _RUNS, "seed": _SEED, "checkpoints": every}
    plain, careful, result = three_ways(
        f"{rule.name} on {model!r}",
        lambda: mdp.simulate(rule, model, episodes, **settings, workers=1),
    )
    reason = getattr(loop_for(rule), "reason", "")
    _expect(not reason, rule, model, f"it cannot be compiled: {reason}")
    again = mdp.simulate(rule, model, episodes, **settings, workers=2)
    _expect(_same(careful, result), rule, model, "with checked indices, the simulation differs")
    _expect(_same(result, again), rule, model, "two simulations with the same seed differ")
    _expect(_same(result, plain), rule, model, "the compiled and the uncompiled simulation differ")
    rising = np.diff(result.regret, axis=2, prepend=0.0) >= -1e-9
    _expect(bool(rising.all()), rule, model, "the regret decreases, but exact regret cannot")
    visits = np.zeros(model.world.means.shape, np.int64)
    for _, stage, s, action in _online(rule, model, episodes):
        visits[0 if model.stationary else stage, s, action] += 1
    _expect(
        np.array_equal(visits.ravel(), result.pulls[0, 0]),
        rule,
        model,
        "the online agent and the simulation take different actions",
    )


def _online(
    rule: mdp.Rule,
    model: mdp.Tabular,
    episodes: int,
    between: Callable[[mdp.Agent], mdp.Agent] = lambda agent: agent,
) -> Iterator[tuple[mdp.Agent, int, int, int]]:
    """The steps of an agent on the outcomes of run 0; `between` steps it may be replaced."""
    agent = mdp.Agent.for_model(model, rule, seed=_SEED, episodes=episodes)
    counts: dict[tuple[int, int, int], int] = {}
    for episode in range(1, episodes + 1):
        s = first_state(model, _SEED, 0, episode)
        agent.begin(s)
        for stage in range(model.horizon):
            action = agent.act()
            yield agent, stage, s, action
            place = (stage, s, action)
            loss, next_s = outcome(model, _SEED, 0, *place, counts.get(place, 0))
            counts[place] = counts.get(place, 0) + 1
            _tell(agent, model, loss, next_s)
            s = next_s
            agent = between(agent)


def _tell(agent: mdp.Agent, model: mdp.Tabular, loss: float, next_s: int) -> None:
    if model.has_rewards:
        agent.update(reward=model.best_reward - loss, next_state=next_s)
    else:
        agent.update(loss=loss, next_state=next_s)


def _check_fixed_policy(rule: mdp.Rule, model: mdp.Tabular, episodes: int) -> None:
    planned = np.zeros((0, 0), np.int64)
    for agent, stage, _, _ in _online(rule, model, episodes):
        if stage == 0:
            planned = agent.policy
        _expect(
            np.array_equal(agent.policy[stage:], planned[stage:]),
            rule,
            model,
            f"update changed the policy of stage {stage} before it was reached",
        )


def _check_round_trip(rule: mdp.Rule, model: mdp.Tabular, episodes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, steps = Path(folder) / "agent.npz", 0

        def exchanged(agent: mdp.Agent) -> mdp.Agent:
            nonlocal steps
            steps += 1
            if steps % 17 != 0:
                return agent
            agent.save(path)
            return mdp.Agent.load(path, rule=rule)

        ours = [step[1:] for step in _online(rule, model, episodes)]
        theirs = [step[1:] for step in _online(rule, model, episodes, exchanged)]
    _expect(ours == theirs, rule, model, "a loaded agent acts differently from the one saved")


def _check_bad_input(rule: mdp.Rule, model: mdp.Tabular) -> None:
    *_, (agent, _, _, _) = _online(rule, model, 3)
    agent.begin(0)
    before = copy.deepcopy([*arrays_of(agent._state), agent._stream, agent.act(), agent.stage])
    kind = "reward" if model.has_rewards else "loss"
    bad: list[Callable[[], object]] = [
        lambda: agent.begin(0),
        lambda: agent.update(1.0, next_state=0),
        lambda: agent.update(reward=1.0, loss=1.0, next_state=0),
        lambda: agent.update(**{kind: 0.5}, next_state=None),
        lambda: agent.update(**{kind: 0.5}, next_state=model.n_states),
        lambda: agent.update(**{kind: float("nan")}, next_state=0),
    ]
    for number, call in enumerate(bad):
        try:
            call()
        except LowbidError:
            continue
        _expect(False, rule, model, f"bad input number {number} was not refused")
    after = [*arrays_of(agent._state), agent._stream, agent.act(), agent.stage]
    unchanged = [
        np.array_equal(
            np.asarray(old), np.asarray(new), equal_nan=np.asarray(old).dtype.kind == "f"
        )
        for old, new in zip(before, after, strict=True)
    ]
    _expect(all(unchanged), rule, model, "bad input was refused, but changed the agent")


def _same(first: Any, second: Any) -> bool:
    return np.array_equal(first.regret, second.regret) and np.array_equal(first.pulls, second.pulls)


def _expect(condition: bool, rule: mdp.Rule, model: mdp.Tabular, complaint: str) -> None:
    if not condition:
        raise AssertionError(f"{rule.name} on {model!r}: {complaint}")
