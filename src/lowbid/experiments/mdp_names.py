"""MDP rules and environments by name, as written on the command line.

A rule is written as its class name and parameters, ``batch-ensemble-value-iteration:batches=4``,
and so is an environment, ``deep-sea:size=20,stochastic=true``. Arms are prefixed with ``bandit:``,
and the names of Gymnasium environments with ``gymnasium:``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lowbid import mdp
from lowbid.environments import Arms
from lowbid.errors import InvalidValueError
from lowbid.experiments.names import (
    arms_of_text,
    kebab,
    make,
    nearest,
    number,
    parameters_of,
    split,
)

_BANDIT, _GYMNASIUM = "bandit", "gymnasium"


def rule_names() -> dict[str, type[mdp.Rule]]:
    """All rules, by their command-line names."""
    return {kebab(name): getattr(mdp, name) for name in mdp.agents.__all__}


def environment_names() -> dict[str, type[mdp.Tabular]]:
    """All environments defined by numbers, by their command-line names."""
    names = [name for name in mdp.environments.__all__ if name != "BanditMDP"]
    return {kebab(name): getattr(mdp, name) for name in names}


def deep_rule_names() -> dict[str, type[Any]]:
    """All deep rules, by their command-line names; they need JAX."""
    from lowbid.mdp import deep

    return {kebab(rule.__name__): rule for rule in (deep.BootstrappedDQN, deep.BiddingDQN)}


def rules_of_text(text: str) -> list[mdp.Rule]:
    """Parse a comma-separated list of rules; an item with = belongs to the rule before it.

    >>> [rule.name for rule in rules_of_text("psrl:prior=0.2,precision=10,vibe")]
    ['PSRL(prior=0.2, precision=10)', 'VIBE']
    """
    return _rules_of_text(text, rule_names())


def deep_rules_of_text(text: str) -> list[Any]:
    """Parse a list of deep rules, as in `rules_of_text`; layers are ``hidden=50x50``."""
    return _rules_of_text(text, deep_rule_names())


def _rules_of_text(text: str, known: Mapping[str, type[Any]]) -> list[Any]:
    items: list[str] = []
    for item in split(text):
        if items and "=" in item and ":" not in item:
            items[-1] += f",{item}"
        else:
            items.append(item)
    return [_of_text("rule", item, known) for item in items]


def environment_of_text(text: str) -> mdp.Tabular:
    """Parse an environment; the drawing of a grid may be a file, ``@path``.

    >>> environment_of_text("deep-sea:size=4")
    DeepSea(size=4, stochastic=False, best_return=1.0)
    >>> environment_of_text("bandit:bernoulli:0.1,0.5").n_actions
    2
    """
    name, _, rest = text.partition(":")
    if name.strip().lower() == _BANDIT:
        arms = arms_of_text(rest)
        if not isinstance(arms, Arms):
            raise InvalidValueError(f"{text!r}: an MDP needs given arms, not arms drawn at random.")
        return mdp.BanditMDP(arms)
    if name.strip().lower() == _GYMNASIUM:
        named, _, more = rest.partition(",")
        parameters = {key: number(value) for key, value in parameters_of(text, more).items()}
        return mdp.FromGymnasium(named.strip(), **parameters)
    made: mdp.Tabular = _of_text("environment", text, environment_names())
    return made


def _of_text(what: str, text: str, known: Mapping[str, type[Any]]) -> Any:
    name, _, rest = text.partition(":")
    name = nearest(what, name.strip(), known)
    parameters: dict[str, Any] = {**parameters_of(text, rest)}
    if str(parameters.get("drawing", "")).startswith("@"):
        parameters["drawing"] = _drawing(parameters["drawing"][1:])
    if "hidden" in parameters:
        parameters["hidden"] = parameters["hidden"].lower().split("x")
    return make(name, known[name], parameters)


def _drawing(path: str) -> str:
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValueError(f"the drawing {path} cannot be read: {error}.") from error
