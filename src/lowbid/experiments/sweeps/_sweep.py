"""A sweep: policies, environments, horizons and seeds, and the cells that they make."""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Sequence
from typing import NamedTuple

from lowbid._require import require
from lowbid.errors import InvalidValueError
from lowbid.experiments.names import nearest
from lowbid.experiments.sweeps._cell import Cell, Place, SweptEnvironment, SweptPolicy
from lowbid.simulation import check_losses, check_size, misfit_of, warn_of

# Fewer runs than this say too little about how many more are needed.
FEWEST_PILOT_RUNS = 20


class Tier(NamedTuple):
    """A horizon and its runs, the shorter horizons that are judged, and further steps to keep."""

    steps: int
    runs: int
    record: tuple[int, ...] = ()
    keep: tuple[int, ...] = ()


class Precision(NamedTuple):
    """The precision of means: the half-width of an interval as a fraction of the mean."""

    within: float
    most_runs: int

    @property
    def percent(self) -> str:
        """How far an interval may reach from the mean, as text."""
        return f"{100 * self.within:.3g}%"


class TuneSplit(NamedTuple):
    """Names of the environments used for choosing settings, and of those used for judging them."""

    on: tuple[str, ...]
    judge: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Sweep:
    """Everything that a sweep plays; see docs/sweeps.md.

    Attributes
    ----------
    name : str
        A short name, also used for its part of a folder.
    title : str
        The title of its page.
    policies : sequence of SweptPolicy
        The policies that play.
    environments : sequence of SweptEnvironment
        The environments that they play on.
    tiers : sequence of Tier
        The horizons, with their runs.
    runs : int
        The number of runs for environments with their own horizons.
    seeds : sequence of int
        Every cell is played with each seed.
    precision : Precision, optional
        The precision of means; by default, every cell has a fixed number of runs.
    tune : TuneSplit, optional
        Which environments choose settings, and which judge them.
    text : str
        The contents of the file that it was read from.
    source : str
        The path of that file; empty if there is none.
    """

    name: str
    title: str
    policies: Sequence[SweptPolicy]
    environments: Sequence[SweptEnvironment]
    tiers: Sequence[Tier]
    runs: int
    seeds: Sequence[int] = (0,)
    precision: Precision | None = None
    tune: TuneSplit | None = None
    text: str = dataclasses.field(default="", repr=False)
    source: str = dataclasses.field(default="", repr=False)

    def __post_init__(self) -> None:
        for what, named in (("policies", self.policies), ("environments", self.environments)):
            names = [each.name for each in named]
            require(bool(names), f"there are no {what}; give at least one.")
            counts = collections.Counter(names)
            twice = next((name for name in names if counts[name] > 1), None)
            require(twice is None, f"two {what} are named {twice!r}; rename one of them.")
        known = [each.name for each in self.environments]
        for each in self.environments:
            if each.clean:
                nearest("environment", each.clean, known)

    @functools.cached_property
    def cells(self) -> list[Cell]:
        """All cells, short horizons first, grouped by environment."""
        fewest = 2 if self.precision is None else FEWEST_PILOT_RUNS
        found = [
            cell
            for environment in self.environments
            for tier in self._tiers(environment)
            for policy, seen in self._playing(environment)
            for seed in self.seeds
            if (cell := _cell(policy, seen, tier, seed, fewest)) is not None
        ]
        return sorted(found, key=lambda cell: cell.horizon)

    def _playing(self, environment: SweptEnvironment) -> list[tuple[SweptPolicy, SweptEnvironment]]:
        """The policies that play on an environment, each with the arms as it sees them."""
        found = [policy.on(environment) for policy in self.policies]
        return [each for each in found if each is not None]

    def _tiers(self, environment: SweptEnvironment) -> Sequence[Tier]:
        own = [Tier(steps, self.runs) for steps in environment.horizons]
        return own or self.tiers

    @property
    def misfits(self) -> list[str]:
        """Why policies are not made for the losses of an environment, once per policy."""
        found = (first_misfit(policy, self.environments) for policy in self.policies)
        return list(filter(None, found))

    def check_sizes(self) -> None:
        """Refuse cells too large to keep."""
        for cell in self.cells:
            most = self.precision.most_runs if self.precision else 0
            n_arms = cell.environment.environment.n_arms
            check_size(max(cell.runs, most), 1, len(cell.checkpoints), n_arms)

    def places(self, cells: Sequence[Cell]) -> dict[Place, set[str]]:
        """The policies to be compared at each place."""
        found: dict[Place, set[str]] = {}
        for cell in cells:
            for place in cell.places:
                found.setdefault(place, set()).add(cell.policy.name)
        return found

    def environments_named(self, names: Sequence[str]) -> list[str]:
        """Environments by their names, their tables or their groups."""
        return environments_named(self.environments, names)


