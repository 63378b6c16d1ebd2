"""The claims of the paper's experiments section, one by one, and how each is decided.

A claim is a paraphrased sentence of the section, an interpretation that makes it precise, and
checks. It is reproduced if all its checks hold, each with its interval on the claimed side of zero;
it is not reproduced if one interval lies on the other side; otherwise it is undecided at this
number of runs, and gets a second look with more runs. The intervals of one claim hold together with
95% confidence (Bonferroni). Running times depend on the machine, so claims about them are measured,
but get no verdict.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

from lowbid.experiments.paper._cases import (
    ADAPTIVE,
    EFFICIENT,
    ENSEMBLES,
    MARS_,
    OTHERS,
    UCB,
    UCB_KL,
    UCB_V,
)
from lowbid.experiments.paper._evidence import (
    ClaimCheck,
    Outcome,
    Study,
    close,
    faster,
    jump,
    lower,
    near_linear,
    saved,
    similar,
    slower,
    smaller,
    wider,
)
from lowbid.report import Kind

Verdict = Literal["reproduced", "not reproduced", "undecided", "measured here", "not tested"]
KINDS: dict[Verdict, Kind] = {
    "reproduced": "good",
    "not reproduced": "bad",
    "undecided": "open",
    "measured here": "none",
    "not tested": "none",
}

_NEAR_LINEAR = 0.8
_SIMILAR = 0.25
_CLOSE = 0.1
_LINEAR_READING = (
    "Near-linear is read as: the second half of the steps adds at least 80% of the regret that "
    "the first half added. A straight line adds 100%, a logarithm at this horizon about 10%."
)
_SIMILAR_READING = (
    "Similar is read as: the means differ by at most a quarter of UCB-KL's, either way."
)
_ORDER_READING = (
    "Only the order is decided, by an interval of the difference that lies on one side of zero; "
    "how much better the wording implies is left to the reader."
)
_TESTS = tuple(f"test-{number}" for number in range(1, 6))


@dataclasses.dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes
    ----------
    key : str
        A short name under which its verdict is recorded.
    place : str
        The part of the section that makes it.
    says : str
        The claim, paraphrased.
    checks : tuple of ClaimCheck
        The checks that decide it.
    reading : str
        How words such as "close" were made precise.
    needs : {"all", "one"}
        How many of the checks must hold.
    timed : bool
        Whether it is about times, which depend on the machine: it gets no verdict.
    """

    key: str
    place: str
    says: str
    checks: tuple[ClaimCheck, ...]
    reading: str = ""
    needs: Literal["all", "one"] = "all"
    timed: bool = False

    def judge(self, study: Study) -> tuple[Verdict, list[Outcome]]:
        """The verdict on a study, and the evidence for it."""
        confidence = 1.0 - 0.05 / len(self.checks)
        outcomes = [check.look(study, confidence) for check in self.checks]
        return self.verdict_of(outcomes), outcomes

    def judge_again(self, first: list[Outcome], study: Study) -> tuple[Verdict, list[Outcome]]:
        """The verdict when a study with more runs replaces what the first one left open."""
        _, second = self.judge(study)
        outcomes = [
            more if once.kind == "open" and more.kind != "none" else once
            for once, more in zip(first, second, strict=True)
        ]
        return self.verdict_of(outcomes), outcomes

    def verdict_of(self, outcomes: list[Outcome]) -> Verdict:
        """The verdict that follows from the outcomes of the checks."""
        kinds = [outcome.kind for outcome in outcomes]
        if "none" in kinds:
            return "not tested"
        if self.timed:
            return "measured here"
        if self.needs == "one":
            good, bad = "good" in kinds, all(kind == "bad" for kind in kinds)
        else:
            good, bad = all(kind == "good" for kind in kinds), "bad" in kinds
        return "reproduced" if good else "not reproduced" if bad else "undecided"


def _all_lower(
    test: str, firsts: tuple[str, ...], seconds: tuple[str, ...]
) -> tuple[ClaimCheck, ...]:
    return tuple(lower(test, first, second) for first in firsts for second in seconds)


def _all_similar(test: str) -> tuple[ClaimCheck, ...]:
    return tuple(check for e in ENSEMBLES for check in similar(test, e, UCB_KL, _SIMILAR))


def _linear(test: str) -> Claim:
    number = test.removeprefix("test-")
    return Claim(
        f"{test}-mars-linear",
        f"test {number}",
        "MARS has near-linear regret.",
        (near_linear(test, MARS_, _NEAR_LINEAR),),
        _LINEAR_READING,
    )


