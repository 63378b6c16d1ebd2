"""The base class of environments: a table of the arms' parameters, and a draw from one arm."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._require import invalid, require_value
from lowbid.errors import InvalidValueError


@kernel
def stay(table: Floats, gaps: Floats, world: Any, number: int) -> None:
    """Do nothing: for arms that do not change when a run begins, or before each step."""


class Environment:
    """Base class of all environments.

    An environment describes its arms by a table of numbers, (instance, arm, column), and draws
    a loss by a kernel ``draw(table, instance, arm, stream)``. There is one instance for all runs,
    or one for each run if the arms themselves are drawn at random. Arms that change from step to
    step have two more kernels: see `Changing`.
    """

    draw: Any
    begin: Any = stay
    move: Any = stay

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        raise NotImplementedError

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        raise NotImplementedError

    def table(self, seed: int, runs: int) -> Floats:
        """The arms' parameters, (instance, arm, column)."""
        raise NotImplementedError

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        raise NotImplementedError

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """The environment as plain data, for provenance."""
        raise NotImplementedError


class Arms(Environment):
    """Base class of environments whose arms are given, all of one family.

    A family's parameters are the table's columns: one number per arm, or one for all.
    """

    # Whether a variance that is not a number is a mistake.
    finite_variance: ClassVar[bool] = True

    def __init__(self, **parameters: npt.ArrayLike) -> None:
        columns = {name: column(name, values) for name, values in parameters.items()}
        lengths = {values.size for values in columns.values() if values.ndim == 1}
        if len(lengths) > 1:
            sizes = ", ".join(f"{name} has {values.size}" for name, values in columns.items())
            raise InvalidValueError(f"{type(self).__name__}: give one number per arm; {sizes}.")
        n_arms = max(lengths, default=1)
        self.columns = {
            name: np.broadcast_to(values, n_arms).copy() for name, values in columns.items()
        }
        vars(self).update(self.columns)
        self.check()
        with np.errstate(all="ignore"):
            moments = self.means + (self.variances if self.finite_variance else 0.0)
        for arm in np.flatnonzero(~np.isfinite(moments)):
            raise InvalidValueError(
                f"{type(self).__name__}: the mean or variance of arm {arm} is too large to be a "
                "number; give less extreme parameters."
            )

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return len(next(iter(self.columns.values())))

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """The arms' parameters: one instance for all runs."""
        return np.stack(list(self.columns.values()), axis=-1)[np.newaxis]

    @property
    def means(self) -> Floats:
        """The arms' mean losses."""
        return self.means_of(self.table())[0]

    @property
    def variances(self) -> Floats:
        """The arms' variances."""
        return self.variances_of(self.table())[0]

    def describe(self) -> dict[str, Any]:
        """The family and its parameters."""
        values = {name: column.tolist() for name, column in self.columns.items()}
        return {"environment": type(self).__name__, **values}

    def __repr__(self) -> str:
        values = (
            f"{name}={np.array2string(x, separator=', ', threshold=12)}"
            for name, x in self.columns.items()
        )
        return f"{type(self).__name__}({', '.join(values)})"

    def require(self, good: npt.NDArray[np.bool_], name: str, remedy: str) -> None:
        """Raise an error for the first arm for which a condition does not hold."""
        for arm in np.flatnonzero(~good):
            value = self.columns[name][arm]
            raise InvalidValueError(
                f"{type(self).__name__}: {name} of arm {arm} is {value:g}; {remedy}.",
                field=name,
                value=value,
            )


def column(name: str, values: Any) -> Floats:
    """Numbers as an array of at most one dimension, or a clear error."""
    try:
        if np.asarray(values).dtype.kind in "USmM":  # a text is not a number, whatever it says
            raise TypeError
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise invalid(name, values, "give a list of numbers.") from error
    if numbers.ndim > 1:
        message = f"{name} has {numbers.ndim} dimensions; give one number per arm."
        raise InvalidValueError(message, field=name, value=values)
    require_value(name, values, numbers.size > 0, "an environment needs at least one arm.")
    for bad in numbers[~np.isfinite(numbers)]:
        message = f"{name} contains {bad}; give finite numbers."
        raise InvalidValueError(message, field=name, value=values)
    return numbers
