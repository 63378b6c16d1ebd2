"""The policy to evaluate: always one arm, or a probability for each arm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid._require import is_number
from lowbid.errors import InvalidValueError, UnanswerableError
from lowbid.logs import Log
from lowbid.policies import Policy

# Probabilities whose sum differs from 1 by no more than this were rounded.
_ROUNDING = 1e-6


def read_target(policy: Any, log: Log) -> Floats:
    """The probability of each of the log's arms, or a clear error."""
    if isinstance(policy, Policy):
        raise InvalidValueError(
            f"{policy.name} learns as it goes; use lowbid.replay(policy, log, horizon)."
        )
    chances = policy if isinstance(policy, Mapping) else {policy: 1.0}
    target = np.zeros(len(log.arms))
    numbers = {arm: number for number, arm in enumerate(log.arms)}
    for arm, chance in chances.items():
        if not is_number(chance) or not 0.0 <= chance <= 1.0:
            raise InvalidValueError(
                f"the probability of arm {arm!r} is {chance!r}; give a number from 0 to 1."
            )
        if arm not in numbers:
            if chance > 0.0:
                listed = ", ".join(map(repr, log.arms[:10])) + (", ..." * (len(log.arms) > 10))
                raise UnanswerableError(
                    f"arm {arm!r} was never logged, so nothing is known about its {log.plural}; "
                    f"the log's arms are {listed}."
                )
            continue
        target[numbers[arm]] = chance
    if abs(target.sum() - 1.0) > _ROUNDING:
        raise InvalidValueError(
            f"the probabilities of the policy sum to {target.sum():g}; they must sum to 1."
        )
    return target / target.sum()
