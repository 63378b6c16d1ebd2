"""Gymnasium's tabular environments: FrozenLake, CliffWalking, Taxi and similar ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lowbid._optional import needing
from lowbid._require import require_value, require_whole
from lowbid.errors import InvalidValueError
from lowbid.mdp._tables import Successors
from lowbid.mdp._tabular import Tabular

Outcomes = list[dict[tuple[int, float], float]]  # for each action, probabilities by (state, reward)


class FromGymnasium(Tabular):
    """A Gymnasium environment that exposes its table as ``P``, with one extra state: the end.

    An episode that terminates moves to the end, where all rewards are 0.

    Parameters
    ----------
    environment : str or gymnasium.Env
        The environment, or its name.
    horizon : int, optional
        The number of stages; by default Gymnasium's limit on steps.
    best_return : float, optional
        The highest return of an episode, if you know it: 1 in FrozenLake.
    **options
        For ``gymnasium.make``, if a name was given, such as ``is_slippery=False``.

    Examples
    --------
    >>> from lowbid import mdp
    >>> lake = mdp.FromGymnasium("FrozenLake-v1", best_return=1.0)  # doctest: +SKIP
    >>> round(lake.optimum, 4)  # doctest: +SKIP
    0.7442
    """

    def __init__(
        self,
        environment: Any,
        horizon: int | None = None,
        best_return: float | None = None,
        **options: Any,
    ) -> None:
        env = make_gymnasium(environment, options)
        self.name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
        self.options = dict(options)
        table = getattr(env.unwrapped, "P", None)
        first = getattr(env.unwrapped, "initial_state_distrib", None)
        if table is None or first is None:
            raise InvalidValueError(
                f"{self.name} is not a table: it has no P and initial_state_distrib. FrozenLake, "
                "CliffWalking and Taxi have."
            )
        limit = horizon if horizon is not None else getattr(env.spec, "max_episode_steps", None)
        if limit is None:
            raise InvalidValueError(f"{self.name} has no limit on steps; give horizon=...")
        end = len(table)
        rows = [_outcomes(table[s], end) for s in range(end)]
        rows.append([{(end, 0.0): 1.0}])
        chances, next_states, rewards = _padded(rows)
        super().__init__(
            Successors(chances, next_states),
            rewards=rewards,
            horizon=require_whole("horizon", limit),
            first=np.append(np.asarray(first, np.float64) / np.sum(first), 0.0),
            best_reward=float(rewards[chances > 0].max()),
            best_return=best_return,
            actions=[len(row) for row in rows],
        )

    @property
    def given(self) -> dict[str, Any]:
        """The parameters."""
        return {
            "environment": self.name,
            "horizon": self.horizon,
            "best_return": self.best_return,
            **self.options,
        }


def make_gymnasium(environment: Any, options: Mapping[str, Any]) -> Any:
    """A Gymnasium environment by its name; an object is returned as it is."""
    if not isinstance(environment, str):
        require_value(
            "environment",
            environment,
            hasattr(environment, "unwrapped"),
            "give a name such as 'FrozenLake-v1', or what gymnasium.make returned.",
        )
        if options:
            raise InvalidValueError("options go with a name; this environment already exists.")
        return environment
    message = "environments by name need Gymnasium: pip install 'lowbid[gymnasium]'"
    with needing("gymnasium", message):
        import gymnasium
    try:
        return gymnasium.make(environment, **options)
    except (gymnasium.error.Error, ImportError, TypeError) as error:
        raise InvalidValueError(f"Gymnasium cannot make {environment!r}: {error}") from error


def _outcomes(actions: Mapping[int, Any], end: int) -> Outcomes:
    """Probabilities by next state and reward; repeated entries are summed."""
    rows: Outcomes = []
    for action in range(len(actions)):
        row: dict[tuple[int, float], float] = {}
        for chance, next_state, reward, terminated in actions[action]:
            key = (end if terminated else int(next_state), float(reward))
            row[key] = row.get(key, 0.0) + float(chance)
        rows.append(row)
    return rows


def _padded(rows: list[Outcomes]) -> tuple[Any, Any, Any]:
    """Probabilities, next states and rewards as arrays, (state, action, outcome)."""
    shape = (
        len(rows),
        max(len(row) for row in rows),
        max(len(outcomes) for row in rows for outcomes in row),
    )
    chances, next_states, rewards = np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape)
    for s, row in enumerate(rows):
        for action, outcomes in enumerate(row):
            for i, ((next_state, reward), chance) in enumerate(outcomes.items()):
                chances[s, action, i] = chance
                next_states[s, action, i] = next_state
                rewards[s, action, i] = reward
    return chances, next_states, rewards
