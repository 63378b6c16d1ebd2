r"""Lemmas 2 and 3 of the paper: how often a batch's estimate lies below the mean.

A batch of n losses of sum S estimates the mean :math:`\mu` by :math:`S / (n + 2)`. Batch Ensemble
needs this estimate to be optimistic, :math:`S / (n + 2) \le \mu`, with a probability p that does
not vanish; at least one of l batches is then optimistic with probability :math:`1 - (1 - p)^l`.

What is known about p, for independent losses of the same law:

- (Scaled) Bernoulli losses: the paper proves p >= 1/4 and rounds it to l = (7/2) log(1/delta).
  Computed exactly, for every n up to 3000, the worst mean is just below 1 / (n + 2), and
  p = (1 - 1/(n + 2))^n > 1/e.
- Laws symmetric about a non-negative mean: p >= 1/2. The paper omits "non-negative": the padding
  and the empty batch both pull towards 0, which is upwards from a negative mean.
- All non-negative losses, bounded or not: p >= 0.14, by inequalities of Feige's kind.
- Losses of any sign, even of positive mean: nothing; p can be arbitrarily small.

References
----------
.. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
   stochastic bandits. AAAI 39(15).
.. [2] T. Wiklund (2023). Another look at binomial and related distributions exceeding values
   close to their centre.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from lowbid._compile import kernel
from lowbid._require import (
    require_finite,
    require_probability,
    require_value,
    require_whole,
)
from lowbid.schedules import MOST_BATCHES
from lowbid.theory._inputs import MOST_LOSSES
from lowbid.theory._tails import binomial_cdf
from lowbid.theory.laws import Chance, Law, exactly, require_law

PADDING = 2.0


class Proof(NamedTuple):
    """A lower bound on the probability that a batch is optimistic.

    Attributes
    ----------
    chance : float
        p: a batch of any size is optimistic with at least this probability.
    batches_per_log : float
        l = batches_per_log * log(1 / delta) batches fail with probability at most delta.
    covers : str
        The losses for which it was proved: "bernoulli", "symmetric" or "non-negative".
    source : str
        The publication that proves it.
    """

    chance: float
    batches_per_log: float
    covers: str
    source: str


def _proof(chance: float, covers: str, source: str) -> Proof:
    return Proof(chance, -1.0 / math.log1p(-chance), covers, source)


def require_proof(proof: Proof) -> None:
    """Refuse what is not a proof of optimism."""
    require_value(
        "proof",
        proof,
        isinstance(proof, Proof),
        "give one such as lowbid.theory.PAPER or lowbid.theory.GARNETT.",
    )


PAPER = Proof(0.25, 3.5, "bernoulli", "Cassel, Levy, Mansour 2025, Lemma 3, rounded up to 7/2")
SHARP = _proof(math.exp(-1.0), "bernoulli", "(1 - 1/(n + 2))^n > 1/e, computed for n <= 3000")
SYMMETRIC = _proof(0.5, "symmetric", "Cassel, Levy, Mansour 2025; only if the mean is >= 0")
FEIGE = _proof(1.0 / 13.0, "non-negative", "Feige 2006, SIAM Journal on Computing 35")
HE_ZHANG_ZHANG = _proof(
    0.125, "non-negative", "He, Zhang, Zhang 2010, Mathematics of Operations Research 35"
)
GARNETT = _proof(0.14, "non-negative", "Garnett 2018, arXiv 1804.01529")


def optimism(law: Law, n: int, padding: float = PADDING) -> Chance:
    """The probability that a batch of n losses is optimistic: S / (n + padding) <= mean.

    Parameters
    ----------
    law : Law
        The law of one loss; see `law_of`.
    n : int
        The number of losses in the batch; an empty one estimates 0.
    padding : float
        2 in the paper.

    Examples
    --------
    >>> from lowbid.theory import FiniteLaw, GaussianLaw
    >>> print(optimism(FiniteLaw([0, 1], [0.75, 0.25]), 2))
    0.9375 (exact)
    >>> print(optimism(GaussianLaw(-5.0), 10))
    0.0007827 (exact)
    """
    require_law(law)
    n = require_whole("n", n, at_least=0, at_most=MOST_LOSSES)
    require_finite("padding", padding, above=0.0, or_equal=True)
    return exactly(float(law.mean >= 0)) if n == 0 else law.sum_below(n, n + padding)


def ensemble_optimism(law: Law, n: int, batches: int, padding: float = PADDING) -> Chance:
    """The probability that the lowest of the batches' estimates is optimistic.

    The n losses are dealt to the batches in turn. Batches are independent, so the probability is 1
    minus the product of their failure probabilities.

    Examples
    --------
    >>> from lowbid.theory import FiniteLaw
    >>> print(ensemble_optimism(FiniteLaw([0, 1], [0.92, 0.08]), 40, batches=4))
    0.8977 (exact)
    """
    batches = require_whole("batches", batches, at_most=MOST_BATCHES)
    small, larger = divmod(require_whole("n", n, at_least=0), batches)
    of_small, of_large = optimism(law, small, padding), optimism(law, small + 1, padding)

    def joined(p: float, q: float) -> float:
        return 1.0 - (1.0 - p) ** (batches - larger) * (1.0 - q) ** larger

    return Chance(
        joined(of_small.value, of_large.value),
        joined(of_small.low, of_large.low),
        joined(of_small.high, of_large.high),
        of_small.exact and of_large.exact,
    )


class Verdict(NamedTuple):
    """How optimistic a batch is, and what that means for Batch Ensemble.

    Attributes
    ----------
    chance : Chance
        The probability that a batch is optimistic.
    enough : bool
        Whether it is at least 1/4, which the paper's number of batches assumes.
    why : str
        An explanation in one sentence.
    """

    chance: Chance
    enough: bool
    why: str


def verdict(law: Law, n: int, padding: float = PADDING) -> Verdict:
    """Whether batches of n losses of this law are optimistic enough, and if not, what to do.

    Examples
    --------
    >>> from lowbid.theory import GaussianLaw
    >>> print(verdict(GaussianLaw(-1.0), 1).why)
    A batch of 1 is optimistic with probability 0.02275 (exact), not 1/4: the mean is negative, \
