"""Figures and pages made from results; only their layout is computed here."""

from lowbid.report._blocks import (
    Block,
    ClaimEvidence,
    ClaimItem,
    ClaimList,
    Code,
    Facts,
    Heading,
    Kind,
    Page,
    Picture,
    Pictures,
    Section,
    Table,
    Text,
)
from lowbid.report._chart import Chart, styles
from lowbid.report._deep_figures import save_learning, save_solving
from lowbid.report._figures import save_figure, save_panel
from lowbid.report._mdp_figures import save_bids, save_visits
from lowbid.report._numbers import figure, interval
from lowbid.report._page import chart_script, chart_styles, ranking, render, theme
from lowbid.report._ratios import Ratios, ratio_picture, save_ratios
from lowbid.report._sweep_figures import (
    save_heat_map,
    save_parameter_figure,
    save_ranking_figure,
)
from lowbid.report._sweep_view import SweepView
from lowbid.report._text_tables import markdown, plain
from lowbid.report._theory_page import save_theory_page

__all__ = [
    "Block",
    "Chart",
    "ClaimEvidence",
    "ClaimItem",
    "ClaimList",
    "Code",
    "Facts",
    "Heading",
    "Kind",
    "Page",
    "Picture",
    "Pictures",
    "Ratios",
    "Section",
    "Style",
    "SweepView",
    "Table",
    "Text",
    "chart_script",
    "chart_styles",
    "figure",
    "interval",
    "markdown",
    "plain",
    "ranking",
    "ratio_picture",
    "render",
    "save_bids",
    "save_figure",
    "save_heat_map",
    "save_learning",
    "save_panel",
    "save_parameter_figure",
    "save_ranking_figure",
    "save_ratios",
    "save_solving",
    "save_theory_page",
    "save_visits",
    "styles",
    "theme",
]
