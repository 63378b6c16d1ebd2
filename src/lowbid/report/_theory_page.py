"""The page of `lowbid theory`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lowbid.report._blocks import (
    Block,
    ClaimItem,
    ClaimList,
    Code,
    Facts,
    Kind,
    Page,
    Pictures,
    Section,
    Table,
    Text,
)
from lowbid.report._page import render
from lowbid.report._theory_figures import pictures
from lowbid.theory import checks
from lowbid.theory.evidence import Evidence

_CHANGES: list[Block] = [
    Text(
        "Three errors in the paper affect constants, two affect its claims. None affects the "
        "algorithm or the rate log² T."
    ),
    Facts(
        {
            "Lemma 1": "lacks a factor 2 under the root, and with it Lemma 4 and Theorem 1.",
            "The quadratic inequality": "in Theorem 1's proof is solved with too small a root. The "
            "corrected Lemma 1 has room for that, so it costs nothing more.",
            "Scaled Bernoulli arms": "the form with means has μ*/Δ where b μ*/Δ is needed.",
            "Symmetric losses": "need a non-negative mean.",
            "The conjecture": "is false as stated; what the algorithm needs is another statement.",
        }
    ),
    Table(
        ["Theorem 1, with L = log(6TK/δ)", "printed", "corrected"],
        [
            ["by variances", "(7/2) Σ (σ²/Δ + 2b) L²", "(7/2) Σ (2σ²/Δ + 2b) L²"],
            ["by means", "(7/2) Σ (μ*/Δ + 3b) L²", "(7/2) Σ (2bμ*/Δ + 4b) L²"],
            [
                "gap-free",
                "√(14 T min{μ*K, Σσ²}) L + 11 K L²",
                "√(28 T min{μ*Σb, Σσ²}) L + 14 Σb L²",
            ],
        ],
    ),
    Text("Theorem 2 starts from the correct form of Bernstein's inequality: valid as printed."),
]


def save_theory_page(
    findings: Sequence[checks.Finding], evidence: Evidence, command: str, path: Path
) -> Path:
    """Write the page, including its pictures, and return its path."""
    page = Page(
        "Batch Ensemble: the theory, checked",
        "Every lemma, theorem and claim of A. Cassel, O. Levy and Y. Mansour, Batch ensemble for "
        "variance dependent regret in stochastic bandits (AAAI 2025), by exact computation where "
        f"possible, otherwise by simulation. {checks.tally(findings)} "
        "Choose one to see over what range it holds, or where it fails.",
        [
            Section("Findings", [ClaimList([_item(finding) for finding in findings])]),
            Section("What changes", _CHANGES),
            Section("Pictures", [Pictures(pictures(evidence))]),
            Section("Run it again", [Code(command), Text("Simulations use seed 0.")]),
        ],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(page), encoding="utf-8")
    return path


def _item(finding: checks.Finding) -> ClaimItem:
    kind: Kind = "good" if finding.holds else "bad"
    verdict = "holds" if finding.holds else "fails"
    return ClaimItem(finding.claim, finding.how, verdict, kind, f"{finding.where}.", [])
