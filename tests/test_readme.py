"""The numbers in the README are counted again here."""

import json
from collections import Counter
from importlib import resources
from pathlib import Path

README = " ".join((Path(__file__).parents[1] / "README.md").read_text().split())


def test_the_verdicts():
    text = (resources.files("lowbid.experiments.paper") / "verdicts.json").read_text()
    counts = Counter(json.loads(text).values())
    sentence = (
        f"Of the paper's {counts.total()} claims, {counts['reproduced']} are reproduced, "
        f"{counts['not reproduced']} are not, and {counts['undecided']} cannot be decided by "
        f"10,000 runs; {counts['measured here']} are about running time"
    )
    assert sentence in README
    assert f"each of its {counts.total()} claims" in README
