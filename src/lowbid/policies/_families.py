"""Families of distributions, and the base of the policies that are made for one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, ClassVar, Self, cast

from lowbid._compile import kernel
from lowbid.errors import InvalidValueError
from lowbid.policies import _divergences as divergences
from lowbid.policies._base import Constructor, Policy
from lowbid.policies._moments import Moments
from lowbid.policies._spread import known_spread, largest_sd, require_sd_within, require_spread


@kernel
def known_sd(sd: float, moments: Moments, arm: int) -> float:
    """The standard deviation that was given."""
    return sd


@kernel
def sample_sd(sd: float, moments: Moments, arm: int) -> float:
    """The (biased) standard deviation of an arm's losses."""
    return math.sqrt(moments.deviations[arm] / moments.counts[arm])


@dataclasses.dataclass(frozen=True)
class Family:
    """A family of distributions: its kernels, and what it requires of the losses."""

    name: ClassVar[str]
    needs: ClassVar[str]
    loss_range: ClassVar[tuple[float, float]]
    scale_free: ClassVar[bool] = False
    location_free: ClassVar[bool] = False
    divergence: ClassVar[Callable[..., float]]
    steepness: ClassVar[Callable[..., float] | None]  # None: D is not convex in its second mean
    lowest_mean: ClassVar[Callable[..., float]]
    sd_of: ClassVar[Callable[..., float]] = known_sd
    lost_degrees: ClassVar[float] = 0.0  # losses that go into estimates other than the mean

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        return {}

    @property
    def needs_range(self) -> bool:
        """Whether it must know how far losses spread, and this was not given."""
        return False

    def for_range(self, policy: str, width: float) -> Family:
        """Adapt the family to losses in a range of this width; an error names the policy."""
        return self


@dataclasses.dataclass(frozen=True)
class BernoulliFamily(Family):
    """Losses of 0 and 1; the bounds hold for all losses in [0, 1]."""

    name = "bernoulli"
    needs = "losses in [0, 1]"
    loss_range = (0.0, 1.0)
    divergence = divergences.bernoulli_divergence
    steepness = divergences.bernoulli_steepness
    lowest_mean = divergences.bernoulli_lowest_mean


@dataclasses.dataclass(frozen=True, repr=False)
class GaussianFamily(Family):
    """Gaussian losses of known standard deviation; the bounds hold for sub-Gaussian ones."""

    sd: float | None = None  # half the width of the declared range, or 1 without one

    name = "gaussian"
    needs = "the losses' standard deviation"
    loss_range = (-math.inf, math.inf)
    location_free = True
    divergence = divergences.gaussian_divergence
    steepness = divergences.gaussian_steepness
    lowest_mean = divergences.gaussian_lowest_mean

    def __post_init__(self) -> None:
        require_spread("sd", self.sd)

    def __repr__(self) -> str:
        return f"GaussianFamily(sd={1.0 if self.sd is None else self.sd!r})"

    @property
    def changed(self) -> dict[str, Any]:
        """The standard deviation, if it is not 1."""
        return {} if known_spread(self.sd) == 1.0 else {"sd": self.sd}

    @property
    def needs_range(self) -> bool:
        """Whether the standard deviation was left out."""
        return self.sd is None

    def for_range(self, policy: str, width: float) -> Family:
        """With the largest standard deviation in such a range, or an error for a larger one."""
        if self.sd is None:
            return GaussianFamily(largest_sd(width))
        require_sd_within(policy, self.sd, width)
        return self


@dataclasses.dataclass(frozen=True)
class ScaledGaussianFamily(Family):
    """Gaussian losses; each arm has its own, unknown standard deviation."""

    name = "gaussian_unknown_variance"
    needs = "Gaussian losses"
    loss_range = (-math.inf, math.inf)
    scale_free = True
    location_free = True
    divergence = divergences.scaled_gaussian_divergence
    steepness = None
    lowest_mean = divergences.scaled_gaussian_lowest_mean
    sd_of = sample_sd
    lost_degrees = 2.0


