"""How the means of drifting arms move."""

from __future__ import annotations

from typing import Any

from lowbid._arrays import Floats
from lowbid._compile import kernel


class Path:
    """Base class of paths: the means of `Drifting` arms at each step.

    A path has kernels ``begin`` and ``move`` like those of `Changing`, which write the means to
    the table's first column and update the gaps.
    """

    begin: Any
    move: Any

    def ends(self, start: Floats) -> tuple[Floats, Floats]:
        """The lowest and the highest mean of each arm, for arms that start at these means."""
        raise NotImplementedError

    def world(self, start: Floats, seed: int) -> Any:
        """The data that the kernels read and write."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """The path as plain data, for provenance."""
        raise NotImplementedError


@kernel
def open_gaps(table: Floats, gaps: Floats) -> None:
    """Compute how far each mean is above the lowest."""
    lowest = table[0, 0, 0]
    for arm in range(1, table.shape[1]):
        lowest = min(lowest, table[0, arm, 0])
    for arm in range(table.shape[1]):
        gaps[0, arm] = table[0, arm, 0] - lowest
