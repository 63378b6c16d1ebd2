"""Experiment files: TOML, with every error reported with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lowbid._require import require_whole
from lowbid.environments import Environment
from lowbid.errors import FileFormatError, LowbidError
from lowbid.experiments._experiment import Case
from lowbid.experiments._names import arms, nearest, policy
from lowbid.policies import Policy

T = TypeVar("T")

_ENTRY = re.compile(r"""\s*["']?(?P<key>[\w-]+)["']?\s*=\s*["']?(?P<value>[^"'#]*)""")

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

# With random- before the family, n_arms new arms are drawn in each run: the first parameter
# between low and high (0 and 1 if not given), the others as they are given.
[[arms]]
name = "ten Gaussian arms with random means"
family = "random-gaussian"
n_arms = 10
sd = 1.0

# Policies: one table each, with parameters if you like; `name` is what figures call it.
[[policies]]
policy = "batch-likelihood"

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
            text = path.read_text(encoding="utf-8")
            self.lines = text.splitlines()
            self.contents = self.named(tomllib.loads(text))
        except OSError as error:
            hint = "give" if path.is_dir() else f"`lowbid init {path}` writes"
            raise FileFormatError(
                f"{path} cannot be read ({error.strerror}); {hint} an experiment file."
            ) from error
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{path} is not text in UTF-8; save it as such.") from error
        except tomllib.TOMLDecodeError as error:
            raise FileFormatError(f"{path} is not good TOML: {error}.") from error

    def read(self, given: dict[str, int | None]) -> tuple[str, list[Case]]:
        defaults = {"horizon": 10_000, "runs": 200, "seed": 0}
        numbers = {key: self.whole(key, value, given[key]) for key, value in defaults.items()}
        policies: dict[str, Policy] = {}
        for number, table in enumerate(self.tables("policies")):
            made = self.at(partial(_policy, table), "policies", number)
            name = str(table.get("name", made.name))
            if name in policies:
                message = f"two policies are named {name!r}; give one a name."
                raise self.error(message, self.line_in_table("policies", number, message))
            policies[name] = made
        cases = []
        for number, table in enumerate(self.tables("arms")):
            environment = self.at(partial(_arms, table), "arms", number)
            title = str(table.get("name", repr(environment)))
            case = partial(Case, f"case-{number + 1}", title, environment, policies, **numbers)
            cases.append(self.at(case, "arms", number))
        return str(self.contents.get("title", self.path.stem)), cases

    def named(self, contents: dict[str, Any]) -> dict[str, Any]:
        """The file's entries by the names that we know them by."""
        known = ["title", "horizon", "runs", "seed", "arms", "policies"]
        found = {}
        for key, value in contents.items():
            try:
                found[nearest("entry of the file", key, known)] = value
            except LowbidError as error:
                raise self.error(str(error), self.line_of(key)) from error
        return found

    def whole(self, key: str, default: int, given: int | None) -> int:
        """A number that was given, or else that of the file."""
        at_least = 0 if key == "seed" else 1
        if given is not None:
            return require_whole(key, given, at_least)
        try:
            return require_whole(key, self.contents.get(key, default), at_least)
        except LowbidError as error:
            raise self.error(str(error), self.line_of(key)) from error

    def tables(self, name: str) -> list[dict[str, Any]]:
        tables = self.contents.get(name)
        if not (tables and isinstance(tables, list) and all(isinstance(t, dict) for t in tables)):
            message = f"there are no {name}; add a table [[{name}]]."
            raise self.error(message, self.line_of(name))
        return tables

    def at(self, make: Callable[[], T], table: str, number: int) -> T:
        """Do something with a table; an error is reported with its line."""
        try:
            return make()
        except LowbidError as error:
            message = str(error)
            raise self.error(message, self.line_in_table(table, number, message)) from error

    def error(self, message: str, line: int | None) -> FileFormatError:
        place = self.path if line is None else f"{self.path}, line {line}"
        return FileFormatError(f"{place}: {message}")

    def line_of(self, entry: str) -> int | None:
        """The line of an entry of the whole file: a number, or the first table of its name."""
        wanted = re.compile(
            rf"""\s*(\[\[?\s*)?["']?{re.escape(entry)}["']?\s*[]=]""", re.IGNORECASE
        )
        return next((i for i, line in enumerate(self.lines, start=1) if wanted.match(line)), None)

    def line_in_table(self, table: str, number: int, message: str) -> int | None:
        """The line of the first key of a table that the message names; else of its head."""
        head = re.compile(rf"\s*\[\[\s*{table}\s*\]\]", re.IGNORECASE)
        heads = [i for i, line in enumerate(self.lines) if head.match(line)]
        if number >= len(heads):  # the tables are written in one line
            return self.line_of(table)
        for i in range(heads[number] + 1, len(self.lines)):
            if self.lines[i].lstrip().startswith("["):
                break
            found = _ENTRY.match(self.lines[i])
            if found and _names(message, found["key"], found["value"].strip()):
                return i + 1
        return heads[number] + 1


def _names(message: str, key: str, value: str) -> bool:
    """Whether a message is about a key, or about a name that is its value."""
    about = re.search(rf"\b{re.escape(key)} (is|of|contains)\b", message)
    return bool(about or f"'{key}'" in message or (value and f"named '{value}'" in message))


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
