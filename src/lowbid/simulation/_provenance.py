"""Where a result came from."""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
from collections.abc import Mapping
from typing import Any

import numpy as np

from lowbid._version import __version__
from lowbid.environments import Environment
from lowbid.policies import Policy
from lowbid.simulation._delays import Late


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
    if late is not None:
        configuration |= {"delay": repr(late.delay), "lost": late.lost, "batch": late.batch}
    text = json.dumps(configuration, sort_keys=True)
    return {
        "lowbid": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "configuration_hash": hashlib.sha256(text.encode()).hexdigest(),
        **configuration,
    }
