"""Episodes, one after another, in one of lowbid's models or in Gymnasium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid.errors import InvalidValueError
from lowbid.mdp._tabular import Tabular
from lowbid.mdp.deep._compiled_episode import inputs_of, tables_of
from lowbid.mdp.deep._deep_agent import DeepAgent
from lowbid.mdp.environments import make_gymnasium


class Played(NamedTuple):
    """An episode.

    Attributes
    ----------
    states : array
        The states or observations before each action.
    actions, rewards : array
        The action and the reward at each step.
    member : int
        The member that was followed.
    bids : array
        Each member's expected return of the episode.
    """

    states: npt.NDArray[Any]
    actions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    member: int
    bids: npt.NDArray[np.float64]


def play(agent: DeepAgent, model: Tabular) -> Iterator[Played]:
    """Play episodes in a model, each compiled as a whole, for as long as the iterator is read.

    The model's randomness depends on the agent's seed, the number of the episode and the stage, and
    on nothing else.

    Parameters
    ----------
    agent : DeepAgent
        Made by ``DeepAgent.for_model(model, ...)``.
    model : Tabular
        Such as ``mdp.DeepSea(20)``.
    """
    if inputs_of(model) != agent.inputs or model.n_actions != agent.n_actions:
        raise InvalidValueError(
            "the agent was made for another model; make it with DeepAgent.for_model(model, ...)."
        )
    tables = tables_of(model)
    while True:
        bids, member, steps = agent.play_compiled(tables)
        states, actions, rewards = (np.asarray(each) for each in steps)
        yield Played(states, actions, rewards, member, bids)


def play_gymnasium(agent: DeepAgent, environment: Any, **options: Any) -> Iterator[Played]:
    """Play episodes in a Gymnasium environment, for as long as the iterator is read.

    Parameters
    ----------
    agent : DeepAgent
        Made by ``DeepAgent.for_gymnasium(environment, ...)``.
    environment : str or gymnasium.Env
        Such as "CartPole-v1". It is seeded with the agent's seed once.
    **options
        For ``gymnasium.make``, if a name was given.
    """
    env = make_gymnasium(environment, options)
    observation, _ = env.reset(seed=agent.seed)
    while True:
        agent.begin(observation)
        seen, actions, rewards = [], [], []
        over = False
        while not over:
            seen.append(observation)
            actions.append(agent.act())
            observation, reward, terminated, truncated, _ = env.step(actions[-1])
            rewards.append(float(reward))
            agent.update(reward=rewards[-1], next_observation=None if terminated else observation)
            over = terminated or truncated
        agent.end()
        yield Played(np.array(seen), np.array(actions), np.array(rewards), agent.member, agent.bids)
        observation, _ = env.reset()
