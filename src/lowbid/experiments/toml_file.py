"""TOML files whose errors are reported with their line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lowbid.errors import FileFormatError, LowbidError
from lowbid.experiments.names import nearest

T = TypeVar("T")

_ENTRY = re.compile(r"""\s*["']?(?P<key>[\w-]+)["']?\s*=\s*["']?(?P<value>[^"'#]*)""")


class TomlFile:
    """One file being read, with its text kept to find the lines of errors.

    Attributes
    ----------
    contents : dict
        The file's entries, by the names that `known` has for them.
    """

    def __init__(self, path: Path, known: Sequence[str], what: str, writes: str | None) -> None:
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
            self.lines = self.text.splitlines()
            self.contents = self.named(tomllib.loads(self.text), known)
        except OSError as error:
            hint = f"`{writes} {path}` writes" if writes and not path.is_dir() else "give"
            raise FileFormatError(
                f"{path} cannot be read ({error.strerror}); {hint} {what}."
            ) from error
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{path} is not text in UTF-8; save it as such.") from error
        except tomllib.TOMLDecodeError as error:
            raise FileFormatError(f"{path} is not valid TOML: {error}.") from error

    def named(self, contents: dict[str, Any], known: Sequence[str]) -> dict[str, Any]:
        """The file's entries, by their canonical names."""
        found = {}
        for key, value in contents.items():
            try:
                found[nearest("entry of the file", key, known)] = value
            except LowbidError as error:
                raise self.error(str(error), self.line_of(key)) from error
        return found

    def at_entry(self, make: Callable[[], T], entry: str) -> T:
        """Process a top-level entry; errors are reported with its line."""
        try:
            return make()
        except LowbidError as error:
            raise self.error(str(error), self.line_of(entry)) from error

    def tables(self, name: str) -> list[dict[str, Any]]:
        """All tables with a name; at least one."""
        tables = self.contents.get(name)
        if not (tables and isinstance(tables, list) and all(isinstance(t, dict) for t in tables)):
            message = f"there are no {name}; add a table [[{name}]]."
            raise self.error(message, self.line_of(name))
        return tables

    def at(self, make: Callable[[], T], table: str, number: int) -> T:
        """Process a table; errors are reported with its line."""
        try:
            return make()
        except LowbidError as error:
            line = self.line_in_table(table, number, error)
            raise self.error(str(error), line) from error

    def error(self, message: str, line: int | None) -> FileFormatError:
        """The error for a line of the file."""
        place = self.path if line is None else f"{self.path}, line {line}"
        return FileFormatError(f"{place}: {message}")

    def line_of(self, entry: str) -> int | None:
        """The line of a top-level entry: a value, or the first table with its name."""
        wanted = re.compile(
            rf"""\s*(\[\[?\s*)?["']?{re.escape(entry)}["']?\s*[]=]""", re.IGNORECASE
        )
        return next((i for i, line in enumerate(self.lines, start=1) if wanted.match(line)), None)

    def line_in_table(self, table: str, number: int, error: LowbidError) -> int | None:
        """The line of the entry of a table that an error is about, or of the table's header."""
        head = re.compile(rf"\s*\[\[\s*{table}\s*\]\]", re.IGNORECASE)
        heads = [i for i, line in enumerate(self.lines) if head.match(line)]
        if number >= len(heads):  # the tables are written inline
            return self.line_of(table)
        for i in range(heads[number] + 1, len(self.lines)):
            if self.lines[i].lstrip().startswith("["):
                break
            found = _ENTRY.match(self.lines[i])
            if found and _is_about(error, found["key"], found["value"].strip()):
                return i + 1
        return heads[number] + 1


def _is_about(error: LowbidError, key: str, value: str) -> bool:
    """Whether an error is about an entry: its key, a part of its value, or a name that it gives."""
    field = (error.field or "").partition(".")[0]
    return field == key or (isinstance(error.value, str) and error.value in (key, value))
