"""Running an experiment into a folder, so that what is finished is never lost."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from lowbid.experiments._experiment import Case, Experiment
from lowbid.simulation import Result, simulate
from lowbid.simulation._provenance import provenance


@dataclasses.dataclass(frozen=True)
class Folder:
    """Where an experiment's data, figures and page are kept.

    ``experiment.json`` says which cases there are; ``data/<case>.npz`` are their results.
    """

    path: Path

    def result_file(self, key: str) -> Path:
        """The file of one case's result."""
        return self.path / "data" / f"{key}.npz"

    def write(self, contents: dict[str, Any]) -> None:
        """Write what the folder holds."""
        self.path.mkdir(parents=True, exist_ok=True)
        text = json.dumps(contents, indent=2) + "\n"
        (self.path / "experiment.json").write_text(text, encoding="utf-8")


def run(case: Case, experiment: Experiment, folder: Folder, workers: int | None = None) -> Result:
    """Run one case and save its result; on Ctrl-C, that of the policies that were finished.

    A policy's losses and random numbers do not depend on the others', so the policies can be run
    one after another: the result is the same as that of one call of `simulate` for all.
    """
    finished: list[Result] = []
    try:
        for name, policy in case.policies.items():
            finished.append(
                simulate(
                    {name: policy},
                    case.environment,
                    experiment.horizon,
                    experiment.runs,
                    experiment.seed,
                    workers=workers,
                )
            )
    finally:
        if finished:
            result = _join(finished, case, experiment)
            folder.result_file(case.key).parent.mkdir(parents=True, exist_ok=True)
            result.save(folder.result_file(case.key))
    return result


def _join(results: list[Result], case: Case, experiment: Experiment) -> Result:
    names = [name for result in results for name in result.policies]
    return Result(
        policies=tuple(names),
        checkpoints=results[0].checkpoints,
        regret=np.concatenate([result.regret for result in results]),
        pulls=np.concatenate([result.pulls for result in results]),
        provenance=provenance(
            {name: case.policies[name] for name in names},
            case.environment,
            experiment.horizon,
            experiment.runs,
            experiment.seed,
        ),
    )
