r"""The conjecture that ends the paper's section "Beyond Bernoulli arms".

**As stated it is false.** It says that Lemma 2 holds for all losses in [0, 1]: if
:math:`\mu \le 1 - 1/n` then :math:`P(S_n \le n\mu) \ge 1/4`. But X = 0.9 Ber(0.999) has the mean
0.8991, and n = 10 such losses have :math:`P(S_n \le n\mu) = 1 - 0.999^{10} = 0.00996`. The infimum
is 0 for every n >= 2: see `counterexample`. Distributions whose support includes 0 and 1 fail as
well, so scaling does not help.

**What Batch Ensemble needs survives.** It needs no Lemma 2, only that batches are optimistic:

    for i.i.d. non-negative losses and every n, P(S_n <= (n + 2) mu) >= (1 - 1/(n + 2))^n > 1/e.

This is still a conjecture, with equality approached by losses that are nonzero with probability
just below 1/(n + 2); it held in every case tried (use `search` to try more). To first order no
change of that law helps: of all laws G of mean 1, mixing in a little G changes the probability by n
times (the mean under G of a function that is :math:`q^{n-1}` below n + 2 and 0 above, less
:math:`q^n`), q = 1 - 1/(n + 2), and that function lies above its chord, whose value at 1 is
:math:`q^n`.

**A weaker constant is a theorem.** For independent non-negative losses of mean mu, bounded or not,
Feige's inequality bounds P(S_n < (n + 1) mu) from below, hence optimism too: by 1/13 (Feige 2006),
1/8 (He, Zhang, Zhang 2010), 0.14 (Garnett 2018). Batch Ensemble is therefore optimistic for all of
them, with :math:`l = 6.63 \log(1/\delta)` batches instead of :math:`3.5 \log(1/\delta)` and without
a warm-up. (Guo, He, Ling and Liu 2020 are reported to have 0.1798; this library does not rely on
it.) For scaled Bernoulli losses, 1/e was verified exactly up to n = 3000. Negative losses are
another matter: see `lowbid.theory.verdict`.

References
----------
.. [1] U. Feige (2006). On sums of independent random variables with unbounded variance, and
   estimating the average degree in a graph. SIAM Journal on Computing 35.
.. [2] S. He, J. Zhang, S. Zhang (2010). Bounding probability of small deviation: a fourth moment
   approach. Mathematics of Operations Research 35.
.. [3] B. Garnett (2018). Small deviations of sums of independent random variables. arXiv
   1804.01529.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._require import is_number, require, require_finite, require_value, require_whole
from lowbid.theory._inputs import MOST_LOSSES
from lowbid.theory._tails import binomial_cdf, binomial_pmf
from lowbid.theory.laws import Chance, FiniteLaw
from lowbid.theory.optimism import PADDING, optimism

_MOST_TRIES = 1_000_000


class Counterexample(NamedTuple):
    """A law on [0, 1] with mean at most 1 - 1/n that violates the conjecture as stated.

    Attributes
    ----------
    law : FiniteLaw
        The law of one loss.
    n : int
        The number of losses.
    mean : float
        The mean of one loss.
    literal : Chance
        P(S_n <= n mean), claimed to be 1/4 or more.
    optimism : Chance
        P(S_n <= (n + 2) mean), the probability that Batch Ensemble depends on.
    """

    law: FiniteLaw
    n: int
    mean: float
    literal: Chance
    optimism: Chance


def examine(law: FiniteLaw, n: int) -> Counterexample:
    """The probability that the conjecture is about, and the one that Batch Ensemble needs."""
    require_value("law", law, isinstance(law, FiniteLaw), "give a FiniteLaw.")
    return Counterexample(law, n, law.mean, law.sum_below(n, n), optimism(law, n))


def counterexample(n: int = 10, p: float = 0.999, scale: float | None = None) -> Counterexample:
    """A counterexample with two values: `scale` with probability p, and 0 otherwise.

    For it, P(S_n <= n mu) = 1 - p^n.

    Parameters
    ----------
    n : int
        The number of losses, 2 or more.
    p : float
        Close enough to 1 for a probability below 1/4: above 0.75^(1/n).
    scale : float, optional
        At most (1 - 1/n) / p; by default 1 - 1/n.

    Examples
    --------
    >>> found = counterexample()
    >>> print(f"{found.mean:.4f}, {found.literal}, {found.optimism}")
    0.8991, 0.009955 (exact), 1 (exact)
    """
    n = require_whole("n", n, at_least=2)
    most = 1 - Fraction(1, n)
    good = is_number(p) and most < p < 1.0
    require_value("p", p, good, f"give a number between 1 - 1/n = {float(most):g} and 1.")
    if scale is not None:
        require_finite("scale", scale, above=0.0)
    b = most if scale is None else Fraction(str(scale))
    chance = Fraction(str(p))
    require_value("scale", scale, 0 < b * chance <= most, f"give at most {float(most / chance):g}.")
    return _broken(examine(FiniteLaw((0.0, b), (1 - chance, chance)), n), "p closer to 1")


def three_point_counterexample(n: int = 10, rare: float = 0.01) -> Counterexample:
    """A counterexample whose losses reach both 0 and 1, and are 1/2 otherwise.

    Examples
    --------
    >>> print(three_point_counterexample(rare=0.01).literal)
    0.09553 (exact)
    """
    n = require_whole("n", n, at_least=2)
    require_finite("rare", rare, above=0.0)
    low = Fraction(str(rare))
    high = low / 100
    require_value("rare", rare, low + high < 1, "give a smaller number.")
    law = FiniteLaw((0.0, 0.5, 1.0), (low, 1 - low - high, high))
    return _broken(examine(law, n), "smaller rare")


def _broken(found: Counterexample, remedy: str) -> Counterexample:
    """Refuse what is not a counterexample."""
    require(
        found.literal.value < 0.25,
        f"P(S_n <= n mu) is {found.literal.value:.4g}, which is no less than 1/4; give a {remedy}.",
    )
    return found


def conjectured_floor(n: int, padding: float = PADDING) -> float:
    """(1 - 1/(n + padding))^n: the lower bound on optimism in the corrected conjecture.

    Examples
    --------
    >>> [round(conjectured_floor(n), 4) for n in (1, 2, 10, 60)]
    [0.6667, 0.5625, 0.4189, 0.377]
    """
    n = require_whole("n", n, at_least=0)
    require_finite("padding", padding, above=0.0, or_equal=True)
    return 0.0 if n + padding <= 1.0 else math.exp(n * math.log1p(-1.0 / (n + padding)))


@kernel
def _below(point: Floats, n: int, padding: float) -> float:
    """P(S_n < (n + padding) mean) for one three-point law, given by four numbers in [0, 1].

    The highest loss is 1. The four numbers are its probability, the middle loss's share of the
    rest, the lowest loss, and the position of the middle one between the lowest and the highest.
    """
    top = point[0]
    share = point[1]
    low = point[2]
    step = (1.0 - low) * point[3]
    mean = top + (1.0 - top) * (low + share * step)
    if mean <= 0.0:  # all losses are 0, which counts as optimistic
        return 1.0
    threshold = (n + padding) * mean * (1.0 - 1e-12)
    total = 0.0
    for ones in range(n + 1):
        rest = n - ones
        room = threshold - ones - rest * low
        if room <= 0.0:
            continue
        most = rest if room > rest * step else math.ceil(room / step) - 1
        total += binomial_pmf(ones, n, top) * binomial_cdf(int(most), rest, share)
    return total


@kernel
def _evaluate(points: Floats, n: int, padding: float, out: Floats) -> None:
    for i in range(len(out)):
        out[i] = _below(points[i], n, padding)


class Found(NamedTuple):
    """The outcome of a search for laws that are not optimistic enough.

    Attributes
    ----------
    n : int
        The number of losses.
    lowest : float
        The lowest P(S_n < (n + padding) mu) found. It is approached by P(S_n <= (n + padding) mu)
        of nearby laws.
    law : FiniteLaw
        The law that attains it.
    floor : float
        The conjectured minimum.
    evaluations : int
        The number of laws tried.
    """

    n: int
    lowest: float
    law: FiniteLaw
    floor: float
    evaluations: int

    @property
    def holds(self) -> bool:
        """Whether nothing below the conjectured floor was found, up to rounding."""
        return self.lowest >= self.floor - 1e-9


def search(
    n: int,
    restarts: int = 8,
    generations: int = 400,
    padding: float = PADDING,
    seed: int = 0,
) -> Found:
    """Search for non-negative losses that violate P(S_n <= (n + 2) mu) >= (1 - 1/(n + 2))^n.

    Searches laws on two and three points, scaled to a highest loss of 1, by differential evolution;
    each probability is an exact sum. Scale does not matter, and two points are a special case of
    three.

    Parameters
    ----------
    n : int
        The number of losses.
    restarts, generations : int
        The budget: the number of populations of 40 laws, and of their generations.
    padding : float
        2 in the paper.
    seed : int
        Determines the search.

    Examples
    --------
    >>> found = search(5, restarts=2)
    >>> print(f"{found.lowest:.4f} against {found.floor:.4f} in {found.evaluations} laws")
    0.4627 against 0.4627 in 32080 laws

    References
    ----------
    .. [1] R. Storn, K. Price (1997). Differential evolution. Journal of Global Optimization 11.
    """
    n = require_whole("n", n, at_most=MOST_LOSSES)
    restarts = require_whole("restarts", restarts, at_most=_MOST_TRIES)
    generations = require_whole("generations", generations, at_most=_MOST_TRIES)
    seed = require_whole("seed", seed, at_least=0)
    require_finite("padding", padding, above=0.0, or_equal=True)
    rng = np.random.default_rng(seed)
    runs = [_evolve(n, float(padding), generations, rng) for _ in range(restarts)]
    lowest, point = min(runs, key=lambda run: run[0])
    evaluations = restarts * 40 * (generations + 1)
    return Found(n, lowest, _law_at(point), conjectured_floor(n, padding), evaluations)


def _evolve(
    n: int, padding: float, generations: int, rng: np.random.Generator
) -> tuple[float, Floats]:
    """The best of 40 laws after some generations."""
    size = 40
    points = rng.random((size, 4))
    points[: size // 2, 0] = np.exp(-rng.uniform(0.0, math.log(4.0 * n + 4.0), size // 2))
    values, trials = np.zeros(size), np.zeros(size)
    _evaluate(points, n, padding, values)
    for _ in range(generations):
        first, second, third = (rng.permutation(size) for _ in range(3))
        best = points[values.argmin()]
        pull = rng.random((size, 1)) * (best - points[first])
        moved = points[first] + pull + rng.uniform(0.3, 0.9) * (points[second] - points[third])
        kept = rng.random((size, 4)) < 0.2
        moved = np.where(kept, points, np.clip(moved, 0.0, 1.0 - 1e-12))
        _evaluate(moved, n, padding, trials)
        better = trials <= values
        points[better], values[better] = moved[better], trials[better]
    return float(values.min()), points[values.argmin()]


def _law_at(point: Floats) -> FiniteLaw:
    top, share, low, between = (float(x) for x in point)
    middle = low + (1.0 - low) * between
    return FiniteLaw((low, middle, 1.0), ((1.0 - top) * (1.0 - share), (1.0 - top) * share, top))
