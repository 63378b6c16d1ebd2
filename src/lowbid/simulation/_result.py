from dataclasses import dataclass
from typing import Any


@dataclass
class Result:
    policies: Any
    checkpoints: Any
    regret: Any
    pulls: Any
    provenance: Any


def provenance(*a):
    return {}
