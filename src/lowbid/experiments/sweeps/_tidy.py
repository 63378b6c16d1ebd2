"""The results of a sweep as a tidy table: one row per policy, environment, step and seed."""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lowbid._optional import needing
from lowbid._replace_file import replace_file
from lowbid.experiments.sweeps._cell import Cell, Place
from lowbid.experiments.sweeps._figures_of_cell import Figures


class Row(NamedTuple):
    """One policy at one place."""

    policy: str
    rule: str
    settings: dict[str, Any]
    place: Place
    group: str
    n_arms: int
    horizon: int
    figures: Figures
    cell: str
    told: str = ""


def row_of(cell: Cell, step: int, figures: Figures) -> Row:
    """The row of a cell after a number of steps."""
    return Row(
        cell.policy.name,
        cell.policy.rule,
        cell.policy.settings,
        Place(cell.environment.name, step, cell.seed),
        cell.environment.group,
        cell.environment.environment.n_arms,
        cell.horizon,
        figures,
        cell.digest,
        cell.policy.told,
    )


class SweepTable:
    """All rows of a sweep that are on file.

    Examples
    --------
    >>> table = SweepTable([])
    >>> len(table), table.to_csv().split(",")[:3]
    (0, ['policy', 'rule', 'environment'])
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def columns(self) -> dict[str, list[Any]]:
        """The table by columns; each parameter has its own column, empty where not given.

        If policies are told facts, these have a column too.
        """
        names = dict.fromkeys(name for row in self.rows for name in row.settings)
        found: dict[str, list[Any]] = {
            "policy": [row.policy for row in self.rows],
            "rule": [row.rule for row in self.rows],
            "environment": [row.place.environment for row in self.rows],
            "group": [row.group for row in self.rows],
            "n_arms": [row.n_arms for row in self.rows],
            "horizon": [row.horizon for row in self.rows],
            "step": [row.place.step for row in self.rows],
            "seed": [row.place.seed for row in self.rows],
        }
        if any(row.told for row in self.rows):
            found["told"] = [row.told for row in self.rows]
        for i, name in enumerate(Figures._fields):
            found[name] = [row.figures[i] for row in self.rows]
        for name in names:
            found[f"parameter_{name}"] = _of_one_kind([row.settings.get(name) for row in self.rows])
        return {**found, "cell": [row.cell for row in self.rows]}

    def to_csv(self, path: Path | None = None) -> str:
        """The table as CSV, also written to a file if a path is given."""
        return write_csv(self.columns(), path)

    def to_parquet(self, path: Path) -> None:
        """Write the table as a Parquet file."""
        arrow = _library("pyarrow", "parquet")
        parquet = importlib.import_module("pyarrow.parquet")
        with replace_file(Path(path)) as file:
            parquet.write_table(arrow.table(self.columns()), file)

    def to_pandas(self) -> Any:
        """The table as a pandas frame."""
        return _library("pandas", "pandas").DataFrame(self.columns())

    def to_polars(self) -> Any:
        """The table as a polars frame."""
        return _library("polars", "polars").DataFrame(self.columns())


def write_csv(columns: Mapping[str, Sequence[Any]], path: Path | None = None) -> str:
    """Columns as CSV, also written to a file if a path is given."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    if path is not None:
        with replace_file(Path(path)) as file:
            file.write(text.getvalue().encode())
    return text.getvalue()


def _of_one_kind(values: list[Any]) -> list[Any]:
    """A parameter's values as numbers if all are numbers, otherwise as strings."""
    given = [value for value in values if value is not None]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in given):
        if all(isinstance(value, int) for value in given):
            return values
        return [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values]


def _library(name: str, extra: str) -> Any:
    with needing(name, f"this needs {name}: pip install 'lowbid[{extra}]'"):
        return importlib.import_module(name)
