"""Rules for MDPs: beside rlberry and bsuite, beside C, and how cost grows.

    python -m benchmarks.mdp [--parts peers,c,growth,large] [--repeats 5] [--pictures FOLDER]

Prints Markdown, and says which promises are not kept. Peers are measured in turns with ours:

- rlberry 0.6.0 as `pip install` leaves it, and with Numba beside it, which compiles its planning;
  200 episodes of 20 steps on RiverSwim and on DeepSea 20. Ours works out the exact value of every
  episode's policy meanwhile, which rlberry does not. Where rules differ in detail (rlberry's UCBVI
  and UCB-Q have bonuses without variances, its PSRL flips coins on rewards), ours are the papers'.
- bsuite's DeepSea, stepped through with no agent at all.
- A loop in C of batch-ensemble value iteration, the same steps and the same exact regret: once as
  the library works, planning only what changed, and once planning everything.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lowbid import mdp
from lowbid.report._figures import matplotlib_without_screen
from lowbid.report._palette import style

from .c_loops import SOURCES, check_same_work
from .growth import Points, series, slope
from .measure import by_turns, new_process, processor_seconds, ratios, spread
from .peers import MDP_LIBRARIES, NotInstalledError, Server
from .pictures import draw_lines
from .table import number, table, within

STAGES, BATCHES = 20, 2
TIMES_RLBERRY, PART_OF_C, MOST_MB = 300.0, 0.6, 1000.0  # what is promised
PATIENCE = 20.0  # seconds
MODELS: dict[str, Callable[[], mdp.Tabular]] = {
    "RiverSwim": mdp.RiverSwim,
    "DeepSea 20": lambda: mdp.DeepSea(20),
}
RULES: dict[str, mdp.Rule] = {
    "UCBVI": mdp.UCBVI(),
    "PSRL": mdp.PSRL(),
    "RLSVI": mdp.RLSVI(),
    "UCB-Q": mdp.UCBQ(),
}
BIDDING = mdp.BatchEnsembleValueIteration(BATCHES)


def main(arguments: list[str] | None = None) -> int:
    measures = {"peers": peers, "c": in_c, "growth": growth, "large": large}
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--parts", default=",".join(measures), help="what to measure")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each comparison")
    parser.add_argument("--out", type=Path, default=Path("out/bench"))
    parser.add_argument("--pictures", type=Path, help="where to draw; by default the same folder")
    parser.add_argument("--page", type=Path, help="draw the table of a page; measure nothing")
    given = parser.parse_args(arguments)
    picture = (given.pictures or given.out) / "speed-mdp.png"
    if given.page:
        draw(growth_on_page(given.page.read_text(encoding="utf-8")), picture)
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / "mdp.json"
    results = json.loads(file.read_text()) if file.exists() else {}
    for part in given.parts.split(","):
        print(part, file=sys.stderr, flush=True)
        results[part] = json.loads(json.dumps(measures[part](given.repeats)))
        file.write_text(json.dumps(results, indent=1))
    if "growth" in results:
        draw(results["growth"], picture)
    print(markdown(results))
    broken = promises_broken(results)
    print("\n".join(broken), file=sys.stderr)
    return 1 if broken else 0


def steps_of(rule: mdp.Rule, model: mdp.Tabular, episodes: int, runs: int) -> Any:
    """Play on one core, and keep nothing but the regret at the end."""
    return mdp.simulate(
        rule, model, episodes, runs, checkpoints=[episodes], workers=1, progress=False
    )


def seconds_per_step(rule: mdp.Rule, model: mdp.Tabular, episodes: int, runs: int) -> float:
    """Of the processor."""
    taken = processor_seconds(lambda: steps_of(rule, model, episodes, runs))
    return taken / (episodes * runs * model.horizon)


def peers(repeats: int, episodes: int = 200, ours: int = 2000, runs: int = 10) -> dict[str, Any]:
    """Seconds per step of every rule, by turns."""
    servers, missing = {}, {}
    for name in MDP_LIBRARIES:
        print(f"  starting {name}", file=sys.stderr, flush=True)
        try:
            servers[name] = Server(name)
        except (NotInstalledError, OSError, subprocess.SubprocessError) as error:
            missing[name] = str(error)
    try:
        rows = [
            _beside(servers, rule, place, repeats, episodes, ours, runs)
            for place in MODELS
            for rule in (*RULES, "no rule")
            if place == "DeepSea 20" or rule != "no rule"
        ]
    finally:
        for server in servers.values():
            server.close()
    return {"rows": rows, "missing": missing}


def _beside(
    servers: dict[str, Server], rule: str, place: str, repeats: int, episodes: int, ours: int,
    runs: int,
) -> dict[str, Any]:  # fmt: skip
    print(f"  {place}, {rule}", file=sys.stderr, flush=True)
    model, made = MODELS[place](), RULES.get(rule, BIDDING)
    steps_of(made, model, 2, 2)  # compiles

    def theirs(server: Server) -> Callable[[], float]:
        question = {"what": "learn", "rule": rule, "environment": place, "episodes": episodes}
        return lambda: server.ask(**question) / (episodes * STAGES)

    works = {
        name: theirs(server) for name, server in servers.items() if rule in server.about["rules"]
    }
    works["lowbid"] = lambda: seconds_per_step(made, model, ours, runs)
    taken = by_turns(works, repeats)
    return {
        "place": place,
        "rule": rule,
        "figures": {name: spread(values) for name, values in taken.items()},
        "ratios": {name: ratios(taken[name], taken["lowbid"]) for name in servers if name in taken},
    }


def in_c(repeats: int, episodes: int = 2000, runs: int = 20) -> dict[str, Any]:
    """Nanoseconds per step of the loops in C and of ours, by turns."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        programs = {"C": (), "C, plans everything": ("-DPLAIN",)}
        for name, flags in programs.items():
            program = Path(folder) / name.replace(", ", "-")
            source = SOURCES / "value_iteration.c"
            subprocess.run(["gcc", "-O3", *flags, "-o", program, source, "-lm"], check=True)
        for place, make in MODELS.items():
            model, key = make(), "river" if place == "RiverSwim" else "sea"

            def run(name: str, key: str = key) -> tuple[float, float]:
                program = Path(folder) / name.replace(", ", "-")
                command = [program, key, *map(str, (BATCHES, episodes, runs))]
                out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                seconds, regret = map(float, out.split())
                return seconds / (episodes * runs * STAGES), regret

            check_same_work(run("C")[1], steps_of(BIDDING, model, episodes, runs))
            works: dict[str, Callable[[], float]] = {
                name: lambda name=name, run=run: run(name)[0] for name in programs
            }
            works["lowbid"] = lambda model=model: seconds_per_step(BIDDING, model, episodes, runs)
            taken = by_turns(works, 3 * repeats)
            best = min(programs, key=lambda name: spread(taken[name]).median)
            found[place] = {
                "figures": {
                    name: spread(1e9 * x for x in values) for name, values in taken.items()
                },
                "fastest": best,
                "part": ratios(taken[best], taken["lowbid"]),
            }
    return found


