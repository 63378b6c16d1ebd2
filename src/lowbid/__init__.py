"""lowbid: stochastic multi-armed bandits, built around Batch Ensemble."""

from lowbid.environments import *
from lowbid.policies import *
from lowbid.policies import schedules
from lowbid.policies._base import Policy
from lowbid.simulation import Result, simulate
