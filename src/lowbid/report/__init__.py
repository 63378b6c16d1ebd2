"""Figures and pages made from results; nothing is computed here but their layout."""

from lowbid.report._chart import Chart, Style, styles
from lowbid.report._figures import save_figure, save_panel

__all__ = ["Chart", "Style", "save_figure", "save_panel", "styles"]
