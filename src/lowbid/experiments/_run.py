"""Running a case into a folder, so that what is finished is never lost."""

from __future__ import annotations

from lowbid.experiments._experiment import Case
from lowbid.experiments._folder import Folder
from lowbid.simulation import Result, simulate


def run(case: Case, folder: Folder, workers: int | None = None) -> Result:
    """Run one case and save its result; on Ctrl-C, that of the policies that were finished.

    A policy's losses and random numbers do not depend on the others', so the policies can be run
    one after another: the result is the same as that of one call of `simulate` for all.
    """
    finished: list[Result] = []
    try:
        for number, (name, policy) in enumerate(case.policies.items(), start=1):
            label = f"{case.key}, {number} of {len(case.policies)}, {name}"
            finished.append(
                simulate(
                    {name: policy},
                    case.environment,
                    case.horizon,
                    case.runs,
                    case.seed,
                    workers=workers,
                    progress=label,
                )
            )
    finally:
        if finished:
            result = Result.concatenate(finished)
            folder.save(case.key, result)
    return result