TEST_1 = (
    Claim(
        "test-1-mars-burn-in",
        "test 1",
        "MARS has a long burn-in period.",
        (near_linear("test-1", MARS_, _NEAR_LINEAR, until=0.1),),
        "A long burn-in is read as: regret is near-linear over the first tenth of the steps.",
    ),
    _linear("test-1"),
    Claim(
        "test-1-ucbs-beat-mars",
        "test 1",
        "UCB, UCB-V and UCB-KL do much better than MARS.",
        _all_lower("test-1", (UCB, UCB_V, UCB_KL), (MARS_,)),
        _ORDER_READING,
    ),
    Claim(
        "test-1-kl-best",
        "test 1",
        "UCB-KL has the lowest regret of all.",
        _all_lower("test-1", (UCB_KL,), (*ENSEMBLES, *OTHERS)),
    ),
    Claim(
        "test-1-ensembles-close",
        "test 1",
        "Both ensembles are very close to UCB-KL.",
        tuple(close("test-1", e, UCB_KL, UCB, _CLOSE) for e in ENSEMBLES),
        "Very close is read as: at most a tenth of the way from UCB-KL to UCB.",
    ),
    Claim(
        "test-1-ensembles-beat-others",
        "test 1",
        "Both ensembles are significantly better than UCB, UCB-V and MARS.",
        _all_lower("test-1", ENSEMBLES, OTHERS),
        _ORDER_READING,
    ),
    Claim(
        "test-1-jump",
        "test 1",
        "The ensembles' curves jump slightly near 800 steps, where the number of batches grows.",
        tuple(check for e in ENSEMBLES for check in jump("test-1", e, 800, 200)),
        "A jump is read as: regret grows more from step 700 to 900 than in the 200 steps before, "
        "and more than in the 200 steps after.",
    ),
)

TEST_2 = (
    Claim(
        "test-2-variance-helps",
        "test 2",
        "Policies that depend on the variance do much better than UCB and MARS.",
        _all_lower("test-2", (*ENSEMBLES, UCB_V, UCB_KL), (UCB, MARS_)),
        _ORDER_READING,
    ),
    Claim(
        "test-2-ucbv-beats-ucb",
        "test 2",
        "UCB-V is slightly better than UCB.",
        (lower("test-2", UCB_V, UCB),),
        _ORDER_READING,
    ),
    Claim(
        "test-2-best",
        "test 2",
        "UCB-KL and the ensembles are the best.",
        _all_lower("test-2", (*ENSEMBLES, UCB_KL), OTHERS),
    ),
    Claim(
        "test-2-similar",
        "test 2",
        "UCB-KL and the ensembles have similar results.",
        _all_similar("test-2"),
        _SIMILAR_READING,
    ),
)

TEST_3 = (
    _linear("test-3"),
    Claim(
        "test-3-similar",
        "test 3",
        "UCB-KL and the ensembles perform similarly.",
        _all_similar("test-3"),
        _SIMILAR_READING,
    ),
    Claim(
        "test-3-ensembles-lower",
        "test 3",
        "The ensembles' mean regret is lower than UCB-KL's.",
        _all_lower("test-3", ENSEMBLES, (UCB_KL,)),
    ),
    Claim(
        "test-3-ensembles-wider",
        "test 3",
        "The ensembles' regret has a higher variance than UCB-KL's.",
        tuple(wider("test-3", e, UCB_KL) for e in ENSEMBLES),
    ),
    Claim(
        "test-3-best",
        "test 3",
        "UCB-KL and the ensembles are significantly better than UCB and UCB-V.",
        _all_lower("test-3", (*ENSEMBLES, UCB_KL), (UCB, UCB_V)),
        _ORDER_READING,
    ),
    Claim(
        "test-3-efficient-better",
        "test 3",
        "The efficient variant has better results than the other ensemble.",
        (lower("test-3", EFFICIENT, ADAPTIVE),),
    ),
    Claim("test-3-ucb-beats-ucbv", "test 3", "UCB beats UCB-V.", (lower("test-3", UCB, UCB_V),)),
)

TEST_4 = (
    _linear("test-4"),
    Claim("test-4-ucb-beats-ucbv", "test 4", "UCB beats UCB-V.", (lower("test-4", UCB, UCB_V),)),
    Claim(
        "test-4-ensembles-lower",
        "test 4",
        "The ensembles outperform UCB-KL.",
        _all_lower("test-4", ENSEMBLES, (UCB_KL,)),
    ),
    Claim(
        "test-4-wider",
        "test 4",
        "UCB-KL and the ensembles have a relatively high standard deviation.",
        tuple(wider("test-4", p, other) for p in (*ENSEMBLES, UCB_KL) for other in OTHERS),
        "Relatively high is read as: higher than that of UCB, of UCB-V and of MARS.",
    ),
)

TEST_5 = (
    _linear("test-5"),
    Claim(
        "test-5-ensembles-lower",
        "test 5",
        "The ensembles outperform UCB-KL.",
        _all_lower("test-5", ENSEMBLES, (UCB_KL,)),
    ),
    Claim(
        "test-5-ucb-worse",
        "test 5",
        "UCB does worse than UCB-KL and the ensembles.",
        _all_lower("test-5", (*ENSEMBLES, UCB_KL), (UCB,)),
    ),
    Claim("test-5-ucb-beats-ucbv", "test 5", "UCB beats UCB-V.", (lower("test-5", UCB, UCB_V),)),
    Claim(
        "test-5-mars-between",
        "test 5",
        "MARS lies between UCB and UCB-V.",
        (lower("test-5", UCB, MARS_), lower("test-5", MARS_, UCB_V)),
    ),
)

