"""Gymnasium: lowbid's arms as an `Env`, and a bandit `Env` as arms."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid._optional import needing
from lowbid._random import Stream, bits
from lowbid._require import invalid, require_finite, require_whole
from lowbid.environments import Environment
from lowbid.errors import InvalidValueError
from lowbid.simulation import check_environment, loss_of

with needing("gymnasium", "this adapter needs Gymnasium: pip install 'lowbid[gymnasium]'"):
    import gymnasium


class BanditEnv(gymnasium.Env):
    """Any environment of lowbid, step by step: the action is the arm, the observation is always 0.

    After ``reset(seed=s)`` the losses are those of run 0 of ``lowbid.simulate(..., seed=s)``; each
    further reset without a seed begins the next run.

    Parameters
    ----------
    environment : Environment
        The arms.
    horizon : int, optional
        The number of steps per episode, which is then truncated; by default it never ends.
    zero_loss_reward : float
        The reward for a loss of 0: a step gives ``zero_loss_reward - loss``.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid.adapters.gymnasium import BanditEnv
    >>> env = BanditEnv(lowbid.Deterministic([0.25, 0.75]), horizon=1)
    >>> env.reset(seed=0)
    (0, {})
    >>> env.step(1)
    (0, -0.75, False, True, {'loss': 0.75, 'regret': 0.5})
    """

    metadata = {"render_modes": []}  # noqa: RUF012, as Gymnasium has it

    def __init__(
        self,
        environment: Environment,
        horizon: int | None = None,
        zero_loss_reward: float = 0.0,
    ) -> None:
        check_environment(environment)
        require_finite("zero_loss_reward", zero_loss_reward, above=-np.inf)
        self.environment = environment
        self.horizon = None if horizon is None else require_whole("horizon", horizon)
        self.zero_loss_reward = float(zero_loss_reward)
        self.action_space = gymnasium.spaces.Discrete(environment.n_arms)
        self.observation_space = gymnasium.spaces.Discrete(1)
        self._seed: int | None = None
        self._run = self._steps = 0
        self._counts: list[int] | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin a run: the first one with this seed, or the next one."""
        super().reset(seed=seed)
        if seed is not None or self._seed is None:
            self._seed = int(self.np_random.integers(2**31)) if seed is None else int(seed)
            self._run = 0
        else:
            self._run += 1
        self._steps, self._counts = 0, [0] * self.environment.n_arms
        self._table = self.environment.table(self._seed, self._run + 1)
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Play an arm."""
        if self._counts is None or self._seed is None:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        if not self.action_space.contains(action):
            allowed = f"give an arm, 0 to {self.environment.n_arms - 1}."
            raise invalid("action", action, allowed)
        arm, self._steps = int(action), self._steps + 1
        table = self._table_now(self._seed)
        place = self._run if len(table) > 1 else 0
        means = self.environment.means_of(table)[place]
        loss = loss_of(self.environment, table, self._seed, self._run, arm, self._counts[arm])
        self._counts[arm] += 1
        info = {"loss": loss, "regret": float(means[arm] - means.min())}
        over = self.horizon is not None and self._steps >= self.horizon
        return 0, self.zero_loss_reward - loss, False, over, info

    def _table_now(self, seed: int) -> Floats:
        """The arms' parameters at this step, which some environments change."""
        changing = getattr(self.environment, "table_at", None)
        return self._table if changing is None else changing(self._steps, seed, self._run)

    def __deepcopy__(self, memo: dict[int, Any]) -> BanditEnv:
        # The arms never change, and their compiled functions cannot be copied.
        twin = BanditEnv(self.environment, self.horizon, self.zero_loss_reward)
        shared = {"environment": self.environment, "action_space": twin.action_space}
        vars(twin).update({**vars(self), **shared})
        twin._counts = None if self._counts is None else list(self._counts)
        return twin


class GymnasiumArms(Environment):
    """The arms of a Gymnasium environment whose actions are arms, to be played by lowbid.

    It must be a bandit: the reward of a step depends only on the action and on the environment's
    random numbers, ``np_random``. The arms are those after ``reset(seed=seed)``; ``np_random`` is
    reset before each loss, so that the n-th loss of an arm in a run is the same for all policies,
    as everywhere in lowbid.

    Parameters
    ----------
    env : gymnasium.Env
        The environment, with a `Discrete` action space; it is used, not copied.
    mean_rewards : sequence of float, optional
        The arms' true mean rewards. By default they are estimated from `samples` rewards of each
        arm, and the regret is only as accurate as these estimates.
    zero_loss_reward : float
        The reward that counts as a loss of 0: the loss is ``zero_loss_reward - reward``.
    loss_range : (float, float)
        The smallest and the largest possible loss.
    seed : int
        Determines the arms and the samples.
    samples : int
        The number of rewards drawn per arm to estimate its mean and variance.
    """

    def __init__(
        self,
        env: Any,
        mean_rewards: Any = None,
        zero_loss_reward: float = 0.0,
        loss_range: tuple[float, float] = (-np.inf, np.inf),
        seed: int = 0,
        samples: int = 1000,
    ) -> None:
        if not isinstance(getattr(env, "action_space", None), gymnasium.spaces.Discrete):
            raise InvalidValueError(f"{env!r} has no Discrete action space, which lowbid needs.")
        require_finite("zero_loss_reward", zero_loss_reward, above=-np.inf)
        self._env, self._lock = env.unwrapped, threading.Lock()
        self._first, self._arms = int(env.action_space.start), int(env.action_space.n)
        self._zero, self._range = float(zero_loss_reward), loss_range
        env.reset(seed=require_whole("seed", seed, at_least=0))
        self._sampled = self._sample(seed, require_whole("samples", samples, at_least=2))
        if mean_rewards is not None:
            means = np.asarray(mean_rewards, np.float64)
            if means.shape != (self._arms,) or not np.isfinite(means).all():
                raise invalid(
                    "mean_rewards",
                    mean_rewards,
                    f"give one number for each of the {self._arms} arms.",
                )
            self._sampled[:, 0] = self._zero - means
        self.draw = self._draw

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return self._arms

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible loss."""
        return self._range

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """The arms' means and variances: one instance for all runs."""
        return self._sampled[np.newaxis].copy()

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 1]

    def describe(self) -> dict[str, Any]:
        """The name of the environment, and its means."""
        name = getattr(getattr(self._env, "spec", None), "id", type(self._env).__name__)
        means = self._sampled[:, 0].tolist()
        return {"environment": "GymnasiumArms", "of": str(name), "means": means}

    def __repr__(self) -> str:
        return f"GymnasiumArms({type(self._env).__name__}, {self._arms} arms)"

    def _draw(self, table: Floats, instance: int, arm: int, stream: Stream) -> float:
        """One loss of an arm."""
        return self._loss(arm, np.random.default_rng(int(bits(stream))))

    def _loss(self, arm: int, rng: np.random.Generator) -> float:
        with self._lock:
            self._env.np_random = rng
            reward = self._env.step(self._first + arm)[1]
        return self._zero - float(reward)

    def _sample(self, seed: int, samples: int) -> Floats:
        """The mean and variance of each arm's losses."""
        rows = []
        for arm in range(self._arms):
            rng = np.random.default_rng([seed, arm])
            losses = np.array([self._loss(arm, rng) for _ in range(samples)])
            rows.append([losses.mean(), losses.var()])
        return np.array(rows)
