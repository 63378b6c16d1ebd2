"""A bandit to put into a product."""

from lowbid.online._bandit import Bandit

__all__ = ["Bandit"]
