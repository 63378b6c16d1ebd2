"""Boltzmann-Gumbel exploration: the mean, less a Gumbel draw that shrinks with an arm's plays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, exponential
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._moments import Moments, add_loss, moments_of
from lowbid.policies._scan import argmin
from lowbid.policies._spread import DeviationPolicy

# An exponential draw can be 0; the next larger one is this.
_SMALLEST = 2.0**-53


class State(NamedTuple):
    """The statistics of each arm, and room for the indices."""

    moments: Moments
    indices: Floats


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before its first loss an arm's index is minus infinity."""
    return State(moments=moments_of(n_arms), indices=np.full(n_arms, -math.inf))


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Perturb every arm's mean, and play the lowest."""
    for arm in range(len(state.indices)):
        count = state.moments.counts[arm]
        if count > 0.0:
            gumbel = -math.log(max(exponential(stream), _SMALLEST))
            width = parameters.sd / math.sqrt(count)
            state.indices[arm] = state.moments.means[arm] - width * gumbel
    return argmin(state.indices, True, stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Update the arm's mean."""
    add_loss(state.moments, arm, loss)


@dataclass(frozen=True)
class BoltzmannGumbel(DeviationPolicy):
    r"""Boltzmann-Gumbel exploration, in loss form.

    With n losses of arm a, of mean m, its index is

    .. math:: m - \frac{C}{\sqrt{n}} Z_a

    with a new draw :math:`Z_a` from the standard Gumbel distribution at each step, and the arm with
    the lowest index is played; arms not yet played come first. If all arms had the same n, an arm
    would be played with a probability proportional to :math:`\exp(-m \sqrt{n} / C)`: Boltzmann
    exploration, with a temperature for each arm that falls as it is played.

    Parameters
    ----------
    sd : float, optional
        C: the losses' standard deviation, or the parameter for which they are sub-Gaussian; by
        default half the width of the declared range, which is always enough, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.BoltzmannGumbel(sd=0.5)
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    21.8

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, G. Lugosi, G. Neu (2017). Boltzmann exploration done right.
       NeurIPS 30.
    """

    sd: float | None = None

    about = About(
        family="resampling",
        needs="the losses' standard deviation",
        time="K",
        memory="K",
        guarantee="sum over arms of sd^2 log^2 T / gap, and sd sqrt(K T) log K whatever the gaps",
        cite="cesabianchi2017boltzmann",
    )
    kernels = Kernels(init, select, update)
    select_keeps_state = True

    @property
    def location_free(self) -> bool:
        """Adding a number to every loss moves all indices alike."""
        return True
