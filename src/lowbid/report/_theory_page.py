"""The page of `lowbid theory`: one file with everything in it."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from pathlib import Path

from lowbid._version import __version__
from lowbid.report._theory_figures import Picture, pictures
from lowbid.theory.checks import Finding
from lowbid.theory.evidence import Evidence

_STYLE = """
:root { color-scheme: light dark; --ink: #222; --faint: #666; --ground: #fff; --card: #f6f6f4;
  --line: #ddd; --good: #00674b; --bad: #a83c00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e3; --faint: #a3a3a3; --ground: #15181c; --card: #1d2127;
    --line: #3a3d42; --good: #4fc3a1; --bad: #ff9a5c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.2rem; color: var(--ink);
  background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: .4rem 0; } h2 { font-size: 1.2rem; margin: 2rem 0 .6rem; }
p, li { max-width: 46rem; } .faint { color: var(--faint); font-size: .9rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem .45rem 0;
  border-bottom: 1px solid var(--line); }
.holds { color: var(--good); font-weight: 600; } .fails { color: var(--bad); font-weight: 600; }
.pictures { display: grid; gap: 1.2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.wide { overflow-x: auto; } .wide td { white-space: nowrap; }
figure { margin: 0; padding: .8rem; background: var(--card); border-radius: .5rem; }
figure img { width: 100%; height: auto; display: block; }
figcaption { font-size: .88rem; color: var(--faint); margin-top: .5rem; }
@media (max-width: 40rem) {
  .findings thead { display: none; } .findings td { display: block; border: 0; padding: .1rem 0; }
  .findings tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); } }
"""

_SLIPS = """
<p>Three slips of the paper touch constants, two touch what is claimed. None touches the algorithm,
nor the rate log² T.</p>
<ul>
<li><b>Lemma 1</b> lacks a factor 2 under the root, and with it Lemma 4 and Theorem 1.</li>
<li><b>The quadratic inequality</b> in Theorem 1's proof is solved with too small a root. The right
Lemma 1 has room for that, so it costs nothing more.</li>
<li><b>Scaled Bernoulli arms:</b> the form with means has μ*/Δ where b μ*/Δ is needed.</li>
<li><b>Symmetric losses</b> need a mean that is not negative.</li>
<li><b>The conjecture</b> is false as stated; what the algorithm needs is another statement.</li>
</ul>
<div class="wide"><table><thead>
<tr><th>Theorem 1, with L = log(6TK/δ)</th><th>printed</th><th>corrected</th></tr></thead><tbody>
<tr><td>by variances</td><td>(7/2) Σ (σ²/Δ + 2b) L²</td><td>(7/2) Σ (2σ²/Δ + 2b) L²</td></tr>
<tr><td>by means</td><td>(7/2) Σ (μ*/Δ + 3b) L²</td><td>(7/2) Σ (2bμ*/Δ + 4b) L²</td></tr>
<tr><td>free of gaps</td><td>√(14 T min{μ*K, Σσ²}) L + 11 K L²</td>
<td>√(28 T min{μ*Σb, Σσ²}) L + 14 Σb L²</td></tr>
</tbody></table></div>
<p>Theorem 2 starts from the right form of Bernstein's inequality and stands as printed.</p>
"""


def save_theory_page(findings: Sequence[Finding], evidence: Evidence, path: Path) -> Path:
    """Write the page, with its pictures inside, and say where it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_page(findings, pictures(evidence)), encoding="utf-8")
    return path


def _page(findings: Sequence[Finding], drawn: Sequence[Picture]) -> str:
    held = sum(finding.holds for finding in findings)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Batch Ensemble: the theory, checked</title><style>{_STYLE}</style></head><body>
<h1>Batch Ensemble: the theory, checked</h1>
<p>Every lemma, theorem and claim of A. Cassel, O. Levy and Y. Mansour (2025), <i>Batch ensemble for
variance dependent regret in stochastic bandits</i>, AAAI 39(15), by exact computation where that
can be, else by simulation. {held} of {len(findings)} statements hold; where one fails, its
correction is listed with it.</p>
<h2>Findings</h2>
<table class="findings"><thead><tr><th>statement</th><th>verdict</th><th>where</th></tr></thead>
<tbody>{"".join(map(_row, findings))}</tbody></table>
<h2>What changes</h2>{_SLIPS}
<h2>Pictures</h2><div class="pictures">{"".join(map(_figure, drawn))}</div>
<p class="faint">Made by <code>lowbid theory</code>, lowbid {__version__}. Simulations use
seed 0.</p>
</body></html>
"""


def _row(finding: Finding) -> str:
    word = "holds" if finding.holds else "fails"
    return (
        f"<tr><td>{html.escape(finding.claim)}</td>"
        f'<td><span class="{word}">{word}</span> <span class="faint">{finding.how}</span></td>'
        f"<td>{html.escape(finding.where)}</td></tr>"
    )


def _figure(picture: Picture) -> str:
    caption = html.escape(picture.caption)
    return (
        f'<figure id="{picture.key}"><picture>'
        f'<source srcset="{_inline(picture.dark)}" media="(prefers-color-scheme: dark)">'
        f'<img src="{_inline(picture.light)}" alt="{caption}"></picture>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _inline(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
