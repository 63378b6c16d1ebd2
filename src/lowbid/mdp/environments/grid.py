"""Grid worlds, from a drawing in text."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats, Ints
from lowbid._require import require, require_probability
from lowbid.errors import InvalidValueError
from lowbid.mdp._tables import Successors, compact
from lowbid.mdp._tabular import Tabular

_MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # up, right, down, left
_WALL, _START, _GOAL, _FREE = "#", "S", "G", "."

WALLED = """
S........
...#.....
...#.....
...#.....
...#....G
"""


class Grid(Tabular):
    """Cells to walk through, with actions up, right, down and left.

    Walls and edges stop a move. A goal is never left once reached, and yields a reward of 1 at each
    stage from then on. With probability `slip` a uniformly drawn action replaces the chosen one.

    Parameters
    ----------
    drawing : str
        One line per row: ``S`` for starts (one of several is drawn in each episode), ``G``
        for goals, ``#`` for walls, ``.`` for free cells. By default 5 by 9 cells with a wall.
    slip : float
        In [0, 1].
    horizon : int
        The number of stages.

    Attributes
    ----------
    cells : list of (int, int)
        The row and column of each state.
    shape : (int, int)
        The numbers of rows and columns.

    Examples
    --------
    >>> from lowbid import mdp
    >>> corridor = mdp.Grid("S..G", slip=0.0, horizon=5)
    >>> corridor.cells
    [(0, 0), (0, 1), (0, 2), (0, 3)]
    >>> corridor.optimum  # three moves, and then two stages at the goal
    2.0
    """

    def __init__(self, drawing: str = WALLED, slip: float = 0.1, horizon: int = 20) -> None:
        require_probability("slip", slip, ends=True)
        self.slip = float(slip)
        rows = _rows(drawing)
        self.drawing = "\n".join(rows)
        self.shape = len(rows), len(rows[0])
        self.cells = [
            (row, column)
            for row, line in enumerate(rows)
            for column, mark in enumerate(line)
            if mark != _WALL
        ]
        number = {cell: state for state, cell in enumerate(self.cells)}
        marks = np.array([rows[row][column] for row, column in self.cells])
        targets = np.zeros((len(self.cells), 4), np.int64)
        for state, (row, column) in enumerate(self.cells):
            for action, (down, right) in enumerate(_MOVES):
                targets[state, action] = number.get((row + down, column + right), state)
        targets[marks == _GOAL] = np.flatnonzero(marks == _GOAL)[:, np.newaxis]
        rewards = np.repeat((marks == _GOAL).astype(float)[:, np.newaxis], 4, axis=1)
        super().__init__(
            _slipping(targets, self.slip),
            rewards=rewards,
            horizon=horizon,
            first=(marks == _START) / (marks == _START).sum(),
        )

    def map_of(self, visits: npt.ArrayLike) -> Floats:
        """Visits of each cell, (row, column); NaN for walls."""
        cells = np.full(self.shape, np.nan)
        for cell, count in zip(self.cells, np.sum(np.asarray(visits), axis=(0, 2)), strict=True):
            cells[cell] = count
        return cells

    @property
    def map_axes(self) -> tuple[str, str]:
        """The meaning of the rows and of the columns of `map_of`."""
        return "row", "column"

    @property
    def given(self) -> dict[str, Any]:
        """The parameters."""
        return {"drawing": self.drawing, "slip": self.slip, "horizon": self.horizon}


def _slipping(targets: Ints, slip: float) -> Successors:
    """The outcomes of each move, from the cell that each move aims at, (state, action).

    They are listed once each, in the order of their numbers; a full table would take S times S.
    """
    listed = np.sort(targets, axis=1)
    repeated = np.zeros(listed.shape, bool)
    repeated[:, 1:] = listed[:, 1:] == listed[:, :-1]
    share = (listed[:, :, np.newaxis] == targets[:, np.newaxis, :]).mean(axis=2)
    aimed = listed[:, np.newaxis, :] == targets[:, :, np.newaxis]
    chances = (1.0 - slip) * aimed + slip * share[:, np.newaxis, :]
    chances[np.broadcast_to(repeated[:, np.newaxis, :], chances.shape)] = 0.0
    return compact(chances, np.broadcast_to(listed[:, np.newaxis, :], chances.shape))


def _rows(drawing: str) -> list[str]:
    """The lines of a drawing, or an error that says what is wrong with it."""
    require(
        isinstance(drawing, str),
        f"the drawing is {drawing!r}; give a text such as 'S..G', with one line per row.",
    )
    rows = [line.rstrip() for line in textwrap.dedent(drawing).strip("\n").splitlines()]
    if not rows or len({len(row) for row in rows}) > 1:
        lengths = sorted({len(row) for row in rows})
        raise InvalidValueError(
            f"the drawing's lines have the lengths {lengths}; give one or more lines of one length."
        )
    known = _WALL + _START + _GOAL + _FREE
    for mark in "".join(rows):
        require(mark in known, f"the drawing has {mark!r}; draw with the marks {known} only.")
    text = "".join(rows)
    require(_START in text, f"the drawing has no start; mark one or more with {_START}.")
    require(_GOAL in text, f"the drawing has no goal; mark one or more with {_GOAL}.")
    return rows