def growth(repeats: int) -> dict[str, Points]:
    """Nanoseconds per step with states, actions, stages, batches and episodes."""
    del repeats

    def garnet(states: int = 20, actions: int = 3, horizon: int = STAGES) -> mdp.Tabular:
        return mdp.Garnet(states, actions, branching=5, horizon=horizon)

    def ns(model: mdp.Tabular, batches: int = BATCHES, episodes: int = 1000) -> float:
        rule = mdp.BatchEnsembleValueIteration(batches)
        steps_of(rule, model, 2, 1)
        return 1e9 * min(seconds_per_step(rule, model, episodes, 1) for _ in range(3))

    some = {
        "states, S": (
            (10, 30, 100, 300, 1000, 3000, 10_000),
            lambda n: ns(garnet(n), episodes=200),
        ),
        "actions, A": ((2, 4, 8, 16, 32, 64), lambda n: ns(garnet(actions=n))),
        "stages, H": ((5, 10, 20, 40, 80, 160), lambda n: ns(garnet(horizon=n))),
        "batches, l": ((1, 2, 4, 8, 16, 32, 64), lambda n: ns(garnet(), batches=n)),
        "episodes, K": ((100, 300, 1000, 3000, 10_000, 30_000), lambda n: ns(garnet(), episodes=n)),
    }
    found = {}
    for name, (sizes, measure) in some.items():
        print(f"  {name}", file=sys.stderr, flush=True)
        found[name] = series(measure, sizes, PATIENCE)
    return found


def play_large(states: int, episodes: int) -> None:
    """Play once with this many states, each with 3 actions of 5 successors."""
    model = mdp.Garnet(states, 3, branching=5, horizon=STAGES)
    result = steps_of(BIDDING, model, episodes, 1)
    share = result.regret[0, 0, -1] / (episodes * model.optimum)
    print(json.dumps({"visited": int((result.pulls[0, 0] > 0).sum()), "lost": float(share)}))


