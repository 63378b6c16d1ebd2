"""Notebooks under docs/ as pages of the site, with the outputs that they were saved with."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbconvert import MarkdownExporter

DOCS = Path(__file__).parents[1]


def pages() -> dict[str, str | bytes]:
    """Each notebook as Markdown, and its pictures, by their paths under docs/."""
    made: dict[str, str | bytes] = {}
    for path in sorted(DOCS.rglob("*.ipynb")):
        name = path.relative_to(DOCS).with_suffix("").as_posix()
        for cell in (notebook := nbformat.read(path, as_version=4)).cells:
            cell.metadata.pop("execution", None)
        text, resources = MarkdownExporter().from_notebook_node(notebook, {"unique_key": name})
        download = f"[Download this notebook]({path.name}) to run and change it.\n"
        first, _, rest = text.partition("\n\n")
        made[f"{name}.md"] = f"{first.strip()}\n\n{download}\n{rest}"
        for picture, content in resources.get("outputs", {}).items():
            made[(path.parent / picture).relative_to(DOCS).as_posix()] = content
    return made
