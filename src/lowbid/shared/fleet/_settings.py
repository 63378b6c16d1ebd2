"""What all processes of a fleet agree on: one document beside the fleet's rows."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from lowbid.errors import InvalidValueError
from lowbid.online import Arm, Feedback, is_name, plain_name, policy_from
from lowbid.policies import Policy
from lowbid.shared._bandit_settings import Settings, read_given, read_settings
from lowbid.shared._durations import microseconds
from lowbid.shared.stores import Transaction

# The format of a fleet, where a bandit with a log has that of its log.
FLEET_FORMAT = 1_000_001
_SPACE, _KEY = "fleet", "settings"
# What needs a common order of all decisions, which a fleet does not have.
_ORDERED = {
    "window": "windows are closed in the order of a log",
    "if_silent": "windows are closed in the order of a log",
    "sticky": "the arm of a unit is kept in a log; lowbid.assign gives each unit a fixed arm",
    "actor": "changes are not logged",
}


@dataclass(frozen=True)
class FleetSettings:
    """The settings of a fleet.

    Attributes
    ----------
    settings : Settings
        Those that it shares with a bandit with a log, as they were at first.
    exchange : int
        The time between two exchanges, in microseconds.
    arms, paused, removed : tuple
        The arms now; those of them that are not chosen; and those that are gone.
    """

    settings: Settings
    exchange: int
    arms: tuple[Arm, ...]
    paused: tuple[Arm, ...] = ()
    removed: tuple[Arm, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any], exchange: Any) -> Self:
        """The settings of a new fleet, from the caller's arguments."""
        for name, reason in _ORDERED.items():
            if name in given:
                raise InvalidValueError(
                    f"{name} was given together with exchange, but the processes of a fleet have "
                    f"no common order of decisions: {reason}. Leave out {name}, or exchange."
                )
        settings = read_settings(given)
        if settings.kind is None:
            raise InvalidValueError(
                "say what is measured, so that all processes report the same: give kind="
                '"reward", kind="loss", reward_range or loss_range.'
            )
        return cls(settings, _read_exchange(exchange), tuple(settings.arms))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Restore what `to_text` returned."""
        saved = json.loads(text)
        arms = {name: tuple(saved[name]) for name in ("arms", "paused", "removed")}
        return cls(Settings.from_data(saved["settings"]), saved["exchange"], **arms)

    def to_text(self) -> str:
        """The settings as text."""
        return json.dumps(dataclasses.asdict(self))

    def policy(self, given: Policy | None) -> Policy:
        """The policy; a user's own must be given."""
        return policy_from(self.settings.policy, given)

    def feedback(self, policy: Policy) -> Feedback:
        """How values become losses."""
        feedback = self.settings.feedback(policy)
        assert feedback is not None  # `of` requires a kind
        return feedback

    def require_agreement(self, given: Mapping[str, Any], exchange: Any, which: str) -> None:
        """Refuse to open a fleet with different settings, and say which differ."""
        policy = given.get("policy") or self.policy(None)
        differences = [
            name
            for name, value in read_given(given, policy).items()
            if not self._agrees(name, value)
        ]
        if exchange is not None and _read_exchange(exchange) != self.exchange:
            differences.append("exchange")
        if differences:
            raise InvalidValueError(
                f"fleet {which} exists with other settings: {', '.join(differences)} differ. Open "
                "it with those it has, or without any; or choose another name."
            )

    def _agrees(self, name: str, value: Any) -> bool:
        if name == "arms":
            return set(value) in (set(self.arms), set(self.settings.arms))
        if name == "policy":
            return bool(value["identity"] == self.settings.policy["identity"])
        return bool(value == getattr(self.settings, name))

    def with_arm(self, arm: Arm) -> Self:
        """These settings with a new arm."""
        if not is_name(arm):
            raise InvalidValueError(f"the arm is {arm!r}; give a name (str) or a number (int).")
        arm = plain_name(arm)
        if arm in self.arms:
            raise InvalidValueError(f"there is already an arm {arm!r}; choose another name.")
        if arm in self.removed:
            raise InvalidValueError(
                f"arm {arm!r} was removed, and processes that do not know that yet may still "
                "report its outcomes; choose another name."
            )
        return dataclasses.replace(self, arms=(*self.arms, arm))

    def without(self, arm: Arm) -> Self:
        """These settings without an arm."""
        self._require_another(arm)
        if arm == self.settings.control and self.settings.holdout > 0.0:
            raise InvalidValueError(f"arm {arm!r} is the control of the holdout; keep it.")
        arms, paused = (
            tuple(other for other in some if other != arm) for some in (self.arms, self.paused)
        )
        return dataclasses.replace(self, arms=arms, paused=paused, removed=(*self.removed, arm))

    def with_paused(self, arm: Arm) -> Self:
        """These settings with an arm that is not chosen for now."""
        self._require_another(arm)
        return dataclasses.replace(self, paused=(*self._others_paused(arm), arm))

    def with_resumed(self, arm: Arm) -> Self:
        """These settings with an arm that can be chosen again."""
        return dataclasses.replace(self, paused=self._others_paused(arm))

    def _others_paused(self, arm: Arm) -> tuple[Arm, ...]:
        return tuple(other for other in self.paused if other != arm)

    def _require_another(self, arm: Arm) -> None:
        if all(other == arm or other in self.paused for other in self.arms):
            raise InvalidValueError(
                f"{arm!r} is the only arm that can be chosen; add or resume another one first."
            )


def read_fleet(transaction: Transaction, fleet: int) -> FleetSettings:
    """The settings of a fleet that exists."""
    return FleetSettings.from_text(transaction.recall(fleet, _SPACE, [_KEY])[_KEY])


def write_fleet(transaction: Transaction, fleet: int, settings: FleetSettings) -> None:
    """Replace the settings of a fleet."""
    transaction.remember(fleet, _SPACE, transaction.clock(), {_KEY: settings.to_text()})


def _read_exchange(exchange: Any) -> int:
    return microseconds("exchange", exchange, at_least=1000)
