"""A bandit for use in a product."""

from lowbid.online._bandit import Bandit
from lowbid.online._decisions import Decision
from lowbid.online._explain import Explanation
from lowbid.online._recommend import Recommendation

__all__ = ["Bandit", "Decision", "Explanation", "Recommendation"]
