"""The folder of an experiment's data, figures and page."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from lowbid._replace_file import replace_file
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.experiments._experiment import Case
from lowbid.report import Chart, Page, render, save_figure, save_panel, styles
from lowbid.simulation import Result
from lowbid.theory.curves import BoundCurves

_FORMAT = "lowbid-experiment"
_FORMAT_VERSION = 1


@dataclasses.dataclass(frozen=True)
class Folder:
    """A folder with the outcome of an experiment.

    ``experiment.json`` says what to run, ``data/<case>.npz`` holds the results of finished cases,
    and ``figures/`` and ``report.html`` are made from these.
    """

    path: Path
    _saved: dict[str, Result] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def started(self) -> bool:
        """Whether an experiment was started here."""
        return (self.path / "experiment.json").is_file()

    @property
    def page_file(self) -> Path:
        """The report."""
        return self.path / "report.html"

    def result_file(self, key: str) -> Path:
        """The file of one case's result."""
        return self.path / "data" / f"{key}.npz"

    def result(self, key: str) -> Result | None:
        """One case's result, if it is at least partly finished."""
        path = self.result_file(key)
        if key not in self._saved and path.is_file():
            self._saved[key] = Result.load(path)
        return self._saved.get(key)

    def begun(self, case: Case) -> Result | None:
        """The part of a case that was saved or resumed and need not be run again."""
        found = self._saved.get(case.key)
        return found if found is not None and case.began(found) else None

    def finished(self, contents: dict[str, Any]) -> bool:
        """Whether there is at least part of one case's result."""
        return any(self.result_file(case["key"]).is_file() for case in contents["cases"])

    def save(self, key: str, result: Result) -> None:
        """Save one case's result."""
        self.result_file(key).parent.mkdir(parents=True, exist_ok=True)
        result.save(self.result_file(key))
        self._saved[key] = result

    def start(self, contents: dict[str, Any], cases: Iterable[Case], resume: bool = False) -> None:
        """Record what the folder will hold, and remove the files of an earlier experiment.

        With `resume`, results of the same cases stay, and others are refused.
        """
        if self.started:
            self._require_ours()
            if resume:
                for case in cases:
                    self._require_same(case)
            else:
                self._clear()
        self.write(contents)

    def _clear(self) -> None:
        old = [*self.path.glob("data/*.npz"), *self.path.glob("figures/*.[ps][nv]g")]
        for path in [*old, self.page_file]:
            path.unlink(missing_ok=True)
        self._saved.clear()

    def _require_same(self, case: Case) -> None:
        """Refuse to resume the results of another experiment."""
        found = self.result(case.key)
        if found is not None and not case.began(found):
            raise InvalidValueError(
                f"{self.path} holds results of another experiment: those of {case.key} are for "
                "other arms, policies, steps, runs or another seed. Give the same arguments as "
                "before, or leave --resume out to start over."
            )

    def _require_ours(self) -> None:
        """Refuse a folder whose ``experiment.json`` was not written by lowbid."""
        try:
            self.read()
        except FileFormatError as error:
            raise InvalidValueError(
                f"{self.path} has an experiment.json that lowbid cannot read, and its files would "
                "be replaced; give another folder, or remove that file."
            ) from error

    def write(self, contents: dict[str, Any]) -> None:
        """Record the contents of the folder."""
        self.path.mkdir(parents=True, exist_ok=True)
        header = {"format": _FORMAT, "format_version": _FORMAT_VERSION}
        text = json.dumps({**header, **contents}, indent=2) + "\n"
        with replace_file(self.path / "experiment.json") as file:
            file.write(text.encode())

    def read(self) -> dict[str, Any]:
        """The contents of the folder, or an error that says what is wrong with it."""
        path = self.path / "experiment.json"
        if not self.started:
            raise FileFormatError(
                f"{self.path} has no experiment.json; give a folder that lowbid compare or lowbid "
                "reproduce wrote."
            )
        try:
            contents: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            good = contents["format"] == _FORMAT and contents["format_version"] <= _FORMAT_VERSION
            if good:
                _require_entries(contents)
        except (ValueError, KeyError, TypeError) as error:
            raise FileFormatError(
                f"{path} was not written by lowbid, or is damaged ({error!r}); run the "
                "experiment again."
            ) from error
        if not good:
            raise FileFormatError(
                f"{path} has a format that this lowbid cannot read; upgrade lowbid."
            )
        return contents

    def charts(self, cases: list[dict[str, Any]]) -> list[Chart]:
        """The charts of the finished cases."""
        found = [(case, self.result(case["key"])) for case in cases]
        return [
            Chart(
                case["key"],
                case["title"],
                result,
                {text: tuple(steps) for text, steps in case["marks"].items()},
                {name: np.array(values, float) for name, values in case["bounds"].items()},
                case["log"],
                case["notes"],
            )
            for case, result in found
            if result is not None
        ]

    def figures(self, charts: list[Chart], panel: str) -> list[Callable[[], object]]:
        """Functions that draw one figure each: every chart, and all of them side by side."""
        shown, into = styles(charts), self.path / "figures"
        drawings: list[Callable[[], object]] = [
            functools.partial(save_figure, chart, shown, into) for chart in charts
        ]
        if len(charts) > 1:
            drawings.append(functools.partial(save_panel, charts, shown, into, panel))
        return drawings

    def publish(self, page: Page) -> None:
        """Write the report."""
        with replace_file(self.page_file) as file:
            file.write(render(page).encode())


def _require_entries(contents: dict[str, Any]) -> None:
    """Access everything a page is made from, so that errors about missing data are raised here."""
    for entry in ("kind", "command", "cases"):
        contents[entry]
    for case in contents["cases"]:
        for entry in ("key", "title", "marks", "log", "bounds"):
            case[entry]


def described(case: Case, log: bool = False, bounds: bool = False) -> dict[str, Any]:
    """A case as plain data for ``experiment.json``; bounds need logarithmic axes."""
    drawn = _described_bounds(case.bounds()) if bounds else {"bounds": {}, "notes": {}}
    return {
        "key": case.key,
        "title": case.title,
        "marks": case.marks,
        "log": log or bounds,
        **drawn,
        "notes": case.misfits | drawn["notes"],
    }


def _described_bounds(found: BoundCurves) -> dict[str, Any]:
    """The curves, and how to read each of them."""
    named = {f"{curve.name}, {curve.kind} bound": curve for curve in found.curves}
    notes = {name: f"Proved for {curve.policy}. {curve.note}" for name, curve in named.items()}
    if found.refused:
        notes["Not drawn"] = f"{', '.join(found.refused)}: not proved for these arms."
    values = {name: [float(f"{x:.6g}") for x in curve.values] for name, curve in named.items()}
    return {"bounds": values, "notes": notes}
