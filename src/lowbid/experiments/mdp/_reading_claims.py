"""The claims about readings and rivals, and how each is decided.

A claim is tested in every environment. It holds if the paired difference in regret lies on its
side of zero in at least one environment and on the other side in none, the intervals of all
environments holding together with 95% confidence (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lowbid import mdp
from lowbid._arrays import Floats
from lowbid.experiments.mdp._contenders import (
    CONTENDERS,
    DEFAULT,
    EPISODES,
    GLOBAL,
    PAIRS,
    RIVALS,
    STATES,
    one_batch,
    reading,
)
from lowbid.experiments.mdp._places import PLACES
from lowbid.experiments.mdp._trials import Trials
from lowbid.experiments.paper import difference
from lowbid.report import ClaimEvidence, ClaimItem, Kind
from lowbid.simulation import estimate

# Rules that do the same differ only by rounding errors, which do not count.
_NOTHING = 1e-9
Pair = tuple[str, str]


class Study(NamedTuple):
    """The results that were played, and the share of stuck runs.

    Attributes
    ----------
    outcomes : mapping
        The result of each (environment, rule).
    stuck : mapping
        The share of runs of each that still lose half of the optimum at the end.
    """

    outcomes: Trials
    stuck: Mapping[Pair, float]

    @classmethod
    def of(cls, outcomes: Trials) -> Study:
        """A study of these results, with stuck runs counted."""
        models = {key: PLACES[key].make() for key in dict.fromkeys(key for key, _ in outcomes)}
        stuck = {
            (key, name): mdp.stuck(result, models[key])[name]
            for (key, name), result in outcomes.items()
        }
        return cls(outcomes, stuck)

    @property
    def places(self) -> list[str]:
        """The environments that were played."""
        return list(dict.fromkeys(key for key, _ in self.outcomes))

    @property
    def names(self) -> list[str]:
        """The rules that were played."""
        return list(dict.fromkeys(name for _, name in self.outcomes))

    def regret(self, key: str, name: str) -> Floats:
        """The regret of each run at the end."""
        return self.outcomes[key, name].regret[0, :, -1]

    def best_of(self, family: str, key: str, published: bool) -> str | None:
        """The rule of a family with the lowest mean regret in an environment, in hindsight."""
        known = [
            name
            for name, each in CONTENDERS.items()
            if each.family == family
            and (each.published or not published)
            and (key, name) in self.outcomes
        ]
        return min(known, key=lambda name: self.regret(key, name).mean(), default=None)


def claims(study: Study) -> list[ClaimItem]:
    """All claims that the results can decide."""
    found = [
        _stuck("The paper's sentence, taken literally, works", "readings", [reading(GLOBAL, 2)],
               study),
        _lower("One value function for all batches beats one for each batch", "readings",
               [(reading(PAIRS, n), reading(GLOBAL, n)) for n in (2, 4)], study),
        _lower("It also beats batches that plan on their own and bid at each state", "readings",
               [(reading(PAIRS, n), reading(STATES, n)) for n in (2, 4)], study),
        _lower("Dealing visits to the batches beats dealing whole episodes", "readings",
               [(reading(GLOBAL, n), reading(EPISODES, n)) for n in (2, 4)], study),
        _lower("Two batches beat four", "batches",
               [(reading(PAIRS, 2, p), reading(PAIRS, 4, p)) for p in (1.0, 2.0)], study),
        _lower("Less padding beats more", "batches",
               [(reading(PAIRS, 2, p), reading(PAIRS, 2, 2 * p)) for p in (0.5, 1.0)], study),
        _stuck("With two batches no run gets stuck", "batches",
               [reading(PAIRS, 2, p) for p in (0.5, 1.0, 2.0)], study),
        _stuck("With one batch no run gets stuck", "batches",
               [one_batch(p) for p in (0.5, 1.0, 2.0)], study),
        _lower("One batch beats two where rewards are quiet", "batches",
               [(one_batch(p), reading(PAIRS, 2, p)) for p in (0.5, 1.0, 2.0)], study, quiet=True),
        _lower("Two batches beat one where rewards are noisy", "batches",
               [(reading(PAIRS, 2, p), one_batch(p)) for p in (0.5, 1.0, 2.0)], study, quiet=False),
    ]  # fmt: skip
    for family in RIVALS:
        found += [_rival(family, True, study), _rival(family, False, study)]
    return [claim for claim in found if claim is not None]


def _lower(
    says: str, about: str, pairs: Sequence[Pair], study: Study, quiet: bool | None = None
) -> ClaimItem | None:
    """The first rule of each pair has the lower regret."""
    compared = [
        (key, first, second)
        for first, second in pairs
        for key in study.places
        if quiet in (None, PLACES[key].quiet)
        and {(key, first), (key, second)} <= study.outcomes.keys()
    ]
    text = "Regret of the first rule minus that of the second, run by run, with 95% intervals."
    return _item(says, about, text, [_compared(study, *each, len(compared)) for each in compared])


def _compared(study: Study, key: str, first: str, second: str, checks: int) -> ClaimEvidence:
    apart = study.regret(key, first) - study.regret(key, second)
    found = estimate(apart, 1.0 - 0.05 / checks)
    known = bool(np.isfinite(found.low))
    kind: Kind = "open"
    if known and found.high < -_NOTHING:
        kind = "good"
    elif known and found.low > _NOTHING:
        kind = "bad"
    return ClaimEvidence(f"{PLACES[key].title}: {first}, less {second}", difference(found), kind)


def _stuck(says: str, about: str, names: Sequence[str], study: Study) -> ClaimItem | None:
    """No run of these rules gets stuck."""
    evidence = []
    for name in names:
        for key in study.places:
            if (key, name) in study.stuck:
                runs = len(study.regret(key, name))
                count = round(study.stuck[key, name] * runs)
                kind: Kind = "bad" if count else "good"
                text = f"{PLACES[key].title}: {name}"
                evidence.append(ClaimEvidence(text, f"{count} of {runs} runs stuck", kind))
    text = "A run is stuck if it still loses half of the optimum in its last tenth."
    return _item(says, about, text, evidence)


def _rival(family: str, published: bool, study: Study) -> ClaimItem | None:
    """The default reading beats a rival with its published constants, or with its best ones."""
    played = [name for name in study.names if CONTENDERS[name].family == family]
    if not published and len(played) < 2:
        return None
    best = {key: study.best_of(family, key, published) for key in study.places}
    compared = [(key, DEFAULT, name) for key, name in best.items() if name is not None]
    compared = [each for each in compared if (each[0], DEFAULT) in study.outcomes]
    constants = "its published constants" if published else "its best constants"
    text = (
        "Of several published versions the best in each environment is taken."
        if published
        else "Its best of all constants that were tried, in each environment, chosen in hindsight; "
        "the default reading has the same two batches and padding 1 everywhere."
    )
    says = f"Two batches that bid beat {family} with {constants}"
    evidence = [_compared(study, *each, len(compared)) for each in compared]
    return _item(says, "rivals", text, evidence)


def _item(says: str, about: str, text: str, evidence: Sequence[ClaimEvidence]) -> ClaimItem | None:
    if not evidence:
        return None
    verdict, kind = verdict_of([each.kind for each in evidence])
    return ClaimItem(says, about, verdict, kind, text, evidence)


def verdict_of(kinds: Sequence[Kind]) -> tuple[str, Kind]:
    """The verdict that follows from the evidence of all environments.

    >>> verdict_of(["good", "open"]), verdict_of(["good", "good", "bad"]), verdict_of(["open"])
    (('holds', 'good'), ('holds in most', 'open'), ('undecided', 'none'))
    """
    good, bad = kinds.count("good"), kinds.count("bad")
    if good and not bad:
        return "holds", "good"
    if bad and not good:
        return "fails", "bad"
    if good > bad:
        return "holds in most", "open"
    return ("fails in most", "bad") if bad else ("undecided", "none")
