"""The base class of policies with one Bayesian linear model per arm."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.contextual._columns import Columns
from lowbid.contextual._merge import merged_model
from lowbid.contextual._model import (
    NOISE,
    Model,
    hold,
    is_new,
    learn,
    look,
    model_of,
    predicted,
    uncertainty,
)
from lowbid.contextual._policy import ContextualPolicy
from lowbid.contextual._predictions import Predictions, predictions_of
from lowbid.policies import require_ends

# Evidence beyond this is as good as certain: e to its power is still a number.
_CERTAIN = 600.0


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    patience: float
    columns: int
    low: float
    high: float


class State(NamedTuple):
    """What is known, and the arms' evidence and indices at the last choice."""

    model: Model
    means: Floats
    uncertainties: Floats
    evidence: Floats
    indices: Floats


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Before the first decision."""
    return State(
        model=model_of(n_arms, parameters.columns, parameters.low, parameters.high),
        means=np.zeros(n_arms),
        uncertainties=np.zeros(n_arms),
        evidence=np.zeros(n_arms),
        indices=np.zeros(n_arms),
    )


@kernel
def see(state: State, features: Floats) -> None:
    """Take the features of the next call."""
    given = state.model.columns.given
    for j in range(min(len(given), len(features))):
        given[j] = features[j]
    if len(features) > len(given):
        state.model.forecast[0] = features[len(given)]


@kernel
def keep(state: State, memory: Floats) -> None:
    """Write down the features of a decision, and what was predicted for it."""
    given = state.model.columns.given
    for j in range(min(len(given), len(memory))):
        memory[j] = given[j]
    memory[len(given)] = state.model.forecast[0]


@kernel
def weigh(state: State, step: int) -> bool:
    """Compute the evidence against each arm at the features at hand; False if some are new."""
    model = state.model
    look(model, step)
    leader = -1
    all_known = True
    for arm in range(len(state.means)):
        if is_new(model, arm):
            all_known = False
        else:
            state.means[arm] = predicted(model, arm)
            state.uncertainties[arm] = uncertainty(model, arm)
            if leader < 0 or state.means[arm] < state.means[leader]:
                leader = arm
    if all_known:
        for arm in range(len(state.means)):
            gap = state.means[arm] - state.means[leader]
            spread = 2.0 * model.prior[NOISE] * state.uncertainties[arm]
            against = gap * gap / spread if spread > 0.0 else (0.0 if gap == 0.0 else _CERTAIN)
            state.evidence[arm] = against
    return all_known


@kernel
def patient(patience: float, evidence: float) -> float:
    """ln(1 + patience (e^E - 1)), which is E when E is large."""
    if evidence > _CERTAIN:
        return evidence
    return math.log1p(patience * math.expm1(evidence))


@kernel
def new_first(state: State) -> None:
    """Give arms never played the lowest index."""
    for arm in range(len(state.indices)):
        state.indices[arm] = -math.inf if is_new(state.model, arm) else 0.0


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Learn from the loss."""
    learn(state.model, arm, loss)


class ModelPolicy(ContextualPolicy):
    """Base class of policies with one Bayesian linear model per arm."""

    patience: float
    low: float | None
    high: float | None

    index_unit: ClassVar[str] = "evidence"
    hold = hold
    see = see
    keep = keep

    def __post_init__(self) -> None:
        require_finite("patience", self.patience, above=0.0)
        self.check_columns()
        require_ends(self.low, self.high)

    @property
    def scale_free(self) -> bool:
        """Losses are measured by what was seen, unless their range is declared."""
        return self.low is None

    @property
    def location_free(self) -> bool:
        """Losses are measured by what was seen, unless their range is declared."""
        return self.low is None

    @property
    def loss_range(self) -> tuple[float, float]:
        """The declared range."""
        if self.low is None or self.high is None:
            return -math.inf, math.inf
        return float(self.low), float(self.high)

    def for_range(self, low: float, high: float) -> Self:
        """The rule without a clip, as the largest possible losses are known."""
        known = self.low is not None
        return self if known else cast(Self, replace(cast(Any, self), low=low, high=high))

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        self.check_size(n_arms)
        low, high = self.loss_range
        return Parameters(float(self.patience), int(self.columns), low, high)

    def columns_of(self, state: State) -> Columns:
        """The features within a state."""
        return state.model.columns

    def predictions(self, state: State) -> Predictions:
        """What is predicted for the features of the last choice."""
        return predictions_of(state.model)

    def merge(self, first: State, second: State) -> State:
        """Sums add up, and the prior is estimated before the next choice."""
        rest = (values.copy() for values in first[1:])
        return State(merged_model(first.model, second.model), *rest)
