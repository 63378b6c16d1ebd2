"""What is known about the arms for given features: predictions, and what they come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import compiling
from lowbid.errors import InvalidValueError
from lowbid.online._core import Core
from lowbid.online._decisions import Arm
from lowbid.online._features import Features
from lowbid.online._given import read_context

# 95 of 100 draws from a normal distribution are within so many standard deviations.
_WIDTH = 1.96
_MOST_PULLS = 3


class Prediction(NamedTuple):
    """What is known about one arm for given features, in the caller's units.

    Attributes
    ----------
    arm : str or int
        Its name.
    mean : float
        The mean outcome that is predicted.
    low, high : float
        An interval for it that holds about 95 times in 100 if means are linear in the features. It
        does not take into account that the policy has chosen what to look at.
    similar : float
        The number of the arm's outcomes, in effect, for features like these.
    pulls : dict
        For each feature, how much it moves this arm's mean more than that of the average arm, away
        from the average features.
    """

    arm: Arm
    mean: float
    low: float
    high: float
    similar: float
    pulls: dict[str, float]

    def __str__(self) -> str:
        """What to tell people."""
        text = f"{self.arm} {self.mean:.3g} ± {(self.high - self.low) / 2:.2g}"
        text += f" (about {self.similar:.0f} similar)"
        largest = sorted(self.pulls.items(), key=lambda item: -abs(item[1]))[:_MOST_PULLS]
        pulls = ", ".join(f"{name} {pull:+.2g}" for name, pull in largest if pull != 0.0)
        return f"{text}: {pulls}" if pulls else text


class Predictions(NamedTuple):
    """What is known about all arms for given features, the best prediction first; prints as lines.

    Attributes
    ----------
    arms : list of Prediction
        All arms that can be chosen.
    """

    arms: list[Prediction]

    @property
    def arm(self) -> Arm:
        """The arm with the best prediction."""
        return self.arms[0].arm

    def __str__(self) -> str:
        return "\n".join(map(str, self.arms))


def predictions(core: Core, given: Any) -> Predictions:
    """What is known about all arms for the features given, the best prediction first."""
    columns = read_context(core.features, given)
    engine, features = core.engine, core.features
    predict = getattr(engine.policy, "predictions", None)
    if predict is None or features is None:
        raise InvalidValueError(
            f"{core.policy.name} does not estimate how sure it is; use LinearIMED or LinearMED."
        )
    with compiling(engine.compiled):
        found = predict(engine.ahead(columns))
    feedback = core.feedback
    ends = np.array(
        [found.means, found.means - _WIDTH * found.errors, found.means + _WIDTH * found.errors]
    )
    sign = -1.0 if feedback is not None and feedback.rewards else 1.0
    arms = []
    for arm, name in enumerate(core.roster.names):
        mean, *others = ends[:, arm] if feedback is None else map(feedback.value, ends[:, arm])
        factor = 1.0 if feedback is None else 1.0 / feedback.factor
        pulls = dict(_by_name(features, factor * found.pulls[arm]))
        low, high = float(min(others)), float(max(others))
        arms.append(Prediction(name, float(mean), low, high, float(found.similar[arm]), pulls))
    return Predictions(sorted(arms, key=lambda each: sign * each.mean))


def _by_name(features: Features, pulls: Any) -> Iterator[tuple[str, float]]:
    """The pulls of each feature's columns, added up."""
    first = 0
    for feature in features.declared:
        last = first + len(feature.columns)
        yield feature.name, float(sum(pulls[first:last]))
        first = last


def require_no_features(core: Core, what: str) -> None:
    """Refuse a question that has a different answer for different features."""
    if core.features is not None:
        raise InvalidValueError(
            f"{what}: the answer depends on the features, and an arm that is better for everybody "
            "may look worse over all; ask recommend(features={...}) or explain(features={...})."
        )
