"""What late feedback costs, and what it costs a policy that ignores decisions still pending.

Prints the table of docs/how-to/late-feedback.md, in about a minute:

    python -m benchmarks.late_feedback
"""

from __future__ import annotations

import argparse

import lowbid

ARMS = {
    "conversions of 80% and 83%": lowbid.Bernoulli([0.20] * 4 + [0.17]),
    "Gaussian, gap 0.2": lowbid.Gaussian([0.2] * 4 + [0.0]),
}
FEEDBACK = {
    "at once": {},
    "1,000 steps late": {"delay": 1_000},
    "100 at a time": {"batch": 100},
}


class IgnoringMomentIMED(lowbid.MomentIMED):
    """Moment IMED that chooses as if pending decisions had not been made."""

    hold = None


class IgnoringBatchLikelihood(lowbid.BatchLikelihood):
    """Batch likelihood that chooses as if pending decisions had not been made."""

    hold = None


POLICIES = {
    "MomentIMED": lowbid.MomentIMED(),
    "MomentIMED, pending ignored": IgnoringMomentIMED(),
    "BatchLikelihood": lowbid.BatchLikelihood(),
    "BatchLikelihood, pending ignored": IgnoringBatchLikelihood(),
    "BatchEnsemble": lowbid.BatchEnsemble(baseline="minimum"),
    "RBSDA": lowbid.RBSDA(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--horizon", type=int, default=20_000)
    given = parser.parse_args()
    for title, arms in ARMS.items():
        print(f"\n| {title} | {' | '.join(FEEDBACK)} |")
        print("|---|" + "---:|" * len(FEEDBACK))
        results = [
            lowbid.simulate(POLICIES, arms, given.horizon, given.runs, **late)
            for late in FEEDBACK.values()
        ]
        for name in POLICIES:
            cells = [f"{result.summary().row(name).mean:.0f}" for result in results]
            print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
