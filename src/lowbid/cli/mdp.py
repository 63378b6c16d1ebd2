"""Episodic MDPs: list rules and environments, compare them, draw what an agent learned.

    lowbid mdp list
    lowbid mdp compare --environment deep-sea:size=20,stochastic=true
        --rules "batch-ensemble-value-iteration,padded-counts,psrl:precision=10"
    lowbid mdp draw --environment grid --rule batch-ensemble-value-iteration
    lowbid mdp reproduce
    lowbid mdp deep-sea --sizes 10,20 --runs 5 --episodes 600
    lowbid mdp deep-control --environment CartPole-v1

Environments and rules are names, optionally with parameters. Bandit arms are prefixed with
bandit:, as in bandit:bernoulli:0.1,0.5, and tabular Gymnasium environments with gymnasium:, as in
gymnasium:FrozenLake-v1,best_return=1. The drawing of a grid is a text file: grid:drawing=@FILE.

reproduce runs every reading of the paper's suggestion, and rivals with several constants, in
twelve environments, and writes a page with verdicts. It continues where it was stopped.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lowbid._arrays import Floats
from lowbid._require import invalid
from lowbid._terminal import coloured, filled
from lowbid._text_table import described, text_table
from lowbid.cli._arguments import named_path, whole
from lowbid.cli._deep import DEEP_RULES, configure_deep

if TYPE_CHECKING:
    from lowbid import mdp
    from lowbid.simulation import Result

ACTIONS = ("list", "compare", "draw", "reproduce", "deep-sea", "deep-control")
_OUT, _OUT_OF_REPRODUCE = "lowbid-mdp", "lowbid-mdp-reproduce"
_RUNS, _QUICK_RUNS = 20, 5
_DEFAULT_RULES = "batch-ensemble-value-iteration,padded-counts,psrl,rlsvi"
_DEFAULT_ENVIRONMENT = "river-swim"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(metavar=" | ".join(ACTIONS), required=True)
    listing = actions.add_parser("list", help="list all rules and environments")
    listing.set_defaults(action_of_mdp=_list)
    compare = actions.add_parser("compare", help="compare the regret of rules in environments")
    compare.add_argument(
        "--environment",
        action="append",
        help=f"environment; may be given more than once (default: {_DEFAULT_ENVIRONMENT})",
    )
    compare.add_argument(
        "--rules", default=_DEFAULT_RULES, help="rules to compare (default: four of them)"
    )
    compare.add_argument(
        "--runs", type=whole, default=20, help="number of independent runs (default: 20)"
    )
    compare.add_argument("--workers", type=int, help="number of threads (default: one per core)")
    compare.set_defaults(action_of_mdp=_compare)
    draw = actions.add_parser("draw", help="draw the bids of one agent's batches, and its visits")
    draw.add_argument(
        "--environment",
        default=_DEFAULT_ENVIRONMENT,
        help=f"environment to run in (default: {_DEFAULT_ENVIRONMENT})",
    )
    draw.add_argument(
        "--rule",
        default="batch-ensemble-value-iteration",
        help="the agent's rule (default: batch-ensemble-value-iteration)",
    )
    draw.set_defaults(action_of_mdp=_draw)
    for each in (compare, draw):
        each.add_argument(
            "--episodes",
            type=whole,
            default=1000,
            help="episodes per run (default: 1000)",
        )
        each.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
        each.add_argument(
            "--out", type=Path, default=Path(_OUT), help=f"output folder (default: {_OUT})"
        )
    configure_deep(actions)
    _configure_reproduce(
        actions.add_parser("reproduce", help="compare the readings and their rivals, on a page")
    )


def _configure_reproduce(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("environments", nargs="*", help="such as river or sea20 (default: all)")
    parser.add_argument("--runs", type=whole, help=f"number of independent runs (default: {_RUNS})")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{_QUICK_RUNS} runs, the readings and one rule of each rival, no published figures",
    )
    parser.add_argument("--seed", type=whole, default=0, help="random seed (default: 0)")
    parser.add_argument("--workers", type=whole, help="number of threads (default: one per core)")
    parser.add_argument(
        "--out",
        type=named_path,
        default=Path(_OUT_OF_REPRODUCE),
        help=f"output folder (default: {_OUT_OF_REPRODUCE})",
    )
    parser.set_defaults(action_of_mdp=_reproduce)


def run(arguments: argparse.Namespace) -> int:
    """Run the requested action."""
    return int(arguments.action_of_mdp(arguments))


def _list(arguments: argparse.Namespace) -> int:
    from lowbid.experiments.mdp_names import environment_names, rule_names
    from lowbid.policies import reference

    rules: list[tuple[str, Any]] = [(name, cls()) for name, cls in rule_names().items()]
    by_family = sorted(rules, key=lambda each: (each[1].about.family, each[0]))
    for family, members in itertools.groupby(by_family, key=lambda each: each[1].about.family):
        print(coloured(f"{family.upper()}\n", "bold"))
        for name, rule in members:
            about = rule.about
            facts = {"must know": about.needs, "regret": about.guarantee or "no bound is known"}
            print(described(f"{name} ({reference(rule)})", facts))
        print()
    print(
        filled("Regret is the proved rate without logs: S states, A actions, H stages, K episodes.")
    )
    print(
        coloured(
            "\nDEEP RULES, of deep-sea and deep-control (pip install 'lowbid[deep]')\n", "bold"
        )
    )
    print(text_table(["name", "the network it follows in an episode"], [*DEEP_RULES.items()], {1}))
    print(coloured("\nENVIRONMENTS, with their default parameters\n", "bold"))
    made: dict[str, Any] = dict(sorted(environment_names().items()))
    models: dict[str, mdp.Tabular] = {name: cls() for name, cls in made.items()}
    rows = [
        (name, *map(str, (m.n_states, m.n_actions, m.horizon)), f"{m.optimum:.4g}")
        for name, m in models.items()
    ]
    print(text_table(["name", "states", "actions", "stages", "optimum"], rows))
    print(
        filled("Also bandit:ARMS, as in bandit:bernoulli:0.1,0.5, and gymnasium:NAME, if tabular.")
    )
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    from lowbid import mdp
    from lowbid.experiments.mdp_names import environment_of_text, rules_of_text

    rules = rules_of_text(arguments.rules)
    texts = arguments.environment or [_DEFAULT_ENVIRONMENT]
    models = {text: environment_of_text(text) for text in texts}
    arguments.out.mkdir(parents=True, exist_ok=True)
    for text, model in models.items():
        result = mdp.simulate(
            rules,
            model,
            arguments.episodes,
            arguments.runs,
            arguments.seed,
            workers=arguments.workers,
        )
        print(f"{text}: regret after {arguments.episodes} episodes, {arguments.runs} runs")
        print(result.summary())
        for name, share in mdp.stuck(result, model).items():
            if share > 0.0:
                print(f"{name}: {share:.0%} of the runs still lose half of the optimum")
        if model.has_rewards and model.best_return is None:
            print("Rules know no bound on returns except the best reward at every step.")
        print()
        result.save(arguments.out / f"{_key(text)}.npz")
        _draw_comparison(result, model, text, arguments.out)
    print(f"Figures and data are in {arguments.out}.")
    return 0


def _draw_comparison(result: Result, model: mdp.Tabular, text: str, out: Path) -> None:
    from lowbid.mdp import visits
    from lowbid.report import Chart, save_figure, save_visits, styles

    chart = Chart(f"{_key(text)}-regret", text, result, unit="episode")
    save_figure(chart, styles([chart]), out)
    found = visits(result, model).mean(axis=1)
    maps = {name: model.map_of(found[i]) for i, name in enumerate(result.policies)}
    save_visits(maps, model.map_axes, out, f"{_key(text)}-visits")


def _draw(arguments: argparse.Namespace) -> int:
    from lowbid import mdp
    from lowbid.experiments.mdp_names import environment_of_text, rules_of_text
    from lowbid.report import save_bids, save_visits

    rules = rules_of_text(arguments.rule)
    if len(rules) != 1 or not isinstance(rules[0], mdp.BatchEnsembleValueIteration):
        raise invalid(
            "--rule",
            arguments.rule,
            "give one rule whose batches bid: batch-ensemble-value-iteration, optionally with "
            "parameters.",
        )
    rule, model = rules[0], environment_of_text(arguments.environment)
    agent, counts = mdp.train(rule, model, arguments.episodes, arguments.seed)
    key = _key(arguments.environment)
    title = f"{arguments.environment} after {arguments.episodes} episodes"
    bids, optimal = _bids_where_reached(rule, agent, model)
    paths = save_bids(
        bids, optimal, title, arguments.out, f"{key}-bids", are_losses=not model.has_rewards
    )
    paths += save_visits(
        {rule.name: model.map_of(counts)}, model.map_axes, arguments.out, f"{key}-map"
    )
    for path in paths:
        print(path)
    return 0


def _bids_where_reached(
    rule: mdp.BatchEnsembleValueIteration, agent: mdp.Agent, model: mdp.Tabular
) -> tuple[Floats, Floats]:
    """Each batch's estimates and the truth, for each state at the first stage that reaches it."""
    problem = agent.problem
    bids = np.full((rule.batches, problem.n_states, problem.n_actions), np.nan)
    optimal = bids[0].copy()
    for stage in range(problem.horizon):
        here = problem.earliest == stage
        if here.any():
            bids[:, here] = rule.bids(problem, agent.state, stage)[:, here]
            optimal[here] = model.optimal_action_values(stage)[here]
    return (bids if model.has_rewards else -bids), optimal


