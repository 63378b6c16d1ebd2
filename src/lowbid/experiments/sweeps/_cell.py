"""A cell of a sweep: one policy on one environment, up to one horizon, from one seed."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Ints
from lowbid._compile import code_digest
from lowbid._random import STREAMS_VERSION
from lowbid.environments import Environment
from lowbid.experiments.sweeps._told import told_about
from lowbid.policies import Policy
from lowbid.simulation import Result, Share, loop_for, provenance

# Where the last tenth of a run begins; its regret shows whether the run is stuck.
_LAST_TENTH = 0.9
# Points of a curve, evenly on a logarithmic axis.
_CURVE_POINTS = 24


@dataclasses.dataclass(frozen=True)
class SweptPolicy:
    """A policy with one setting of its parameters.

    Attributes
    ----------
    name : str
        Its name in tables; unique within a sweep.
    rule : str
        The name of the table in the file that it comes from.
    policy : Policy
        The policy.
    settings : dict
        The parameters given in the file.
    longest : int or None
        The longest horizon that it plays; None if it plays all.
    share : float
        The fraction of the usual number of runs that it plays.
    told : str
        The fact that it is told about each environment, one of `FACTS`; empty if none.
    """

    name: str
    rule: str
    policy: Policy
    settings: dict[str, Any] = dataclasses.field(default_factory=dict, compare=False)
    longest: int | None = None
    share: float = 1.0
    told: str = ""

    @functools.cached_property
    def _texts(self) -> dict[tuple[int, int], str]:
        return {}

    def text(self, n_arms: int, horizon: int) -> str:
        """Everything that its runs depend on, except its code; kept, since many cells need it."""
        found = self._texts.get((n_arms, horizon))
        if found is None:
            parameters = self.policy.parameters(n_arms, horizon, horizon)
            parts = [self.policy.identity, self.policy.describe(horizon), _plain(parameters)]
            found = self._texts[n_arms, horizon] = "\n".join(parts)
        return found

    def on(self, environment: SweptEnvironment) -> tuple[SweptPolicy, SweptEnvironment] | None:
        """The policy that knows its fact, and the arms as it sees them.

        None if the fact that it must be told is not true of the arms.
        """
        if not self.told:
            return self, environment
        found = told_about(self.told, self.policy, environment.environment)
        if found is None:
            return None
        policy, arms = found
        seen = environment
        if arms is not environment.environment:
            seen = dataclasses.replace(environment, environment=arms)
        return dataclasses.replace(self, policy=policy), seen


@dataclasses.dataclass(frozen=True)
class SweptEnvironment:
    """An environment of a sweep.

    Attributes
    ----------
    name : str
        A short name; unique within a sweep.
    environment : Environment
        The arms.
    title : str
        A short description.
    group : str
        The group it belongs to; a file's `tune` can name groups.
    clean : str
        The name of the same environment without outliers; empty if there is none.
    horizons : tuple of int
        Horizons used instead of those of the sweep.
    table : str
        The name of the table in the file that it comes from; a file's `tune` can name it.
    """

    name: str
    environment: Environment
    title: str = ""
    group: str = ""
    clean: str = ""
    horizons: tuple[int, ...] = ()
    table: str = ""

    @functools.cached_property
    def _texts(self) -> dict[int, str]:
        return {}

    def text(self, seed: int) -> str:
        """Everything that runs on it depend on, except its code; kept, since many cells need it."""
        found = self._texts.get(seed)
        if found is None:
            parts = [repr(self.environment.describe()), _plain(self.environment.table(seed, 2))]
            found = self._texts[seed] = "\n".join(parts)
        return found


class Place(NamedTuple):
    """A place where policies are compared: an environment, a number of steps, and a seed."""

    environment: str
    step: int
    seed: int


@dataclasses.dataclass(frozen=True)
class Cell:
    """One policy on one environment; its runs are kept in one file.

    Attributes
    ----------
    policy, environment : SweptPolicy, SweptEnvironment
        The policy, and the environment that it plays on.
    horizon, seed : int
        See `lowbid.simulate`.
    runs : int
        The number of runs wanted; with a precision, the number of pilot runs that decide how many
        more are needed.
    record : tuple of int
        The steps at which the regret is judged; the last is the horizon.
    keep : tuple of int
        Further steps at which the regret is kept.
    """

    policy: SweptPolicy
    environment: SweptEnvironment
    horizon: int
    seed: int
    runs: int
    record: tuple[int, ...]
    keep: tuple[int, ...] = ()

    @functools.cached_property
    def checkpoints(self) -> Ints:
        """The steps that are judged, where the last tenth begins, and some for a curve."""
        return _checkpoints(self.horizon, (*self.record, *self.keep))

    @functools.cached_property
    def digest(self) -> str:
        """A name for the runs that changes with everything they depend on.

        That is the policy's parameters and what its rule reads, the environment and its table, the
        code of the loop that plays them and of everything it calls, the version of the random
        streams, the horizon, the seed and the checkpoints. It does not include the number of runs:
        more runs begin with the same runs.
        """
        policy, environment = self.policy.policy, self.environment.environment
        parts = [
            f"{STREAMS_VERSION} {self.horizon} {self.seed} {self.checkpoints.tolist()}",
            self.policy.text(environment.n_arms, self.horizon),
            self.environment.text(self.seed),
            _code(policy, environment),
        ]
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()

    @property
    def places(self) -> list[Place]:
        """The places where it is compared with others."""
        return [Place(self.environment.name, step, self.seed) for step in self.record]

    def share(self, first: int, last: int) -> Share:
        """A task for the runs from `first` up to, but not including, `last`."""
        policy, environment = self.policy.policy, self.environment.environment
        return Share(policy, environment, self.horizon, self.seed, self.checkpoints, first, last)

    def result(self, regret: Any, pulls: Any) -> Result:
        """The runs played so far, as a result with its provenance."""
        named, arms = {self.policy.name: self.policy.policy}, self.environment.environment
        source = provenance(named, arms, self.horizon, len(regret), self.seed)
        return Result(
            (self.policy.name,),
            self.checkpoints,
            regret[np.newaxis],
            pulls[np.newaxis],
            {**source, "cell": self.digest},
        )

    def __str__(self) -> str:
        seed = f", seed {self.seed}" if self.seed else ""
        return f"{self.policy.name} on {self.environment.name}, {self.horizon:,} steps{seed}"


@functools.lru_cache(maxsize=256)
def _checkpoints(horizon: int, more: tuple[int, ...]) -> Ints:
    curve = np.ceil(np.geomspace(1, horizon, _CURVE_POINTS)).astype(np.int64)
    steps = np.unique(np.concatenate([curve, more, [last_tenth(horizon), horizon]]))
    return steps[steps <= horizon].astype(np.int64)


def last_tenth(horizon: int) -> int:
    """The step after which the last tenth of a run begins."""
    return max(1, int(_LAST_TENTH * horizon))


def _code(policy: Policy, environment: Environment) -> str:
    """A fingerprint of the loop and everything compiled into it."""
    loop, _ = loop_for(policy, environment, None, 0)
    functions = () if policy.compiled else (*policy.kernels, environment.draw)
    return " ".join(map(code_digest, (loop, *functions)))


def _plain(value: Any) -> str:
    """The data a rule reads, as a string: all numbers in all arrays."""
    if isinstance(value, np.ndarray):
        content = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16)
        return f"{value.dtype}{value.shape}{content.hexdigest()}"
    if isinstance(value, tuple):
        return f"({','.join(map(_plain, value))})"
    if isinstance(value, int | float | str | np.generic):
        return repr(value)
    return type(value).__qualname__  # a plain policy reads itself, which is already described
