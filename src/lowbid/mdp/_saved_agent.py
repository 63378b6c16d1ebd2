"""An agent as a file: the arrays of its state, and a header, in one zip."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lowbid._array_format import ArrayFormat
from lowbid._compile import When
from lowbid._require import require_choice, require_flag, require_numbers, require_whole
from lowbid._version import __version__
from lowbid.errors import FileFormatError, InvalidValueError, StateError
from lowbid.mdp import agents
from lowbid.mdp._base import Rule
from lowbid.mdp._problem import Problem
from lowbid.policies import arrays_of, check_state, fill, require_limit, whole

if TYPE_CHECKING:
    from lowbid.mdp._agent import Agent

_FORMAT = ArrayFormat(
    "lowbid-agent",
    1,
    "a saved agent of lowbid",
    "restore it from a copy, or start a new agent.",
)
_COUNTERS = ("_episode", "_stage", "_s", "_action", "_kind", "_allowed", "_origin", "_ends")

A = TypeVar("A", bound="Agent")


def write_agent(agent: Agent, path: str | os.PathLike[str]) -> None:
    """Write an agent's file atomically: whatever happens, `path` is the old file or the new one."""
    rule, problem = agent.rule, agent._given
    header = {
        "lowbid": __version__,
        "rule": {
            "class": type(rule).__name__,
            "identity": rule.identity,
            "parameters": _fields(rule),
        },
        "agent": {name.strip("_"): getattr(agent, name) for name in _COUNTERS},
    }
    columns: dict[str, Any] = {
        f"problem_{name}": np.asarray(x) for name, x in problem._asdict().items()
    }
    columns |= {"stream": agent._stream}
    columns |= {f"state_{name}": array for name, array in _named_arrays(agent._state).items()}
    _FORMAT.write(Path(path), header, columns, durable=True)


def read_agent(cls: type[A], path: str | os.PathLike[str], rule: Rule | None, compiled: When) -> A:
    """The agent in a file, or an error that says what is wrong with it."""
    path = Path(path)
    header, columns = _FORMAT.read(path)
    made = _rule_from(path, header, rule)
    try:
        return _restored(cls, made, header, columns, compiled)
    except (StateError, InvalidValueError) as error:
        raise StateError(
            f"{path} is not an agent that {made.name} can have left: {error} Restore it from a "
            "copy, or start a new agent."
        ) from error
    except MemoryError as error:
        raise StateError(f"{path} does not fit into this machine's memory.") from error
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise of_another_lowbid(path, header, made.name) from error


def _restored(
    cls: type[A], rule: Rule, header: dict[str, Any], columns: dict[str, Any], compiled: When
) -> A:
    saved = {
        name.removeprefix("state_"): x for name, x in columns.items() if name.startswith("state_")
    }
    problem = _problem_from(columns)
    if _fields(rule) is not None:
        _require_size(problem, saved)
    agent = cls.__new__(cls)
    agent._setup(problem, rule, 0, "", compiled)
    for name, value in _counters_from(agent._problem, header["agent"]).items():
        setattr(agent, name, value)
    fill(agent._stream, columns["stream"], "stream")
    places = _named_arrays(agent._state)
    if kinds_of(places) != kinds_of(saved):
        raise ValueError("the state has other arrays")
    for name, place in places.items():
        fill(place, saved[name], name)
    policy, actions = agent._state.policy, agent._problem.actions
    last = np.full(policy.shape[1], actions.max() - 1)  # it may have room for more than all states
    last[: len(actions)] = actions - 1
    require_limit("policy", policy, whole(0, last))
    check_state(agent._state, agent._problem)
    return agent


def _problem_from(columns: dict[str, Any]) -> Problem:
    """The problem in a file, if there can be such a one."""
    found = {name: columns[f"problem_{name}"] for name in Problem._fields}
    scalars = {"best_reward": float, "groups": int, "successors": int, "episodes": int}
    found |= {name: kind(found[name]) for name, kind in scalars.items()}
    states, horizon = found["actions"].shape, len(found["slack"])
    lengths = {"first": states, "bounds": (horizon + 1,), "slack": (horizon,)}
    floats = {**lengths, "spans": (horizon + 1,)}
    kinds: dict[str, Any] = {name: (length, np.dtype("f8")) for name, length in floats.items()}
    kinds |= dict.fromkeys(("actions", "earliest"), (states, np.dtype("i8")))
    if len(states) != 1 or kinds_of({name: found[name] for name in kinds}) != kinds:
        raise StateError(
            "the arrays of the problem do not agree; allowed are those of one problem."
        )
    problem = Problem(**found)
    check_state(problem, None)
    return problem


