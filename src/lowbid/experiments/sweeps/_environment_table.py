"""The environments of one table of a sweep file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lowbid._require import is_whole, require, require_flag, require_value, require_whole
from lowbid.environments import (
    Arms,
    Contaminated,
    Empirical,
    Environment,
    RandomArms,
    Rewards,
    paper_test,
)
from lowbid.errors import InvalidValueError
from lowbid.experiments.experiment_file import arms_of_table
from lowbid.experiments.sweeps._cell import SweptEnvironment
from lowbid.experiments.sweeps._grids import MOST, settings_of
from lowbid.simulation import read_horizon

_OURS = {
    "name",
    "title",
    "group",
    "clean",
    "horizons",
    "each",
    "pairs",
    "draws",
    "draw_seed",
    "rewards",
    "outliers",
}


def environments_of_table(table: Mapping[str, Any], number: int) -> list[SweptEnvironment]:
    """The environments of a table: one per combination in `each` and per draw."""
    require_texts(table, "name", "title", "group", "clean")
    each, pairs = table.get("each", {}), table.get("pairs")
    require_value("each", each, isinstance(each, dict), "give a table of lists, {sd = [1, 2]}.")
    rest = {key: value for key, value in table.items() if key not in _OURS}
    both = sorted(set(each) & set(rest))
    message = f"each is given for {', '.join(both)!r}, which has a value too; give one."
    require(not both, message, "each", each)
    combinations = settings_of(each, pairs)
    found = []
    for settings in combinations:
        differ = [f"{key}={value}" for key, value in settings.items()]
        base = str(table.get("name", rest.get("family", f"environment-{number + 1}")))
        name = ", ".join([base, *differ])
        arms = _drawn(table, _environment({**rest, **settings}))
        for i, one in enumerate(arms, start=1):
            label = f"{name}, draw {i}" if "draws" in table else name
            found.append(_swept(table, label, base, _wrapped(table, one)))
    return found


def require_texts(table: Mapping[str, Any], *names: str) -> None:
    """Refuse entries that should be strings and are not, or are empty."""
    for name in names:
        good = name not in table or (isinstance(table[name], str) and table[name].strip())
        example = f'{name} = "mine"'
        require_value(name, table.get(name), bool(good), f"give a string, such as {example}.")


def _swept(
    table: Mapping[str, Any], name: str, base: str, environment: Environment
) -> SweptEnvironment:
    horizons = table.get("horizons", [])
    require_value("horizons", horizons, isinstance(horizons, list), "give a list of steps.")
    twice = next((each for i, each in enumerate(horizons) if each in horizons[:i]), None)
    message = f"horizons is {horizons!r}, with {twice!r} twice; give each once."
    require(twice is None, message, "horizons", horizons)
    return SweptEnvironment(
        name,
        environment,
        title=str(table.get("title", name)),
        group=str(table.get("group", "")),
        clean=str(table.get("clean", "")),
        horizons=tuple(read_horizon(steps) for steps in horizons),
        table=base,
    )


def _environment(table: Mapping[str, Any]) -> Environment:
    """Arms from a family and its numbers, a test of the paper, or values with their counts."""
    family = table.get("family")
    if family == "paper":
        alone = set(table) <= {"family", "test"}
        require_value("family", family, alone, "give only test, from 1 to 5.")
        return paper_test(table.get("test"))  # type: ignore[arg-type]
    if family == "empirical":
        return _empirical({key: value for key, value in table.items() if key != "family"})
    return arms_of_table(dict(table))


def _empirical(table: Mapping[str, Any]) -> Empirical:
    good = bool(table.get("values")) and set(table) <= {"values", "counts"}
    allowed = "give values, a list for each arm, and optionally counts."
    require_value("family", "empirical", good, allowed)
    values, counts = table["values"], table.get("counts")
    if counts is None:
        return Empirical(values)
    rows = isinstance(values, list) and isinstance(counts, list) and len(values) == len(counts)
    good = rows and all(
        isinstance(v, list)
        and isinstance(c, list)
        and len(v) == len(c)
        and all(is_whole(n) and n >= 0 for n in c)
        for v, c in zip(values, counts, strict=True)
    )
    require_value("counts", counts, good, "give a whole number for each of the values.")
    return Empirical([np.repeat(v, c) for v, c in zip(values, counts, strict=True)])


def _drawn(table: Mapping[str, Any], environment: Environment) -> list[Environment]:
    """Environments with fixed arms, drawn from one with random arms."""
    if "draws" not in table:
        message = "draw_seed is given without draws; give draws too."
        require("draw_seed" not in table, message, "draw_seed")
        return [environment]
    draws = require_whole("draws", table["draws"], at_most=MOST)
    seed = require_whole("draw_seed", table.get("draw_seed", 0), at_least=0)
    if not isinstance(environment, RandomArms):
        raise InvalidValueError(
            f"draws is {draws}, but the arms are given; name a family such as 'random-bernoulli'.",
            field="draws",
            value=draws,
        )
    return list(environment.drawn(seed, draws))


def _wrapped(table: Mapping[str, Any], environment: Environment) -> Environment:
    """Arms that pay rewards, or are occasionally misreported, if the table says so."""
    rewards, outliers = table.get("rewards", False), table.get("outliers")
    require_flag("rewards", rewards)
    if rewards:
        environment = Rewards(_given(environment, "rewards"))
    if outliers is not None:
        good = isinstance(outliers, dict) and set(outliers) == {"value", "chance"}
        require_value("outliers", outliers, good, "give {value = 1e6, chance = 1e-4}.")
        environment = Contaminated(_given(environment, "outliers"), **outliers)
    return environment


def _given(environment: Environment, what: str) -> Arms:
    if not isinstance(environment, Arms):
        raise InvalidValueError(
            f"{what} is given for arms that are drawn in each run; give draws as well, so that "
            "the arms are drawn once.",
            field=what,
        )
    return environment
