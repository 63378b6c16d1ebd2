"""Sweep files: TOML, with every error reported with its line."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lowbid._require import (
    invalid,
    is_number,
    require,
    require_choice,
    require_value,
    require_whole,
)
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.experiments.experiment_file import policy_of_table
from lowbid.experiments.names import nearest
from lowbid.experiments.sweeps._cell import SweptEnvironment, SweptPolicy
from lowbid.experiments.sweeps._environment_table import environments_of_table, require_texts
from lowbid.experiments.sweeps._grids import settings_of
from lowbid.experiments.sweeps._sweep import (
    FEWEST_PILOT_RUNS,
    Precision,
    Sweep,
    Tier,
    TuneSplit,
    check_playing,
    tune_split,
)
from lowbid.experiments.sweeps._told import FACTS
from lowbid.experiments.toml_file import TomlFile
from lowbid.policies import Policy
from lowbid.simulation import read_horizon

N = TypeVar("N", SweptPolicy, SweptEnvironment)

_ENTRIES = (
    "title",
    "horizon",
    "horizons",
    "runs",
    "seed",
    "seeds",
    "precision",
    "most_runs",
    "tune",
    "policies",
    "environments",
    "environments_from",
)
# Entries of [[policies]] that are not the policy's own parameters.
_OF_POLICIES = ("name", "policy", "pairs", "longest", "share", "told")
# Entries that no table has.
_ABOVE_TABLES = ("tune", "runs", "seed", "seeds", "precision", "most_runs", "environments_from")
# Names that a folder of sweeps uses itself, besides a part with the name of each sweep.
_NAMES_IN_FOLDER = ("cells", "index.jsonl")
# Sweep files that come with lowbid, whose environments other files can use.
_OF_LOWBID = {"league": Path(__file__).parents[1] / "league" / "league.toml"}
_DEFAULT_RUNS, _DEFAULT_MOST_RUNS = 100, 10_000


def read_sweep(path: Path) -> Sweep:
    """The sweep that a file describes, or an error that names the line."""
    return _SweepReader(path).read()


class _SweepReader(TomlFile):
    """One sweep file being read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _ENTRIES, "a sweep file", "lowbid init --sweep")

    def read(self) -> Sweep:
        if self.path.stem in _NAMES_IN_FOLDER:
            message = (
                f"{self.path.stem} is a name that the folder of results needs; rename the file."
            )
            raise self.error(message, None)
        self.at_entry(partial(require_texts, self.contents, "title"), "title")
        runs = self.at_entry(self._runs, "runs")
        tiers = self._tiers(runs)
        environments = self.at_entry(self._environments_from, "environments_from")
        if "environments" in self.contents or not environments:
            environments = self._all("environments", environments_of_table, environments)
            for number, table in enumerate(self.tables("environments")):
                if "clean" in table:
                    known = [each.name for each in environments]
                    clean = partial(nearest, "environment", str(table["clean"]), known)
                    self.at(clean, "environments", number)
        policies = self._all("policies", partial(_playing_policies, environments, tiers))
        sweep = partial(
            Sweep,
            self.path.stem,
            str(self.contents.get("title", self.path.stem)),
            policies,
            environments,
            tiers,
            runs,
            self._seeds(),
            self._precision(runs, tiers),
            self._tune(environments),
            self.text,
            str(self.path.resolve()),
        )
        made = self.at_entry(sweep, "policies")
        self.at_entry(made.check_sizes, "runs")
        return made

    def _environments_from(self) -> list[SweptEnvironment]:
        """The environments of another file."""
        if "environments_from" not in self.contents:
            return []
        name = self.contents["environments_from"]
        require_choice("environments_from", name, tuple(_OF_LOWBID))
        return list(read_sweep(_OF_LOWBID[name]).environments)

    def _all(
        self,
        name: str,
        make: Callable[[Mapping[str, Any], int], list[N]],
        before: Sequence[N] = (),
    ) -> list[N]:
        """The items of all tables with a name; no two items may have the same name."""
        found: list[N] = list(before)
        for number, table in enumerate(self.tables(name)):
            found += self.at(partial(_new, name, make, table, number, found), name, number)
        return found

    def _runs(self) -> int:
        default = FEWEST_PILOT_RUNS if "precision" in self.contents else _DEFAULT_RUNS
        return require_whole("runs", self.contents.get("runs", default), at_least=2)

    def _tiers(self, runs: int) -> list[Tier]:
        horizons = self.contents.get("horizons")
        if "horizon" in self.contents:
            if horizons is not None:
                raise self.error("give horizon or horizons, not both.", self.line_of("horizon"))
            steps = self.contents["horizon"]
            return [Tier(self.at_entry(partial(read_horizon, steps), "horizon"), runs)]
        if horizons is None:
            raise self.error("there are no horizons; give some: horizons = [1000, 10000].", None)
        if not isinstance(horizons, list) or not horizons:
            message = f"horizons is {horizons!r}; give a list, such as [1000, 10000]."
            raise self.error(message, self.line_of("horizons"))
        tiers = [
            self.at(partial(_tier, each, runs), "horizons", number)
            if isinstance(each, dict)
            else Tier(self.at_entry(partial(read_horizon, each), "horizons"), runs)
            for number, each in enumerate(horizons)
        ]
        self.at_entry(partial(_require_different, tiers), "horizons")
        return tiers

    def _seeds(self) -> tuple[int, ...]:
        if "seeds" not in self.contents:
            seed = self.contents.get("seed", 0)
            return (self.at_entry(partial(require_whole, "seed", seed, 0), "seed"),)
        if "seed" in self.contents:
            raise self.error("give seed or seeds, not both.", self.line_of("seed"))
        return self.at_entry(partial(_read_seeds, self.contents["seeds"]), "seeds")

    def _precision(self, runs: int, tiers: Sequence[Tier]) -> Precision | None:
        if "precision" not in self.contents:
            if "most_runs" in self.contents:
                message = "most_runs is given without a precision; give one, such as 0.05."
                raise self.error(message, self.line_of("most_runs"))
            return None
        within, most = self.contents["precision"], self.contents.get("most_runs")
        self.at_entry(partial(_require_precision, within), "precision")
        least = partial(require_whole, "runs with a precision", runs, FEWEST_PILOT_RUNS)
        self.at_entry(least, "runs")
        for number, tier in enumerate(tiers):
            least = partial(require_whole, "runs with a precision", tier.runs, FEWEST_PILOT_RUNS)
            self.at(least, "horizons", number)
        # There are at least as many further runs as in the pilot.
        fewest = 2 * max([runs, *(tier.runs for tier in tiers)])
        limit = max(_DEFAULT_MOST_RUNS, fewest) if most is None else most
        need = partial(require_whole, "most_runs", limit, at_least=fewest)
        return Precision(float(within), self.at_entry(need, "most_runs"))

    def _tune(self, environments: list[SweptEnvironment]) -> TuneSplit | None:
        if "tune" not in self.contents:
            return None
        return self.at_entry(partial(_read_tune, self.contents["tune"], environments), "tune")


