"""An ensemble of networks for use in any loop."""

from __future__ import annotations

import os
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from lowbid._require import (
    invalid,
    is_whole,
    require,
    require_finite,
    require_value,
    require_whole,
)
from lowbid.errors import InvalidValueError
from lowbid.mdp._tabular import Tabular
from lowbid.mdp.deep import _compiled_episode as compiled
from lowbid.mdp.deep import _learner as learning
from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN
from lowbid.mdp.deep._networks import Inputs, ensemble_values, zeros
from lowbid.mdp.environments import make_gymnasium

_LARGEST_SEED = 2**63 - 1
_LARGEST_INPUT = 1e30  # squares of the networks' outputs must fit into 32 bits

_choose_member = jax.jit(learning.choose_member, static_argnames="rule")
_frozen_member = jax.jit(learning.frozen_member)
_choose_action = jax.jit(learning.choose_action, static_argnames="rule")
_learn = jax.jit(learning.learn, static_argnames="rule", donate_argnames="learner")


class DeepAgent:
    """An agent that learns by a deep rule in an environment of your own.

    An episode is ``begin(observation)``, then ``act()`` and ``update(...)`` in turn, and ``end()``
    if it is cut short. The member to follow is chosen when an episode begins, and stays frozen
    until the episode is over, whatever is learned meanwhile.

    Parameters
    ----------
    rule : EnsembleDQN
        ``BootstrappedDQN()`` or ``BiddingDQN()``.
    n_actions : int
        Actions are 0, 1, 2, ...
    observation_size : int, optional
        The number of entries of an observation, which is a vector.
    n_states : int, optional
        Instead of `observation_size`, if observations are whole numbers 0, 1, 2, ...: networks
        see them as one-hot vectors.
    seed : int
        0 or larger. Two rules with the same seed start from the same networks.

    Notes
    -----
    Everything is a pure function of the seed and of the outcomes reported to the agent: on one
    machine, with the same version of JAX, the same seed gives the same bits. Agents are not
    thread-safe.

    Examples
    --------
    >>> from lowbid.mdp import deep
    >>> rule = deep.BiddingDQN(members=3, hidden=(8,), batch_size=16, min_replay_size=16)
    >>> agent = deep.DeepAgent(rule, n_actions=2, observation_size=4, seed=1)
    >>> agent.begin([0.0, 0.1, 0.0, -0.1])
    >>> agent.act() in (0, 1)
    True
    >>> agent.bids.argmax() == agent.member
    np.True_
    """

    def __init__(
        self,
        rule: EnsembleDQN,
        n_actions: int,
        *,
        observation_size: int | None = None,
        n_states: int | None = None,
        seed: int = 0,
    ) -> None:
        if (observation_size is None) == (n_states is None):
            given = "both" if n_states is not None else "neither"
            raise InvalidValueError(
                f"{given} of observation_size and n_states were given; give observation_size for "
                "vectors, or n_states for whole numbers."
            )
        if n_states is not None:
            rows = require_whole("n_states", n_states, at_most=2**31 - 1)
        else:
            rows = require_whole("observation_size", observation_size or 0)
        self._setup(rule, Inputs(rows, rows, n_states is not None), n_actions, seed)

    @classmethod
    def for_model(cls, model: Tabular, rule: EnsembleDQN, seed: int = 0) -> Self:
        """An agent for one of lowbid's models, which observes the stage and the state.

        Its networks have weights only for states that can be reached; use it with `play`.
        """
        if not isinstance(model, Tabular):
            raise invalid("model", model, "give one such as mdp.DeepSea(20).")
        compiled.tables_of(model)  # raises an error if it cannot be played
        agent = cls.__new__(cls)
        agent._setup(rule, compiled.inputs_of(model), model.n_actions, seed)
        return agent

    @classmethod
    def for_gymnasium(
        cls, environment: Any, rule: EnsembleDQN, seed: int = 0, **options: Any
    ) -> Self:
        """An agent for a Gymnasium environment, given by name or as an object.

        Its actions must be discrete, and its observations vectors or discrete.
        """
        env = make_gymnasium(environment, options)
        actions, seen = env.action_space, env.observation_space
        name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
        if type(actions).__name__ != "Discrete" or actions.start != 0:
            raise InvalidValueError(f"the actions of {name} are {actions}; they must be Discrete.")
        if type(seen).__name__ == "Discrete" and seen.start == 0:
            return cls(rule, int(actions.n), n_states=int(seen.n), seed=seed)
        if type(seen).__name__ != "Box" or len(seen.shape) != 1:
            raise InvalidValueError(
                f"{name} shows {seen}; it must be a Box with one axis, or Discrete. Gymnasium's "
                "FlattenObservation makes one of most others."
            )
        return cls(rule, int(actions.n), observation_size=int(seen.shape[0]), seed=seed)

    def _setup(self, rule: EnsembleDQN, inputs: Inputs, n_actions: int, seed: int) -> None:
        if not isinstance(rule, EnsembleDQN):
            raise invalid("rule", rule, "give one such as deep.BootstrappedDQN().")
        self.rule, self.inputs = rule, inputs
        self.n_actions = require_whole("n_actions", n_actions)
        self.seed = require_whole("seed", seed, at_least=0, at_most=_LARGEST_SEED)
        self._learner = learning.new_learner(rule, inputs, self.n_actions, self.seed)
        self._acting: learning.Acting | None = None
        self._bids, self._member = np.zeros(rule.members), -1
        self._observation: Any = None
        self._action = -1

    @property
    def episode(self) -> int:
        """The number of episodes started."""
        return int(self._learner.episodes)

    @property
    def steps(self) -> int:
        """The number of transitions reported."""
        return int(self._learner.steps)

    @property
    def learner(self) -> learning.Learner:
        """The networks and the replay memory. Invalid after the next `update`; make a copy."""
        return self._learner

    @property
    def member(self) -> int:
        """The member followed in this or the last episode."""
        require(self._member >= 0, "no episode has begun; call begin(observation) first.")
        return self._member

    @property
    def bids(self) -> npt.NDArray[np.float64]:
        """Each member's expected return of this or the last episode."""
        require(self._member >= 0, "no episode has begun; call begin(observation) first.")
        return self._bids.copy()

    def values(self, observation: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Each member's value of each action from here onwards, (member, action)."""
        x = self._read("observation", observation)
        learner = self._learner
        both = ensemble_values(learner.online, x) + ensemble_values(learner.prior, x)
        return np.asarray(both, np.float64)

    def begin(self, observation: npt.ArrayLike) -> None:
        """Start an episode, and choose the member to follow."""
        require(
            self._acting is None,
            f"episode {self.episode} is under way; call end() first.",
        )
        x = self._read("observation", observation)
        bids, member = _choose_member(self.rule, self._learner, x)
        self._acting = _frozen_member(self._learner, member)
        self._learner = self._learner._replace(episodes=jnp.asarray(np.int32(self.episode + 1)))
        self._bids, self._member = np.asarray(bids, np.float64), int(member)
        self._observation, self._action = x, -1

    def act(self) -> int:
        """The action to take now; the same if called again before `update`."""
        if self._acting is None:
            raise InvalidValueError("no episode is under way; call begin(observation) first.")
        if self._action < 0:
            key, steps = self._learner.key, self._learner.steps
            action = _choose_action(self.rule, self._acting, self._observation, key, steps)
            self._action = int(action)
        return self._action

    def update(self, *, reward: float, next_observation: npt.ArrayLike | None) -> None:
        """Report the outcome of the action, and learn from it.

        Parameters
        ----------
        reward : float
            The reward.
        next_observation : array, int or None
            The new observation; None if the episode has terminated, so that no more rewards follow.
            If it is only cut short, for example by a time limit, give the observation and call
            `end`.
        """
        require(self._action >= 0, "no action is waiting for its outcome; call act() first.")
        require_finite("reward", reward, above=-np.inf, at_most=_LARGEST_INPUT)
        over = next_observation is None
        x = zeros(*self.inputs.kind) if over else self._read("next_observation", next_observation)
        self._learner = _learn(
            self.rule,
            self._learner,
            self._observation,
            np.int32(self._action),
            np.float32(reward),
            np.float32(not over),
            x,
        )
        self._observation, self._action = x, -1
        if over:
            self.end()

    def end(self) -> None:
        """Stop an episode early; an action without an outcome is forgotten."""
        self._acting, self._observation, self._action = None, None, -1

    def play_compiled(
        self, tables: compiled.Tables
    ) -> tuple[npt.NDArray[np.float64], int, compiled.Steps]:
        """Play a whole episode in a model; return the bids, the member followed, and the steps."""
        require(self._acting is None, f"episode {self.episode} is under way; call end() first.")
        self._learner, bids, member, steps = compiled.play_episode(self.rule, tables, self._learner)
        self._bids, self._member = np.asarray(bids, np.float64), int(member)
        return self._bids.copy(), self._member, steps

    def _read(self, name: str, given: Any) -> jax.Array:
        if self.inputs.one_hot:
            last = self.inputs.rows - 1
            good = is_whole(given) and 0 <= given <= last
            require_value(name, given, good, f"give a whole number from 0 to {last}.")
            return jnp.asarray(np.int32(given))
        try:
            vector = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            vector = np.full(0, np.nan)
        if vector.shape != (self.inputs.rows,) or not (np.abs(vector) <= _LARGEST_INPUT).all():
            raise invalid(name, given, f"give {self.inputs.rows} finite numbers.")
        return jnp.asarray(vector.astype(np.float32))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file from which `load` restores an agent that continues as this one would.

        The file is replaced atomically.
        """
        from lowbid.mdp.deep._saved_deep_agent import write_deep_agent

        write_deep_agent(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote.

        If agents are made of other arrays since, the error names the lowbid that wrote the file.
        """
        from lowbid.mdp.deep._saved_deep_agent import read_deep_agent

        return read_deep_agent(cls, path)
