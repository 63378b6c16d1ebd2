"""Experiment files: TOML, with every error told by its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lowbid.environments import Environment
from lowbid.errors import FileFormatError, LowbidError
from lowbid.experiments._experiment import Case
from lowbid.experiments._names import arms, nearest, policy
from lowbid.policies import Policy

T = TypeVar("T")

TEMPLATE = """\
# An experiment for lowbid: run it with `lowbid compare FILE`.

title = "My comparison"
horizon = 10000  # steps in a run
runs = 200       # independent runs
seed = 0         # the same seed, the same result

# Arms: one table for each case. A family and its parameters, one number for each arm or one for
# all: bernoulli (mean), gaussian (mean, sd), exponential-by-mean (mean), exponential-by-rate
# (rate), beta (a, b), uniform (low, high), scaled-bernoulli (mean, scale), deterministic (loss).
[[arms]]
name = "three close arms"
family = "bernoulli"
mean = [0.1, 0.12, 0.2]

# With random- before the family, n_arms arms are drawn anew in each run: the first parameter
# between low and high (0 and 1 if not given), the others as they are given.
[[arms]]
name = "ten Gaussian arms with random means"
family = "random-gaussian"
n_arms = 10
sd = 1.0

# Policies: one table each, with parameters if you like; `name` is what figures call it.
[[policies]]
policy = "batch-ensemble"

[[policies]]
policy = "batch-ensemble"
name = "three batches"
batches = 3

# A schedule of batches: log(c) is c log t, anytime() is 8 log t.
[[policies]]
policy = "batch-ensemble"
name = "0.3 log t batches"
batches = "log(0.3)"

[[policies]]
policy = "ucb1"
"""


def read_experiment(
    path: Path, horizon: int | None = None, runs: int | None = None, seed: int | None = None
) -> tuple[str, list[Case]]:
    """The title and the cases of an experiment file; numbers given here override the file's."""
    return _Reader(path).read({"horizon": horizon, "runs": runs, "seed": seed})


class _Reader:
    """One file being read, with its text at hand for the lines of errors."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
            self.contents: dict[str, Any] = tomllib.loads(self.text)
        except OSError as error:
            raise FileFormatError(
                f"{path} cannot be read ({error.strerror}); `lowbid init {path}` writes one."
            ) from error
        except tomllib.TOMLDecodeError as error:
            raise FileFormatError(f"{path} is not good TOML: {error}.") from error

    def read(self, given: dict[str, int | None]) -> tuple[str, list[Case]]:
        known = ["title", "horizon", "runs", "seed", "arms", "policies"]
        for key in self.contents:
            self.at(partial(nearest, "entry of the file", key, known), "", 0, key)
        defaults = {"horizon": 10_000, "runs": 200, "seed": 0}
        numbers = {
            key: self.whole(key, default) if given[key] is None else int(given[key] or 0)
            for key, default in defaults.items()
        }
        policies: dict[str, Policy] = {}
        for number, table in enumerate(self.tables("policies")):
            made = self.at(partial(_policy, table), "policies", number)
            name = str(table.get("name", made.name))
            if name in policies:
                raise self.error(
                    f"two policies are named {name!r}; give one a name.", "policies", number
                )
            policies[name] = made
        cases = []
        for number, table in enumerate(self.tables("arms")):
            environment = self.at(partial(_arms, table), "arms", number)
            title = str(table.get("name", repr(environment)))
            cases.append(Case(f"case-{number + 1}", title, environment, policies, **numbers))
        return str(self.contents.get("title", self.path.stem)), cases

    def whole(self, key: str, default: int) -> int:
        value = self.contents.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < (key != "seed"):
            raise self.error(f"{key} is {value!r}; give a whole number.", "", 0, key)
        return value

    def tables(self, name: str) -> list[dict[str, Any]]:
        tables = self.contents.get(name)
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            raise self.error(f"there are no {name}; add a table [[{name}]].", "", 0, name)
        return tables

    def at(self, make: Callable[[], T], table: str, number: int, key: str | None = None) -> T:
        """Do something with a table; an error is told by its line."""
        try:
            return make()
        except LowbidError as error:
            raise self.error(str(error), table, number, key) from error

    def error(
        self, message: str, table: str, number: int, key: str | None = None
    ) -> FileFormatError:
        line = self.line(table, number, key, message)
        return FileFormatError(f"{self.path}, line {line}: {message}")

    def line(self, table: str, number: int, key: str | None, message: str) -> int:
        """The line of a table's key; of the first key that the message names, if none is given."""
        lines = self.text.splitlines()
        heads = [i for i, line in enumerate(lines) if re.match(rf"\s*\[\[\s*{table}\s*\]\]", line)]
        first = heads[number] if table and number < len(heads) else 0
        for i in range(first + bool(table), len(lines)):
            if table and lines[i].lstrip().startswith("["):
                break
            found = re.match(r"\s*([\w-]+)\s*=\s*(.*)", lines[i])
            if not found:
                continue
            value = found[2].strip("\"' ")
            named = re.search(rf"\b{re.escape(found[1])} (is|of|contains)\b", message)
            if found[1] == key or (key is None and (named or f"'{found[1]}'" in message)):
                return i + 1
            if key is None and value and f"named '{value}'" in message:
                return i + 1
        return first + 1


def _policy(table: dict[str, Any]) -> Policy:
    if "policy" not in table:
        raise FileFormatError('a table of policies needs policy = "...", such as "batch-ensemble".')
    rest = {key: value for key, value in table.items() if key not in ("policy", "name")}
    return policy(str(table["policy"]), rest)


def _arms(table: dict[str, Any]) -> Environment:
    if "family" not in table:
        raise FileFormatError('a table of arms needs family = "...", such as "bernoulli".')
    rest = {key: value for key, value in table.items() if key not in ("family", "name")}
    return arms(str(table["family"]), rest)