def first_misfit(policy: SweptPolicy, environments: Sequence[SweptEnvironment]) -> str:
    """Why a policy is not made for the losses of one of these environments; or nothing."""
    playing = filter(None, map(policy.on, environments))
    misfits = (misfit_of(policy.name, told.policy, seen.environment) for told, seen in playing)
    return next(filter(None, misfits), "")


def check_playing(
    policy: SweptPolicy, environments: Sequence[SweptEnvironment], tiers: Sequence[Tier]
) -> None:
    """Refuse a policy that cannot take an environment's losses, or that would play nowhere."""
    playing = [each for environment in environments if (each := policy.on(environment)) is not None]
    for told, seen in playing:
        check_losses(policy.name, told.policy, seen.environment)
    warn_of(first_misfit(policy, environments))
    require(
        bool(playing),
        f"told is {policy.told!r}, but that is true of no environment here; leave it out, or add "
        f"an environment where {policy.name} can be told that.",
        "told",
        policy.told,
    )
    own = {steps for _, seen in playing for steps in seen.horizons}
    shortest = min(own.union(*({*tier.record, tier.steps} for tier in tiers)))
    require(
        policy.longest is None or policy.longest >= shortest,
        f"longest is {policy.longest}, but the shortest horizon is {shortest}; {policy.name} would "
        "not play.",
        "longest",
        policy.longest,
    )


def environments_named(environments: Sequence[SweptEnvironment], names: Sequence[str]) -> list[str]:
    """Environments by names, tables or groups, or an error with the nearest ones."""
    known: dict[str, list[str]] = {}
    for each in environments:
        for name in dict.fromkeys(filter(None, (each.name, each.table, each.group))):
            known.setdefault(name, []).append(each.name)
    found = [each for name in names for each in known[nearest("environment", name, known)]]
    return list(dict.fromkeys(found))


def tune_split(
    environments: Sequence[SweptEnvironment], on: Sequence[str], judge: Sequence[str]
) -> TuneSplit:
    """Two disjoint sets of environments."""
    chosen, judging = environments_named(environments, on), environments_named(environments, judge)
    if not chosen or not judging:
        raise InvalidValueError("tune is given no environments; name some in on and in judge.")
    both = sorted(set(chosen) & set(judging))
    if both:
        raise InvalidValueError(
            f"tune is given {both[0]!r} both to choose on and to judge by; judge by environments "
            "that were not used for choosing."
        )
    arms = {each.text(0): each.name for each in environments if each.name in chosen}
    for each in environments:
        twin = arms.get(each.text(0)) if each.name in judging else None
        require(
            twin is None,
            f"tune judges by {each.name!r}, which has the arms of {twin!r}, and that is used for "
            "choosing; give it other arms, or another draw_seed if they are drawn.",
        )
    return TuneSplit(tuple(chosen), tuple(judging))


def _cell(
    policy: SweptPolicy, environment: SweptEnvironment, tier: Tier, seed: int, fewest: int
) -> Cell | None:
    """The cell of a policy, cut down to the longest horizon and to the share of runs it plays."""
    steps = sorted({*tier.record, tier.steps})
    played = tuple(s for s in steps if policy.longest is None or s <= policy.longest)
    if not played:
        return None
    runs = max(min(fewest, tier.runs), round(policy.share * tier.runs))
    return Cell(policy, environment, played[-1], seed, runs, played, tier.keep)
