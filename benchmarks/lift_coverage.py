"""How often the interval of `SharedBandit.lift` misses.

A share of the visitors is held out and gets the control arm; for the others, a policy plays the arm
with the largest mean reward so far, and any arm with probability 0.1. After each visitor (beyond
1,000, after each 0.2% more of them) the interval is looked at. A run has missed if the interval
ever excluded the true lift: the means of the arms, weighted as they were played until then, minus
that of the control arm. The interval is made of those of the two groups, and each of these may miss
half as often. Prints the table of docs/how-to/windows-holdouts-sticky.md, in some three minutes on
one core:

    python -m benchmarks.lift_coverage --runs 1000
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lowbid._compile import kernel
from lowbid.online._ledger import COUNT, empty_ledger
from lowbid.shared._lift import average_intervals, lift_bounds, record_surprise

from .recommend_coverage import looks
from .table import table

Floats = npt.NDArray[np.float64]

ERROR, EXPLORATION = 0.05, 0.1


@dataclass(frozen=True)
class Setting:
    """Arms, the first of which is the control, and what visitors bring.

    Attributes
    ----------
    chances : tuple of float
        The probability with which a visitor of each arm brings a reward.
    sd : float
        The reward is 1 if this is 0; otherwise its logarithm is Gaussian with this deviation.
    holdout : float
        The share of visitors that are held out.
    declared : bool
        Whether it was declared that rewards are between 0 and 1.
    """

    name: str
    chances: tuple[float, ...]
    sd: float
    holdout: float
    declared: bool

    def values(self, rng: np.random.Generator, runs: int) -> Floats:
        """What the next visitor of every run would bring for each arm."""
        values = (rng.random((runs, len(self.chances))) < self.chances).astype(np.float64)
        if self.sd > 0.0:
            values *= rng.lognormal(-(self.sd**2) / 2, self.sd, values.shape)
        return values


SETTINGS = (
    Setting("50% and 50%, range declared", (0.5, 0.5), 0.0, 0.05, True),
    Setting("2% and 2%, range declared", (0.02, 0.02), 0.0, 0.05, True),
    Setting("2% and 2%, range declared", (0.02, 0.02), 0.0, 0.5, True),
    Setting("2% and 4%, range declared", (0.02, 0.04), 0.0, 0.2, True),
    Setting("10 arms of 10%, range declared", (0.1,) * 10, 0.0, 0.2, True),
    Setting("50% and 50%", (0.5, 0.5), 0.0, 0.05, False),
    Setting("2% and 2%", (0.02, 0.02), 0.0, 0.05, False),
    Setting("2% and 4%", (0.02, 0.04), 0.0, 0.2, False),
    Setting("50% and 50%, lognormal, sd 1", (0.5, 0.5), 1.0, 0.05, False),
    Setting("2% and 2%, lognormal, sd 1", (0.02, 0.02), 1.0, 0.5, False),
    Setting("2% and 4%, lognormal, sd 1", (0.02, 0.04), 1.0, 0.2, False),
)


@kernel
def visit(
    played: Floats,
    ledger: Floats,
    surprises: Floats,
    values: Floats,
    luck: Floats,
    holdout: float,
    width: float,
) -> None:
    """One visitor of every run; `played` has the number and sum of rewards of each arm."""
    runs, n_arms = values.shape
    for run in range(runs):
        if luck[run, 0] < holdout:
            record_surprise(ledger, surprises, runs + run, values[run, 0], 0.0, width)
            continue
        arm = int(luck[run, 2] * n_arms)
        if luck[run, 1] >= EXPLORATION:
            for other in range(n_arms):
                count, total = played[run, other]
                if total * played[run, arm, 0] > played[run, arm, 1] * count:
                    arm = other
        played[run, arm, 0] += 1.0
        played[run, arm, 1] += values[run, arm]
        record_surprise(ledger, surprises, run, values[run, arm], 0.0, width)


@dataclass
class Outcome:
    """In which runs the interval missed and was sure, and how wide it was in the end."""

    missed: npt.NDArray[np.bool_]
    group_missed: npt.NDArray[np.bool_]
    sure: npt.NDArray[np.bool_]
    width: Floats

    def look(self, played: Floats, ledger: Floats, surprises: Floats, setting: Setting) -> None:
        """Look at the interval of every run in which both groups have outcomes."""
        declared = (0.0, 1.0) if setting.declared else None
        bounds = average_intervals(ledger, surprises, declared, ERROR / 2).reshape(2, -1, 2)
        both = ledger[:, COUNT].reshape(2, -1).all(axis=0)
        counts, means, bounds = played[both, :, 0], np.array(setting.chances), bounds[:, both]
        decided = counts @ means / counts.sum(axis=1)
        truths = np.stack([decided, np.full(len(decided), means[0])])
        self.group_missed[both] |= outside(truths, bounds).any(axis=0)
        found = lift_bounds(bounds)
        self.missed[both] |= outside(truths[0] - truths[1], found)
        self.sure[both], self.width[both] = found[:, 0] > 0.0, found[:, 1] - found[:, 0]


def outside(truths: Floats, bounds: Floats) -> npt.NDArray[np.bool_]:
    """Which intervals exclude the truth, by more than rounding."""
    return (truths < bounds[..., 0] - 1e-12) | (truths > bounds[..., 1] + 1e-12)


def measure(setting: Setting, visitors: int, runs: int, seed: int) -> Outcome:
    """Play all runs at once, and look."""
    rng, none = np.random.default_rng(seed), np.zeros(runs, bool)
    state = np.zeros((runs, len(setting.chances), 2)), empty_ledger(2 * runs), np.zeros(2 * runs)
    outcome = Outcome(none.copy(), none.copy(), none.copy(), np.full(runs, np.inf))
    moments, width = set(looks(visitors)), 1.0 if setting.declared else 0.0
    for visited in range(1, visitors + 1):
        values, luck = setting.values(rng, runs), rng.random((runs, 3))
        visit(*state, values, luck, setting.holdout, width)
        if visited in moments:
            outcome.look(*state, setting)
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--visitors", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rows = []
    for setting in SETTINGS:
        print(setting.name, file=sys.stderr, flush=True)
        found = measure(setting, given.visitors, given.runs, given.seed)
        missed = [f"{part.mean():.1%}" for part in (found.missed, found.group_missed)]
        last = [f"{found.sure.mean():.0%}", f"{np.median(found.width):.3f}"]
        rows.append([setting.name, f"{setting.holdout:.0%}", *missed, *last])
    missed = [f"missed, {ERROR:.0%} allowed", f"a group missed, {ERROR:.0%} allowed"]
    print(table(["outcomes", "held out", *missed, "sure at the end", "width (median)"], rows))


if __name__ == "__main__":
    main()
