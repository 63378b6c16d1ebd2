"""Pages for programs: each page as Markdown beside its HTML, and a list of them, llms.txt."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class PlainPage(NamedTuple):
    """A page as its source has it, with commands' output put in."""

    title: str
    path: str
    text: str

    @property
    def shown(self) -> bool:
        """Whether it is text: pages of the reference are instructions to read docstrings."""
        return "\n::: " not in self.text


def write(site: Path, name: str, description: str, pages: list[PlainPage]) -> None:
    """Write the pages that are text, and llms.txt, which links to them."""
    shown = [page for page in pages if page.shown]
    for page in shown:
        (site / page.path).parent.mkdir(parents=True, exist_ok=True)
        (site / page.path).write_text(page.text, encoding="utf-8")
    lines = [f"# {name}", "", f"> {description}", "", "## Pages", ""]
    lines += [f"- [{page.title}]({page.path})" for page in shown]
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
