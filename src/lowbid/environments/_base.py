"""What every environment is: a table of its arms' parameters, and a draw from one arm."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid.errors import InvalidValueError

Floats = npt.NDArray[np.float64]


class Environment:
    """Base class of all environments.

    An environment describes its arms by a table of numbers, (instance, arm, column), and draws
    a loss by a kernel ``draw(table, instance, arm, stream)``. There is one instance for all runs,
    or one for each run if the arms themselves are drawn at random.
    """

    draw: Any

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        raise NotImplementedError

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can come up."""
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

    A family is a frozen dataclass whose fields are the table's columns: one number for each arm,
    or one for all.
    """

    def __post_init__(self) -> None:
        names = [field.name for field in _fields(self)]
        columns = {name: column(name, getattr(self, name)) for name in names}
        lengths = {values.size for values in columns.values() if values.ndim == 1}
        if len(lengths) > 1:
            sizes = ", ".join(f"{name} has {values.size}" for name, values in columns.items())
            raise InvalidValueError(
                f"{type(self).__name__}: give one number for each arm; {sizes}."
            )
        n_arms = max(lengths, default=1)
        for name, values in columns.items():
            object.__setattr__(self, name, np.broadcast_to(values, n_arms).copy())
        self.check()

    def check(self) -> None:
        """Refuse parameters that are not those of a distribution."""

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return len(getattr(self, _fields(self)[0].name))

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """The arms' parameters: one instance for all runs."""
        columns = [getattr(self, field.name) for field in _fields(self)]
        return np.stack(columns, axis=-1)[np.newaxis]

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
        values = {field.name: getattr(self, field.name).tolist() for field in _fields(self)}
        return {"environment": type(self).__name__, **values}

    def require(self, good: npt.NDArray[np.bool_], name: str, remedy: str) -> None:
        """Refuse the first arm for which a condition does not hold."""
        for arm in np.flatnonzero(~good):
            value = getattr(self, name)[arm]
            raise InvalidValueError(
                f"{type(self).__name__}: {name} of arm {arm} is {value:g}; {remedy}."
            )


def _fields(environment: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(environment)


def column(name: str, values: Any) -> Floats:
    """Numbers as an array of at most one dimension, or a clear error."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(f"{name} is {values!r}; give a list of numbers.") from error
    if numbers.ndim > 1:
        raise InvalidValueError(f"{name} has {numbers.ndim} dimensions; give one number an arm.")
    if numbers.size == 0:
        raise InvalidValueError(f"{name} is empty; an environment needs at least one arm.")
    if not np.isfinite(numbers).all():
        bad = np.atleast_1d(numbers)[~np.isfinite(np.atleast_1d(numbers))][0]
        raise InvalidValueError(f"{name} contains {bad}; give finite numbers.")
    return numbers
