"""The model: an episodic MDP with finitely many states and actions."""

from __future__ import annotations

import functools
import hashlib
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats, Ints
from lowbid._require import require, require_choice, require_finite, require_whole
from lowbid.errors import InvalidValueError
from lowbid.mdp._course import Course, course_of
from lowbid.mdp._problem import Problem, problem_of
from lowbid.mdp._tables import (
    Successors,
    check_rows,
    numbers,
    plain_array,
    read_actions,
    read_first,
    read_transitions,
    read_values,
)
from lowbid.mdp._world import (
    World,
    action_values,
    backward_induction,
    earliest_stages,
    policy_losses,
    reachable,
)

Noise = Literal["none", "gaussian", "bernoulli"]

_ROUNDING = 1e-9


class Tabular:
    """An episodic MDP given by its tables; the base class of all environments in `lowbid.mdp`.

    An episode starts in a state s drawn from `first` and has `horizon` stages. At each stage h an
    action a is chosen; a loss (or a reward) and the next state are drawn from the row (h, s, a) of
    the tables.

    Parameters
    ----------
    transitions : array or Successors
        The probability of each next state, (state, action, next state) if all stages are alike,
        otherwise (stage, state, action, next state).
    losses, rewards : array
        One of the two: mean losses, 0 or more, or mean rewards, at most `best_reward`. One for
        each (state, action), with a stage axis in front or a next-state axis at the end if they
        depend on those.
    horizon : int, optional
        The number of stages; needed unless a table has a stage axis.
    first : int or array
        The first state, or the probability of each.
    best_reward : float
        The highest possible reward per step. Estimates of optimistic rules start there, so a loose
        bound costs regret.
    best_return : float, optional
        The highest possible return from any state and stage onwards, if it is less than the sum of
        `best_reward` over the remaining steps. Give it whenever you know it: it matters more than
        most other choices.
    noise : {"none", "gaussian", "bernoulli"}
        "gaussian" adds normal noise of standard deviation `sd`; "bernoulli" makes each reward
        (or loss) `scale` or 0, with the given mean. Normal noise, and a `scale`
        above `best_reward`, can push rewards above the bound, which then holds for means only.
    sd : float or array
        For Gaussian noise, one number or one for each action as in `losses`.
    scale : float, optional
        For Bernoulli noise; by default `best_reward`, and 1 for losses.
    actions : array of int, optional
        The number of actions of each state, if some have fewer than the tables.

    Attributes
    ----------
    world : World
        The tables in losses, as kernels read them.

    Examples
    --------
    Two states; action 1 moves, and staying in state 1 pays.

    >>> from lowbid import mdp
    >>> stay, move = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]
    >>> transitions = [[stay[0], move[0]], [stay[1], move[1]]]
    >>> model = mdp.Tabular(transitions, rewards=[[0.1, 0.0], [1.0, 0.0]], horizon=3)
    >>> model.optimal_values[0]
    array([2., 3.])
    >>> model.optimal_policy[:, 0].tolist()
    [1, 1, 0]
    """

    def __init__(
        self,
        transitions: npt.ArrayLike | Successors,
        *,
        losses: npt.ArrayLike | None = None,
        rewards: npt.ArrayLike | None = None,
        horizon: int | None = None,
        first: int | npt.ArrayLike = 0,
        best_reward: float = 1.0,
        best_return: float | None = None,
        noise: Noise = "none",
        sd: npt.ArrayLike = 1.0,
        scale: float | None = None,
        actions: npt.ArrayLike | None = None,
    ) -> None:
        if (losses is None) == (rewards is None):
            given = (
                "both losses and rewards" if losses is not None else "neither losses nor rewards"
            )
            raise InvalidValueError(f"{given} were given; give losses=... or rewards=...")
        require_finite("best_reward", best_reward, above=-np.inf)
        require_choice("noise", noise, ("none", "gaussian", "bernoulli"))
        self.has_rewards = rewards is not None
        self.best_reward = float(best_reward) if self.has_rewards else 0.0
        self.best_return = self._read_best_return(best_return)
        steps = None if horizon is None else require_whole("horizon", horizon)
        successors = read_transitions(transitions)
        counts = read_actions(actions, successors.probabilities.shape[1:3])
        check_rows(successors, counts)
        full = not isinstance(transitions, Successors)
        name, table = ("losses", losses) if losses is not None else ("rewards", rewards)
        values = read_values(name, cast(Any, table), successors, full, steps)
        self.horizon = _stages(len(successors.probabilities), len(values), steps)
        self._build(successors, values, counts, read_first(first, len(counts)))
        self._add_noise(noise, sd, scale)
        self._check_bounds()

    def _read_best_return(self, best_return: float | None) -> float | None:
        if best_return is None:
            return None
        require_finite("best_return", best_return, above=-np.inf)
        require(self.has_rewards, "best_return goes with rewards; it does not apply to losses.")
        return float(best_return)

    def _build(self, successors: Successors, values: Floats, actions: Ints, first: Floats) -> None:
        """Convert all tables to one shape, in losses."""
        stages = max(len(successors.probabilities), len(values))
        shape = (stages, *successors.probabilities.shape[1:])
        used = np.arange(shape[2]) < actions[:, np.newaxis]
        probabilities = np.broadcast_to(successors.probabilities, shape) * used[..., np.newaxis]
        next_states = np.broadcast_to(successors.next_states, shape).copy()
        losses = np.broadcast_to(values, shape)
        losses = self.best_reward - losses if self.has_rewards else losses.copy()
        self.world = World(
            actions=actions,
            lengths=np.maximum(_lengths(probabilities), 1),
            probabilities=probabilities,
            next_states=next_states,
            losses=losses,
            cumulative=probabilities.cumsum(axis=-1),
            means=(probabilities * losses).sum(axis=-1),
            coins=np.zeros((*shape[:3], 2)),
            sd=np.zeros(shape[:3]),
            first=first,
            first_cumulative=first.cumsum(),
            reached=reachable(first, probabilities, next_states, self.horizon),
        )
        self._used = np.broadcast_to(used, shape[:3])

    def _add_noise(self, noise: Noise, sd: npt.ArrayLike, scale: float | None) -> None:
        self.noise = noise
        if noise == "gaussian":
            widths = numbers("sd", sd)
            require(bool((widths >= 0).all()), "sd is negative; give 0 or more.")
            try:
                self.world.sd[:] = np.broadcast_to(widths, self.world.sd.shape)
            except ValueError as error:
                raise InvalidValueError(
                    f"sd has the shape {widths.shape}; give one number, or one for each (state, "
                    "action)."
                ) from error
        if noise == "bernoulli":
            height = (self.best_reward if self.has_rewards else 1.0) if scale is None else scale
            require_finite("scale", height, above=0.0)
            low = self.best_reward if self.has_rewards else 0.0
            self.world.coins[..., 0] = low
            self.world.coins[..., 1] = -height if self.has_rewards else height
            chances = (self.world.losses - low) / self.world.coins[..., 1:]
            outside = ((chances < 0.0) | (chances > 1.0)) & self._possible
            require(
                not outside.any(),
                f"with Bernoulli noise every mean must lie between 0 and the scale, {height:g}; "
                "some do not. Give a larger scale.",
            )

    def _check_bounds(self) -> None:
        lowest = self.world.losses[self._possible].min()
        if lowest < -_ROUNDING:
            raise InvalidValueError(
                f"a mean reward is {self.best_reward - lowest:g}, above best_reward, "
                f"{self.best_reward:g}; give the highest possible reward of a step."
                if self.has_rewards
                else f"a mean loss is {lowest:g}; give losses of 0 or more, or rewards."
            )
        if self.best_return is not None:
            listed = (self.world.reached >= 0).sum(axis=1)
            best = max(
                self.optimal_values[stage, self.world.reached[stage, :count]].max()
                for stage, count in enumerate(listed)
            )
            require(
                bool(best <= self.best_return + _ROUNDING),
                f"best_return is {self.best_return:g}, but the mean return from some state is "
                f"{best:g}; give a number that no return exceeds.",
            )

    @property
    def _possible(self) -> npt.NDArray[np.bool_]:
        """Which outcomes can occur; tables may hold any number for others."""
        return self._used[..., np.newaxis] & (self.world.probabilities > 0)

    @property
    def n_states(self) -> int:
        """The number of states."""
        return len(self.world.actions)

    @property
    def n_actions(self) -> int:
        """The largest number of actions of any state."""
        return int(self.world.actions.max())

    @property
    def stationary(self) -> bool:
        """Whether all stages are alike."""
        return len(self.world.means) == 1

    @functools.cached_property
    def _best(self) -> tuple[Floats, Ints]:
        return backward_induction(self.world, self.horizon)

    @functools.cached_property
    def course(self) -> Course:
        """The tables as loops read them."""
        return course_of(self.world)

    @property
    def optimal_values(self) -> Floats:
        """The best mean return from each stage and state onwards, (stage, state), then zeros.

        In rewards if the model was given rewards, otherwise in losses (the lowest).
        """
        return self._in_units(self._best[0])

    @property
    def optimal_policy(self) -> Ints:
        """An optimal action at each stage and state, (stage, state); the first if several are."""
        return self._best[1]

    def optimal_action_values(self, stage: int = 0) -> Floats:
        """The best mean return after each action at a stage, (state, action).

        Actions that do not exist have NaN.
        """
        require_whole("stage", stage, at_least=0, at_most=self.horizon - 1)
        values = action_values(self.world, stage, self._best[0][stage + 1])
        values = np.where(self._used[0], values, np.nan)
        left = self.horizon - stage
        return self.best_reward * left - values if self.has_rewards else values

    def map_of(self, visits: npt.ArrayLike) -> Floats:
        """Visits, (stage, state, action), laid out as a map: see `map_axes`."""
        counts = np.asarray(visits, np.float64)
        return counts[0].T if self.stationary else counts.sum(axis=2)

    @property
    def map_axes(self) -> tuple[str, str]:
        """The meaning of the rows and of the columns of `map_of`."""
        return ("action", "state") if self.stationary else ("stage", "state")

    @property
    def optimum(self) -> float:
        """The best mean return of an episode (or the lowest mean loss)."""
        return float(self.world.first @ self.optimal_values[0])

    def policy_values(self, policy: npt.ArrayLike, epsilon: float = 0.0) -> Floats:
        """The exact mean return of a policy from each stage and state onwards, (stage, state).

        Parameters
        ----------
        policy : array
            Actions, (stage, state), or the probability of each, (stage, state, action).
        epsilon : float
            The probability that an action is drawn uniformly from all instead.
        """
        require_finite("epsilon", epsilon, above=0.0, or_equal=True, at_most=1.0)
        chances = self._chances(policy)
        uniform = self._used[0] / self.world.actions[:, np.newaxis]
        return self._in_units(policy_losses(self.world, chances + epsilon * (uniform - chances)))

    def policy_return(self, policy: npt.ArrayLike, epsilon: float = 0.0) -> float:
        """The exact mean return of an episode under a policy (or its mean loss)."""
        return float(self.world.first @ self.policy_values(policy, epsilon)[0])

    def _chances(self, policy: npt.ArrayLike) -> Floats:
        given = plain_array("the policy", policy)
        shape = (self.horizon, self.n_states)
        if given.shape == shape and np.issubdtype(given.dtype, np.integer):
            if (given < 0).any() or (given >= self.world.actions).any():
                raise InvalidValueError("the policy has actions that do not exist.")
            return np.eye(self.world.means.shape[2])[given]
        full = (*shape, self.world.means.shape[2])
        if given.shape != full:
            raise InvalidValueError(
                f"the policy has the shape {given.shape}; give actions, whole numbers, (stage, "
                f"state) = {shape}, or probabilities, (stage, state, action) = {full}."
            )
        chances = numbers("the policy", given)
        require(
            bool((chances >= 0).all() and (abs(chances.sum(axis=2) - 1) <= 1e-9).all()),
            "the policy has probabilities that are negative or do not sum to 1.",
        )
        require(
            not chances[:, ~self._used[0]].any(),
            "the policy has probabilities of actions that do not exist.",
        )
        return chances

    def _in_units(self, losses: Floats) -> Floats:
        """Losses from each stage onwards, as returns if the model was given rewards."""
        if not self.has_rewards:
            return losses
        left = np.arange(self.horizon, -1, -1)[:, np.newaxis]
        return self.best_reward * left - losses

    def problem(self, episodes: int | None = None) -> Problem:
        """What a rule knows about this model."""
        highest = float(self.world.losses[self._possible].max())
        return problem_of(
            self.world.actions,
            self.horizon,
            reward_range=(self.best_reward - highest, self.best_reward),
            first=self.world.first,
            best_return=self.best_return,
            stationary=self.stationary,
            successors=int(self.world.lengths.max()),
            episodes=episodes,
            earliest=earliest_stages(self.world.reached),
        )

    @property
    def given(self) -> dict[str, Any]:
        """The parameters that distinguish this model from others of its class."""
        digest = hashlib.sha256()
        for table in self.world:
            digest.update(np.ascontiguousarray(table).tobytes())
        return {
            "n_states": self.n_states,
            "n_actions": self.n_actions,
            "horizon": self.horizon,
            "best_reward": self.best_reward if self.has_rewards else None,
            "best_return": self.best_return,
            "noise": self.noise,
            "tables": digest.hexdigest()[:16],
        }

    def describe(self) -> dict[str, Any]:
        """The model as plain data, for provenance."""
        return {"environment": type(self).__name__, **self.given}

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"{type(self).__name__}({values})"


def _lengths(probabilities: Floats) -> Ints:
    """The number of successors in each row."""
    places = np.arange(1, probabilities.shape[-1] + 1)
    return (places * (probabilities > 0)).max(axis=-1)


def _stages(of_transitions: int, of_values: int, horizon: int | None) -> int:
    """The number of stages, which the tables and the caller must agree on."""
    known = {n for n in (of_transitions, of_values) if n > 1} | ({horizon} if horizon else set())
    if not known:
        raise InvalidValueError(
            "the number of stages is not known: give horizon=..., or tables with a stage axis."
        )
    if len(known) > 1:
        stages = " and ".join(map(str, sorted(known)))
        raise InvalidValueError(f"the horizon and the tables' stages differ: {stages}.")
    return known.pop()
