"""A deep agent as a file: its arrays and a header, in one zip."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from lowbid._parameters import plain
from lowbid._replace_file import replace_file
from lowbid._version import __version__
from lowbid.errors import FileFormatError
from lowbid.mdp._saved_agent import damaged, read_saved
from lowbid.mdp.deep._deep_agent import DeepAgent
from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN
from lowbid.mdp.deep._learner import frozen_member
from lowbid.mdp.deep._networks import Inputs, zeros
from lowbid.mdp.deep.bidding_dqn import BiddingDQN
from lowbid.mdp.deep.bootstrapped_dqn import BootstrappedDQN

_FORMAT = "lowbid-deep-agent"
_FORMAT_VERSION = 1
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
        "format": _FORMAT,
        "format_version": _FORMAT_VERSION,
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
    arrays = jax.tree.leaves(_parts(agent))
    columns = {f"array_{i}": np.asarray(each) for i, each in enumerate(arrays)}
    columns |= {"header": np.array(json.dumps(header)), "bids": agent._bids}
    with replace_file(Path(path), durable=True) as file:
        np.savez(file, allow_pickle=False, **columns)


def read_deep_agent(cls: type[D], path: str | os.PathLike[str]) -> D:
    """The agent in a file, or an error that says what is wrong with it."""
    path = Path(path)
    header, columns = read_saved(path, _FORMAT, _FORMAT_VERSION)
    try:
        return _restored(cls, header, columns)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path) from error


def _restored(cls: type[D], header: dict[str, Any], columns: dict[str, Any]) -> D:
    agent = cls.__new__(cls)
    rule = _RULES[header["rule"]](**header["parameters"])
    agent._setup(rule, Inputs(**header["inputs"]), header["n_actions"], header["seed"])
    if header["under_way"]:  # arrays of the right shapes, to be filled
        agent._acting = frozen_member(agent._learner, jnp.int32(0))
        agent._observation = zeros(*agent.inputs.kind)
    places, structure = jax.tree.flatten(_parts(agent))
    saved = [columns[f"array_{i}"] for i in range(len(places))]
    for place, each in zip(places, saved, strict=True):
        if each.shape != place.shape or each.dtype != place.dtype:
            raise ValueError("an array has another shape")
    restored = jax.tree.unflatten(structure, [jnp.asarray(each) for each in saved])
    agent._learner, agent._acting, agent._observation = restored
    agent._bids, agent._member = columns["bids"], int(header["member"])
    agent._action = int(header["action"])
    return agent


def _parts(agent: DeepAgent) -> tuple[Any, ...]:
    return agent._learner, agent._acting, agent._observation
