"""Colours and strokes of curves: a policy has the same ones in every picture."""

from __future__ import annotations

import functools
import itertools
import re
import zlib
from collections.abc import Container, Iterable
from typing import NamedTuple

from lowbid import policies
from lowbid._discovery import modules_in

# The colours of M. Okabe and K. Ito (2008), Color universal design, which people with any kind of
# colour vision can tell apart; with grey instead of yellow, which is hard to see on white, and
# brown added.
_COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#7A7A7A",
    "#7B3F1D",
)
# The same colours, lightened for dark pages.
DARK = dict(
    zip(
        _COLOURS,
        (
            "#3f9fe0",
            "#ff8a4c",
            "#2cc79b",
            "#e79fc6",
            "#f2b632",
            "#9ad7ff",
            "#f2f2f0",
            "#a8a8a8",
            "#c58f6b",
        ),
        strict=True,
    )
)
# Lengths of strokes and of the gaps between them, in line widths; none for a solid line.
_DASHES = ((), (5.0, 1.6), (1.2, 1.4), (6.0, 1.5, 1.2, 1.5), (9.0, 2.5))
_MORE_DASHES = ((2.5, 4.0), (9.0, 1.5, 1.2, 1.5, 1.2, 1.5), (9.0, 6.0), (4.0, 1.5, 4.0, 4.5))
_STYLES = len(_COLOURS) * (len(_DASHES) + len(_MORE_DASHES))

# The styles of those that are drawn together in the documentation, in different colours. All other
# policies have one that follows from their names.
_DRAWN_TOGETHER = {
    "ensembleadaptive": 0,
    "ensembleadaptiveefficient": 1,
    "rbsda": 2,
    "batchensemble": 3,
    "klucb": 4,
    "mars": 5,
    "betathompson": 6,
    "ucb1": 7,
    "ucbv": 8,
    "batchlikelihood": 9,
    "momentimed": 10,
    "lbsda": 11,
    "slidingwindowlbsda": 14,
    "slidingwindowucb": 18,
    "discounteducb": 19,
    "discountedbetathompson": 22,
    "slidingwindowbetathompson": 24,
}
# What papers call them.
_ALIASES = {
    "ucb": "ucb1",
    "ucbkl": "klucb",
    "ts": "betathompson",
    "swlbsda": "slidingwindowlbsda",
    "swucb": "slidingwindowucb",
    "swts": "slidingwindowbetathompson",
    "ducb": "discounteducb",
    "dts": "discountedbetathompson",
}


class Style(NamedTuple):
    """How a curve is drawn: a colour, and a dash pattern that distinguishes it in grey print."""

    colour: str
    dashes: tuple[float, ...]


def style(number: int) -> Style:
    """The style of the first, second, ... curve; 81 of them differ."""
    number %= _STYLES
    rounds = number - len(_COLOURS) * len(_DASHES)
    dashes = _DASHES[number % len(_DASHES)] if rounds < 0 else _MORE_DASHES[rounds // len(_COLOURS)]
    return Style(_COLOURS[number % len(_COLOURS)], dashes)


def first_styles() -> list[Style]:
    """Styles of as many curves as there are colours."""
    return [style(number) for number in range(len(_COLOURS))]


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """A style for each name: a policy's own, and for other names some that are free.

    Of several variants of a policy, such as UCB1 and UCB1(scale=2.0), the first has the policy's
    style, so that the others can be told from it.

    >>> {name: look.colour for name, look in styles_of(["mine", "UCB", "UCB1(scale=2.0)"]).items()}
    {'mine': '#0072B2', 'UCB': '#7A7A7A', 'UCB1(scale=2.0)': '#D55E00'}
    """
    names = list(dict.fromkeys(names))
    taken: dict[int, str] = {}
    for name in names:
        number = _own_number(name)
        if number is not None:
            taken.setdefault(number, name)
    for name in names:
        if name not in taken.values():
            taken[_free(taken)] = name
    numbers = {name: number for number, name in taken.items()}
    return {name: style(numbers[name]) for name in names}


def bound_dashes(number: int) -> tuple[float, ...]:
    """The strokes of the first, second, ... of the chart's further curves, all grey; 9 differ."""
    every = (*_DASHES, *_MORE_DASHES)
    return every[number % len(every)]


def _own_number(name: str) -> int | None:
    """The number of the policy that a name stands for; parameters and variants are left out."""
    word = re.sub(r"[ _-]", "", re.split(r"[.,(:]", name, maxsplit=1)[0]).lower()
    return _numbers().get(_ALIASES.get(word, word))


@functools.cache
def _numbers() -> dict[str, int]:
    """The style of every policy: its name's checksum, or the next number that is free."""
    numbers = dict(_DRAWN_TOGETHER)
    for word in modules_in(policies.__path__[0]):
        first = zlib.crc32(word.encode())
        order = ((first + more) % _STYLES for more in range(_STYLES))
        numbers.setdefault(word, next(n for n in order if n not in numbers.values()))
    return numbers


def _free(taken: Container[int]) -> int:
    """The first style that nobody has, in a colour that nobody has if there is one."""
    for number in range(len(_COLOURS)):
        if not any(same in taken for same in range(number, _STYLES, len(_COLOURS))):
            return number
    return next(number for number in itertools.count() if number not in taken)
