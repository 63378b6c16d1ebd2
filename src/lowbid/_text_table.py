"""Tables as text that fits the terminal."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Collection, Mapping, Sequence

from lowbid._terminal import filled, room

_GAP = "  "
_BETWEEN_WORDS = re.compile(r" (?![^\[]*\])")  # not within an interval

Row = Sequence[str]


def text_table(
    head: Row, rows: Sequence[Row], text_columns: Collection[int] = (), spare: Row = ()
) -> str:
    """A table with one line per row if there is room; names and numbers are never split.

    Otherwise, `spare` columns are left out, in their order, and cells are broken between words.
    If that is not enough, the first cell of each row is on a line of its own.

    Parameters
    ----------
    head : sequence of str
        The titles of the columns.
    rows : sequence of sequences of str
        The cells.
    text_columns : collection of int
        The columns that are aligned on the left, besides the first.
    spare : sequence of str
        Titles of columns that may be left out.

    Examples
    --------
    >>> print(text_table(["policy", "regret"], [["UCB1", "123.9"], ["BetaThompson", "5.1"]]))
    policy        regret
    --------------------
    UCB1           123.9
    BetaThompson     5.1
    """
    left = {0, *text_columns}
    for apart, dropped in itertools.product((False, True), range(len(spare) + 1)):
        kept = [i for i, title in enumerate(head) if title not in spare[:dropped]]
        shown = [[row[i] for i in kept] for row in (head, *rows)]
        widths = _widths([row[apart:] for row in shown], 0 if apart else 1, room() - 2 * apart)
        if widths:
            break
    else:
        return "\n\n".join(
            described(row[0], dict(zip(head[1:], row[1:], strict=True))) for row in rows
        )
    aligned = [position in left for position in kept][apart:]
    lines = [line for row in shown[:1] for line in _lines(row, widths, aligned, apart)]
    lines.append("-" * max(map(len, lines)))
    lines += [line for row in shown[1:] for line in _lines(row, widths, aligned, apart)]
    return "\n".join(lines)


def described(name: str, facts: Mapping[str, str]) -> str:
    """A name, and beneath it a line or more for each fact.

    >>> print(described("UCB1", {"must know": "the range", "time": "log K"}))
    UCB1
      must know  the range
      time       log K
    """
    lines = filled(name, 4).splitlines()
    width = max(map(len, facts))
    for title, fact in facts.items():
        first, hanging = f"{_GAP}{title:{width}}{_GAP}", " " * (width + 2 * len(_GAP))
        lines += textwrap.wrap(
            fact, room(), initial_indent=first, subsequent_indent=hanging, break_on_hyphens=False
        )
    return "\n".join(lines)


def _widths(rows: Sequence[Row], whole: int, available: int) -> list[int]:
    """The columns' widths: the widest are narrowed as far as necessary; none if that fails.

    The first `whole` columns are not narrowed.
    """
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [
        width if i < whole else max(len(word) for cell in column for word in _words(cell))
        for i, (column, width) in enumerate(zip(columns, widths, strict=True))
    ]
    available -= len(_GAP) * (len(widths) - 1)
    if sum(least) > available:
        return []
    while sum(widths) > available:
        spread = [width if width > low else 0 for width, low in zip(widths, least, strict=True)]
        widths[spread.index(max(spread))] -= 1
    return widths


def _lines(row: Row, widths: Sequence[int], left: Sequence[bool], apart: bool) -> list[str]:
    found = filled(row[0], 4).splitlines() if apart else []
    cells = [_wrapped(cell, width) for cell, width in zip(row[apart:], widths, strict=True)]
    for parts in itertools.zip_longest(*cells, fillvalue=""):
        padded = (
            part.ljust(width) if is_left else part.rjust(width)
            for part, width, is_left in zip(parts, widths, left, strict=True)
        )
        found.append(((_GAP if apart else "") + _GAP.join(padded)).rstrip())
    return found


def _words(cell: str) -> list[str]:
    return _BETWEEN_WORDS.split(cell)


def _wrapped(cell: str, width: int) -> list[str]:
    if len(cell) <= width:
        return [cell]
    lines = [""]
    for word in _words(cell):
        together = f"{lines[-1]} {word}".strip()
        if len(together) <= width:
            lines[-1] = together
        else:
            lines.append(word)
    return lines
