"""Tables of any kind as columns: text files, Parquet, frames, and plain Python."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from lowbid._optional import needing
from lowbid.errors import FileFormatError, InvalidValueError, Refusal

# The placeholder for an entry that a record does not have.
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "nothing"})()


class Table(NamedTuple):
    """Columns of equal length, and the position of each row.

    Attributes
    ----------
    name : str
        Its name in errors.
    unit : str
        What errors call its rows: "line" in a text file, otherwise "row".
    columns : dict
        Lists by name.
    lines : list of int
        The position of each row, from 1.
    broken : list of Refusal
        Lines that cannot be parsed as rows.
    as_text : bool
        Whether every value is a string, including numbers.
    """

    name: str
    unit: str
    columns: dict[str, list[Any]]
    lines: list[int]
    broken: list[Refusal]
    as_text: bool = False


def read_table(source: Any) -> Table:
    """The columns of a file, a frame, a mapping from names to columns, or a list of records."""
    if isinstance(source, str | os.PathLike):
        return _from_file(Path(source))
    if isinstance(source, Mapping):
        return _from_columns("the table", {str(name): source[name] for name in source})
    names = getattr(source, "column_names", None)  # pyarrow; its `columns` has no names
    names = getattr(source, "columns", None) if names is None else names
    if names is not None and hasattr(source, "__getitem__"):
        return _from_columns("the table", {str(name): source[name] for name in names})
    if isinstance(source, Iterable) and not isinstance(source, bytes):
        return from_records("the list", "row", enumerate(source, 1))
    raise InvalidValueError(
        f"the log is {source!r}; give the path of a file (.csv, .tsv, .jsonl, .parquet), a pandas "
        "or polars frame, a mapping from names to columns, or a list of records."
    )


def from_records(name: str, unit: str, records: Iterable[tuple[int, Any]]) -> Table:
    """A table from mappings, each with its line number; refusals are kept."""
    rows: list[Mapping[str, Any]] = []
    lines: list[int] = []
    broken: list[Refusal] = []
    for line, record in records:
        if isinstance(record, Mapping):
            rows.append(record)
            lines.append(line)
        elif isinstance(record, Refusal):
            broken.append(record)
        else:
            broken.append(Refusal(line, f"{str(record)[:40]!r} is not a record; give a mapping"))
    names = {key: None for row in rows for key in row}
    columns = {str(key): [row.get(key, MISSING) for row in rows] for key in names}
    return Table(name, unit, columns, lines, broken)


def _from_columns(name: str, given: Mapping[str, Any]) -> Table:
    columns = {column: _listed(column, values) for column, values in given.items()}
    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{column!r} has {length}" for column, length in lengths.items())
        raise InvalidValueError(f"the columns of the log differ in length: {sizes}.")
    rows = next(iter(lengths.values()), 0)
    return Table(name, "row", columns, list(range(1, rows + 1)), [])


def _listed(name: str, values: Any) -> list[Any]:
    """A column as a list of Python objects."""
    for method in ("to_pylist", "to_list", "tolist"):  # pyarrow; polars and pandas; NumPy
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidValueError(f"column {name!r} is {values!r}; give a list.")
    return list(values)


def _from_file(path: Path) -> Table:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    kind = (suffixes[-2:-1] if packed else suffixes[-1:]) or [""]
    reader = _READERS.get(kind[0])
    if reader is None or (packed and kind[0] == ".parquet"):
        known = ", ".join(_READERS)
        raise InvalidValueError(
            f"{str(path)!r} does not say what kind of file it is; name it {known}; text files may "
            "also end in .gz."
        )
    return reader(path)


def _from_csv(path: Path) -> Table:
    with _text(path) as file:
        delimiter = "\t" if ".tsv" in (suffix.lower() for suffix in path.suffixes) else ","
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        header = next(reader, None)
        if not header:
            raise FileFormatError(f"{path} is empty; its first line must name the columns.")
        if len(set(header)) < len(header):
            raise FileFormatError(
                f"{path} has two columns with the same name: {', '.join(header)}."
            )
        rows: list[list[str]] = []
        lines: list[int] = []
        broken: list[Refusal] = []
        begun = reader.line_num
        for row in reader:
            line, begun = begun + 1, reader.line_num
            if len(row) == len(header):
                rows.append(row)
                lines.append(line)
            elif row:
                reason = f"it has {len(row)} cells, but the first line names {len(header)} columns"
                broken.append(Refusal(line, reason))
    columns = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    return Table(str(path), "line", columns, lines, broken, as_text=True)


def _from_json_lines(path: Path) -> Table:
    with _text(path) as file:
        return from_records(str(path), "line", _records(file))


def _records(file: IO[str]) -> Iterator[tuple[int, Any]]:
    for line, text in enumerate(file, 1):
        if text.strip():
            try:
                yield line, json.loads(text)
            except ValueError:
                yield line, Refusal(line, f"{text.strip()[:40]!r} is not JSON, or cut short")


def _from_parquet(path: Path) -> Table:
    message = "Parquet files need pyarrow: pip install 'lowbid[parquet]'"
    with needing("pyarrow pyarrow.parquet", message):
        import pyarrow
        import pyarrow.parquet
    try:
        table = pyarrow.parquet.read_table(path)
    except pyarrow.ArrowInvalid as error:
        raise FileFormatError(f"{path} is not a Parquet file, or cut short: {error}") from error
    return _from_columns(str(path), {name: table[name] for name in table.column_names})


@contextmanager
def _text(path: Path) -> Iterator[IO[str]]:
    """A text file, compressed or not; damage is reported with our own errors."""
    opened: Callable[..., Any] = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield file
    except (UnicodeDecodeError, csv.Error, EOFError, gzip.BadGzipFile) as error:
        raise FileFormatError(f"{path} is damaged or cut short: {error}.") from error


_READERS: dict[str, Callable[[Path], Table]] = {
    ".csv": _from_csv,
    ".tsv": _from_csv,
    ".jsonl": _from_json_lines,
    ".ndjson": _from_json_lines,
    ".parquet": _from_parquet,
}
