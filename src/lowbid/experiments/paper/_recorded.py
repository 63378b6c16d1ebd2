"""The recorded verdicts, to notice when one changes.

To record those in a folder written by ``lowbid reproduce``:
``python -m lowbid.experiments.paper._recorded FOLDER > src/lowbid/experiments/paper/verdicts.json``
"""

from __future__ import annotations

import importlib.resources
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from lowbid.experiments._folder import Folder
from lowbid.experiments.paper._judge import Judged, judge


def recorded() -> dict[str, str]:
    """The recorded verdict of each claim: the defaults, seed 0."""
    file = importlib.resources.files(__package__).joinpath("verdicts.json")
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def differences(judged: Iterable[Judged]) -> list[str]:
    """Verdicts that differ from the recorded ones.

    Claims on running times have no verdict, and claims that were not tested are skipped.
    """
    known = recorded()
    return [
        f"{each.claim.key} is {each.verdict}, recorded is {known.get(each.claim.key, 'nothing')}"
        for each in judged
        if not each.claim.timed and each.verdict not in ("not tested", known.get(each.claim.key))
    ]


if __name__ == "__main__":
    folder = Folder(Path(sys.argv[1]))
    found = {each.claim.key: each.verdict for each in judge(folder, folder.read())}
    print(json.dumps(found, indent=2))
