"""Where a result came from."""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lowbid._version import __version__
from lowbid.environments import Changing, Environment
from lowbid.errors import InvalidValueError
from lowbid.policies import Policy
from lowbid.simulation._delays import Late

# The name of regret measured against the best arm at each step.
DYNAMIC_REGRET = "dynamic regret"
_CIRCUMSTANCES = ("lowbid", "numpy", "python", "date", "configuration_hash")


def provenance(
    policies: Mapping[str, Policy],
    environment: Environment,
    horizon: int,
    runs: int,
    seed: int,
    late: Late | None = None,
) -> dict[str, Any]:
    """Everything needed to run a simulation again, and to know where its result came from."""
    configuration = {
        "policies": {name: policy.describe(horizon) for name, policy in policies.items()},
        "environment": environment.describe(),
        "horizon": horizon,
        "runs": runs,
        "seed": int(seed),
    }
    if isinstance(environment, Changing):
        configuration["regret"] = DYNAMIC_REGRET
    if late is not None:
        configuration |= {"delay": repr(late.delay), "lost": late.lost, "batch": late.batch}
    return _stamped(configuration)


def joined(sources: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The provenance of results of several policies that otherwise belong to one simulation."""
    first, *others = map(_configuration, sources)
    policies = dict(first["policies"])
    for other in others:
        for entry in sorted(first.keys() | other.keys()):
            if entry != "policies" and first.get(entry) != other.get(entry):
                raise InvalidValueError(
                    f"the results come from different simulations: {entry} is {first.get(entry)!r} "
                    f"in one and {other.get(entry)!r} in another; simulate them again."
                )
        policies |= other["policies"]
    return _stamped({**first, "policies": policies})


def _configuration(source: Mapping[str, Any]) -> dict[str, Any]:
    return {entry: value for entry, value in source.items() if entry not in _CIRCUMSTANCES}


def _stamped(configuration: dict[str, Any]) -> dict[str, Any]:
    """A configuration, with its hash, and when and with which versions it was run."""
    text = json.dumps(configuration, sort_keys=True)
    return {
        "lowbid": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "configuration_hash": hashlib.sha256(text.encode()).hexdigest(),
        **configuration,
    }
