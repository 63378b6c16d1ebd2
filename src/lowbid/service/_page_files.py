"""The files of the page. Its charts are drawn by the same script as those of reports."""

from __future__ import annotations

import html
import importlib.resources
import json
from typing import NamedTuple

from lowbid.report import chart_script, chart_styles, theme

_TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html"}


class PageFile(NamedTuple):
    """A file as it is served."""

    text: str
    media_type: str


def page_files(needs_keys: bool) -> dict[str, PageFile]:
    """All files of the page, by path."""
    styles = html.escape(json.dumps(chart_styles()))
    index = _own("index.html").replace("{{styles}}", styles)
    files = {
        "/": index.replace("{{keys}}", "needed" if needs_keys else "none"),
        "/docs": _own("docs.html"),
        "/static/page.js": _own("page.js"),
        "/static/experiment.js": _own("experiment.js"),
        "/static/docs.js": _own("docs.js"),
        "/static/page.css": theme() + _own("page.css"),
        "/static/chart.js": chart_script(),
    }
    kinds = {name: name.rpartition(".")[2] if "." in name else "html" for name in files}
    return {name: PageFile(text, _TYPES[kinds[name]]) for name, text in files.items()}


def _own(name: str) -> str:
    return importlib.resources.files(__package__).joinpath("page", name).read_text(encoding="utf-8")