@dataclasses.dataclass(frozen=True)
class ExponentialFamily(Family):
    """Exponentially distributed losses."""

    name = "exponential"
    needs = "exponentially distributed losses"
    loss_range = (0.0, math.inf)
    scale_free = True
    divergence = divergences.exponential_divergence
    steepness = divergences.exponential_steepness
    lowest_mean = divergences.exponential_lowest_mean


@dataclasses.dataclass(frozen=True)
class PoissonFamily(Family):
    """Poisson distributed losses: counts, whose only unit is one event."""

    name = "poisson"
    needs = "Poisson distributed losses"
    loss_range = (0.0, math.inf)
    divergence = divergences.poisson_divergence
    steepness = divergences.poisson_steepness
    lowest_mean = divergences.poisson_lowest_mean


@dataclasses.dataclass(frozen=True)
class FamilyPolicy(Policy):
    """Base class of policies that are made for a family, and named after it.

    The family may be given by its name, such as "bernoulli".
    """

    family: Family

    families: ClassVar[tuple[type[Family], ...]] = (
        BernoulliFamily,
        GaussianFamily,
        ExponentialFamily,
        PoissonFamily,
    )

    def __post_init__(self) -> None:
        known = {family.name: family for family in self.families}
        given: Any = self.family
        if isinstance(given, str) and given in known:
            object.__setattr__(self, "family", known[given]())
        elif type(given) not in self.families:
            names = ", ".join(repr(name) for name in known)
            raise InvalidValueError(
                f"the family of {type(self).__name__} is {given!r}; choose one of {names}, or make "
                f"the policy as {type(self).__name__}.bernoulli() and the like."
            )

    @classmethod
    def bernoulli(cls, **options: Any) -> Self:
        """For losses of 0 and 1, or anywhere between."""
        return cls(BernoulliFamily(), **options)

    @classmethod
    def gaussian(cls, sd: float | None = None, **options: Any) -> Self:
        """For Gaussian losses of known standard deviation."""
        return cls(GaussianFamily(sd), **options)

    @classmethod
    def exponential(cls, **options: Any) -> Self:
        """For exponentially distributed losses."""
        return cls(ExponentialFamily(), **options)

    @classmethod
    def poisson(cls, **options: Any) -> Self:
        """For Poisson distributed losses."""
        return cls(PoissonFamily(), **options)

    @classmethod
    def variants(cls) -> list[Policy]:
        """One per family."""
        return [cls(family()) for family in cls.families]

    @classmethod
    def constructors(cls) -> dict[str, Constructor]:
        """One per family, with the family's parameters and the policy's own."""
        own = [field.name for field in dataclasses.fields(cls) if field.name != "family"]
        found = {}
        for policy in cls.variants():
            family = cast(FamilyPolicy, policy).family
            names = [field.name for field in dataclasses.fields(family)]
            found[policy.name] = Constructor(getattr(cls, family.name), (*names, *own))
        return found

    @property
    def sd(self) -> float:
        """The known standard deviation, which only the Gaussian kernels read."""
        return known_spread(self.family.sd) if isinstance(self.family, GaussianFamily) else 1.0

    @property
    def needs_range(self) -> bool:
        """As the family does."""
        return self.family.needs_range

    def for_range(self, low: float, high: float) -> Policy:
        """For the family, with the parameters that the range implies."""
        family = self.family.for_range(self.name, high - low)
        return self if family is self.family else dataclasses.replace(self, family=family)

    @property
    def name(self) -> str:
        """How the policy is made, with the parameters that differ from their defaults."""
        own = {field.name: field.default for field in dataclasses.fields(self)}
        del own["family"]
        changed = self.family.changed | {
            name: getattr(self, name) for name in own if getattr(self, name) != own[name]
        }
        made = f"{type(self).__name__}.{self.family.name}"
        texts = [f"{name}={value!r}" for name, value in changed.items()]
        return f"{made}({', '.join(texts)})" if texts else made

    @property
    def scale_free(self) -> bool:
        """As the family is."""
        return self.family.scale_free

    @property
    def location_free(self) -> bool:
        """As the family is."""
        return self.family.location_free

    @property
    def loss_range(self) -> tuple[float, float]:
        """The family's."""
        return self.family.loss_range
