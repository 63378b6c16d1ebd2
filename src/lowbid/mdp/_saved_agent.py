"""An agent as a file: the arrays of its state, and a header, in one zip."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lowbid._compile import When
from lowbid._replace_file import replace_file
from lowbid._version import __version__
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.mdp import agents
from lowbid.mdp._base import Rule
from lowbid.mdp._problem import Problem
from lowbid.policies._base import arrays_of

if TYPE_CHECKING:
    from lowbid.mdp._agent import Agent

_FORMAT = "lowbid-agent"
_FORMAT_VERSION = 2  # version 1 numbered the arrays of a state instead of naming them
_COUNTERS = ("_episode", "_stage", "_s", "_action", "_kind", "_allowed", "_origin", "_ends")

A = TypeVar("A", bound="Agent")


def write_agent(agent: Agent, path: str | os.PathLike[str]) -> None:
    """Write an agent's file atomically: whatever happens, `path` is the old file or the new one."""
    rule, problem = agent.rule, agent._given
    header = {
        "format": _FORMAT,
        "format_version": _FORMAT_VERSION,
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
    columns |= {"header": np.array(json.dumps(header)), "stream": agent._stream}
    columns |= {f"state_{name}": array for name, array in _named_arrays(agent._state).items()}
    with replace_file(Path(path), durable=True) as file:
        np.savez(file, allow_pickle=False, **columns)


def read_agent(cls: type[A], path: str | os.PathLike[str], rule: Rule | None, compiled: When) -> A:
    """The agent in a file, or an error that says what is wrong with it."""
    path = Path(path)
    header, columns = read_saved(path, _FORMAT, _FORMAT_VERSION)
    made = _rule_from(path, header, rule)
    try:
        return _restored(cls, made, header, columns, compiled)
    except (KeyError, TypeError, ValueError) as error:
        raise of_another_lowbid(path, header, made.name) from error


def read_saved(path: Path, expected: str, newest: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the arrays of a file in an expected format, or an error."""
    try:
        columns = _columns(path)
        header = json.loads(str(columns["header"]))
        known = header["format"] == expected
        version = int(header["format_version"])
    except Exception as error:  # damaged bytes can make zip, JSON or NumPy fail in any way
        if isinstance(error, OSError) and not path.is_file():
            raise
        raise damaged(path) from error
    if not known:
        raise damaged(path)
    if version > newest:
        raise FileFormatError(
            f"{path} has format version {version}; this lowbid ({__version__}) reads up to "
            f"{newest}. Upgrade lowbid to read it."
        )
    return header, columns


def _restored(
    cls: type[A], rule: Rule, header: dict[str, Any], columns: dict[str, Any], compiled: When
) -> A:
    scalars = {"best_reward": float, "groups": int, "successors": int, "episodes": int}
    problem = Problem(
        *(
            scalars[name](columns[f"problem_{name}"])
            if name in scalars
            else columns[f"problem_{name}"]
            for name in Problem._fields
        )
    )
    agent = cls.__new__(cls)
    agent._setup(problem, rule, 0, "", compiled)
    for name in _COUNTERS:
        value = header["agent"][name.strip("_")]
        setattr(agent, name, tuple(value) if isinstance(value, list) else value)
    agent._stream[:] = columns["stream"]
    places = _named_arrays(agent._state)
    saved = {
        name.removeprefix("state_"): x for name, x in columns.items() if name.startswith("state_")
    }
    if header["format_version"] == 1:
        places = {str(i): place for i, place in enumerate(places.values())}
    if kinds_of(places) != kinds_of(saved):
        raise ValueError("the state has other arrays")
    for name, place in places.items():
        place[...] = saved[name]
    return agent


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


def _columns(path: Path) -> dict[str, Any]:
    """All arrays, each read to its end, because only then is its checksum compared."""
    with zipfile.ZipFile(path) as archive:
        return {
            name.removesuffix(".npy"): np.lib.format.read_array(
                io.BytesIO(archive.read(name)), allow_pickle=False
            )
            for name in archive.namelist()
        }


def _fields(rule: Rule) -> dict[str, Any] | None:
    """The parameters of one of lowbid's rules, which are plain data."""
    if type(rule).__name__ not in agents.__all__ or not dataclasses.is_dataclass(rule):
        return None
    values = {field.name: getattr(rule, field.name) for field in dataclasses.fields(rule)}
    return {name: x.item() if isinstance(x, np.generic) else x for name, x in values.items()}


def _rule_from(path: Path, header: dict[str, Any], given: Rule | None) -> Rule:
    saved = header["rule"]
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


def damaged(path: Path) -> FileFormatError:
    """The error for a file that cannot be read."""
    return FileFormatError(
        f"{path} is not a saved agent of lowbid, or is damaged or cut short; restore it from a "
        "copy, or start a new agent."
    )
