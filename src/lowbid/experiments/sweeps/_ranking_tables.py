"""The rankings of a sweep and its chosen settings, as tables and as columns of a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from lowbid._terminal import filled
from lowbid.experiments.sweeps._play_sweep import counted
from lowbid.experiments.sweeps._sweep_scores import Part, Ranking, SweepScore
from lowbid.experiments.sweeps._tuning import Tuned
from lowbid.report import Block, Heading, Section, Table, Text, figure, interval, plain

# Further policies are in ranking.csv.
_MOST_RANKED, _MOST_PRINTED = 100, 20
# Titles name no more policies than this.
_MOST_NAMED = 3

EXPLANATION = (
    "Score: the geometric mean, over environments, steps and seeds, of a policy's mean regret "
    "divided by the lowest of all policies. Worst: the largest of these ratios. Stuck: the share "
    "of runs, on environments with given arms, whose last tenth lost at least 90% of the smallest "
    "gap per step. Brackets are 95% bootstrap intervals over environments; they show how much a "
    "figure depends on the choice of environments, and the upper end of the worst ratio cannot "
    "lie above the observed one. Only cells (environment, horizon, seed) that every policy has "
    "completed are counted, and a table ranks only policies that run in all of its cells; policies "
    "that run in some cells only have tables of their own, over these cells, together with all "
    "others that run there."
)


class Choices(NamedTuple):
    """The chosen settings of rules, compared at the places of a ranking."""

    ranking: Ranking
    tuned: Sequence[Tuned]


def ranking_title(ranking: Ranking) -> str:
    """The places of a ranking, in words."""
    number = len(ranking.table)
    if not ranking.limited:
        return f"Over all {number:,} cells" if number > 1 else "Over the only cell"
    names, more = ranking.limited[:_MOST_NAMED], len(ranking.limited) - _MOST_NAMED
    listed = [*names, counted(more, "other")] if more > 0 else list(names)
    who = " and ".join(filter(None, [", ".join(listed[:-1]), listed[-1]]))
    verb = "plays" if len(listed) == 1 else "play"
    return f"Over the {counted(number, 'cell')} where {who} {verb}"


def ranking_table(scores: Sequence[SweepScore]) -> Table:
    """One row per policy, best first."""
    rows = [
        [
            score.name,
            with_interval(score.mean),
            str(score.places),
            with_interval(score.worst),
            f"{score.worst_at.environment}, {score.worst_at.step:,}",
            percent_with_interval(score.stuck),
        ]
        for score in scores
    ]
    head = ["policy", "score", "cells", "worst", "worst at", "stuck"]
    return Table(head, rows, frozenset({4}), spare=("cells", "worst at"))


def ranking_columns(rankings: Sequence[Ranking]) -> dict[str, list[Any]]:
    """All rankings, one after the other, by columns, for a file."""
    scores = [score for ranking in rankings for score in ranking.scores]
    found: dict[str, list[Any]] = {
        "ranking": [ranking_title(ranking) for ranking in rankings for _ in ranking.scores],
        "policy": [score.name for score in scores],
    }
    for name in ("mean", "worst", "stuck"):
        parts: list[Part] = [getattr(score, name) for score in scores]
        title = "score" if name == "mean" else name
        found[title] = [_blank(part.value) for part in parts]
        found[f"{title}_low"] = [_blank(part.low) for part in parts]
        found[f"{title}_high"] = [_blank(part.high) for part in parts]
    found["worst_environment"] = [score.worst_at.environment for score in scores]
    found["worst_step"] = [score.worst_at.step for score in scores]
    return {**found, "cells": [score.places for score in scores]}


def ranking_section(rankings: Sequence[Ranking]) -> Section:
    """The rankings for the page."""
    blocks: list[Block] = [Text(EXPLANATION)]
    for ranking in rankings:
        scores = ranking.scores
        blocks += [Heading(ranking_title(ranking)), ranking_table(scores[:_MOST_RANKED])]
        if len(scores) > _MOST_RANKED:
            text = f"The best {_MOST_RANKED} of {len(scores):,} policies; ranking.csv has them all."
            blocks.append(Text(text))
    return Section("Ranking", blocks)


def printed_rankings(rankings: Sequence[Ranking]) -> list[str]:
    """The rankings for the terminal."""
    return [
        f"{filled(ranking_title(ranking))}:\n\n{plain(ranking_table(ranking.scores[:_MOST_PRINTED]))}"
        for ranking in rankings
    ]


def tuning_table(choices: Sequence[Tuned]) -> Table:
    """One row per rule: the chosen setting, and how it was judged."""
    rows = [
        [
            each.rule,
            str(each.tried),
            each.chosen.name,
            figure(each.chosen.mean.value),
            with_interval(each.judged.mean),
            str(each.judged.places),
            each.hindsight.name,
            figure(each.hindsight.mean.value),
        ]
        for each in choices
    ]
    head = ["rule", "settings tried", "chosen", "score there", "score when judged", "cells"]
    return Table(
        [*head, "best in hindsight", "its score"],
        rows,
        text_columns=frozenset({2, 6}),
        spare=("its score", "best in hindsight", "cells"),
    )


def tuning_section(choices: Sequence[Choices]) -> Section:
    """The chosen settings for the page."""
    text = (
        "For each rule, the setting with the best score on the environments for choosing, and its "
        "score on those for judging, which played no part in the choice. The more settings were "
        "tried, the more the first score flatters; the score when judged does not. As above, "
        "a table has only policies that run in all its cells; the column counts those for "
        "judging."
    )
    blocks: list[Block] = [Text(text)]
    for each in choices:
        blocks += [Heading(ranking_title(each.ranking)), tuning_table(each.tuned)]
    return Section("Tuned and judged", blocks)


def printed_choices(choices: Sequence[Choices]) -> list[str]:
    """The chosen settings for the terminal."""
    lead = "Chosen on some environments, judged on others"
    return [
        f"{filled(f'{lead}. {ranking_title(each.ranking)}:')}\n\n{plain(tuning_table(each.tuned))}"
        for each in choices
    ]


def with_interval(part: Part) -> str:
    """A figure followed by its interval."""
    return f"{figure(part.value)} {interval(part.low, part.high)}".rstrip()


def percent_with_interval(part: Part) -> str:
    """A share in percent, followed by its interval."""
    if math.isnan(part.value):
        return "–"
    if math.isnan(part.low):
        return f"{part.value:.1%}"
    return f"{part.value:.1%} [{part.low:.1%}, {part.high:.1%}]"


def _blank(value: float) -> float | None:
    return None if math.isnan(value) else value
