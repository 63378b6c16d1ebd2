"""Figures and pages made from a result."""
