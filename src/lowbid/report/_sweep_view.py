"""A sweep on a page: a heat map, curves on click, regret against a parameter, and the data."""

from __future__ import annotations

import dataclasses
import html
import json
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class SweepView:
    """The data that ``sweep.js`` shows.

    Attributes
    ----------
    data : mapping
        ``policies`` and ``environments`` with their names, ``order`` of the policies, ``rows`` by
        columns with means, intervals and ratios, ``curves``, and the whole table as ``csv``; None
        if that is too large for a page, and is in table.csv beside it.
    """

    data: Mapping[str, Any]


def sweep_view(view: SweepView) -> str:
    """The view's container on the page, with its data."""
    # A tag within the data would end the script element that holds them.
    data = json.dumps(view.data, separators=(",", ":")).replace("<", "\\u003c")
    name = html.escape(str(view.data["name"]), quote=True)
    return (
        f'<div class="sweep" data-name="{name}">'
        "<h3>Regret relative to the lowest, policy by environment</h3>"
        '<div class="tools heat-tools"></div>'
        '<div class="wide heat" tabindex="0"></div>'
        '<p class="note">Darker is further from the best. Choose a cell to see its curves.</p>'
        '<div class="cell-curves" aria-live="polite"></div>'
        '<h3>Against a parameter</h3><div class="tools parameter-tools"></div>'
        '<div class="parameter-plot"></div>'
        '<h3>Data</h3><p class="downloads"></p>'
        f'<script type="application/json">{data}</script>'
        "<noscript>This needs JavaScript; table.csv and the figures beside this page have the "
        "same numbers.</noscript></div>"
    )
