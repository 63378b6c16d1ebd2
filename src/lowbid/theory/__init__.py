"""The paper's guarantees as code: bounds to draw, lemmas to check.

- `theorem1`, `theorem2`: the regret of Batch Ensemble, with the paper's errors corrected;
  `printed` has the paper's own formulas where they differ.
- `textbook`, `lower`: upper bounds of classical policies, and what no policy can beat.
- `best_arm`: what it takes to know the best arm, and the shares of plays that take the least.
- `curves_for`: all of these that apply to an environment, ready to draw.
- `optimism`, `verdict`, `batches_needed`: how often a batch's estimate lies below the mean.
- `concentration`: how far below.
- `conjecture`: what is false, what survives, and a search for counterexamples.
"""

from lowbid.theory import (
    best_arm,
    concentration,
    conjecture,
    lower,
    printed,
    textbook,
    theorem1,
    theorem2,
)
from lowbid.theory._instance import instances
from lowbid.theory.curves import BoundCurve, BoundCurves, curves_for
from lowbid.theory.laws import (
    Chance,
    EnvironmentLaw,
    ExponentialLaw,
    FiniteLaw,
    GaussianLaw,
    Law,
    law_of,
)
from lowbid.theory.optimism import (
    FEIGE,
    GARNETT,
    HE_ZHANG_ZHANG,
    PAPER,
    SHARP,
    SYMMETRIC,
    Proof,
    Verdict,
    batches_needed,
    bernoulli_floor,
    ensemble_optimism,
    lemma2_floor,
    optimism,
    paper_batches,
    verdict,
)

__all__ = [
    "FEIGE",
    "GARNETT",
    "HE_ZHANG_ZHANG",
    "PAPER",
    "SHARP",
    "SYMMETRIC",
    "BoundCurve",
    "BoundCurves",
    "Chance",
    "EnvironmentLaw",
    "ExponentialLaw",
    "FiniteLaw",
    "GaussianLaw",
    "Law",
    "Proof",
    "Verdict",
    "batches_needed",
    "bernoulli_floor",
    "best_arm",
    "concentration",
    "conjecture",
    "curves_for",
    "ensemble_optimism",
    "instances",
    "law_of",
    "lemma2_floor",
    "lower",
    "optimism",
    "paper_batches",
    "printed",
    "textbook",
    "theorem1",
    "theorem2",
    "verdict",
]
