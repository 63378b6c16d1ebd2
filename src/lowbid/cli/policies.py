"""List all policies: what each must know, what it costs, what is proved, whom to cite.

Time is per step and memory in all, as they grow with K arms, t steps so far, and n losses of an
arm. With --citation, print the BibTeX entries instead. With names, only policies whose name
contains one of them.
"""

from __future__ import annotations

import argparse
from typing import Any

_HEAD = ("name", "family", "must know", "time", "memory", "guarantee", "reference")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("names", nargs="*", help="parts of names; all policies if there are none")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--markdown", action="store_true", help="a table in Markdown")
    shape.add_argument("--citation", action="store_true", help="BibTeX entries")


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
        _print_table([_HEAD, *map(_row, chosen)])
    return 0


def _policies() -> list[Any]:
    """One object for each way to make a policy, with its defaults."""
    from lowbid import policies

    classes = [getattr(policies, name) for name in policies.__all__]
    every = [
        policy for cls in classes for policy in cls.variants() if policy.name in cls.constructors()
    ]
    return sorted(every, key=lambda policy: (policy.about.family, policy.name.lower()))


def _is_meant(name: str, parts: list[str]) -> bool:
    return not parts or any(part.lower() in name.lower() for part in parts)


def _row(policy: Any) -> tuple[str, ...]:
    from lowbid.policies._citation import reference

    about = policy.about
    cost = (about.time, about.memory)
    return (policy.name, about.family, about.needs, *cost, about.guarantee, reference(policy))


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
