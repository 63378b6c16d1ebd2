"""The page of a reproduction, made from its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lowbid.experiments._comparison import provenance_sections
from lowbid.experiments._folder import Folder
from lowbid.experiments.paper._cases import POLICIES, TITLES
from lowbid.experiments.paper._claims import KINDS, Verdict
from lowbid.experiments.paper._judge import Judged, judge, tally
from lowbid.experiments.paper._second_pass import RUNS as SECOND_RUNS
from lowbid.experiments.paper._settings import SETTINGS, Setting
from lowbid.report import (
    Block,
    Chart,
    ClaimEvidence,
    ClaimItem,
    ClaimList,
    Heading,
    Page,
    Section,
    Table,
    Text,
    figure,
    interval,
    ranking,
)
from lowbid.simulation import Result, caution

KIND = "paper"
_TITLE = "Batch Ensemble, reproduced"


def write_up(folder: Folder, contents: dict[str, Any]) -> list[Judged]:
    """Make the figures and the page from the folder's data; returns the verdicts."""
    for draw in figures(folder, contents):
        draw()
    return write_page(folder, contents)


def figures(folder: Folder, contents: dict[str, Any]) -> list[Callable[[], object]]:
    """Functions that draw one figure each, from the folder's data."""
    short, long = (folder.charts(contents[kind]) for kind in ("cases", "long_cases"))
    return [*folder.figures(short, "all-tests"), *folder.figures(long, "all-tests-long")]


def write_page(folder: Folder, contents: dict[str, Any]) -> list[Judged]:
    """Make the page from the folder's data; returns the verdicts."""
    charts = folder.charts(contents["cases"])
    if not charts:
        return []
    long_charts = folder.charts(contents["long_cases"])
    judged = judge(folder, contents)
    result = charts[0].result
    runs, horizon = result.regret.shape[1], int(result.checkpoints[-1])
    sections = [
        Section("Verdicts", _verdicts(judged, runs, horizon, contents.get("provisional", False))),
        Section("Figures", _figures(charts, len(contents["cases"]))),
        Section("Settings", _settings(folder, contents)),
    ]
    if contents["costs"]:
        sections.append(Section("Time and memory", _costs(contents["costs"])))
    if long_charts:
        sections.append(Section("Longer horizons", _figures(long_charts)))
    lead = (
        "The experiments of A. Cassel, O. Levy and Y. Mansour, Batch ensemble for variance "
        f"dependent regret in stochastic bandits (AAAI 2025): {runs} runs of {horizon} steps, "
        "mean pseudo-regret, every policy on the same losses. For each claim of the paper's "
        f"experiments section there is a verdict. {caution(runs)}"
    )
    again = provenance_sections(contents, charts)
    folder.publish(Page(_TITLE, lead.rstrip(), [*sections, *again]))
    return judged


def _verdicts(judged: list[Judged], runs: int, horizon: int, provisional: bool) -> list[Block]:
    return [
        Text(tally(judged, provisional)),
        Text(
            f"Each claim is paraphrased, made precise, and decided by comparing policies "
            f"run by run on the same losses, over {runs} runs of {horizon} steps. It counts as "
            "reproduced if every interval lies on the claimed side of zero, as not reproduced if "
            "one lies on the other side, and as undecided otherwise. The intervals of one claim "
            f"hold together with 95% confidence. What {runs} runs leave open gets a second pass of "
            f"{SECOND_RUNS:,} new runs, and is marked; claims about running times depend on the "
            "machine, and are measured but not judged. "
            "Choose a claim to see what decided it, and the results under other settings."
        ),
        ClaimList([_item(each) for each in judged]),
    ]


def _item(judged: Judged) -> ClaimItem:
    claim, verdict = judged.claim, judged.verdict
    evidence = [
        ClaimEvidence(check.text, outcome.text, outcome.kind)
        for check, outcome in zip(claim.checks, judged.outcomes, strict=True)
    ]
    return ClaimItem(
        claim.says,
        f"{claim.place}, {SECOND_RUNS:,} runs" if judged.second_pass else claim.place,
        verdict,
        KINDS[verdict],
        claim.reading,
        evidence,
        _tried(judged),
    )


