"""Check that a bandit is opened with the settings it was created with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lowbid.errors import InvalidValueError
from lowbid.shared._bandit_settings import read_given
from lowbid.shared._durations import shown_duration
from lowbid.shared._replica import Replica


def require_agreement(given: Mapping[str, Any], replica: Replica, which: str) -> None:
    """Refuse to open a bandit with different settings, and say which differ.

    Arms and settings that can be changed may be given as they are now or as they were at first.
    """
    now, first = replica.settings, replica.first_settings
    differences = []
    for what, value in read_given(given, replica.core.policy).items():
        has, wanted = getattr(now, what), value
        same = value in (has, getattr(first, what))
        if what == "policy":
            has, wanted = has["identity"], value["identity"]
            same = has == wanted
        elif what == "arms":
            same = set(value) in (set(first.arms), set(replica.arms))
            has = replica.arms
        if not same:
            differences.append(f"{what} is {_shown(what, has)}, not {_shown(what, wanted)}")
    if differences:
        raise InvalidValueError(
            f"bandit {which} exists with other settings: {'; '.join(differences)}. Open it with "
            "those, or without any; change arms, windows and holdouts on the open bandit; or "
            "choose another name."
        )


def _shown(what: str, value: Any) -> str:
    if what in ("window", "sticky") and type(value) is int:
        return repr(shown_duration(value))
    return repr(value)
