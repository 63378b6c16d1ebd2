"""Sticky units: the arm that a unit has, and keeps."""

from __future__ import annotations

from lowbid.online import Arm
from lowbid.shared._memory import STICKY_ARMS, KeyedMemory
from lowbid.shared._replica import Replica


def sticky_arm(unit: str, replica: Replica, memory: KeyedMemory, time: int) -> Arm | None:
    """The arm that a unit has at this time; None if it is to be given one."""
    found, lasts = memory.get(STICKY_ARMS, unit), replica.settings.sticky
    if found is None:
        return None
    arm: Arm = found[0]
    kept = lasts is True or time - found[1] < lasts
    return arm if kept and arm in replica.core.roster.number else None


def keep_sticky(unit: str, arm: Arm, replica: Replica, memory: KeyedMemory) -> None:
    """Let a unit have an arm from now on."""
    memory.put(STICKY_ARMS, unit, [arm, replica.time])
