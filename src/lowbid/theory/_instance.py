"""An environment as the theorems see it: gaps, variances and scales of the suboptimal arms."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import invalid, require, require_whole
from lowbid.environments import Arms, Changing, Environment, RandomArms
from lowbid.errors import InvalidValueError
from lowbid.theory._inputs import MOST_RUNS
from lowbid.theory.laws import FiniteLaw, Law, law_of
from lowbid.theory.optimism import Proof, require_proof


class Instance(NamedTuple):
    """The quantities that regret bounds depend on.

    Attributes
    ----------
    laws : list of Law
        The laws of all arms.
    best : float
        The lowest mean.
    arms : array of int
        The arms with a higher mean, in order; the next three arrays describe them.
    gaps, variances, scales : array
        Mean minus `best`; variance; largest loss.
    """

    laws: list[Law]
    best: float
    arms: npt.NDArray[np.int64]
    gaps: Floats
    variances: Floats
    scales: Floats

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return len(self.laws)

    @property
    def means(self) -> Floats:
        """The suboptimal arms' means."""
        return self.best + self.gaps


def instance_of(environment: Environment) -> Instance:
    """An environment's gaps, variances and scales; its arms must be fixed."""
    if isinstance(environment, Arms):
        return _instance_of(environment)
    if isinstance(environment, RandomArms):
        raise InvalidValueError(
            f"{environment!r} redraws its arms in each run, and bounds need fixed arms; take one "
            "of its instances: lowbid.theory.instances(environment, seed, runs)."
        )
    refuse_changing(environment)
    raise invalid("environment", environment, "give arms, such as lowbid.Bernoulli([0.1, 0.5]).")


def refuse_changing(environment: Environment) -> None:
    """Refuse arms that change, to which no bound applies."""
    require(
        not isinstance(environment, Changing),
        f"{environment!r} has arms that change, and bounds apply only to arms that do not; "
        "leave the bounds out.",
    )


@functools.lru_cache(maxsize=256)
def _instance_of(environment: Arms) -> Instance:
    laws = [law_of(environment, arm) for arm in range(environment.n_arms)]
    means = environment.means
    gaps = means - means.min()
    # Means that differ only by rounding, such as 0.1 + 0.2 and 0.3, count as equal.
    arms = np.flatnonzero(gaps > 4.0 * np.spacing(np.abs(means).max()))
    return Instance(
        laws=laws,
        best=float(means.min()),
        arms=arms,
        gaps=gaps[arms],
        variances=environment.variances[arms],
        scales=np.array([laws[arm].support[1] for arm in arms], dtype=np.float64),
    )


def instances(environment: RandomArms, seed: int = 0, runs: int = 1) -> list[Arms]:
    """The arms in each run of a simulation with this seed.

    Examples
    --------
    >>> import lowbid
    >>> first, second = instances(lowbid.RandomArms(lowbid.Bernoulli, n_arms=2), seed=0, runs=2)
    >>> first.n_arms
    2
    """
    require(
        isinstance(environment, RandomArms),
        f"environment is {environment!r}, which has the same arms in every run; give RandomArms.",
    )
    runs = require_whole("runs", runs, at_most=MOST_RUNS // environment.n_arms)
    table = environment.table(seed, runs)
    family: Any = environment.family
    return [family(table[run, :, 0], **environment.fixed) for run in range(runs)]


def require_optimism(what: str, instance: Instance, proof: Proof) -> None:
    """Refuse arms to which the proof of optimism does not apply."""
    require_proof(proof)
    for arm, law in enumerate(instance.laws):
        where = f"arm {arm} is {law.name} with losses from {law.support[0]:g} to {law.support[1]:g}"
        if proof.covers == "bernoulli":
            scale = law.bernoulli_scale if isinstance(law, FiniteLaw) else None
            require(
                scale is not None,
                f"{what} is proved for Bernoulli and scaled Bernoulli losses, but {where}; "
                "lowbid.theory.theorem1 with proof=lowbid.theory.GARNETT, which takes more "
                "batches, is for all non-negative bounded losses.",
            )
            continue
        require(
            law.support[0] >= 0.0 and math.isfinite(law.support[1]),
            f"{what} needs non-negative bounded losses, but {where}; shift or clip them.",
        )
        require(
            proof.covers != "symmetric" or law.symmetric,
            f"this proof is for losses symmetric about their mean, but {where}, which is not known "
            "to be symmetric; give proof=lowbid.theory.GARNETT.",
        )
