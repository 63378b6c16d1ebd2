"""Run the paper's tests and their alternatives, and measure costs."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from lowbid._require import require_whole
from lowbid.experiments._claim_folder import claimed
from lowbid.experiments._experiment import Case
from lowbid.experiments._folder import Folder, described
from lowbid.experiments._run import run
from lowbid.experiments.paper._cases import MARS_, POLICIES, TITLES, Alternative, alternatives, case
from lowbid.experiments.paper._costs import measure_costs
from lowbid.experiments.paper._evidence import Study
from lowbid.experiments.paper._judge import Judged
from lowbid.experiments.paper._report import KIND, figures, write_page
from lowbid.experiments.paper._second_pass import RUNS as SECOND_RUNS
from lowbid.experiments.paper._second_pass import run_second_pass
from lowbid.experiments.paper._settings import Chosen

LONG_HORIZONS = (20_000, 200_000)
# With one subset per step, MARS would take hours at the longest horizon.
_MOST_STEPS_OF_MARS = 20_000


@dataclasses.dataclass(frozen=True)
class Plan:
    """The part of the reproduction to run.

    Attributes
    ----------
    chosen : dict
        The settings.
    tests, policies : sequence of str
        The tests and the policies to run.
    horizon, runs, seed : int
        See `lowbid.simulate`.
    thorough : bool
        Whether other choices of the settings are run, costs measured, and undecided claims looked
        at with more runs.
    long : bool
        Whether longer horizons are run, and choices that take minutes.
    bounds : bool
        Whether bounds on regret are drawn.
    """

    chosen: Chosen
    horizon: int
    runs: int
    seed: int
    tests: Sequence[str] = tuple(TITLES)
    policies: Sequence[str] = POLICIES
    thorough: bool = True
    long: bool = False
    bounds: bool = False

    def cases(self) -> list[Case]:
        """The tests."""
        return [self._case(test, self.horizon) for test in self.tests]

    def long_cases(self) -> list[Case]:
        """The tests at longer horizons."""
        made = []
        for horizon in LONG_HORIZONS if self.long else ():
            for test in self.tests:
                longer = self._case(test, horizon)
                kept = {
                    name: policy
                    for name, policy in longer.policies.items()
                    if name != MARS_ or horizon <= _MOST_STEPS_OF_MARS
                }
                key, title = f"{test}-{horizon}-steps", f"{longer.title}, {horizon:,} steps"
                made.append(dataclasses.replace(longer, key=key, title=title, policies=kept))
        return made

    def alternatives(self, cases: list[Case]) -> list[Alternative]:
        """Other choices of the settings."""
        if not self.thorough:
            return []
        return [
            other for each in cases for other in alternatives(each, self.chosen, costly=self.long)
        ]

    def _case(self, test: str, horizon: int) -> Case:
        made = case(test, self.chosen, horizon, self.runs, self.seed)
        kept = {name: policy for name, policy in made.policies.items() if name in self.policies}
        return dataclasses.replace(made, policies=kept)


def reproduce(
    plan: Plan,
    folder: Folder,
    command: str,
    workers: int | None = None,
    resume: bool = False,
    say: Callable[[str], None] = print,
) -> list[Judged]:
    """Run a plan into a folder and write the report; returns the verdicts.

    With `resume`, results of this plan that the folder holds are kept and not computed again.
    """
    if workers is not None:
        require_whole("workers", workers)
    cases, long_cases = plan.cases(), plan.long_cases()
    others = plan.alternatives(cases)
    contents = _contents(plan, cases, long_cases, others, command)
    with claimed(folder.path):
        folder.start(contents, [*cases, *long_cases, *(other.case for other in others)], resume)
        for each in [*cases, *long_cases]:
            result = run(each, folder, workers)
            say(f"{each.title}: regret after {each.horizon} steps, {each.runs} runs")
            say(f"{result.summary()}\n")
        if others:
            say(f"Other choices of the settings, {len(others)} cases ...")
        _run_and_draw(others, figures(folder, contents), folder, workers)
        if plan.thorough and "test-1" in plan.tests:
            say("Time and memory ...")
            contents["costs"] = measure_costs(plan.chosen, plan.horizon, plan.seed, plan.policies)
        if plan.thorough:
            say(f"A second pass of {SECOND_RUNS:,} runs for what is undecided ...")
            results = {case.key: folder.result(case.key) for case in cases}
            study = Study.of({k: r for k, r in results.items() if r is not None}, contents["costs"])
            contents["second_pass"] = run_second_pass(study, cases, folder, workers)
            folder.write(contents)
        say("Report ...\n")
        return write_page(folder, contents)


def _run_and_draw(
    others: list[Alternative],
    drawings: list[Callable[[], object]],
    folder: Folder,
    workers: int | None,
) -> None:
    """Run other choices of the settings, and draw the figures meanwhile."""
    most = workers or os.cpu_count() or 1
    beside = ThreadPoolExecutor(1)
    drawn = [beside.submit(draw) for draw in drawings]
    try:
        for other in others:
            done = all(drawing.done() for drawing in drawn)
            run(other.case, folder, most if done else max(1, most - 1))
        for drawing in drawn:
            drawing.result()
    finally:
        # Does not wait for the current figure: Ctrl-C must take effect at once.
        beside.shutdown(wait=False, cancel_futures=True)


def _contents(
    plan: Plan,
    cases: list[Case],
    long_cases: list[Case],
    others: list[Alternative],
    command: str,
) -> dict[str, Any]:
    """The future contents of the folder."""
    return {
        "kind": KIND,
        "command": command,
        "settings": plan.chosen,
        "cases": [described(each, bounds=plan.bounds) for each in cases],
        "long_cases": [described(each, log=True, bounds=plan.bounds) for each in long_cases],
        "alternatives": [
            {"setting": o.setting, "choice": o.choice, "test": o.test, "key": o.case.key}
            for o in others
        ],
        "costs": {},
        "second_pass": [],
        "provisional": not plan.thorough,
    }
