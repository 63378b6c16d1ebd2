"""Experiment files: TOML, with every error reported with its line."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from lowbid._require import require_whole
from lowbid.environments import Environment
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.experiments._experiment import Case
from lowbid.experiments.names import arms, policy
from lowbid.experiments.toml_file import TomlFile
from lowbid.policies import Policy

TEMPLATE = """\
# An experiment for lowbid: run it with `lowbid compare FILE`.

title = "My comparison"
horizon = 10000  # steps in a run
runs = 200       # independent runs
seed = 0         # the same seed gives the same result

# Arms: one table per case. A family and its parameters, one number per arm or one for all:
# bernoulli (mean), gaussian (mean, sd), exponential-by-mean (mean), exponential-by-rate
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

# Arms that change, with regret against the best arm at each step. With switching- before the family
# the first parameter has one row per environment, and others may have one entry per row; they
# change after the given steps, or at random ones with chance = 0.001. With drifting- means move:
# give walk (with low, high), amplitude (with period, phase), or path, one row of means per step.
# [[arms]]
# name = "two arms that change places"
# family = "switching-bernoulli"
# mean = [[0.1, 0.3], [0.3, 0.1]]
# after = [5000]

# Policies: one table each, with optional parameters; `name` is its name in figures.
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


class _Reader(TomlFile):
    """One experiment file being read."""

    def __init__(self, path: Path) -> None:
        known = ["title", "horizon", "runs", "seed", "arms", "policies"]
        super().__init__(path, known, "an experiment file", "lowbid init")

    def read(self, given: dict[str, int | None]) -> tuple[str, list[Case]]:
        defaults = {"horizon": 10_000, "runs": 200, "seed": 0}
        numbers = {key: self.whole(key, value, given[key]) for key, value in defaults.items()}
        policies: dict[str, Policy] = {}
        for number, table in enumerate(self.tables("policies")):
            made = self.at(partial(policy_of_table, table), "policies", number)
            name = str(table.get("name", made.name))
            if name in policies:
                message = f"two policies are named {name!r}; give one a name."
                error = InvalidValueError(message, field="name", value=name)
                raise self.error(message, self.line_in_table("policies", number, error))
            policies[name] = made
        cases = []
        for number, table in enumerate(self.tables("arms")):
            environment = self.at(partial(arms_of_table, table), "arms", number)
            title = str(table.get("name", repr(environment)))
            case = partial(Case, f"case-{number + 1}", title, environment, policies, **numbers)
            cases.append(self.at(case, "arms", number))
        return str(self.contents.get("title", self.path.stem)), cases

    def whole(self, key: str, default: int, given: int | None) -> int:
        """The given number, or the file's if none was given."""
        at_least = 0 if key == "seed" else 1
        if given is not None:
            return require_whole(key, given, at_least)
        value = self.contents.get(key, default)
        return self.at_entry(partial(require_whole, key, value, at_least), key)


def policy_of_table(table: dict[str, Any]) -> Policy:
    """The policy that a table of the file names."""
    if "policy" not in table:
        raise FileFormatError('a table of policies needs policy = "...", such as "batch-ensemble".')
    rest = {key: value for key, value in table.items() if key not in ("policy", "name")}
    return policy(str(table["policy"]), rest)


def arms_of_table(table: dict[str, Any]) -> Environment:
    """The arms that a table of the file names."""
    if "family" not in table:
        raise FileFormatError('a table of arms needs family = "...", such as "bernoulli".')
    rest = {key: value for key, value in table.items() if key not in ("family", "name")}
    return arms(str(table["family"]), rest)
