"""bsuite's score on DeepSea."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from lowbid._require import require_probability, require_value, require_whole
from lowbid.errors import InvalidValueError

BSUITE_SIZES = tuple(range(10, 51, 2))
BSUITE_EPISODES = 10_000
STOCHASTIC_START = 100
_FORGIVENESS = 100
_LOGGED = (10, 12, 14, 17, 20, 25, 30, 40, 50, 60, 70, 80, 90)  # tenths of a power of ten


def logged_episodes(last: int) -> npt.NDArray[np.int64]:
    """The episodes up to `last` that bsuite logs by default.

    >>> logged_episodes(30)
    array([ 1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 12, 14, 17, 20, 25, 30])
    """
    last = require_whole("last", last)
    powers = range(-1, len(str(last)))
    found = {tenth * 10**power for power in powers if power >= 0 for tenth in _LOGGED}
    found |= set(range(1, 10))
    return np.array(sorted(episode for episode in found if episode <= last), np.int64)


def solving_episode(
    bad: npt.ArrayLike,
    threshold: float = 0.8,
    start: int = 1,
    at: npt.ArrayLike | None = None,
) -> int | None:
    """The first episode up to which less than `threshold` of all episodes were bad.

    Parameters
    ----------
    bad : array of bool
        Whether each episode was bad: the agent was on the diagonal and went left.
    threshold : float
        0.8 in bsuite, although the label of its plot says 90%.
    start : int
        Episodes before this one do not count as solving: 1, and 100 in bsuite's stochastic sea.
    at : array of int, optional
        The episodes to check, such as `logged_episodes`, which bsuite checks; by default all.

    Returns
    -------
    int or None
        An episode, counted from 1; None if there is none.

    Examples
    --------
    >>> solving_episode([True, True, True, True, False, False])
    6
    >>> solving_episode([True, True, True, True, False, False], at=[1, 2, 5]) is None
    True
    """
    flags = np.asarray(bad)
    require_value(
        "bad",
        bad,
        flags.ndim == 1 and (flags.dtype == bool or flags.size == 0),
        "give True or False for each episode.",
    )
    require_probability("threshold", threshold, ends=True)
    episodes = np.arange(1, len(flags) + 1)
    counts = np.isin(episodes, np.asarray(at)) if at is not None else np.ones(len(flags), bool)
    counts &= episodes >= require_whole("start", start)
    solved = episodes[(flags.cumsum() / episodes < threshold) & counts]
    return int(solved[0]) if len(solved) else None


def bsuite_score(solved: Iterable[tuple[int, int | None]]) -> float:
    """The share of the seas that are solved before episode 2^N + 100.

    Parameters
    ----------
    solved : iterable of (int, int or None)
        Sizes N, and the episodes that solved them. bsuite has one run for each of `BSUITE_SIZES`,
        of `BSUITE_EPISODES` episodes.

    Examples
    --------
    >>> bsuite_score([(10, 87), (20, 208), (30, None), (3, 108)])
    0.5
    """
    pairs = list(solved)
    if not pairs:
        raise InvalidValueError("no sizes were given; a score needs at least one.")
    beaten = [
        episode is not None and episode < 2 ** require_whole("size", size) + _FORGIVENESS
        for size, episode in pairs
    ]
    return sum(beaten) / len(beaten)