and padding and empty batches pull towards 0. Set a baseline no higher than any mean loss.
    """
    chance = optimism(law, n, padding)
    said = f"A batch of {n} is optimistic with probability {chance}"
    if chance.value >= PAPER.chance:
        return Verdict(chance, True, said + ".")
    if law.mean < 0:
        why = "the mean is negative, and padding and empty batches pull towards 0. "
        remedy = "Set a baseline no higher than any mean loss."
    elif law.support[0] < 0:
        why = "the losses are skewed to the left, with rare ones far below 0. "
        remedy = "Set the baseline to the lowest possible loss, or use more batches."
    else:
        why = f"the padding of {padding:g} is too small. "
        remedy = "Use the paper's padding, 2."
    return Verdict(chance, False, f"{said}, not 1/4: {why}{remedy}")


def batches_needed(delta: float, chance: float) -> int:
    """How many batches make the index optimistic with probability at least 1 - delta.

    Parameters
    ----------
    delta : float
        The allowed probability of failure.
    chance : float
        The probability that one batch is optimistic.

    Examples
    --------
    >>> [batches_needed(0.01, chance) for chance in (0.25, 0.3679, 0.14)]
    [17, 11, 31]
    """
    require_probability("delta", delta)
    require_probability("chance", chance, ends=True)
    require_finite("chance", chance, above=0.0)
    if chance == 1.0:
        return 1
    batches = max(1, math.ceil(math.log(delta) / math.log1p(-chance)))
    # Rounding may put a quotient that is a whole number slightly above it.
    return max(1, batches - 1) if (1.0 - chance) ** (batches - 1) <= delta else batches


def paper_batches(delta: float) -> int:
    """The number of batches that the paper uses: (7/2) log(1 / delta), rounded up.

    Examples
    --------
    >>> paper_batches(0.01)
    17
    """
    require_probability("delta", delta)
    return max(1, math.ceil(PAPER.batches_per_log * -math.log(delta)))


@kernel
def _lowest(n: int, padding: float, most: int) -> float:
    """The smallest P(Bin(n, k / (n + padding)) < k) over k = 1, ..., most."""
    lowest = 1.0
    for k in range(1, most + 1):
        lowest = min(lowest, binomial_cdf(k - 1, n, k / (n + padding)))
    return lowest


def bernoulli_floor(n: int, padding: float = PADDING) -> float:
    """The lowest probability that a batch of n Bernoulli losses is optimistic, over all means.

    Between two multiples of 1 / (n + padding), that probability decreases as the mean increases;
    its infimum is therefore exactly the smallest of the left limits at those multiples. The scale
    of a scaled Bernoulli law does not matter.

    Examples
    --------
    >>> [round(bernoulli_floor(n), 4) for n in (1, 2, 10, 60)]
    [0.6667, 0.5625, 0.4189, 0.377]
    """
    n = require_whole("n", n, at_most=MOST_LOSSES)
    require_finite("padding", padding, above=0.0, or_equal=True)
    return float(_lowest(n, float(padding), min(n, math.floor(n + padding))))


def lemma2_floor(n: int) -> float:
    """The infimum of P(Bin(n, mu) <= n mu) over mu <= 1 - 1/n, which Lemma 2 says is 1/4 or more.

    It is 1/4 at n = 2, and rises from there to 1 - 2/e = 0.2642.

    Examples
    --------
    >>> [round(lemma2_floor(n), 4) for n in (1, 2, 3, 10, 1000)]
    [1.0, 0.25, 0.2593, 0.2639, 0.2642]
    """
    n = require_whole("n", n, at_most=MOST_LOSSES)
    return float(_lowest(n, 0.0, n - 1))
