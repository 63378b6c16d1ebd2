"""List policies: what each must know, what it costs, what is proved, what to cite.

Time is per step and memory in total, as they grow with K arms, t steps so far, n losses of an arm,
l batches and M subsets or members. Guarantees omit constants; b is the losses' scale, and T the
number of steps. Names select the policies whose name contains one of them.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

from lowbid._terminal import coloured
from lowbid._text_table import described

_HEAD = ("name", "family", "must know", "time", "memory", "guarantee", "reference")


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
    for family, members in itertools.groupby(rows, key=lambda row: row[1]):
        print(coloured(f"{family.upper()}\n", "bold"))
        for name, _, needs, time, memory, guarantee, reference in members:
            facts = {"must know": needs, "time": time, "memory": memory, "guarantee": guarantee}
            print(described(f"{name} ({reference})", facts))
        print()
