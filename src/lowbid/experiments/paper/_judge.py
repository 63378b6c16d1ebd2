"""Verdicts on the paper's claims, from the data in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lowbid.experiments._folder import Folder
from lowbid.experiments.paper._claims import CLAIMS, Claim, Verdict
from lowbid.experiments.paper._evidence import Outcome, Study, regrets_of
from lowbid.experiments.paper._second_pass import RUNS, key_of
from lowbid.simulation import Result


class Judged(NamedTuple):
    """A claim's verdict, its evidence, and its verdict under other choices of the settings.

    `second_pass` is true if it took more runs than the paper's to decide.
    """

    claim: Claim
    verdict: Verdict
    outcomes: list[Outcome]
    elsewhere: dict[str, Verdict]
    second_pass: bool = False


def judge(folder: Folder, contents: Mapping[str, Any]) -> list[Judged]:
    """The verdict on every claim, from the folder's data."""
    results = {case["key"]: folder.result(case["key"]) for case in contents["cases"]}
    study = Study.of({test: r for test, r in results.items() if r is not None}, contents["costs"])
    more = _second_study(folder, contents)
    others = _other_studies(folder, contents, study)
    judged = []
    for claim in CLAIMS:
        verdict, outcomes = claim.judge(study)
        elsewhere = {}
        for name, other in others.items():
            verdict_there, outcomes_there = claim.judge(other)
            if outcomes_there != outcomes:
                elsewhere[name] = verdict_there
        if verdict == "undecided" and more is not None:
            again = claim.judge_again(outcomes, more)
            judged.append(Judged(claim, *again, elsewhere, second_pass=again[1] != outcomes))
        else:
            judged.append(Judged(claim, verdict, outcomes, elsewhere))
    return judged


def _second_study(folder: Folder, contents: Mapping[str, Any]) -> Study | None:
    """The study of the second pass; None if there was none."""
    found = {test: folder.result(key_of(test)) for test in contents.get("second_pass", ())}
    results = {test: result for test, result in found.items() if result is not None}
    return Study.of(results, {}) if results else None


def tally(judged: Iterable[Judged], provisional: bool = False) -> str:
    """How many claims have each verdict, in a sentence or two."""
    kept = [each for each in judged if each.verdict != "not tested"]
    if not kept:
        return "No claim was tested."
    counts = Counter(each.verdict for each in kept)
    named: tuple[Verdict, ...] = ("reproduced", "not reproduced", "undecided")
    text = ", ".join(f"{counts[verdict]} {verdict}" for verdict in named)
    times = counts["measured here"]
    if times:
        text += f", {times} on running times, which are measured but not judged"
    text = f"Of {len(kept)} claims: {text}."
    looked = [each.verdict for each in kept if each.second_pass]
    if looked:
        decided = len(looked) - looked.count("undecided")
        text += f" {len(looked)} got a second pass of {RUNS:,} runs, which decided {decided}."
    return f"Provisional, with few runs. {text}" if provisional else text


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
