"""Arms of different families side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid._require import invalid
from lowbid.environments._base import Arms
from lowbid.errors import InvalidValueError

# What the template below is bound to: two draws, and the code of the first one's family.
_this: Any = None
_others: Any = None
_code = 0.0


@kernel
def _this_or_others(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """Draw from this family if the last column has its code, else try the other families."""
    if table[instance, arm, table.shape[2] - 1] == _code:
        return _this(table, instance, arm, stream)
    return _others(table, instance, arm, stream)


class Mixed(Arms):
    """Arms of several families: those of the first environment, then the second's, and so on.

    Parameters
    ----------
    parts : sequence of environments
        Each may have any number of arms; none may be drawn at random.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Mixed([lowbid.Bernoulli([0.2]), lowbid.Gaussian([0.1, 0.5])])
    >>> arms.means
    array([0.2, 0.1, 0.5])
    """

    def __init__(self, parts: Sequence[Arms]) -> None:
        if not isinstance(parts, Sequence):
            raise invalid("parts", parts, "give a list of environments.")
        self.parts = tuple(parts)
        if not self.parts:
            raise invalid("parts", parts, "give at least one part.")
        for part in self.parts:
            if not isinstance(part, Arms) or isinstance(part, Mixed):
                raise InvalidValueError(
                    f"a part is {part!r}; give environments of one family each, such as "
                    "Bernoulli([0.1]), and not arms drawn at random."
                )

    @property
    def draw(self) -> Any:
        """A draw from the family of the arm."""
        draw = self.parts[-1].draw
        for code in range(len(self.parts) - 2, -1, -1):
            draw = specialise(
                _this_or_others, _this=self.parts[code].draw, _others=draw, _code=float(code)
            )
        return draw

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return sum(part.n_arms for part in self.parts)

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """Each arm's own columns, zeros, and last the number of its part."""
        tables = [part.table(seed, runs) for part in self.parts]
        joined = np.zeros((1, self.n_arms, 1 + max(table.shape[2] for table in tables)))
        for code, (arms, table) in enumerate(zip(self._slices(), tables, strict=True)):
            joined[:, arms, : table.shape[2]] = table
            joined[:, arms, -1] = code
        return joined

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return np.concatenate([part.means for part in self.parts])[np.newaxis]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return np.concatenate([part.variances for part in self.parts])[np.newaxis]

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        lows, highs = zip(*(part.support for part in self.parts), strict=True)
        return min(lows), max(highs)

    def describe(self) -> dict[str, Any]:
        """The parts, each described."""
        return {"environment": "Mixed", "parts": [part.describe() for part in self.parts]}

    def _slices(self) -> list[slice]:
        ends = np.cumsum([part.n_arms for part in self.parts]).tolist()
        return [slice(end - part.n_arms, end) for part, end in zip(self.parts, ends, strict=True)]

    def __repr__(self) -> str:
        return f"Mixed({list(self.parts)!r})"
