"""The actions of ``lowbid mdp`` that play with deep agents."""

from __future__ import annotations

import argparse
import csv
import itertools
import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lowbid._require import invalid
from lowbid._terminal import filled
from lowbid.cli._arguments import named_path, whole

if TYPE_CHECKING:
    import numpy as np

    from lowbid.mdp.deep import EnsembleDQN

# Written out, because importing the classes would import JAX.
DEEP_RULES = {
    "bootstrapped-dqn": "one drawn uniformly (Osband and others 2016, 2018)",
    "bidding-dqn": "the one with the highest bid (Cassel, Levy, Mansour 2025, future work)",
}
_RULES = ",".join(DEEP_RULES)
_BSUITE = "bsuite"
_SEA_OUT, _CONTROL_OUT = "lowbid-deep-sea", "lowbid-deep-control"
_WINDOW = 20  # episodes that a table and a picture average over


def configure_deep(actions: Any) -> None:
    """Add both actions; they need JAX: ``pip install 'lowbid[deep]'``."""
    sea = actions.add_parser(
        "deep-sea", help="deep agents: the number of episodes that DeepSea takes, by size"
    )
    sea.add_argument(
        "--sizes",
        default="10,14,20",
        help=f"sizes, such as 10,14,20; {_BSUITE} for 10, 12, ..., 50, which takes hours",
    )
    sea.add_argument(
        "--episodes", type=whole, default=10_000, help="episodes per run, at most (default: 10000)"
    )
    sea.add_argument("--stochastic", action="store_true", help="noisy moves and rewards")
    sea.add_argument(
        "--resume", action="store_true", help="keep the runs that are already in the folder"
    )
    sea.set_defaults(action_of_mdp=_play_seas)
    control = actions.add_parser("deep-control", help="deep agents in a Gymnasium environment")
    control.add_argument(
        "--environment",
        default="CartPole-v1",
        help="its name (default: CartPole-v1)",
    )
    control.add_argument(
        "--episodes", type=whole, default=100, help="episodes per run (default: 100)"
    )
    control.set_defaults(action_of_mdp=_control)
    for each, runs, out in ((sea, 5, _SEA_OUT), (control, 3, _CONTROL_OUT)):
        each.add_argument(
            "--rules", default=_RULES, help="rules, optionally with parameters (default: both)"
        )
        each.add_argument(
            "--runs", type=whole, default=runs, help=f"number of independent runs (default: {runs})"
        )
        each.add_argument(
            "--seed", type=whole, default=0, help="seed of the first run, then +1 (default: 0)"
        )
        each.add_argument(
            "--out", type=named_path, default=Path(out), help=f"output folder (default: {out})"
        )


class Sea(NamedTuple):
    """One run in DeepSea, as a line of a file."""

    rule: str
    size: int
    stochastic: bool
    seed: int
    solved: int | None
    episodes: int
    seconds: float

    @classmethod
    def read(cls, line: dict[str, str]) -> Sea:
        """A run from a line of a file."""
        return cls(
            line["rule"],
            int(line["size"]),
            line["stochastic"] == "True",
            int(line["seed"]),
            int(line["solved"]) if line["solved"] else None,
            int(line["episodes"]),
            float(line["seconds"]),
        )

    def answers(self, rule: str, size: int, seed: int, arguments: argparse.Namespace) -> bool:
        """Whether this is the requested run, and it went far enough."""
        asked = (rule, size, arguments.stochastic, seed)
        far = self.episodes == arguments.episodes or (
            self.solved is not None and self.solved <= arguments.episodes
        )
        return self[:4] == asked and far


def _play_seas(arguments: argparse.Namespace) -> int:
    from lowbid.experiments.mdp_names import deep_rules_of_text

    rules = deep_rules_of_text(arguments.rules)
    sizes = _sizes(arguments.sizes)
    seeds = _seeds(arguments)
    path = arguments.out / "deep-sea.csv"
    kept = _read_seas(path) if arguments.resume else []
    seas: list[Sea] = []
    for size, rule, seed in itertools.product(sizes, rules, seeds):
        known = [sea for sea in kept if sea.answers(rule.name, size, seed, arguments)]
        sea = known[0] if known else _play_sea(rule, size, seed, arguments)
        if not known:
            kept.append(sea)
            _write(path, Sea._fields, kept)
        seas.append(sea)
        said = f"solved in episode {sea.solved}" if sea.solved else "NOT SOLVED"
        line = f"{sea.rule}, N = {size}, seed {seed}: {said} ({sea.seconds:.0f} s)"
        print(filled(line), flush=True)
    _report_seas(seas, sizes, arguments)
    return 0


def _play_sea(rule: EnsembleDQN, size: int, seed: int, arguments: argparse.Namespace) -> Sea:
    from lowbid.mdp import deep

    began = time.perf_counter()
    noisy = arguments.stochastic
    what = f"{rule.name}, N = {size}, seed {seed}"
    trial = deep.solve_deep_sea(
        rule, size, seed, arguments.episodes, stochastic=noisy, progress=what
    )
    seconds = round(time.perf_counter() - began, 1)
    return Sea(rule.name, size, noisy, seed, trial.solved, len(trial.bad), seconds)


