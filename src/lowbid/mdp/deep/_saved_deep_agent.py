"""A deep agent as a file: its arrays and a header, in one zip."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from lowbid._array_format import ArrayFormat
from lowbid._parameters import plain
from lowbid._version import __version__
from lowbid.errors import FileFormatError
from lowbid.mdp._saved_agent import kinds_of, of_another_lowbid
from lowbid.mdp.deep._deep_agent import DeepAgent
from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN
from lowbid.mdp.deep._learner import frozen_member
from lowbid.mdp.deep._networks import Inputs, zeros
from lowbid.mdp.deep.bidding_dqn import BiddingDQN
from lowbid.mdp.deep.bootstrapped_dqn import BootstrappedDQN

_FORMAT = ArrayFormat(
    "lowbid-deep-agent",
    1,
    "a saved deep agent of lowbid",
    "restore it from a copy, or start a new agent.",
)
_RULES: dict[str, type[EnsembleDQN]] = {
    rule.__name__: rule for rule in (BootstrappedDQN, BiddingDQN)
}

D = TypeVar("D", bound=DeepAgent)


def write_deep_agent(agent: DeepAgent, path: str | os.PathLike[str]) -> None:
    """Write an agent's file; whatever happens, `path` is the old file or the new one."""
    rule = agent.rule
    if type(rule) not in _RULES.values():
        raise FileFormatError(
            f"{rule.name} is not one of lowbid's rules, and code is not stored in files; save the "
            "arrays of agent.learner yourself."
        )
    header = {
        "lowbid": __version__,
        "rule": type(rule).__name__,
        "parameters": {field.name: plain(rule, field) for field in dataclasses.fields(rule)},
        "inputs": agent.inputs._asdict(),
        "n_actions": agent.n_actions,
        "seed": agent.seed,
        "member": agent._member,
        "action": agent._action,
        "under_way": agent._acting is not None,
    }
    arrays, _ = _named_arrays(agent)
    columns = {f"array_{name}": np.asarray(each) for name, each in arrays.items()}
    _FORMAT.write(Path(path), header, {**columns, "bids": agent._bids}, durable=True)


def read_deep_agent(cls: type[D], path: str | os.PathLike[str]) -> D:
    """The agent in a file, or an error that says what is wrong with it."""
    path = Path(path)
    header, columns = _FORMAT.read(path)
    try:
        return _restored(cls, header, columns)
    except (KeyError, TypeError, ValueError) as error:
        raise of_another_lowbid(path, header, str(header.get("rule"))) from error


def _restored(cls: type[D], header: dict[str, Any], columns: dict[str, Any]) -> D:
    agent = cls.__new__(cls)
    rule = _RULES[header["rule"]](**header["parameters"])
    agent._setup(rule, Inputs(**header["inputs"]), header["n_actions"], header["seed"])
    if header["under_way"]:  # arrays of the right shapes, to be filled
        agent._acting = frozen_member(agent._learner, jnp.int32(0))
        agent._observation = zeros(*agent.inputs.kind)
    places, structure = _named_arrays(agent)
    saved = {
        name.removeprefix("array_"): x for name, x in columns.items() if name.startswith("array_")
    }
    if kinds_of(places) != kinds_of(saved):
        raise ValueError("the agent has other arrays")
    restored = jax.tree.unflatten(structure, [jnp.asarray(saved[name]) for name in places])
    agent._learner, agent._acting, agent._observation = restored
    agent._bids, agent._member = columns["bids"], int(header["member"])
    agent._action = int(header["action"])
    return agent


def _named_arrays(agent: DeepAgent) -> tuple[dict[str, Any], Any]:
    """All arrays by name, such as "[0].networks[0]", and the structure that they make up."""
    parts = agent._learner, agent._acting, agent._observation
    arrays, structure = jax.tree_util.tree_flatten_with_path(parts)
    return {jax.tree_util.keystr(path): array for path, array in arrays}, structure
