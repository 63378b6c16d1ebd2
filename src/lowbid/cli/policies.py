"""List all policies: what each must know, what it costs, what is proved, what to cite.

Time is per step and memory in total, as they grow with K arms, t steps so far, n losses of an arm,
l batches and M subsets or members. Guarantees omit constants; b is the losses' scale, and T the
number of steps. The table is as wide as the terminal. With --citation, print the BibTeX entries
instead. With names, only policies whose name contains one of them.
"""

from __future__ import annotations

import argparse
import itertools
import re
import shutil
import textwrap
from typing import Any

_HEAD = ("name", "family", "must know", "time", "memory", "guarantee", "reference")
_GAP = "  "
_NARROWEST = 8
_SOFT = "\N{SOFT HYPHEN}"  # marks where a word may break

Cells = tuple[tuple[str, ...], ...]  # for each column, lines


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("names", nargs="*", help="parts of names (default: all policies)")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    shape.add_argument("--citation", action="store_true", help="print BibTeX entries")


def run(arguments: argparse.Namespace) -> int:
    """Print the table, or the entries."""
    from lowbid.errors import UnknownNameError
    from lowbid.policies import citation

    chosen = [policy for policy in _policies() if _is_meant(policy.name, arguments.names)]
    if not chosen:
        parts = " or ".join(arguments.names)
        raise UnknownNameError(f"no policy's name contains {parts}; `lowbid policies` lists all.")
    if arguments.citation:
        print(citation(chosen))
    elif arguments.markdown:
        for row in [_HEAD, ("---",) * len(_HEAD), *map(_row, chosen)]:
            print(f"| {' | '.join(row)} |")
    else:
        _print_families([_row(policy) for policy in chosen])
    return 0


def _policies() -> list[Any]:
    """One object per way to construct a policy, with its defaults."""
    from lowbid import policies

    classes = [getattr(policies, name) for name in policies.__all__]
    every = [
        policy for cls in classes for policy in cls.variants() if policy.name in cls.constructors()
    ]
    return sorted(every, key=lambda policy: (policy.about.family, policy.name.lower()))


def _is_meant(name: str, parts: list[str]) -> bool:
    return not parts or any(part.lower() in name.lower() for part in parts)


def _row(policy: Any) -> tuple[str, ...]:
    from lowbid.policies import reference

    about = policy.about
    cost = (about.time, about.memory)
    return (policy.name, about.family, about.needs, *cost, about.guarantee, reference(policy))


def _print_families(rows: list[tuple[str, ...]]) -> None:
    """One table per family, all with the same columns, at most as wide as the terminal."""
    head = (("name", "  reference"), ("must know",), ("time per step", "memory"), ("guarantee",))
    widths = _widths([head, *map(_cells, rows)], shutil.get_terminal_size().columns)
    for family, members in itertools.groupby(rows, key=lambda row: row[1]):
        print(f"{family.upper()}\n")
        _print_cells(head, widths)
        print(_GAP.join("-" * width for width in widths))
        for row in members:
            _print_cells(_cells(row), widths)
        print()


def _cells(row: tuple[str, ...]) -> Cells:
    """A row with fewer columns: related entries are stacked."""
    name, _, needs, time, memory, guarantee, reference = row
    return (name, f"  {reference}"), (needs,), (f"time {time}", f"memory {memory}"), (guarantee,)


def _widths(rows: list[Cells], room: int) -> list[int]:
    """The widths of the cells; if these are too much, the widest columns are narrowed."""
    columns = [[line for cell in column for line in cell] for column in zip(*rows, strict=True)]
    widths = [max(map(len, lines)) for lines in columns]
    room -= len(_GAP) * (len(widths) - 1)
    while sum(widths) > max(room, _NARROWEST * len(widths)):
        widths[widths.index(max(widths))] -= 1
    return widths


def _print_cells(row: Cells, widths: list[int]) -> None:
    columns = [
        [part for line in cell for part in _wrapped(line, width)]
        for cell, width in zip(row, widths, strict=True)
    ]
    for parts in itertools.zip_longest(*columns, fillvalue=""):
        padded = (f"{part:{width}}" for part, width in zip(parts, widths, strict=True))
        print(_GAP.join(padded).rstrip())


def _wrapped(line: str, width: int) -> list[str]:
    """The parts of a line that is too long; words may break after a dot, an underscore or =."""
    if len(line) <= width:
        return [line]
    breakable = re.sub(r"(?<=[._=])(?=[\w'])", f"{_SOFT} ", line)
    parts = textwrap.wrap(breakable, width, subsequent_indent="  ", break_on_hyphens=False)
    return [part.replace(f"{_SOFT} ", "").replace(_SOFT, "") for part in parts]
