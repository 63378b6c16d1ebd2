"""Learn from a log of choices made elsewhere, by a bandit or otherwise."""

from __future__ import annotations

import functools
from typing import Any

from lowbid.errors import InvalidValueError
from lowbid.logs import Log, Names, read_lines
from lowbid.online._core import Core
from lowbid.online._feedback import Kind


def learn(core: Core, source: Any, names: Names) -> int:
    """Record all lines of a log, in order, or none; returns how many there were."""
    if core.features is not None:
        raise InvalidValueError(
            "learn_from does not read features yet; report the lines of the log one by one, with "
            "update(arm, features=..., reward=...)."
        )
    log = read_for(core, source, names)
    feedback = core.feedback_of(log.kind)
    for arm, value in zip(log.choices.tolist(), log.values.tolist(), strict=True):
        core.take_in(log.arms[arm], value, feedback)
    return len(log)


def read_for(core: Core, source: Any, names: Names) -> Log:
    """A log whose arms and values a bandit can record; nothing is recorded yet."""
    feedback_of = functools.cache(core.feedback_of)

    def objection(kind: Kind, value: float) -> str | None:
        feedback = feedback_of(kind)
        try:
            core.read(value, feedback)
        except InvalidValueError as error:
            return str(error)
        return None

    return read_lines(source, names, list(core.roster.rows), objection)