def _reproduce(arguments: argparse.Namespace) -> int:
    from lowbid._require import require_whole
    from lowbid.experiments import mdp as readings
    from lowbid.validation import SOURCES
    from lowbid.validation import compare as compare_published

    default = _QUICK_RUNS if arguments.quick else _RUNS
    runs = default if arguments.runs is None else require_whole("runs", arguments.runs, at_least=2)
    if arguments.workers is not None:
        require_whole("workers", arguments.workers)
    places = readings.places_named(arguments.environments)
    rules = readings.quick_contenders() if arguments.quick else readings.CONTENDERS
    todo = readings.trials(places, rules, runs, arguments.seed)
    words = ["lowbid mdp reproduce", *arguments.environments]
    words += ["--quick"] if arguments.quick else []
    words += [f"--runs {runs}", f"--seed {arguments.seed}"]
    try:
        outcomes = readings.play(todo, arguments.out, arguments.workers)
    except KeyboardInterrupt:
        print("\nlowbid: stopped; the same command continues from here.", file=sys.stderr)
        return 130
    # Published figures have their own settings, and belong to the full run.
    whole_page = not (arguments.quick or arguments.environments)
    figures = list(compare_published(SOURCES["episodes"])) if whole_page else []
    study = readings.Study.of(outcomes)
    found = readings.write_up(study, figures, arguments.out, " ".join(words))
    readings.print_summary(found, figures)
    print(
        f"The report is {arguments.out / 'report.html'}; the picture and the data are next to it."
    )
    return 0


def _key(text: str) -> str:
    """A name for files."""
    return re.sub(r"[^a-z0-9.=]+", "-", text.lower()).strip("-")
