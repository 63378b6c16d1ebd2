"""Figures and pages made from results; nothing is computed here but their layout."""

from lowbid.report._chart import Chart, Style, styles
from lowbid.report._figures import save_figure, save_panel
from lowbid.report._theory_page import save_theory_page

__all__ = ["Chart", "Style", "save_figure", "save_panel", "save_theory_page", "styles"]