def _new(
    what: str,
    make: Callable[[Mapping[str, Any], int], list[N]],
    table: Mapping[str, Any],
    number: int,
    before: list[N],
) -> list[N]:
    """The items of a table, unless one exists already."""
    below = next((key for key in _ABOVE_TABLES if key in table), None)
    require(
        below is None,
        f"{below} is an entry of the file, but is inside a table; move it above the first table.",
        below,
    )
    new = make(table, number)
    names = {each.name for each in before}
    for each in new:
        message = f"two {what} are named {each.name!r}; give one another name."
        require(each.name not in names, message, "name", each.name)
        names.add(each.name)
    return new


def _require_different(tiers: Sequence[Tier]) -> None:
    """Refuse steps that two horizons judge: a table could show only one of them."""
    seen: set[int] = set()
    for tier in tiers:
        both = sorted(seen & {*tier.record, tier.steps})
        if both:
            message = f"horizons has {both[0]} twice; give each number of steps once."
            raise InvalidValueError(message)
        seen |= {*tier.record, tier.steps}


def _require_precision(within: Any) -> None:
    good = is_number(within) and 0.0 < within < 1.0
    require_value(
        "precision",
        within,
        good,
        "give how far the interval may reach from the mean, as a fraction of it: 0.05 for 5%.",
    )


