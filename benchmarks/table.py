"""The figures as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .growth import slope

PEERS = ("river", "SMPyBandits", "mabby", "mabwiser")
Answer = dict[str, Any]


def markdown(results: Answer) -> str:
    """All tables of what was measured."""
    parts = []
    if {"peers", "reproduce", "c", "growth"} <= set(results):
        parts.append(headline(results))
    if "peers" in results:
        parts += [online(results["peers"]), simulation(results["peers"])]
        parts.append(same_work(results["peers"]))
    if {"peers", "around"} <= set(results):
        parts.append(around(results["peers"], results["around"]))
    if "reproduce" in results:
        parts.append(reproduce(results["reproduce"]))
    if "c" in results:
        parts.append(beside_c(results["c"]))
    if "growth" in results:
        parts.append(growth(results["growth"]))
    if "workers" in results:
        parts.append(workers(results["workers"]))
    if "measured" in results:
        parts.append(measured(results["measured"]))
    return "\n\n".join(parts)


def measured(stamps: dict[str, str]) -> str:
    """When each part was measured, and with which version of the code."""
    parts_of: dict[str, list[str]] = {}
    for part, stamp in stamps.items():
        parts_of.setdefault(stamp, []).append(part)
    texts = (f"{', '.join(parts)} on {stamp}" for stamp, parts in parts_of.items())
    return f"Measured: {'; '.join(texts)}."


def headline(results: Answer) -> str:
    """The figures in short: what the README shows."""
    peers, arms = results["peers"], results["growth"]["arms"]
    rows = [
        beside_peer(f"{row['policy']}: simulated steps per second, {cores}", figures, 1e9)
        for row in peers["simulate"]
        for cores, figures in (("one core", row), ("all cores", row["all cores"]))
        if cores == "one core" or row["policy"] in ("UCB1", "Batch Ensemble")
    ]
    rows += [
        beside_peer(f"{row['policy']}: select + update from Python, K = {row['arms']:,}, µs", row)
        for row in peers["online"]
        if row["policy"] == "UCB1" and row["arms"] in (10, 1000)
    ]
    seconds = results["reproduce"]
    rows += [
        [
            f"the whole paper without MARS / {policy} in 100 runs of 2,000 steps, s",
            f"{seconds['lowbid']['clock'][0]:.1f}",
            f"{theirs['clock'][0]:.1f} (SMPyBandits)",
            within(theirs["ratio"], " x"),
        ]
        for policy, theirs in seconds.items()
        if policy in ("UCB1", "KL-UCB")
    ]
    rows += [
        [
            f"{name}: ns per simulated step",
            number(row["lowbid"][0]),
            f"{number(row['C'][0])} (C)",
            within(row["part"], " x"),
        ]
        for name, row in results["c"].items()
    ]
    name, points = next(iter(arms.items()))
    few, many = points[0][1], points[-1][1]
    rows.append(
        [
            f"{name}: ns per step, K = {points[-1][0]:,}",
            number(many),
            f"{number(few)} (K = 10)",
            f"{many / few:.1f} times the time",
        ]
    )
    return table(["", "lowbid", "peer", "speed-up"], rows)


def beside_peer(what: str, row: Answer, steps: float | None = None) -> list[str]:
    """Ours, the fastest peer's, and the ratio; with `steps`, so many per figure."""

    def show(name: str) -> str:
        median = row["figures"][name][0]
        return number(steps / median if steps else median)

    if row["fastest"] is None:
        return [what, show("lowbid"), "–", "–"]
    return [what, show("lowbid"), f"{show(row['fastest'])} ({row['fastest']})", beside_fastest(row)]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: float) -> str:
    """A number with three significant digits."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"


def within(spread: Sequence[float], unit: str = "") -> str:
    """A median, with the lowest and the highest."""
    median, low, high = spread
    return f"{number(median)}{unit} ({number(low)} to {number(high)})"


def cell(row: Answer, name: str) -> str:
    return number(row["figures"][name][0]) if name in row["figures"] else "–"


def heads(results: Answer) -> list[str]:
    def label(name: str) -> str:
        return f"{name} {results['versions'].get(name, '')}".strip()

    missing = [f"{name} (not installed)" for name in PEERS if name in results["missing"]]
    return ["lowbid", *(label(name) for name in PEERS if name in results["versions"]), *missing]


def columns(results: Answer) -> list[str]:
    known = [name for name in PEERS if name in results["versions"]]
    return ["lowbid", *known, *(name for name in PEERS if name in results["missing"])]


def beside_fastest(row: Answer) -> str:
    return within(row["ratio"], " x") if row["ratio"] else "–"


def online(results: Answer) -> str:
    rows = [
        [f"{row['policy']}, K = {row['arms']:,}"]
        + [cell(row, name) for name in columns(results)]
        + [beside_fastest(row)]
        for row in results["online"]
    ]
    head = ["select + update, µs", *heads(results), "fastest peer / lowbid"]
    notes = [f"{name} could not be installed: {why}" for name, why in results["missing"].items()]
    return "\n\n".join([table(head, rows), *notes])


def simulation(results: Answer) -> str:
    rows = [
        [row["policy"]]
        + [
            number(1e9 / row["figures"][name][0]) if name in row["figures"] else "–"
            for name in columns(results)
        ]
        + [beside_fastest(row)]
        + [number(1e9 / row["all cores"]["figures"]["lowbid"][0])]
        + [beside_fastest(row["all cores"])]
        for row in results["simulate"]
    ]
    head = ["simulated steps per second, one core", *heads(results), "lowbid / fastest peer"]
    head += ["lowbid, all cores", "over the fastest peer"]
    return table(head, rows)


def same_work(results: Answer) -> str:
    def regret(row: Answer, name: str) -> str:
        if name not in row["regret"]:
            return "–"
        found = row["regret"][name]
        if name == "lowbid":
            return f"{found['mean']:.1f}"
        doubt = "" if found["agrees"] else ", NOT THE SAME WORK"
        return f"{found['difference']:+.1f} ± {found['error']:.1f}{doubt}"

    rows = [
        [row["policy"], *(regret(row, name) for name in columns(results))]
        for row in results["simulate"]
        if len(row["regret"]) > 1
    ]
    first, *others = heads(results)
    head = ["mean regret at T = 2,000", first, *(f"{name}: difference" for name in others)]
    return table(head, rows)


def around(peers: Answer, results: Answer) -> str:
    names = columns(peers)
    rows = [
        ["most memory in that simulation of UCB1, MB"]
        + [number(results["memory"][n]) if n in results["memory"] else "–" for n in names],
        ["importing it, processor seconds"]
        + [f"{results['starting'][n][0]:.2f}" if n in results["starting"] else "–" for n in names],
    ]
    return table(["", *heads(peers)], rows)


def reproduce(results: Answer) -> str:
    texts = {"lowbid": "`lowbid reproduce` without MARS: 6 tests, 7 policies, other settings"}
    rows = [
        [
            texts.get(name, f"SMPyBandits: {name} on random Bernoulli arms, as in test 3"),
            within(took["clock"]),
            within(took["processor"]),
        ]
        for name, took in results.items()
    ]
    return table(["one command, 100 runs of 2,000 steps", "s on the clock", "processor s"], rows)


def beside_c(results: Answer) -> str:
    rows = [
        [name, within(row["C"]), within(row["lowbid"]), within(row["part"])]
        for name, row in results.items()
    ]
    head = ["ns per simulated step, K = 10", "C, gcc -O3", "lowbid", "speed relative to C"]
    return table(head, rows)


def growth(results: Answer) -> str:
    sizes = sorted({size for points in results["arms"].values() for size, _ in points})
    rows = []
    for name, points in results["arms"].items():
        known = dict(map(tuple, points))
        rows.append(
            [name]
            + [number(known[size]) if size in known else "–" for size in sizes]
            + [f"{slope(points):.2f}"]
        )
    return table(["ns per step", *(f"K = {size:,}" for size in sizes), "slope"], rows)


def workers(results: Answer) -> str:
    rows = [[f"{n} workers", within(ratio, " x")] for n, ratio in results.items() if n != "1"]
    return table(["steps per second on the clock", "over one worker"], rows)
