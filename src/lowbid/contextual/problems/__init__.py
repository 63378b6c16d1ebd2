"""Environments with features."""

from lowbid.contextual.problems._linear import Linear, Logistic
from lowbid.contextual.problems._segments import Segments
from lowbid.contextual.problems._tabled import Tabled

__all__ = ["Linear", "Logistic", "Segments", "Tabled"]