def _tried(judged: Judged) -> list[str]:
    """The results of other choices of the settings, by verdict."""
    by_verdict: dict[Verdict, list[str]] = {}
    for name, verdict in judged.elsewhere.items():
        by_verdict.setdefault(verdict, []).append(name)
    texts = [f"{verdict} with {', '.join(names)}" for verdict, names in by_verdict.items()]
    return [f"With one setting chosen differently: {'; '.join(texts)}."] if texts else []


def _figures(charts: list[Chart], expected: int | None = None) -> list[Block]:
    blocks: list[Block] = []
    if expected is not None and len(charts) < expected:
        blocks.append(Text("The run was stopped: some tests are missing."))
    for chart in charts:
        blocks += [chart, ranking(chart.result)]
    return blocks


def _settings(folder: Folder, contents: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = [
        Text(
            "The paper leaves these details open. The choice that was made comes first; the "
            "tables show the mean regret of the policies that another choice changes, with its "
            "95% interval."
        )
    ]
    for setting in SETTINGS:
        blocks += [Heading(setting.question), Text(setting.why)]
        blocks.append(_setting_table(setting, folder, contents))
    return blocks


def _setting_table(setting: Setting, folder: Folder, contents: Mapping[str, Any]) -> Table:
    """The mean regrets that another choice changes, for every choice."""
    chosen = contents["settings"][setting.key]
    found = {
        (entry["choice"], entry["test"]): folder.result(entry["key"])
        for entry in contents["alternatives"]
        if entry["setting"] == setting.key
    }
    tests = [case["key"] for case in contents["cases"]]
    tests = [test for test in tests if any(test == changed for _, changed in found)]
    found |= {(chosen, test): folder.result(test) for test in tests}
    changed = {
        (name, test)
        for (choice, test), result in found.items()
        if choice != chosen and result is not None
        for name in result.policies
    }
    names = [name for name in POLICIES if any((name, test) in changed for test in tests)]
    rows = []
    for choice in sorted(setting.choices, key=lambda choice: choice.key != chosen):
        label = f"{setting.key}={choice.key}: {choice.text}"
        if not any(key == choice.key for key, _ in found):
            why = "with --long only" if choice.most_runs else "not run"
            rows.append([label, "as run" if choice.key == chosen else why, *[""] * len(tests)])
            continue
        for name in names:
            cells = [
                _mean(found.get((choice.key, test)), name) if (name, test) in changed else ""
                for test in tests
            ]
            rows.append([label, name, *cells])
            label = ""
    head = ["choice", "policy", *(test.replace("test-", "test ") for test in tests)]
    return Table(head, rows, text_columns=frozenset({0, 1}))


def _mean(result: Result | None, policy: str) -> str:
    if result is None or policy not in result.policies:
        return ""
    row = result[policy].summary()[0]
    return f"{figure(row.mean)} {interval(row.low, row.high)}".rstrip()


def _costs(costs: Mapping[str, Any]) -> list[Block]:
    horizon = int(costs["horizon"])
    horizons = {"T": horizon, "2T": 2 * horizon, "10T": 10 * horizon, "100T": 100 * horizon}
    times, sizes = costs["seconds_per_step"], costs["bytes"]
    rows = []
    for policy in times:
        nanoseconds = [
            figure(1e9 * sum(times[policy][h]) / len(times[policy][h]))
            if h in times[policy]
            else ""
            for h in ("T", "2T", "10T")
        ]
        kilobytes = [figure(sizes[policy][h] / 1e3) if h in sizes[policy] else "" for h in horizons]
        rows.append([policy, *nanoseconds, *kilobytes])
    head = ["policy"]
    head += [f"ns per step, T = {horizons[h]}" for h in ("T", "2T", "10T")]
    head += [f"kB, T = {steps}" for steps in horizons.values()]
    return [
        Text(
            f"Processor time per step, mean of {len(next(iter(times.values()))['T'])} "
            "measurements, and size of the state, on the arms of "
            f"{TITLES[costs['arms']].lower()}; MARS with one subset per step. Times depend on "
            "the machine."
        ),
        Table(head, rows),
    ]
