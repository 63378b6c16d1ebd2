"""Every kind of table gives the same columns, and damage is reported."""

import gzip
import json
import subprocess
import sys

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.logs._sources import MISSING, read_table

COLUMNS = {"arm": ["blue", "green", "blue"], "reward": [1.5, 0.0, -2.0]}
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


def _csv(path, delimiter=","):
    rows = [COLUMNS, *zip(*COLUMNS.values(), strict=True)]
    path.write_text("".join(delimiter.join(map(str, row)) + "\n" for row in rows))
    return path


def _packed(path):
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


def _json_lines(path):
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return path


def _parquet(path):
    pyarrow.parquet.write_table(pyarrow.table(COLUMNS), path)
    return path


TYPED = {
    "mapping": lambda folder: COLUMNS,
    "records": lambda folder: RECORDS,
    "generator": lambda folder: iter(RECORDS),
    "pandas": lambda folder: pandas.DataFrame(COLUMNS),
    "polars": lambda folder: polars.DataFrame(COLUMNS),
    "pyarrow": lambda folder: pyarrow.table(COLUMNS),
    "jsonl": lambda folder: _json_lines(folder / "log.jsonl"),
    "ndjson, packed": lambda folder: _packed(_json_lines(folder / "log.ndjson")),
    "parquet": lambda folder: _parquet(folder / "log.parquet"),
}
TEXTS = {
    "csv": lambda folder: _csv(folder / "log.csv"),
    "tsv": lambda folder: _csv(folder / "log.tsv", "\t"),
    "csv, packed": lambda folder: str(_packed(_csv(folder / "log.csv"))),
}


@pytest.mark.parametrize("kind", TYPED)
def test_the_same_columns_from_every_kind_of_table(kind, tmp_path):
    table = read_table(TYPED[kind](tmp_path))
    assert (table.columns, table.lines, table.broken) == (COLUMNS, [1, 2, 3], [])
    assert not table.as_text


@pytest.mark.parametrize("kind", TEXTS)
def test_files_of_text_have_a_header_and_texts(kind, tmp_path):
    table = read_table(TEXTS[kind](tmp_path))
    assert table.columns == {name: list(map(str, column)) for name, column in COLUMNS.items()}
    assert table.lines == [2, 3, 4]
    assert table.as_text


def test_lines_are_counted_as_an_editor_does(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('arm,note\nblue,"two\nlines"\n\ngreen,x\nred\n')
    table = read_table(path)
    assert table.lines == [2, 5]
    assert [line for line, _ in table.broken] == [6]


def test_records_may_lack_entries():
    assert read_table([{"arm": 1}, {"reward": 2}]).columns["arm"] == [1, MISSING]


def test_what_is_no_record_is_listed(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"arm": 1}\n[1]\n\n{"arm": 2\n')
    table = read_table(path)
    assert table.lines == [1]
    assert [line for line, _ in table.broken] == [2, 4]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("log.csv", b""),
        ("log.csv", b"arm,arm\n1,2\n"),
        ("log.csv", b'arm,reward\nblue,"1.0\n'),
        ("log.csv", b"arm,reward\n\xff\xfe,1\n"),
        ("log.csv.gz", b"arm,reward\n"),
        ("log.csv.gz", gzip.compress(b"arm,reward\n" * 1000, mtime=0)[:-20]),
        ("log.parquet", b"PAR1"),
    ],
)
def test_damaged_files_are_named(name, content, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=name):
        read_table(path)


@pytest.mark.parametrize("source", [3, None, b"bytes", "log.xlsx", "log", {"arm": "blue"}])
def test_what_is_no_table_is_refused(source):
    with pytest.raises(InvalidValueError, match=r"give|name it"):
        read_table(source)


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(InvalidValueError, match="'arm' has 2, 'reward' has 1"):
        read_table({"arm": [1, 2], "reward": [1]})


def test_a_file_that_is_not_there_is_pythons_own_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "log.csv")


def test_parquet_without_pyarrow_says_what_to_install():
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from lowbid.logs._sources import read_table\n"
        "try: read_table('log.parquet')\n"
        "except ImportError as error: print(error)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'lowbid[parquet]'" in out.stdout
