"""The verdicts that were found before, to notice when one changes."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterable

from lowbid.experiments.paper._report import Judged


def recorded() -> dict[str, str]:
    """The recorded verdict of each claim: the defaults, 100 runs of 2000 steps, seed 0."""
    file = importlib.resources.files(__package__).joinpath("verdicts.json")
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def differences(judged: Iterable[Judged]) -> list[str]:
    """Where verdicts are not as recorded; those on running times depend on the machine."""
    known = recorded()
    return [
        f"{each.claim.key} is {each.verdict}, recorded is {known.get(each.claim.key, 'nothing')}"
        for each in judged
        if not each.claim.timed and each.verdict != known.get(each.claim.key)
    ]