def _read_seas(path: Path) -> list[Sea]:
    from lowbid.errors import FileFormatError

    if not path.exists():
        return []
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return [Sea.read(line) for line in csv.DictReader(file)]
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"{path} is not a table of this command, or is damaged; run without --resume, or give "
            "another folder with --out."
        ) from error


def _seeds(arguments: argparse.Namespace) -> range:
    from lowbid._require import require_whole

    require_whole("--episodes", arguments.episodes)
    runs = require_whole("--runs", arguments.runs)
    first = require_whole("--seed", arguments.seed, at_least=0)
    return range(first, first + runs)


def _sizes(text: str) -> list[int]:
    from lowbid.mdp import deep

    if text.strip() == _BSUITE:
        return list(deep.BSUITE_SIZES)
    try:
        sizes = sorted({int(item) for item in text.split(",")})
    except ValueError:
        sizes = []
    if not sizes or sizes[0] < 2:
        raise invalid(
            "--sizes", text, f"give whole numbers of 2 or more, such as 10,14,20, or {_BSUITE}."
        )
    return sizes


def _report_seas(seas: Sequence[Sea], sizes: Sequence[int], arguments: argparse.Namespace) -> None:
    from lowbid.mdp import deep
    from lowbid.report import save_solving

    by_rule: dict[str, list[tuple[int, int | None]]] = {}
    for sea in seas:
        by_rule.setdefault(sea.rule, []).append((sea.size, sea.solved))
    print("\nEpisodes until less than 80% of all were bad, run by run")
    for name, pairs in by_rule.items():
        for size in sizes:
            found = [solved for each, solved in pairs if each == size]
            solved = [episode for episode in found if episode is not None]
            listed = ", ".join("–" if each is None else str(each) for each in found)
            middle = f"; median {statistics.median(solved):g}" if len(solved) == len(found) else ""
            line = f"{name}, N = {size}: {len(solved)} of {len(found)} solved: {listed}{middle}"
            print(filled(line))
    for name, pairs in by_rule.items():
        score = deep.bsuite_score(pairs)
        print(
            filled(
                f"{name}: {score:.2f} of all runs solved before episode 2^N + 100 (bsuite's score)"
            )
        )
    save_solving(by_rule, arguments.episodes, arguments.out, "deep-sea")
    print(f"The figure and the data are in {arguments.out}.")


def _control(arguments: argparse.Namespace) -> int:
    import numpy as np

    from lowbid.experiments.mdp_names import deep_rules_of_text
    from lowbid.report import save_learning

    rules: list[EnsembleDQN] = deep_rules_of_text(arguments.rules)
    seeds = _seeds(arguments)
    curves: dict[str, np.ndarray[Any, np.dtype[np.float64]]] = {}
    window = min(_WINDOW, arguments.episodes)
    print(f"{arguments.environment}: mean returns of the first and last {window} episodes")
    for rule in rules:
        returns = []
        for seed in seeds:
            began = time.perf_counter()
            returns.append(_returns(rule, seed, arguments))
            first, last = returns[-1][:window].mean(), returns[-1][-window:].mean()
            taken = time.perf_counter() - began
            line = f"{rule.name}, seed {seed}: {first:.1f}, {last:.1f} ({taken:.0f} s)"
            print(filled(line), flush=True)
        curves[rule.name] = np.array(returns)
        at_the_end = _mean_and_error(curves[rule.name][:, -window:].mean(axis=1))
        print(filled(f"{rule.name}, mean: {at_the_end}"))
        rows = _rows(curves, arguments.seed)
        _write(arguments.out / "deep-control.csv", ("rule", "seed", "episode", "return"), rows)
    save_learning(curves, window, arguments.environment, arguments.out, "deep-control")
    print(f"The figure and the data are in {arguments.out}.")
    return 0


def _returns(rule: EnsembleDQN, seed: int, arguments: argparse.Namespace) -> Any:
    import numpy as np

    from lowbid.mdp import deep
    from lowbid.simulation import Progress

    agent = deep.DeepAgent.for_gymnasium(arguments.environment, rule, seed)
    played = deep.play_gymnasium(agent, arguments.environment)
    bar = Progress(arguments.episodes, f"{rule.name}, seed {seed}")
    returns = []
    for each in itertools.islice(played, arguments.episodes):
        returns.append(each.rewards.sum())
        bar.show(len(returns))
    bar.close()
    return np.array(returns)


def _mean_and_error(values: Any) -> str:
    if len(values) == 1:
        return f"{values[0]:.1f}"
    return f"{values.mean():.1f} ± {values.std(ddof=1) / len(values) ** 0.5:.1f} at the end"


def _rows(curves: dict[str, Any], first_seed: int) -> Iterable[tuple[Any, ...]]:
    for name, returns in curves.items():
        for run, curve in enumerate(returns):
            for episode, value in enumerate(curve, start=1):
                yield name, first_seed + run, episode, f"{value:g}"


def _write(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)
