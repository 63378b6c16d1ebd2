"""Run a case into a folder, so that finished work is never lost."""

from __future__ import annotations

from lowbid.experiments._experiment import Case
from lowbid.experiments._folder import Folder
from lowbid.simulation import Result, simulate


def run(case: Case, folder: Folder, workers: int | None = None) -> Result:
    """Run one case, and save its result whenever a policy is finished.

    Policies whose results were resumed are not run again. A policy's losses and random numbers do
    not depend on those of the others, so policies can be run one after another: the result is the
    same as that of one call to `simulate` for all of them.
    """
    result = folder.begun(case)
    for number, (name, policy) in enumerate(case.policies.items(), start=1):
        if result is not None and name in result.policies:
            continue
        label = f"{case.key}, {number} of {len(case.policies)}, {name}"
        found = simulate(
            {name: policy},
            case.environment,
            case.horizon,
            case.runs,
            case.seed,
            workers=workers,
            progress=label,
        )
        result = found if result is None else Result.concatenate([result, found])
        folder.save(case.key, result)
    if result is None:
        raise AssertionError("a case has at least one policy")
    return result[list(case.policies)]
