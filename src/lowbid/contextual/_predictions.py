"""What a model predicts for features, in the unit of the losses."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid.contextual._model import NOISE, Model, predicted, uncertainty
from lowbid.policies import UNIT


class Predictions(NamedTuple):
    """The losses that a policy predicts for the features of a choice.

    Attributes
    ----------
    means, errors
        Each arm's mean loss, and the standard deviation of what is not known about it.
    similar
        Each arm's number of losses, in effect, for features like these.
    pulls
        (arm, column): how much a column moves an arm's mean, more than that of the average arm,
        from where it would be with the column's mean.
    """

    means: Floats
    errors: Floats
    similar: Floats
    pulls: Floats


def predictions_of(model: Model) -> Predictions:
    """What a model predicts for the features that it read last."""
    unit, first = model.yardstick[UNIT] or 1.0, model.yardstick[0]
    arms = range(len(model.counts))
    means = np.array([predicted(model, arm) for arm in arms])
    near = np.array([max(uncertainty(model, arm), 1e-300) for arm in arms])
    noise = math.sqrt(model.prior[NOISE])
    pulls = model.weights[:, 1:] - model.weights[:, 1:].mean(axis=0)
    pulls = pulls * (model.columns.x[1:] - model.columns.mean[1:])
    return Predictions(
        means=first + unit * means,
        errors=unit * noise * np.sqrt(near),
        similar=1.0 / near,
        pulls=unit * pulls,
    )
