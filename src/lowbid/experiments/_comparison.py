"""A comparison: the cases of one experiment, run and written up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lowbid._require import require_whole
from lowbid.experiments._claim_folder import claimed
from lowbid.experiments._experiment import Case
from lowbid.experiments._folder import Folder, described
from lowbid.experiments._run import run
from lowbid.report import Block, Chart, Code, Facts, Page, Section, Text, ranking
from lowbid.simulation import caution

KIND = "comparison"


def compare(
    title: str,
    cases: Sequence[Case],
    folder: Folder,
    command: str,
    workers: int | None = None,
    bounds: bool = False,
    resume: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Run cases one after another into a folder, and write them up.

    With `resume`, results of these cases that the folder holds are kept and not computed again.
    """
    if workers is not None:
        require_whole("workers", workers)
    contents = {
        "kind": KIND,
        "title": title,
        "command": command,
        "cases": [described(case, bounds=bounds) for case in cases],
    }
    with claimed(folder.path):
        folder.start(contents, cases, resume)
        for case in cases:
            result = run(case, folder, workers)
            say(f"{case.title}: {result.measure} after {case.horizon} steps, {case.runs} runs")
            say(f"{result.summary()}\n")
        write_up(folder, folder.read())


def write_up(folder: Folder, contents: dict[str, Any]) -> None:
    """Make the figures and the page from the folder's data."""
    charts = folder.charts(contents["cases"])
    if not charts:
        return
    for draw in folder.figures(charts, panel="all"):
        draw()
    blocks: list[Block] = []
    for chart in charts:
        blocks += [chart, ranking(chart.result)]
    missing = len(contents["cases"]) - len(charts)
    if missing:
        blocks.insert(0, Text(f"The experiment was stopped: {missing} cases were not run."))
    first = charts[0].result
    measures = " and ".join(dict.fromkeys(chart.result.measure for chart in charts))
    against = " Dynamic regret is against the best arm at each step." * ("dynamic" in measures)
    page = Page(
        contents["title"],
        f"{first.regret.shape[1]} runs of {first.checkpoints[-1]} steps; every policy faces the "
        f"same losses. Mean {measures} with 95% bands.{against} "
        f"{caution(first.regret.shape[1])}".rstrip(),
        [Section("Results", blocks), *provenance_sections(contents, charts)],
    )
    folder.publish(page)


def provenance_sections(contents: dict[str, Any], charts: Sequence[Chart]) -> list[Section]:
    """Where the data came from, and how to reproduce them."""
    about = charts[0].result.provenance
    facts = {
        "lowbid": about["lowbid"],
        "NumPy": about["numpy"],
        "Python": about["python"],
        "date": about["date"],
        "seed": str(about["seed"]),
        "runs": str(about["runs"]),
        "horizon": str(about["horizon"]),
        **{f"configuration of {c.key}": c.result.provenance["configuration_hash"] for c in charts},
        **{f"arms of {c.key}": str(c.result.provenance["environment"]) for c in charts},
        **_policies(charts),
    }
    again = (
        f"{contents['command']}\n\n# This page again from the data beside it, without running "
        "anything:\nlowbid report FOLDER"
    )
    return [
        Section("Run it again", [Code(again)]),
        Section(
            "Provenance",
            [
                Facts(facts),
                Text(
                    "The data behind the figures are in the folder data beside this page, one file "
                    "per case; lowbid.Result.load reads them."
                ),
            ],
        ),
    ]


def _policies(charts: Sequence[Chart]) -> dict[str, str]:
    """The policy behind each name; listed case by case where it differs."""
    found: dict[str, dict[str, list[str]]] = {}
    for chart in charts:
        for name, made in chart.result.provenance["policies"].items():
            found.setdefault(name, {}).setdefault(str(made), []).append(chart.key)
    return {
        f"policy {name}": next(iter(made))
        if len(made) == 1
        else "; ".join(f"{', '.join(keys)}: {each}" for each, keys in made.items())
        for name, made in found.items()
    }
