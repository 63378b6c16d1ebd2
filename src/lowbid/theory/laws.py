"""Laws of a single loss, and the probability that a sum of n stays below a multiple of the mean.

Optimism depends only on that probability: a batch of n losses estimates the mean mu by S / (n + 2),
and it is optimistic when S <= (n + 2) mu.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from lowbid._random import key
from lowbid._require import (
    LARGEST,
    invalid,
    require,
    require_finite,
    require_numbers,
    require_value,
    require_whole,
)
from lowbid.environments import (
    Arms,
    Bernoulli,
    Beta,
    Deterministic,
    Empirical,
    Environment,
    ExponentialByMean,
    ExponentialByRate,
    Gaussian,
    Mixed,
    ScaledBernoulli,
    Uniform,
)
from lowbid.errors import InvalidValueError
from lowbid.theory._inputs import MOST_LOSSES, MOST_RUNS
from lowbid.theory._sampling import sums
from lowbid.theory._tails import binomial_cdf, binomial_interval, normal_cdf, poisson_below

_MOST_SUMS = 20_000_000  # distinct sums times atoms times losses, about a second


class Chance(NamedTuple):
    """A probability, and how accurately it is known.

    Attributes
    ----------
    value : float
        The probability, or its estimate.
    low, high : float
        A 95% interval; both equal `value` if it was computed.
    exact : bool
        Whether it was computed rather than simulated.
    """

    value: float
    low: float
    high: float
    exact: bool

    def __str__(self) -> str:
        if self.exact:
            return f"{self.value:.4g} (exact)"
        return f"{self.value:.4g} (simulated, 95% interval {self.low:.4g} to {self.high:.4g})"


def exactly(value: float) -> Chance:
    """A probability that was computed."""
    return Chance(value, value, value, True)


def simulated(successes: int, trials: int) -> Chance:
    """A probability estimated from independent trials."""
    low, high = binomial_interval(successes, trials)
    return Chance(successes / trials, low, high, False)


@runtime_checkable
class Law(Protocol):
    """The law of one loss."""

    @property
    def name(self) -> str:
        """The law's name."""
        ...

    @property
    def mean(self) -> float:
        """The mean loss."""
        ...

    @property
    def variance(self) -> float:
        """The loss's variance."""
        ...

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss."""
        ...

    @property
    def symmetric(self) -> bool:
        """Whether the law is known to be symmetric about its mean."""
        ...

    def sum_below(self, n: int, multiple: float) -> Chance:
        """P(S_n <= multiple times the mean), for the sum S_n of n independent losses."""
        ...


def require_law(law: Law) -> None:
    """Refuse what is not the law of a loss."""
    known = isinstance(law, Law) and not isinstance(law, type)
    require_value("law", law, known, "give one such as lowbid.theory.GaussianLaw(0.5).")


@dataclasses.dataclass(frozen=True)
class FiniteLaw:
    """A law with finitely many losses, each with its probability; all results are exact.

    Numbers are read as the decimals that they print as: 0.9 is nine tenths. A sum that equals its
    threshold is therefore recognised as equal.

    Parameters
    ----------
    values : sequence of float or Fraction
        The losses.
    probabilities : sequence of float or Fraction
        Their probabilities, which sum to 1.

    Examples
    --------
    >>> print(FiniteLaw([0.0, 0.9], [0.001, 0.999]).sum_below(10, 10))
    0.009955 (exact)
    """

    values: Sequence[float | Fraction]
    probabilities: Sequence[float | Fraction]

    name: ClassVar[str] = "finite law"

    def __post_init__(self) -> None:
        for name in ("values", "probabilities"):
            object.__setattr__(self, name, _listed(name, getattr(self, name)))
        require(
            len(self.values) == len(self.probabilities) > 0,
            f"there are {len(self.values)} values and {len(self.probabilities)} probabilities; "
            "give equally many of both.",
        )
        good = min(self.probabilities) >= 0 and abs(float(sum(self.probabilities)) - 1.0) < 1e-9
        require(good, f"the probabilities are {self.probabilities}; give some that sum to 1.")
        pairs = _exact_atoms(self.values, self.probabilities)
        object.__setattr__(self, "_atoms", pairs)

    @property
    def atoms(self) -> list[tuple[Fraction, Fraction]]:
        """The losses with positive probability, in order, with their probabilities."""
        return cast(list[tuple[Fraction, Fraction]], getattr(self, "_atoms"))  # noqa: B009

    @property
    def exact_mean(self) -> Fraction:
        """The mean as a fraction."""
        return sum((x * p for x, p in self.atoms), Fraction(0))

    @property
    def mean(self) -> float:
        """The mean loss."""
        return float(self.exact_mean)

    @property
    def variance(self) -> float:
        """The loss's variance."""
        mean = self.exact_mean
        return float(sum((x - mean) ** 2 * p for x, p in self.atoms))

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss."""
        return float(self.atoms[0][0]), float(self.atoms[-1][0])

    @property
    def symmetric(self) -> bool:
        """Whether the law is symmetric about its mean."""
        twice = 2 * self.exact_mean
        return self.atoms == sorted((twice - x, p) for x, p in self.atoms)

    @property
    def bernoulli_scale(self) -> float | None:
        """The b of a law on {0, b}; None if it is not such a law."""
        positive = [x for x, _ in self.atoms if x != 0]
        if len(positive) > 1 or (positive and positive[0] < 0):
            return None
        return float(positive[0]) if positive else 0.0

    def sum_below(self, n: int, multiple: float) -> Chance:
        """P(S_n <= multiple times the mean), by a binomial tail or by convolution."""
        n = require_whole("n", n, at_least=0, at_most=MOST_LOSSES)
        threshold = _decimal(multiple) * self.exact_mean
        lowest = self.atoms[0][0]
        if len(self.atoms) == 1:
            return exactly(float(n * lowest <= threshold))
        if len(self.atoms) == 2:
            (low, _), (high, p) = self.atoms
            most = math.floor((threshold - n * low) / (high - low))
            return exactly(binomial_cdf(most, n, float(p)))
        return exactly(self._convolved(n, threshold))

    def _convolved(self, n: int, threshold: Fraction) -> float:
        """The same for any number of atoms, by convolution on a lattice of integers."""
        unit = Fraction(1, math.lcm(*(x.denominator for x, _ in self.atoms)))
        steps = [int((x - self.atoms[0][0]) / unit) for x, _ in self.atoms]
        bound = math.floor((threshold - n * self.atoms[0][0]) / unit)
        common = math.gcd(*steps)
        steps, bound = [step // common for step in steps], bound // common
        chances = np.array([float(p) for _, p in self.atoms])
        distinct = min(n * steps[-1] + 1, math.comb(n + len(steps) - 1, n))
        if distinct * len(steps) * n > _MOST_SUMS or n * steps[-1] >= 2**62:
            raise InvalidValueError(
                f"{n} losses of a law with {len(steps)} atoms have too many different sums to add "
                "up; give fewer, or use EnvironmentLaw(Empirical([...])), which simulates."
            )
        places, weights = np.zeros(1, np.int64), np.ones(1)
        for _ in range(n):
            places, weights = _add_one(places, weights, np.array(steps), chances)
        return float(min(weights[places <= bound].sum(), 1.0))


def _listed(name: str, numbers: Any) -> tuple[float | Fraction, ...]:
    """Numbers or fractions as a tuple, or an error."""
    allowed = f"a list of finite numbers, at most {LARGEST:g} in size"
    require_numbers(name, numbers, allowed)
    require_value(name, numbers, np.ndim(numbers) == 1, f"give {allowed}.")
    return tuple(number if isinstance(number, Fraction) else float(number) for number in numbers)


def _exact_atoms(
    values: Sequence[float | Fraction], probabilities: Sequence[float | Fraction]
) -> list[tuple[Fraction, Fraction]]:
    atoms: dict[Fraction, Fraction] = {}
    for x, p in zip(values, probabilities, strict=True):
        if p > 0:
            atoms[_decimal(x)] = atoms.get(_decimal(x), Fraction(0)) + _decimal(p)
    total = sum(atoms.values())
    return sorted((x, p / total) for x, p in atoms.items())


def _decimal(number: float | Fraction) -> Fraction:
    """The exact value of a number's decimal representation."""
    return Fraction(str(number))


