"""All bounds that apply to an environment, ready to be plotted with measured regret."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import (
    invalid,
    require_numbers,
    require_probability,
    require_value,
    require_whole,
)
from lowbid.environments import Arms, Environment, RandomArms
from lowbid.errors import InvalidValueError
from lowbid.theory import lower, textbook, theorem1, theorem2
from lowbid.theory._instance import instances, refuse_changing
from lowbid.theory.optimism import GARNETT, PAPER, Proof
from lowbid.theory.textbook import Bound

_FURTHEST = 1 << 62


class BoundCurve(NamedTuple):
    """A bound on regret over time.

    Attributes
    ----------
    name : str
        The name of the bound.
    kind : str
        "upper" or "lower".
    policy : str
        The policy for which it is proved.
    values : array
        The bound at each step.
    informative_from : int or None
        The first step from which an upper bound is below the regret of always playing the worst
        arm; None if there is none up to 2^62, or up to the last step for arms drawn at random. For
        a lower bound it is 1, or None if the bound is 0.
    note : str
        A sentence on how to read it, and where it is vacuous.
    """

    name: str
    kind: str
    policy: str
    values: Floats
    informative_from: int | None
    note: str


class BoundCurves(NamedTuple):
    """The bounds that apply, and why the others do not.

    Attributes
    ----------
    steps : array
        The steps at which the curves are evaluated.
    curves : list of BoundCurve
        The bounds that apply.
    refused : dict
        For each bound that does not apply, by name, the reason why.
    """

    steps: npt.NDArray[np.int64]
    curves: list[BoundCurve]
    refused: dict[str, str]

    @property
    def values(self) -> dict[str, Floats]:
        """The curves' values by name, for a chart of measured regret."""
        return {curve.name: curve.values for curve in self.curves}


def curves_for(
    environment: Environment,
    horizon: int,
    steps: npt.ArrayLike | None = None,
    delta: float = 0.05,
    seed: int = 0,
    runs: int = 100,
) -> BoundCurves:
    """Every bound on regret that applies to an environment.

    Parameters
    ----------
    environment : Environment
        Fixed arms, or arms drawn at random. For the latter, upper bounds are averaged over the
        instances that `simulate` draws with the same seed, each capped at the cost of the worst
        arm; the lower bound, an asymptotic statement about fixed arms, is left out.
    horizon : int
        The number of steps that the runs are planned for.
    steps : array of int, optional
        The steps at which to evaluate the bounds; by default 200 steps up to the horizon.
    delta : float
        The probability with which Theorem 1 may fail.
    seed, runs : int
        For arms drawn at random: which instances to average over, and how many.

    Examples
    --------
    >>> import lowbid
    >>> found = curves_for(lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3]), horizon=2000)
    >>> for curve in found.curves:
    ...     print(f"{curve.name}: {curve.values[-1]:.0f}, from {curve.informative_from}")
    Theorem 1: 9759, from 49294
    Theorem 1 for non-negative losses: 18487, from 101372
    Theorem 2: 38413, from 254721
    UCB1: 1165, from 4287
    UCB-V: 845, from 2973
    KL-UCB: 708, from 2383
    Lai-Robbins: 7, from 1
    """
    horizon = require_whole("horizon", horizon)
    require_probability("delta", delta)
    refuse_changing(environment)
    if not isinstance(environment, Arms | RandomArms):
        raise invalid("environment", environment, "give arms, such as Bernoulli.")
    at = np.unique(np.geomspace(1, horizon, 200).astype(np.int64)) if steps is None else steps
    at = require_numbers("steps", at, "a list of steps, 1 or larger", low=1.0, high=_FURTHEST)
    at = at.astype(np.int64)
    require_value("steps", steps, at.ndim == 1 and at.size > 0, "give a list of steps.")
    curves: list[BoundCurve] = []
    refused: dict[str, str] = {}
    drawn = isinstance(environment, RandomArms)
    arms: list[Environment] = [environment]
    if isinstance(environment, RandomArms):
        arms = [*instances(environment, seed, runs)]
    for name, policy, bound in _upper_bounds(horizon, delta):
        try:
            curves.append(_upper(name, policy, bound, arms, at, drawn))
        except InvalidValueError as error:
            refused[name] = str(error)
    try:
        curves.append(_lower(environment, at))
    except InvalidValueError as error:
        refused["Lai-Robbins"] = str(error)
    return BoundCurves(at, curves, refused)