def _read_seeds(seeds: Any) -> tuple[int, ...]:
    good = isinstance(seeds, list) and len(set(map(repr, seeds))) == len(seeds) > 0
    require_value(
        "seeds", seeds, good, "give a list of different whole numbers, such as [0, 1, 2]."
    )
    return tuple(require_whole("a seed", seed, at_least=0) for seed in seeds)


def _read_tune(tune: Any, environments: list[SweptEnvironment]) -> TuneSplit:
    good = isinstance(tune, dict) and all(
        isinstance(tune.get(part), list) and all(isinstance(name, str) for name in tune[part])
        for part in ("on", "judge")
    )
    if not good or len(tune) > 2:
        raise invalid(
            "tune",
            tune,
            'give {on = ["..."], judge = ["..."]} with names of environments or of groups.',
        )
    return tune_split(environments, tune["on"], tune["judge"])


def _tier(table: Mapping[str, Any], runs: int) -> Tier:
    known = ("steps", "runs", "record", "keep")
    given = {nearest("entry of [[horizons]]", key, known): value for key, value in table.items()}
    require("steps" in given, "a table of horizons needs steps = ..., such as 10_000.")
    steps = read_horizon(given["steps"])
    runs = require_whole("runs", given.get("runs", runs), at_least=2)
    lists = {}
    for name in ("record", "keep"):
        lists[name] = given.get(name, [])
        require_value(name, lists[name], isinstance(lists[name], list), "give a list of steps.")
        for step in lists[name]:
            require_whole(name, step, at_most=steps)
    return Tier(steps, runs, tuple(sorted({*lists["record"], steps})), tuple(lists["keep"]))


def _playing_policies(
    environments: Sequence[SweptEnvironment],
    tiers: Sequence[Tier],
    table: Mapping[str, Any],
    number: int,
) -> list[SweptPolicy]:
    """The policies of one table, each able to play."""
    made = policies_of_table(table)
    for policy in made:
        check_playing(policy, environments, tiers)
    return made


def policies_of_table(table: Mapping[str, Any]) -> list[SweptPolicy]:
    """The policies of one table: one per combination of parameters."""
    varied = {key: value for key, value in table.items() if key not in _OF_POLICIES}
    which = {key: table[key] for key in ("policy",) if key in table}
    one = isinstance(table.get("policy", ""), str)
    allowed = "give one name, and a table for each policy."
    require_value("policy", table.get("policy"), one, allowed)
    longest, share = table.get("longest"), table.get("share", 1.0)
    require_texts(table, "name")
    if longest is not None:
        longest = require_whole("longest", longest)
    told = table.get("told", "")
    if "told" in table:
        require_choice("told", told, tuple(FACTS))
    good = is_number(share) and 0.0 < share <= 1.0 and math.isfinite(share)
    require_value("share", share, good, "give a fraction of the runs, above 0 and up to 1.")
    combinations = settings_of(varied, table.get("pairs"))
    differ = [
        key for key in combinations[0] if any(s[key] != combinations[0][key] for s in combinations)
    ]
    made = []
    for settings in combinations:
        policy = _made(which, settings)
        name = _name(table, settings, differ) or policy.name
        rule = str(table.get("name", type(policy).__name__))
        made.append(SweptPolicy(name, rule, policy, settings, longest, float(share), told))
    return made


def _made(which: Mapping[str, Any], settings: Mapping[str, Any]) -> Policy:
    """A policy; the error for a parameter it does not have may suggest an entry of the table."""
    try:
        return policy_of_table({**which, **settings})
    except (InvalidValueError, UnknownNameError):
        for key in settings:
            near = difflib.get_close_matches(key, _OF_POLICIES, n=1, cutoff=0.75)
            if near:
                message = f"unknown entry of [[policies]] {key!r}; did you mean {near[0]}?"
                raise UnknownNameError(message, value=key) from None
        raise


def _name(table: Mapping[str, Any], settings: Mapping[str, Any], differ: Sequence[str]) -> str:
    """The table's name, with the parameters that differ between its settings."""
    if "name" not in table:
        return ""
    return ", ".join([str(table["name"]), *(f"{key}={settings[key]}" for key in differ)])