def large(repeats: int, states: int = 10_000, episodes: int = 1000) -> dict[str, Any]:
    """MB and seconds of a new process that plays with 10,000 states, and with 10."""
    del repeats

    def usage(n: int, k: int) -> Any:
        code = f"from benchmarks import mdp; mdp.play_large({n}, {k})"
        return new_process([sys.executable, "-c", code])

    usage(10, 2)  # compiles
    small, big = usage(10, episodes), usage(states, episodes)
    return {
        "states": states,
        "episodes": episodes,
        "MB": big.peak,
        "MB more": big.peak - small.peak,
        "seconds": big.processor,
    }


def promises_broken(results: dict[str, Any]) -> list[str]:
    """What is below what was promised."""
    found = []
    for row in results.get("peers", {}).get("rows", ()):
        ratio = row["ratios"].get("rlberry")
        if ratio and ratio[0] < TIMES_RLBERRY:
            found.append(f"{row['place']}, {row['rule']}: {ratio[0]:.0f} times rlberry")
    for place, row in results.get("c", {}).items():
        if row["part"][0] < PART_OF_C:
            found.append(f"{place}: {row['part'][0]:.2f} of C")
    if results.get("large", {}).get("MB", 0.0) > MOST_MB:
        found.append(f"{results['large']['MB']:.0f} MB with many states")
    return [f"NOT KEPT: {each}" for each in found]


def markdown(results: dict[str, Any]) -> str:
    """All tables of what was measured."""
    makers = {"peers": peers_table, "c": c_table, "growth": growth_table, "large": large_table}
    return "\n\n".join(make(results[part]) for part, make in makers.items() if part in results)


def peers_table(found: dict[str, Any]) -> str:
    names = ["lowbid", *MDP_LIBRARIES]
    rows = []
    for row in found["rows"]:
        rule = "batch ensemble / no rule" if row["rule"] == "no rule" else row["rule"]
        cells = [
            number(1.0 / row["figures"][name][0]) if name in row["figures"] else "–"
            for name in names
        ]
        shown = [
            within(row["ratios"][peer], " x") if peer in row["ratios"] else "–"
            for peer in MDP_LIBRARIES
        ]
        rows.append([f"{row['place']}, {rule}", *cells, *shown])
    head = ["steps per second, one core", *names, *(f"lowbid / {name}" for name in MDP_LIBRARIES)]
    notes = [f"{name} could not be installed: {why}" for name, why in found["missing"].items()]
    return "\n\n".join([table(head, rows), *notes])


def c_table(found: dict[str, Any]) -> str:
    names = ["C", "C, plans everything", "lowbid"]
    rows = [
        [place, *(within(row["figures"][name]) for name in names), within(row["part"])]
        for place, row in found.items()
    ]
    return table(["ns per step, 2 batches", *names, "speed as a part of the faster C's"], rows)


def growth_table(found: dict[str, Any]) -> str:
    rows = []
    for name, points in found.items():
        sizes = "; ".join(f"{number(ns)} ({size:,})" for size, ns in points)
        rows.append([name, sizes, f"{slope(points):.2f}"])
    return table(["ns per step (with so many)", "", "slope"], rows)


def large_table(found: dict[str, Any]) -> str:
    row = [
        f"{found['states']:,} states, 3 actions, 5 successors, {found['episodes']:,} episodes of "
        f"{STAGES}",
        number(found["MB"]),
        number(found["MB more"]),
        number(found["seconds"]),
    ]
    return table(["", "most memory, MB", "more than with 10 states", "processor s"], [row])


def draw(found: dict[str, Any], path: Path) -> None:
    """One line for each size, on logarithmic axes, with its name and slope at the end."""
    looks = {name: style(number_) for number_, name in enumerate(found)}
    with matplotlib_without_screen() as plt:
        figure, panel = plt.subplots(figsize=(6.4, 4.0))
        figure.subplots_adjust(left=0.1, right=0.76, top=0.92, bottom=0.13)
        panel.set_title("time per step, by the size that is changed", loc="left")
        panel.set(xlabel="how many", ylabel="ns", xscale="log", yscale="log")
        panel.grid(axis="y", color="#e6e6e6", linewidth=0.6)
        panel.set_axisbelow(True)
        draw_lines(panel, found, looks)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=140)
        plt.close(figure)


def growth_on_page(page: str) -> dict[str, Points]:
    """The table of growth, as this program printed it for a page."""
    rows = (
        page[page.index("| ns per step (with so many) |") :].partition("\n\n")[0].splitlines()[2:]
    )
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {
        name: [
            (int(size.replace(",", "")), float(ns.replace(",", "")))
            for ns, size in re.findall(r"([\d.,]+) \(([\d,]+)\)", figures)
        ]
        for name, figures, _ in cells
    }


if __name__ == "__main__":
    sys.exit(main())
