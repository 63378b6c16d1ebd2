"""Estimates by Open Bandit Pipeline, in its own environment: a question as JSON in, answers out.

The question has `arms` (numbers), `values`, `propensities`, `target` (the chance of each arm),
`cap`, and `means` (of each arm). PyTorch is not installed: obp imports it for estimators on tensors
and for policies, which are not used here. So of obp.ope only the module `estimators` is imported,
with an empty module in PyTorch's place. This version has no capped weights: propensities are raised
to the chance divided by the cap instead, which is the same.
"""

import importlib
import json
import sys
import types
from pathlib import Path

import numpy as np


def estimator_module():
    """The module obp.ope.estimators, as it was published, without the rest of obp.ope."""
    torch = types.ModuleType("torch")
    torch.Tensor = type("Tensor", (), {})
    sys.modules["torch"] = torch
    package = types.ModuleType("obp.ope")
    package.__path__ = [str(Path(importlib.import_module("obp").__file__).parent / "ope")]
    sys.modules["obp.ope"] = package
    return importlib.import_module("obp.ope.estimators")


def main():
    question, estimators = json.load(sys.stdin), estimator_module()
    n, target = len(question["arms"]), np.array(question["target"])
    log = {
        "reward": np.array(question["values"], float),
        "action": np.array(question["arms"]),
        "position": np.zeros(n, int),
        "action_dist": np.broadcast_to(target[None, :, None], (n, len(target), 1)).copy(),
    }
    weighted = {**log, "pscore": np.array(question["propensities"])}
    means = np.array(question["means"])
    modelled = np.broadcast_to(means[None, :, None], (n, len(means), 1)).copy()
    found = {
        "ips": estimators.InverseProbabilityWeighting().estimate_policy_value(**weighted),
        "snips": estimators.SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(
            **weighted
        ),
        "capped": estimators.InverseProbabilityWeighting().estimate_policy_value(
            **log, pscore=np.maximum(weighted["pscore"], target[log["action"]] / question["cap"])
        ),
        "dr": estimators.DoublyRobust().estimate_policy_value(
            **weighted, estimated_rewards_by_reg_model=modelled
        ),
    }
    if target.max() == 1.0:
        found["replay"] = estimators.ReplayMethod().estimate_policy_value(**log)
    answers = {method: float(value) for method, value in found.items()}
    version = importlib.import_module("obp").__version__
    json.dump({"version": version, "answers": answers}, sys.stdout)


if __name__ == "__main__":
    main()