DISCUSSION = (
    Claim(
        "all-ensembles-close",
        "discussion",
        "The ensembles are close to UCB-KL in every test.",
        tuple(close(t, e, UCB_KL, UCB, _CLOSE) for t in _TESTS for e in ENSEMBLES),
        "Close is read as: at most a tenth of the way from UCB-KL to UCB, or better than UCB-KL.",
    ),
    Claim(
        "some-ensembles-lower",
        "discussion",
        "The ensembles are sometimes better than UCB-KL.",
        tuple(lower(t, e, UCB_KL) for t in _TESTS for e in ENSEMBLES),
        "Sometimes is read as: at least once.",
        needs="one",
    ),
    Claim(
        "all-ensembles-beat-others",
        "discussion",
        "The ensembles are consistently better than UCB, UCB-V and MARS.",
        tuple(check for t in _TESTS for check in _all_lower(t, ENSEMBLES, OTHERS)),
        "Consistently is read as: in each of the five tests.",
    ),
    Claim(
        "low-variance-helps-most",
        "discussion",
        "They are better especially where the arms have low variances.",
        tuple(saved(_TESTS[:2], _TESTS[2:], e, UCB) for e in ENSEMBLES),
        "Read as: they save a larger part of UCB's regret in tests 1 and 2 than in tests 3, 4 "
        "and 5, on average.",
    ),
    Claim(
        "efficient-similar",
        "discussion",
        "The efficient variant performs about as well as the other ensemble, in every test.",
        tuple(check for t in _TESTS for check in similar(t, EFFICIENT, ADAPTIVE, _SIMILAR)),
        "About as well is read as: the means differ by at most a quarter.",
    ),
    Claim(
        "efficient-sometimes-better",
        "discussion",
        "The efficient variant is sometimes better than the other ensemble.",
        tuple(lower(t, EFFICIENT, ADAPTIVE) for t in _TESTS),
        "Sometimes is read as: at least once.",
        needs="one",
    ),
    Claim(
        "time-close-to-ucb",
        "discussion",
        "The ensembles' running time is close to UCB's.",
        tuple(faster((e, "T"), (UCB, "T"), 2.0, f"time per step, {e} to UCB") for e in ENSEMBLES),
        "Close is read as: at most twice as long.",
        timed=True,
    ),
    Claim(
        "time-constant",
        "discussion",
        "The ensembles' running time is constant per step.",
        tuple(
            faster((e, "10T"), (e, "T"), 1.5, f"time per step of {e}, at 10 T to at T")
            for e in ENSEMBLES
        ),
        "Constant is read as: at ten times the horizon a step takes at most 1.5 times as long.",
        timed=True,
    ),
    Claim(
        "memory-logarithmic-efficient",
        "discussion",
        "Memory grows logarithmically with the horizon: the efficient variant.",
        (smaller((EFFICIENT, "100T"), (EFFICIENT, "T"), 3.0, "bytes at 100 T to at T"),),
        "Logarithmic is read as: at a hundred times the horizon at most three times the bytes. "
        "log(100 T) / log(T) is 1.6 at T = 2000; the number of batches moves in whole steps.",
    ),
    Claim(
        "memory-logarithmic-adaptive",
        "discussion",
        "Memory grows logarithmically with the horizon: the ensemble that deals samples again.",
        (smaller((ADAPTIVE, "100T"), (ADAPTIVE, "T"), 3.0, "bytes at 100 T to at T"),),
        "Read as for the efficient variant. To deal all samples again it must keep them.",
    ),
    Claim(
        "mars-time-quadratic",
        "discussion",
        "MARS has a running time of O(T^2).",
        (slower((MARS_, "2T"), (MARS_, "T"), 1.6, "time per step of MARS, at 2 T to at T"),),
        "Read as: with delta = 1/T, a step takes at least 1.6 times as long when T is doubled; "
        "quadratic time in all would double it. A bound of the order is not a claim about every "
        "program: this one lets subsets catch up only when they must.",
        timed=True,
    ),
    Claim(
        "mars-memory-quadratic",
        "discussion",
        "MARS has a memory usage of O(T^2).",
        (smaller((MARS_, "T"), (MARS_, "2T"), 1.0 / 3.0, "bytes of MARS at T to those at 2 T"),),
        "Read as: with delta = 1/T, doubling T multiplies the bytes by 3 or more; quadratic is 4. "
        "Sums and counts of the subsets are enough, so that memory need only be linear in T.",
    ),
    Claim(
        "kl-costs-more",
        "discussion",
        "For Bernoulli arms UCB-KL must solve an optimisation problem at each step, and so is "
        "slower than the ensembles.",
        tuple(
            faster((e, "T"), (UCB_KL, "T"), 1.0, f"time per step, {e} to UCB-KL") for e in ENSEMBLES
        ),
        timed=True,
    ),
)

CLAIMS = (*TEST_1, *TEST_2, *TEST_3, *TEST_4, *TEST_5, *DISCUSSION)
