"""The page of `lowbid mdp reproduce`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from lowbid._replace_file import replace_file
from lowbid._terminal import coloured, filled
from lowbid.experiments.mdp._contenders import (
    CONTENDERS,
    DEFAULT,
    EPISODES,
    GLOBAL,
    OURS,
    RIVALS,
    STATES,
    one_batch,
    reading,
)
from lowbid.experiments.mdp._places import PLACES
from lowbid.experiments.mdp._prototype import Agreement, agreements
from lowbid.experiments.mdp._reading_claims import Study, claims
from lowbid.report import (
    Block,
    Chart,
    ClaimItem,
    ClaimList,
    Code,
    Facts,
    Heading,
    Page,
    Pictures,
    Section,
    Table,
    Text,
    figure,
    interval,
    ratio_picture,
    render,
    save_ratios,
)
from lowbid.simulation import Result, caution, estimate
from lowbid.validation import Comparison

# The rules whose curves and ratios are drawn; all of them would be unreadable.
_CURVES = (
    DEFAULT, reading(GLOBAL, 2), reading(STATES, 2), reading(EPISODES, 2), one_batch(1.0),
    "PSRL, precision 1", "RLSVI, variance 0.1", "UCBVI-BF, c = 0.01",
)  # fmt: skip
_RATIOS = (DEFAULT, reading(GLOBAL, 2), one_batch(1.0), *_CURVES[-3:])
PICTURE = "mdp"


def write_up(
    study: Study, figures: Sequence[Comparison], folder: Path, command: str
) -> list[ClaimItem]:
    """Draw the picture, write the page, and return the verdicts."""
    found = claims(study)
    runs = len(study.regret(study.places[0], study.names[0]))
    page = Page(
        "Batches that bid policies: which reading works",
        "The paper on Batch Ensemble ends with a suggestion: each batch could output a policy and "
        "its value, and the policy of the most optimistic batch is followed. Here are four "
        f"readings of that sentence and their rivals: {len(study.names)} rules in "
        f"{len(study.places)} environments, {runs} runs each, exact regret, every rule in the same "
        f"world. {caution(runs)}".rstrip(),
        [
            Section("In short", _short(study, found)),
            Section("Verdicts", _verdicts(found, runs)),
            Section("Regret", _regrets(study)),
            Section("Curves", _curves(study)),
            Section("Published figures", _published(figures)),
            Section("The prototype", _prototype(agreements(study.outcomes))),
            Section("Run it again", _again(study, command)),
        ],
    )
    folder.mkdir(parents=True, exist_ok=True)
    save_ratios(_ratios(study), folder / "figures", PICTURE)
    with replace_file(folder / "report.html") as file:
        file.write(render(page).encode())
    return found


def print_summary(found: Sequence[ClaimItem], figures: Sequence[Comparison]) -> None:
    """Print a short summary of the page."""
    for claim in found:
        text = filled(f"{claim.verdict:14} {claim.says}", indent=15)
        colour = "green" if claim.kind == "good" else "red" if claim.kind == "bad" else "yellow"
        print(coloured(claim.verdict, colour) + text[len(claim.verdict) :])
    if figures:
        agree = sum(each.agrees for each in figures)
        print(f"{agree} of {len(figures)} published figures agree.")


def _short(study: Study, found: Sequence[ClaimItem]) -> list[Block]:
    """The answer, the places where a rival is better, and the picture."""
    blocks: list[Block] = [Text(_answer(study)), Text(_honest(study))]
    caption = "Mean regret relative to that of the best of all rules in each environment."
    blocks.append(Pictures([ratio_picture(_ratios(study), PICTURE, caption)]))
    return blocks


def _answer(study: Study) -> str:
    """Which reading has the lowest regret, over all environments."""
    names = [name for name in (DEFAULT, *_CURVES[1:4]) if name in study.names]
    if len(names) < 2:
        return "Too few readings were played to compare them."
    ratio = {name: _mean_ratio(study, name, names) for name in names}
    order = sorted(names, key=lambda name: ratio[name])
    shown = ", ".join(f"{name} ({ratio[name]:.2f})" for name in order)
    stuck = {name: sum(study.stuck[key, name] > 0 for key in study.places) for name in names}
    best = order[0].partition(",")[0]
    held = [name.partition(",")[0] for name in order if stuck[name] == 0]
    return (
        f"All readings learn; with two batches and padding 1 the reading '{best}' has the lowest "
        f"regret. Regret relative to the lowest of the four, geometric mean over environments: "
        f"{shown}. "
        f"Readings without a single stuck run: {', '.join(held) or 'none'}."
    )


def _mean_ratio(study: Study, name: str, names: Sequence[str]) -> float:
    ratios = [
        study.regret(key, name).mean() / min(study.regret(key, each).mean() for each in names)
        for key in study.places
    ]
    return float(np.exp(np.mean(np.log(ratios))))


def _honest(study: Study) -> str:
    """Where another rule has a lower mean regret than the default."""
    if DEFAULT not in study.names:
        return ""
    better = []
    for key in study.places:
        best = min(study.names, key=lambda name: study.regret(key, name).mean())
        if best != DEFAULT:
            ratio = study.regret(key, DEFAULT).mean() / study.regret(key, best).mean()
            stuck = _stuck_share(study, key, best)
            better.append(f"{PLACES[key].title}: {best}{stuck}, {ratio:.1f} times")
    return (
        f"The default, {DEFAULT}, has the lowest mean regret of all {len(study.names)} rules in "
        f"{len(study.places) - len(better)} of {len(study.places)} environments. Elsewhere another "
        "one, chosen in hindsight, is better by this factor: " + "; ".join(better) + "."
    )


def _stuck_share(study: Study, key: str, name: str) -> str:
    share = study.stuck[key, name]
    return f" ({share:.0%} of its runs stuck)" if share > 0 else ""


def _ratios(study: Study) -> dict[str, dict[str, float]]:
    found = {}
    for key in study.places:
        best = min(study.regret(key, name).mean() for name in study.names)
        found[PLACES[key].title] = {
            name: float(study.regret(key, name).mean() / best)
            for name in _RATIOS
            if name in study.names
        }
    return found


def _verdicts(found: Sequence[ClaimItem], runs: int) -> list[Block]:
    none = 1.0 - 0.05 ** (1.0 / runs)
    return [
        Text(
            "Each statement is decided in every environment by paired differences in regret. It "
            "holds if no environment contradicts it and at least one supports it; the intervals of "
            "one statement hold together with 95% confidence. Choose one to see its evidence. "
            f"Where none of {runs} runs is stuck, at most {none:.0%} of all runs are, with 95% "
            "confidence."
        ),
        ClaimList(found),
    ]


def _regrets(study: Study) -> list[Block]:
    """The rivals in short, and all rules."""
    return [
        Text(
            "Mean regret at the end, with its 95% interval. † is the share of stuck runs: those "
            "that still lose half of the optimum in their last tenth. 'Published' constants are "
            "those of the reference, and 1 where it leaves a factor open, as that of UCB-Q. 'Best' "
            "is the best of all constants that were tried, in each environment, in hindsight."
        ),
        Heading("Readings, and rivals in short"),
        _table(study, [name for name in study.names if CONTENDERS[name].family == OURS], True),
        Heading("All rules"),
        _table(study, study.names, False),
        Facts({f"{PLACES[key].title}": _about(key) for key in study.places}),
    ]


def _about(key: str) -> str:
    place = PLACES[key]
    return f"{place.about} {place.episodes:,} episodes; the optimum is {place.make().optimum:.4g}."


def _table(study: Study, names: Iterable[str], rivals: bool) -> Table:
    rows = [[name, *(_cell(study, key, name) for key in study.places)] for name in names]
    for family in RIVALS if rivals else ():
        for published, label in _versions(study, family):
            best = {key: study.best_of(family, key, published) for key in study.places}
            if any(best.values()):
                cells = [_cell(study, key, name) for key, name in best.items()]
                rows.append([f"{family}, {label}", *cells])
    return Table(["rule", *(PLACES[key].title for key in study.places)], rows)


def _versions(study: Study, family: str) -> list[tuple[bool, str]]:
    """What a family of rivals is shown with; of a single rule there is no best one."""
    tried = [name for name in study.names if CONTENDERS[name].family == family]
    if len(tried) == 1:
        published = CONTENDERS[tried[0]].published
        return [(published, "published" if published else "the only one tried")]
    return [(True, "published"), (False, "best")]


def _cell(study: Study, key: str, name: str | None) -> str:
    if name is None or (key, name) not in study.outcomes:
        return "–"
    found = estimate(study.regret(key, name), at_least=0.0)
    share = study.stuck[key, name]
    stuck = f" †{share:.0%}" if share > 0 else ""
    return f"{figure(found.mean)} {interval(found.low, found.high)}{stuck}".rstrip()


def _curves(study: Study) -> list[Block]:
    return [
        Chart(key, PLACES[key].title, _together(study, key), unit="episode") for key in study.places
    ]


def _together(study: Study, key: str) -> Result:
    """The results of the rules that are drawn, as one."""
    names = [name for name in _CURVES if name in study.names] or study.names[:8]
    results = [study.outcomes[key, name] for name in names]
    return Result(
        tuple(names),
        results[0].checkpoints,
        np.concatenate([each.regret for each in results]),
        np.concatenate([each.pulls for each in results]),
        results[0].provenance,
    )


def _published(figures: Sequence[Comparison]) -> list[Block]:
    if not figures:
        return [Text("Not simulated: they belong to all environments, without --quick.")]
    rows = [
        [
            each.cell.problem,
            each.cell.label,
            figure(each.regret),
            figure(each.cell.regret),
            "agrees" if each.agrees else f"disagrees by {each.distance:+.1f} se",
            each.cell.source,
        ]
        for each in figures
    ]
    head = ["problem", "rule", "ours", "published", "verdict", "source"]
    return [
        Text(
            "A figure agrees if it lies within 3.5 standard errors of ours, or within the "
            "tolerance that a known difference requires. Powers are bounds. The command lowbid "
            "validate episodes prints the same."
        ),
        Table(head, rows, text_columns=frozenset({1, 4, 5})),
    ]


def _prototype(found: Sequence[Agreement]) -> list[Block]:
    agree = sum(each.agrees for each in found)
    apart = sorted(
        (each for each in found if not each.agrees), key=lambda each: -abs(each.distance)
    )
    blocks: list[Block] = [
        Text(
            "An independent prototype, with other code and other random numbers, measured many of "
            f"these regrets before. {agree} of {len(found)} figures agree within 3.5 standard "
            "errors. Its Garnet was a different one, and its PSRL had a different prior: both are "
            "left out."
        )
    ]
    if apart:
        rows = [
            [
                PLACES[each.key].title,
                each.name,
                f"{figure(each.ours)} ± {figure(round(each.our_error, 9))}",
                f"{figure(each.theirs)} ± {figure(each.their_error)}",
                f"{each.distance:+.1f}",
            ]
            for each in apart
        ]
        head = ["environment", "rule", "ours", "prototype", "standard errors apart"]
        blocks += [Heading("Where they differ"), Table(head, rows, text_columns=frozenset({1}))]
    return blocks


def _again(study: Study, command: str) -> list[Block]:
    about = next(iter(study.outcomes.values())).provenance
    return [
        Code(command),
        Facts({name: str(about[name]) for name in ("lowbid", "numpy", "python", "date", "seed")}),
        Text(
            "The result of each rule in each environment is in the folder data beside this page; "
            "lowbid.Result.load reads it. The same command continues where it was stopped."
        ),
    ]
