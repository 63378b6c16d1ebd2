"""Parameters chosen on some environments and judged on others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lowbid.experiments.sweeps._cell import SweptPolicy
from lowbid.experiments.sweeps._sweep import TuneSplit
from lowbid.experiments.sweeps._sweep_scores import Ranking, SweepScore, sweep_scores
from lowbid.experiments.sweeps._tidy import Row


class Tuned(NamedTuple):
    """How a rule's chosen setting performs elsewhere.

    Attributes
    ----------
    rule : str
        The rule.
    tried : int
        The number of settings tried.
    chosen : SweepScore
        The setting with the best score on the environments for choosing, and that score.
    judged : SweepScore
        The same setting on the environments for judging.
    hindsight : SweepScore
        The setting that would have been best there, known only in hindsight.
    """

    rule: str
    tried: int
    chosen: SweepScore
    judged: SweepScore
    hindsight: SweepScore


def tuned(
    policies: Sequence[SweptPolicy], split: TuneSplit, rows: Sequence[Row], ranking: Ranking
) -> list[Tuned]:
    """The setting of each rule that was best on some environments, judged on others; best first.

    Only the places of a ranking count, and the policies that it ranks. In both, ratios are relative
    to the lowest regret of all policies and settings in the sweep.
    """
    names = {score.name for score in ranking.scores}
    on, judge = (
        {
            score.name: score
            for score in sweep_scores(
                rows,
                {at: row for at, row in ranking.table.items() if at.environment in environments},
                names,
            )
        }
        for environments in (split.on, split.judge)
    )
    found = []
    for rule in dict.fromkeys(each.rule for each in policies):
        settings = [each.name for each in policies if each.rule == rule]
        known = [name for name in settings if name in on and name in judge]
        if known:
            chosen = min(known, key=lambda name: on[name].mean.value)
            hindsight = min(known, key=lambda name: judge[name].mean.value)
            found.append(Tuned(rule, len(known), on[chosen], judge[chosen], judge[hindsight]))
    return sorted(found, key=lambda each: each.judged.mean.value)
