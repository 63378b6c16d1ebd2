"""More runs for the checks that the paper's number of runs leaves open."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from lowbid._arrays import Floats
from lowbid.experiments._experiment import Case
from lowbid.experiments._folder import Folder
from lowbid.experiments.paper._claims import CLAIMS
from lowbid.experiments.paper._evidence import Study
from lowbid.simulation import Result, simulate

RUNS = 10_000


@dataclasses.dataclass(frozen=True)
class _Asked(Study):
    """A study without results, which notes what a check would look at: (test, policy, step)."""

    regrets: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    costs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    wanted: set[tuple[str, str, float]] = dataclasses.field(default_factory=set)

    def at(self, test: str, policy: str, step: float) -> Floats | None:
        self.wanted.add((test, policy, step))
        return None


def open_questions(study: Study) -> set[tuple[str, str, float]]:
    """What the open checks of undecided claims look at."""
    asked = _Asked()
    for claim in CLAIMS:
        verdict, outcomes = claim.judge(study)
        if verdict != "undecided":
            continue
        for check, outcome in zip(claim.checks, outcomes, strict=True):
            if outcome.kind == "open":
                check.measure(asked, 0.95)
    return asked.wanted


def key_of(test: str) -> str:
    """The name of a test's second result."""
    return f"{test}--second-pass"


def run_second_pass(
    study: Study, cases: Iterable[Case], folder: Folder, workers: int | None = None
) -> list[str]:
    """Run what the open checks look at again, with more runs and another seed.

    The runs are new, so that the second look is independent of the first. Returns the tests.
    """
    wanted = open_questions(study)
    tests = []
    for case in cases:
        names = {policy for test, policy, _ in wanted if test == case.key}
        if not names or case.runs >= RUNS:
            continue
        tests.append(case.key)
        policies = {name: policy for name, policy in case.policies.items() if name in names}
        steps = {step for test, _, step in wanted if test == case.key}
        checkpoints = sorted({int(s if s > 1 else s * case.horizon) for s in steps})
        if not _is_there(folder.result(key_of(case.key)), policies, checkpoints):
            result = simulate(
                policies,
                case.environment,
                case.horizon,
                RUNS,
                case.seed + 1,
                checkpoints=checkpoints,
                workers=workers,
                progress=f"{case.key}, {RUNS:,} runs",
            )
            folder.save(key_of(case.key), result)
    return tests


def _is_there(found: Result | None, names: Iterable[str], checkpoints: list[int]) -> bool:
    return (
        found is not None
        and set(names) <= set(found.policies)
        and found.checkpoints.tolist() == checkpoints
    )
