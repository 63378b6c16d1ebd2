"""The base class of policies that look at features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, cast

from lowbid._require import require, require_whole
from lowbid.contextual._columns import Columns
from lowbid.policies import Policy

# Large arrays of one state take up to 20 MB each.
_MOST_COLUMNS, _MOST_NUMBERS = 1_000, 5_000_000


class ContextualPolicy(Policy):
    """Base class of policies that look at features.

    Features are columns of numbers. Those of a decision are in the state when a kernel is called:
    `see` has written them there.
    """

    columns: int

    select_keeps_state = False

    def check_columns(self) -> None:
        """Raise an error for an impossible number of columns."""
        require_whole("columns", self.columns, at_least=0, at_most=_MOST_COLUMNS)

    def for_columns(self, columns: int) -> Self:
        """Adapt the policy to features in this many columns; its random numbers stay the same."""
        return cast(Self, replace(cast(Any, self), columns=columns))

    @property
    def stream_name(self) -> str:
        """Its identity without features."""
        return self.identity if self.columns == 0 else self.for_columns(0).identity

    def check_size(self, n_arms: int) -> None:
        """Refuse a state that would be too large."""
        numbers = n_arms * (self.columns + 1) ** 2
        require(
            numbers <= _MOST_NUMBERS,
            f"{n_arms} arms and {self.columns} columns of features are too many: the number of "
            f"arms times the square of that of columns is {numbers:,}; give fewer arms, features "
            f"or categories, so that it is at most {_MOST_NUMBERS:,}.",
        )

    def columns_of(self, state: Any) -> Columns:
        """The features within a state."""
        raise NotImplementedError
