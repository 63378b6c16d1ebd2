import html
import re

import pytest

from lowbid.cli import main

VERDICTS = {
    "Lemma 1 as printed": "FAILS",
    "Lemma 1 corrected": "holds",
    "Lemma 2": "holds",
    "Lemma 3": "holds",
    "Lemma 4 as printed": "FAILS",
    "Lemma 4 corrected": "holds",
    "Theorem 1, its quadratic as printed": "FAILS",
    "Theorem 1 for scaled arms, form with means as printed": "FAILS",
    "Theorem 1 corrected": "holds",
    "Theorem 1 corrected, scaled arms": "holds",
    "Lemma on plays (n_ta)": "holds",
    "Theorem 2": "holds",
    "Symmetric distributions work unchanged": "FAILS",
    "Gaussian arms work unchanged, whatever their means": "FAILS",
    "Optimism from a mean of 0 or more alone": "FAILS",
    "Warm-up of 4 C^2 losses (Berry-Esseen)": "holds",
    "Conjecture as stated": "FAILS",
    "Conjecture corrected": "holds",
    "Optimism >= 0.14 for all losses >= 0": "holds",
    "Upper bounds of UCB1, UCB-V and KL-UCB": "holds",
    "Lower bound of Lai and Robbins, under Batch Ensemble and UCB1": "holds",
}


def _joined(text):
    """Each finding in one line."""
    return text.replace("\n       ", " ").splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("theory")


def test_lines_and_page(folder, capsys):
    pytest.importorskip("matplotlib")
    assert main(["theory", "--quick", "--out", str(folder)]) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    found = [re.match(r"(holds|FAILS)  ([^:]*):", line) for line in _joined(text)]
    verdicts = {match[2]: match[1] for match in found if match}
    assert verdicts == VERDICTS
    count = (
        "Of the paper's statements 5 of 12 hold as printed, of the corrected ones 5 of 5, and of "
        "those that are not in the paper 3 of 4."
    )
    assert count in " ".join(lines)
    page = (folder / "theory.html").read_text(encoding="utf-8")
    assert html.escape(count, quote=True) in page
    assert page.count('<figure class="picture"') == 8
    assert page.count('<details class="finding"') == len(VERDICTS)
    assert page.count("data:image/svg+xml;base64,") == 16
    bare = re.sub(r"data:image/svg\+xml;base64,[\w+/=]*", "", page)
    assert set(re.findall(r"https?://[^\"'\s)]+", bare)) <= {"http://www.w3.org/2000/svg"}
    assert all(claim.replace(">", "&gt;") in page for claim in VERDICTS)


def test_lines_alone(folder, capsys):
    assert main(["theory", "--quick", "--no-page", "--out", str(folder / "none")]) == 0
    assert "page" not in capsys.readouterr().out
    assert not (folder / "none").exists()
