"""Verdicts on the paper's claims, from the data in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lowbid.experiments._folder import Folder
from lowbid.experiments.paper._claims import CLAIMS, Claim, Verdict
from lowbid.experiments.paper._evidence import Outcome, Study, regrets_of
from lowbid.simulation import Result


class Judged(NamedTuple):
    """A claim's verdict, its evidence, and its verdict under other choices of the settings."""

    claim: Claim
    verdict: Verdict
    outcomes: list[Outcome]
    elsewhere: dict[str, Verdict]


def judge(folder: Folder, contents: Mapping[str, Any]) -> list[Judged]:
    """The verdict on every claim, from the folder's data."""
    results = {case["key"]: folder.result(case["key"]) for case in contents["cases"]}
    study = Study.of({test: r for test, r in results.items() if r is not None}, contents["costs"])
    others = _other_studies(folder, contents, study)
    judged = []
    for claim in CLAIMS:
        verdict, outcomes = claim.judge(study)
        elsewhere = {}
        for name, other in others.items():
            verdict_there, outcomes_there = claim.judge(other)
            if outcomes_there != outcomes:
                elsewhere[name] = verdict_there
        judged.append(Judged(claim, verdict, outcomes, elsewhere))
    return judged


def _other_studies(folder: Folder, contents: Mapping[str, Any], study: Study) -> dict[str, Study]:
    """The study with one setting chosen differently."""
    changed: dict[str, dict[str, Result]] = {}
    for entry in contents["alternatives"]:
        result = folder.result(entry["key"])
        if result is not None:
            name = f"{entry['setting']}={entry['choice']}"
            changed.setdefault(name, {})[entry["test"]] = result
    # A result on other arms has all policies, so it replaces the whole test.
    return {
        name: Study(
            {
                test: {**regrets, **(regrets_of(tests[test]) if test in tests else {})}
                for test, regrets in study.regrets.items()
            },
            study.costs,
        )
        for name, tests in changed.items()
    }