def _add_one(
    places: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    steps: npt.NDArray[np.int64],
    chances: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The law of a sum with one more term."""
    all_places = np.add.outer(places, steps).ravel()
    merged, where = np.unique(all_places, return_inverse=True)
    total = np.zeros(len(merged))
    np.add.at(total, where, np.multiply.outer(weights, chances).ravel())
    return merged, total


@dataclasses.dataclass(frozen=True)
class GaussianLaw:
    """The law of a normal loss.

    Examples
    --------
    >>> print(GaussianLaw(mean=-1.0, sd=1.0).sum_below(1, 3))
    0.02275 (exact)
    """

    mean: float
    sd: float = 1.0

    name: ClassVar[str] = "Gaussian"
    symmetric: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_finite("mean", self.mean, above=-math.inf)
        require_finite("sd", self.sd, above=0.0, or_equal=True)

    @property
    def variance(self) -> float:
        """The loss's variance."""
        return float(self.sd) * float(self.sd)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss."""
        return (-math.inf, math.inf) if self.sd > 0 else (self.mean, self.mean)

    def sum_below(self, n: int, multiple: float) -> Chance:
        """P(S_n <= multiple times the mean): Phi((multiple - n) mu / (sigma sqrt n))."""
        n = require_whole("n", n, at_least=0, at_most=MOST_LOSSES)
        room = (multiple - n) * self.mean
        if n == 0 or self.sd == 0.0:
            return exactly(float(room >= 0.0))
        return exactly(normal_cdf(room / (self.sd * math.sqrt(n))))


@dataclasses.dataclass(frozen=True)
class ExponentialLaw:
    """The law of an exponential loss; sums are computed from Poisson probabilities.

    Examples
    --------
    >>> print(ExponentialLaw(mean=0.5).sum_below(1, 3))
    0.9502 (exact)
    """

    mean: float

    name: ClassVar[str] = "exponential"
    symmetric: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require_finite("mean", self.mean, above=0.0)

    @property
    def variance(self) -> float:
        """The loss's variance."""
        return float(self.mean) * float(self.mean)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss."""
        return 0.0, math.inf

    def sum_below(self, n: int, multiple: float) -> Chance:
        """P(S_n <= multiple times the mean) = P(Poisson(multiple) >= n)."""
        n = require_whole("n", n, at_least=0, at_most=MOST_LOSSES)
        return exactly(1.0 - poisson_below(n, multiple)) if multiple > 0 else exactly(float(n == 0))


@dataclasses.dataclass(frozen=True)
class EnvironmentLaw:
    """The law of an environment's only arm, estimated by simulation.

    Parameters
    ----------
    environment : Arms
        An environment with one arm.
    runs : int
        The number of sums to draw.
    seed : int
        0 or larger; the same seed gives the same estimate.

    Examples
    --------
    >>> import lowbid
    >>> print(EnvironmentLaw(lowbid.Beta(2.0, 1.0)).sum_below(5, 7))
    0.9985 (simulated, 95% interval 0.9975 to 0.9992)
    """

    environment: Arms
    runs: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        one = isinstance(self.environment, Arms) and self.environment.n_arms == 1
        require_value("environment", self.environment, one, "give arms with one arm.")
        require_whole("runs", self.runs, at_most=MOST_RUNS)
        key(self.seed, "sums")  # raises an error for an invalid seed

    @property
    def name(self) -> str:
        """The environment's family."""
        return type(self.environment).__name__

    @property
    def mean(self) -> float:
        """The mean loss."""
        return float(self.environment.means[0])

    @property
    def variance(self) -> float:
        """The loss's variance."""
        return float(self.environment.variances[0])

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss."""
        return self.environment.support

    @property
    def symmetric(self) -> bool:
        """Whether the law is known to be symmetric about its mean."""
        arm = self.environment
        return isinstance(arm, Uniform) or (isinstance(arm, Beta) and bool(arm.a[0] == arm.b[0]))

    def sum_below(self, n: int, multiple: float) -> Chance:
        """P(S_n <= multiple times the mean), from independent sums."""
        n = require_whole("n", n, at_least=0, at_most=MOST_LOSSES)
        found = sums(self.environment, n, self.runs, self.seed) <= multiple * self.mean
        return simulated(int(found.sum()), self.runs)


def law_of(environment: Environment, arm: int) -> Law:
    """The law of one arm: exact where possible, otherwise simulated.

    Examples
    --------
    >>> import lowbid
    >>> law_of(lowbid.ScaledBernoulli(mean=[1.0, 2.0], scale=8.0), 1)
    FiniteLaw(values=(0.0, 8.0), probabilities=(Fraction(3, 4), Fraction(1, 4)))
    """
    if not isinstance(environment, Arms):
        raise InvalidValueError(
            f"{environment!r} has no fixed arms; give fixed arms, such as "
            "Bernoulli([0.1, 0.5]), or one instance: see lowbid.theory.instances."
        )
    if not 0 <= require_whole("arm", arm, at_least=0) < environment.n_arms:
        raise invalid("arm", arm, f"give one from 0 to {environment.n_arms - 1}.")
    only = _only_arm(environment, arm)
    make = _LAWS.get(type(only))
    return EnvironmentLaw(only) if make is None else make(only)


def _only_arm(environment: Arms, arm: int) -> Arms:
    """An environment with this arm only."""
    if isinstance(environment, Mixed):
        for part in environment.parts:
            if arm < part.n_arms:
                return _only_arm(part, arm)
            arm -= part.n_arms
    if isinstance(environment, Empirical):
        return Empirical([environment.data[arm]])
    values = {name: column[arm : arm + 1] for name, column in environment.columns.items()}
    return type(environment)(**values)


def _two_points(mean: float, scale: float) -> FiniteLaw:
    p = _decimal(mean) / _decimal(scale)
    return FiniteLaw((0.0, scale), (1 - p, p))


def _of_bernoulli(arm: Bernoulli) -> Law:
    return _two_points(float(arm.mean[0]), 1.0)


def _of_scaled_bernoulli(arm: ScaledBernoulli) -> Law:
    return _two_points(float(arm.mean[0]), float(arm.scale[0]))


def _of_deterministic(arm: Deterministic) -> Law:
    return FiniteLaw((float(arm.loss[0]),), (1.0,))


def _of_empirical(arm: Empirical) -> Law:
    values, counts = np.unique(np.asarray(arm.data[0]), return_counts=True)
    total = int(counts.sum())
    return FiniteLaw(values.tolist(), [Fraction(int(count), total) for count in counts])


def _of_gaussian(arm: Gaussian) -> Law:
    return GaussianLaw(float(arm.mean[0]), float(arm.sd[0]))


def _of_exponential(arm: ExponentialByMean | ExponentialByRate) -> Law:
    return ExponentialLaw(float(arm.means[0]))


_LAWS: dict[type[Arms], Callable[[Any], Law]] = {
    Bernoulli: _of_bernoulli,
    ScaledBernoulli: _of_scaled_bernoulli,
    Deterministic: _of_deterministic,
    Empirical: _of_empirical,
    Gaussian: _of_gaussian,
    ExponentialByMean: _of_exponential,
    ExponentialByRate: _of_exponential,
}
