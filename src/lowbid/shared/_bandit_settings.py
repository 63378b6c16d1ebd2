"""The settings of a shared bandit: read, compared, and written into its log."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from lowbid._random import key
from lowbid._require import (
    invalid,
    is_number,
    is_whole,
    require,
    require_choice,
    require_value,
    require_whole,
)
from lowbid.errors import InvalidValueError
from lowbid.online import (
    Arm,
    Feedback,
    Kind,
    feedback_for,
    policy_to,
    read_arms,
    read_feedback,
)
from lowbid.policies import BatchLikelihood, Policy
from lowbid.shared._durations import microseconds

# The settings that may be changed while the bandit is in use.
CHANGEABLE = ("window", "if_silent", "sticky", "holdout", "control")


@dataclass(frozen=True)
class Settings:
    """The settings that are the same in every process that opens a bandit.

    Attributes
    ----------
    arms : list
        The arms that it started with.
    policy : dict
        The policy, as plain data.
    seed, horizon, expiry
        As for `Bandit`.
    kind : {"loss", "reward"} or None
        What is measured, if that was declared.
    range : list of two floats or None
        The smallest and largest possible value.
    window : int or None
        How long to wait for outcomes, in microseconds.
    if_silent : float or None
        The value to record if none has arrived by then; None to forget the decision.
    sticky : bool or int
        Whether a unit keeps its arm, or for how many microseconds.
    holdout : float
        The fraction of units that always get the control arm.
    control : str, int or None
        The control arm.
    """

    arms: list[Arm]
    policy: dict[str, Any]
    seed: int = 0
    horizon: int | None = None
    expiry: int | None = None
    kind: Kind | None = None
    range: list[float] | None = None
    window: int | None = None
    if_silent: float | None = None
    sticky: bool | int = False
    holdout: float = 0.0
    control: Arm | None = None

    def to_data(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @classmethod
    def from_data(cls, saved: Mapping[str, Any]) -> Self:
        """Restore settings from the data that `to_data` returned."""
        settings = cls(**saved)
        for name in ("window", "horizon", "expiry"):
            value = getattr(settings, name)
            require(value is None or is_whole(value), f"{name} is {value!r}, not a whole number.")
        for name in ("holdout", "if_silent"):
            value = getattr(settings, name)
            require(value is None or is_number(value), f"{name} is {value!r}, not a number.")
        return settings

    def feedback(self, policy: Policy) -> Feedback | None:
        """How values become losses, if that is known yet."""
        if self.kind is None:
            return None
        return feedback_for(policy, self.kind, None if self.range is None else tuple(self.range))  # type: ignore[arg-type]

    def changed(self, policy: Policy, arms: list[Arm], changes: Mapping[str, Any]) -> Self:
        """A copy of these settings with some changed, or a clear error."""
        for name in changes:
            if name == "policy":
                raise InvalidValueError(
                    "the policy of a bandit cannot be changed: what it has learned is in that "
                    "policy's terms. Open a bandit of another name with the new policy, and let it "
                    "learn from this one's log: export_decisions, then learn_from."
                )
            if name not in CHANGEABLE:
                raise InvalidValueError(
                    f"{name!r} cannot be changed while a bandit is in use; the settings that can "
                    f"be changed are {', '.join(CHANGEABLE)}. Arms have methods of their own, "
                    "such as add_arm and pause_arm."
                )
        new = dataclasses.replace(self, **{name: _READ[name](changes[name]) for name in changes})
        new.check(policy, arms)
        return new

    def check(self, policy: Policy, arms: list[Arm]) -> None:
        """Refuse settings that contradict each other; `arms` are the current ones."""
        require(
            self.window is None or self.expiry is None,
            "both window and expiry were given; choose one way to give up on decisions.",
        )
        if self.if_silent is not None:
            require(self.window is not None, "if_silent was given without a window; give both.")
            feedback = self.feedback(policy)
            if feedback is None:
                raise InvalidValueError(
                    f"if_silent is {self.if_silent!r}, which may be a loss or a reward; say which: "
                    'give reward_range or loss_range, or kind="reward" or kind="loss".'
                )
            require(
                feedback.low <= self.if_silent <= feedback.high,
                f"if_silent is {self.if_silent:g}, which is to count as the {feedback.kind} of a "
                f"decision without an outcome, but this bandit takes {feedback.plural} from "
                f"{feedback.low:g} to {feedback.high:g}; give one of those.",
            )
        if self.holdout > 0.0 and self.control not in arms:
            known = ", ".join(map(repr, arms[:10]))
            allowed = f"a holdout needs one of the arms as its control: {known}."
            raise invalid("control", self.control, allowed)


def read_settings(given: Mapping[str, Any]) -> Settings:
    """The settings of a new bandit, from the caller's arguments."""
    policy = given.get("policy", BatchLikelihood())
    settings = Settings(**read_given({**given, "policy": policy}, policy))
    settings.check(policy, settings.arms)
    return settings


def read_given(given: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """The values a caller gave, converted to those of the settings."""
    values = {name: _READ[name](given[name]) for name in given if name in _READ}
    feedback = read_feedback(policy, given.get("loss_range"), given.get("reward_range"))
    if feedback is not None:
        require(
            values.get("kind", feedback.kind) == feedback.kind,
            f"kind is {values.get('kind')!r}, but {feedback.kind}_range was given.",
        )
        values |= {"kind": feedback.kind, "range": [feedback.low, feedback.high]}
    elif "kind" in values:
        feedback_for(policy, values["kind"], None)  # refuses what the policy cannot take
    return values


def _read_policy(policy: Any) -> dict[str, Any]:
    if not isinstance(policy, Policy):
        raise invalid("policy", policy, "give an object such as UCB1().")
    return policy_to(policy)


def _read_kind(kind: Any) -> Any:
    require_choice("kind", kind, ("loss", "reward"))
    return kind


def _read_seed(seed: Any) -> int:
    key(seed, "")  # refuses what is not a seed
    return int(seed)


def _read_if_silent(value: Any) -> float | None:
    if value is None:
        return None
    require_value("if_silent", value, is_number(value), "give a number.")
    return float(value)


def _read_sticky(sticky: Any) -> bool | int:
    if isinstance(sticky, bool):
        return sticky
    return microseconds("sticky", sticky)


def _read_holdout(share: Any) -> float:
    good = is_number(share) and 0.0 <= share < 1.0
    require_value("holdout", share, good, "give a fraction of the units, at least 0 and below 1.")
    return float(share)


_READ: dict[str, Any] = {
    "arms": read_arms,
    "policy": _read_policy,
    "seed": _read_seed,
    "horizon": lambda horizon: require_whole("horizon", horizon),
    "expiry": lambda expiry: require_whole("expiry", expiry),
    "kind": _read_kind,
    "window": lambda window: None if window is None else microseconds("window", window),
    "if_silent": _read_if_silent,
    "sticky": _read_sticky,
    "holdout": _read_holdout,
    "control": lambda arm: None if arm is None else read_arms([arm])[0],
}