def _require_size(problem: Problem, saved: Mapping[str, Any]) -> None:
    """Refuse a problem that its state is too small for, before there is room for such a state.

    Each of lowbid's rules remembers at least one number per state and action.
    """
    room = sum(array.size for array in saved.values()) // problem.n_states
    if problem.n_actions > room:
        raise StateError(
            f"actions goes up to {problem.n_actions}; allowed are {room} with a state of this size."
        )


def _counters_from(problem: Problem, saved: dict[str, Any]) -> dict[str, Any]:
    """Where in an episode an agent was, if it can have been there."""
    counters = {name: saved[name.strip("_")] for name in _COUNTERS}
    s = require_whole("s", counters["_s"], 0, problem.n_states - 1)
    require_whole("episode", counters["_episode"], 0)
    require_whole("stage", counters["_stage"], -1, problem.horizon - 1)
    require_whole("action", counters["_action"], -1, int(problem.actions[s]) - 1)
    require_choice("kind", counters["_kind"], ("loss", "reward"))
    require_flag("ends", counters["_ends"])
    low, high = counters["_allowed"]
    require_numbers("origin", counters["_origin"], "a number")
    require_numbers("allowed", [low, high], "two numbers", -np.inf, np.inf)
    return {**counters, "_allowed": (low, high)}


def _named_arrays(state: Any) -> dict[str, Any]:
    """The arrays of a state by name; one in a named tuple within it is called "tuple.array"."""
    return dict(zip(_names_in(state), list(arrays_of(state)), strict=True))


def _names_in(state: Any) -> Iterator[str]:
    for name, value in zip(getattr(state, "_fields", range(len(state))), state, strict=True):
        if isinstance(value, tuple):
            yield from (f"{name}.{inner}" for inner in _names_in(value))
        else:
            yield str(name)


def kinds_of(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The shapes and types of arrays. A rule that has changed since has others."""
    return {name: (array.shape, array.dtype) for name, array in arrays.items()}


def _fields(rule: Rule) -> dict[str, Any] | None:
    """The parameters of one of lowbid's rules, which are plain data."""
    if type(rule).__name__ not in agents.__all__ or not dataclasses.is_dataclass(rule):
        return None
    values = {field.name: getattr(rule, field.name) for field in dataclasses.fields(rule)}
    return {name: x.item() if isinstance(x, np.generic) else x for name, x in values.items()}


def _rule_from(path: Path, header: dict[str, Any], given: Rule | None) -> Rule:
    saved = header.get("rule")
    if not isinstance(saved, dict) or not {"class", "identity", "parameters"} <= saved.keys():
        raise _FORMAT.damaged(path)
    if given is not None:
        if given.identity != saved["identity"]:
            raise InvalidValueError(
                f"the rule given is {given.identity!r}, but {saved['identity']!r} was saved; give "
                "that one."
            )
        return given
    if saved["parameters"] is None or saved["class"] not in agents.__all__:
        raise FileFormatError(
            f"the rule {saved['identity']} is not part of lowbid; give it again: "
            "Agent.load(path, rule=...)."
        )
    try:
        made: Rule = getattr(agents, saved["class"])(**saved["parameters"])
    except (TypeError, ValueError) as error:  # it had other parameters
        raise of_another_lowbid(path, header, saved["class"]) from error
    return made


def of_another_lowbid(path: Path, header: dict[str, Any], rule: str) -> FileFormatError:
    """The error for a whole file whose contents do not fit the rule as it is here."""
    return FileFormatError(
        f"{path} is intact, but was written by lowbid {header.get('lowbid')} (format version "
        f"{header['format_version']}), whose {rule} has a different state from this one's "
        f"({__version__}). Load it with the lowbid that wrote it, or start a new agent."
    )
