from collections import Counter
from pathlib import Path

import pytest

from lowbid.cli import parser
from lowbid.experiments.paper import CLAIMS, SETTINGS, recorded

PAGE = (Path(__file__).parents[3] / "docs" / "the-paper.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_the_docs_list_every_claim_with_its_verdict(claim):
    assert f"| {claim.place} | {claim.says} | {recorded()[claim.key]} |" in PAGE


def test_the_docs_count_verdicts():
    counts = Counter(recorded().values())
    texts = [f"{counts[v]} {v}" for v in ("reproduced", "not reproduced", "undecided")]
    assert ", ".join(texts) in PAGE


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_the_docs_list_every_setting(setting):
    choices = "; ".join(f"`{choice.key}`: {choice.text}" for choice in setting.choices)
    assert f"| `{setting.key}` | {setting.question} | {choices} |" in PAGE


def test_the_docs_name_every_option():
    commands = next(a for a in parser()._actions if hasattr(a, "choices") and a.choices)
    for action in commands.choices["reproduce"]._actions:
        assert all(
            option in PAGE for option in action.option_strings if option not in ("-h", "--help")
        )