def _lower(environment: Environment, steps: npt.NDArray[np.int64]) -> BoundCurve:
    values = lower.lower_bound(environment, steps)
    start: int | None = 1
    note = "No consistent policy's regret stays below it as t grows; at a given t it may."
    if lower.lower_constant(environment) == 0.0:
        start, note = None, "It is 0, and therefore vacuous at every t."
    return BoundCurve("Lai-Robbins", "lower", "every consistent policy", values, start, note)


def _upper_bounds(horizon: int, delta: float) -> list[tuple[str, str, Bound]]:
    def of_theorem1(proof: Proof) -> Bound:
        # For runs planned for the horizon, the regret before it is at most the regret at it.
        def bound(environment: Environment, t: npt.ArrayLike) -> Floats:
            planned = np.maximum(np.asarray(t, np.float64), horizon)
            return theorem1.variance_form(environment, planned, delta, proof)

        return bound

    theorem = f"BatchEnsemble(batches=HighProbability(delta={delta:g}))"
    anytime = "BatchEnsemble(batches=Anytime(), growth='redistribute')"
    more = f"BatchEnsemble, {GARNETT.batches_per_log:.2f} log(2T / delta) batches"
    return [
        ("Theorem 1", theorem, of_theorem1(PAPER)),
        ("Theorem 1 for non-negative losses", more, of_theorem1(GARNETT)),
        ("Theorem 2", anytime, theorem2.variance_form),
        ("UCB1", "UCB1 with the losses' width as scale", textbook.ucb1),
        ("UCB-V", "UCB-V with zeta = 1.2 and the losses' width as scale", textbook.ucb_v),
        ("KL-UCB", "KL-UCB with exploration log(1 + t log^2 t)", textbook.kl_ucb),
    ]


def _upper(
    name: str,
    policy: str,
    bound: Bound,
    arms: list[Environment],
    steps: npt.NDArray[np.int64],
    drawn: bool,
) -> BoundCurve:
    """One bound, with a note on where it is vacuous."""
    if drawn:
        capped = [np.minimum(bound(arm, steps), _worst(arm, steps)) for arm in arms]
        values = np.mean(capped, axis=0)
        telling = values < np.mean([_worst(arm, steps) for arm in arms], axis=0)
        start = int(steps[telling.argmax()]) if telling.any() else None
    else:
        values = bound(arms[0], steps)
        start = 1  # if no arm is worse than another, the bound is 0, which is exact
        if _worst(arms[0], 1) > 0.0:
            start = informative_from(lambda t: bound(arms[0], t), lambda t: _worst(arms[0], t))
    return BoundCurve(name, "upper", policy, values, start, _note(start, int(steps[-1]), drawn))


def _note(start: int | None, last: int, drawn: bool) -> str:
    what = "the mean over instances, each capped at the worst arm's cost," if drawn else "It"
    what = what[0].upper() + what[1:]
    if start is None or start > last:
        later = "" if start is None else f"; it is informative from t = {start} on"
        return f"{what} is vacuous on the whole range: the worst arm costs less{later}."
    if start > 1:
        return f"{what} is vacuous before t = {start}: there the worst arm costs less."
    return f"{what} is informative at every t."


def _worst(arms: Environment, t: npt.ArrayLike) -> Floats:
    """The regret of always playing the worst arm."""
    means = arms.means_of(arms.table(0, 1))[0]
    return np.asarray(t, np.float64) * float(means.max() - means.min())


def informative_from(
    bound: Callable[[npt.ArrayLike], Floats], trivial: Callable[[npt.ArrayLike], Floats]
) -> int | None:
    """The first step from which a bound stays below a trivial one; both grow slowly.

    Examples
    --------
    >>> informative_from(lambda t: 100.0 + np.log(t), lambda t: 0.5 * np.asarray(t))
    211
    """
    high = 1
    while high < _FURTHEST and not bound(high) < trivial(high):
        high *= 2
    if high >= _FURTHEST:
        return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) < trivial(middle) else (middle, high)
    return high
