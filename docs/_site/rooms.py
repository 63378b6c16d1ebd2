"""The rooms of the package and what uses what, drawn from the imports in the source.

    python docs/_site/rooms.py     # writes docs/images/rooms.svg

tests/test_architecture.py fails if the picture is older than the imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE, PICTURE = ROOT / "src" / "lowbid", ROOT / "docs" / "images" / "rooms.svg"
# What a room is for, in a few words. Modules that are not named here are small and used by all.
ROOMS = {
    "cli": "a file per command",
    "service": "decisions over HTTP",
    "adapters": "other libraries",
    "testing": "kits for your own parts",
    "experiments": "paper, sweeps, league",
    "validation": "published figures",
    "report": "figures and pages",
    "shared": "a bandit on a store",
    "offline": "judged by a log",
    "online": "Bandit",
    "mdp": "episodes: agents, models",
    "theory": "bounds as functions",
    "logs": "tables in and out",
    "simulation": "the loop, Result",
    "contextual": "policies with features",
    "policies": "one rule, one file",
    "environments": "arms to play",
    "schedules": "batches over time",
    "_evidence": "tests at any time",
    "_random": "streams of numbers",
    "_compile": "kernels to machine code",
}
BOX, GAP, ROW, EDGE = (150, 46), 20, 92, 16  # sizes in pixels
STYLE = """
  text { font-family: system-ui, sans-serif; text-anchor: middle; }
  .name { font-size: 15px; font-weight: 600; fill: #1b2733; }
  .what { font-size: 11px; fill: #4a5a68; }
  rect { fill: #eef4fa; stroke: #3d6d99; stroke-width: 1.2; }
  path { fill: none; stroke: #7d93a6; stroke-width: 1.2; }
"""


def uses() -> dict[str, set[str]]:
    """For each room, the rooms that it imports from."""
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for room in ROOMS:
        for path in (SOURCE / room).rglob("*.py") if (SOURCE / room).is_dir() else _module(room):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found[room] |= {each for each in _imported(tree) if each in ROOMS and each != room}
    return found


def _module(room: str) -> list[Path]:
    return [SOURCE / f"{room}.py"]


def _imported(tree: ast.AST) -> Iterator[str]:
    """The parts of the package that are imported somewhere in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "lowbid":
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lowbid."):
            yield str(node.module).split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (
                each.name.split(".")[1] for each in node.names if each.name.startswith("lowbid.")
            )


def direct(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The graph without edges that follow from others: if a uses b, and b uses c, not a to c."""
    below = {room: _reached(graph, room) for room in graph}
    return {
        room: {to for to in graph[room] if not any(to in below[other] for other in graph[room])}
        for room in graph
    }


def _reached(graph: dict[str, set[str]], room: str) -> set[str]:
    """Everything below a room."""
    return set().union(*({to} | _reached(graph, to) for to in graph[room]))


def rows(graph: dict[str, set[str]]) -> list[list[str]]:
    """The rooms by height, each above all that it uses and close to its users; first the top."""
    height = {room: _height(graph, room) for room in graph}
    found: list[list[str]] = [[] for _ in range(max(height.values()) + 1)]
    for room in graph:
        users = [height[user] - 1 for user in graph if room in graph[user]]
        found[min(users, default=height[room])].append(room)
    return found[::-1]


def _height(graph: dict[str, set[str]], room: str) -> int:
    return max((1 + _height(graph, to) for to in graph[room]), default=0)


def places(graph: dict[str, set[str]], levels: list[list[str]]) -> dict[str, tuple[float, float]]:
    """The centre of each box; rooms stand near those that they are connected to."""
    order = {room: float(i) for level in levels for i, room in enumerate(level)}
    linked = {
        room: [*graph[room], *(other for other in graph if room in graph[other])] for room in graph
    }
    for _ in range(30):
        for level in levels:
            level.sort(key=lambda room: sum(order[o] for o in linked[room]) / len(linked[room]))
            for i, room in enumerate(level):
                order[room] = i - (len(level) - 1) / 2
    width = max(map(len, levels)) * (BOX[0] + GAP) + GAP
    return {
        room: (width / 2 + order[room] * (BOX[0] + GAP), EDGE + BOX[1] / 2 + row * ROW)
        for row, level in enumerate(levels)
        for room in level
    }


def picture() -> str:
    """The SVG."""
    everything = uses()
    graph = direct(everything)
    levels = rows(graph)
    at = places(graph, levels)
    width = int(max(map(len, levels)) * (BOX[0] + GAP) + GAP)
    height = 2 * EDGE + BOX[1] + (len(levels) - 1) * ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        "<title>The rooms of lowbid: each uses those below it that it is connected to</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" style="fill: #ffffff; stroke: none"/>',
    ]
    for room, below in graph.items():
        for other in sorted(below):
            (x, y), (u, v) = at[room], at[other]
            y, v = y + BOX[1] / 2, v - BOX[1] / 2
            bend = f"C{x:.0f} {y + 40:.0f} {u:.0f} {v - 40:.0f} {u:.0f} {v:.0f}"
            lines.append(f'<path d="M{x:.0f} {y:.0f}{bend}"/>')
    for room, (x, y) in at.items():
        left, top = x - BOX[0] / 2, y - BOX[1] / 2
        lines.append(
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{BOX[0]}" height="{BOX[1]}" rx="6"/>'
            f'<text class="name" x="{x:.0f}" y="{y - 3:.0f}">{room}</text>'
            f'<text class="what" x="{x:.0f}" y="{y + 14:.0f}">{escape(ROOMS[room])}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
