"""The tables of an MDP as loops read them, the draws from them, and the exact value of policies.

Tables are flat. A *place* stands for a stage, a state and an action, and is computed once per step:
computing the address of an entry in a table with several axes would take longer than most rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, from_start, kernel
from lowbid._random import Stream, coin, normal, uniform
from lowbid.mdp._world import World


class Course(NamedTuple):
    """The tables of a `World`, by place.

    Attributes
    ----------
    actions
        The number of actions of each state, (state,).
    n_actions
        The largest of these.
    per_stage
        How far apart the places of two stages are; 0 if all stages are alike.
    room
        The largest number of outcomes of a place, made even. The outcomes of a place start at
        `room` times the place; those that it does not have are of probability 0.
    lengths
        The number of outcomes, (place,).
    is_certain
        1 if nothing is drawn: a single outcome without noise, (place,).
    means, sd, lows, heights
        The mean loss, the standard deviation of normal noise, and where the loss takes one of two
        values the first one, and the second minus the first, (place,).
    probabilities, cumulative, next_states, losses
        The values for each outcome, (place times room plus outcome,).
    first, first_cumulative
        The probability of each first state, (state,), and cumulatively.
    reached, n_reached
        The states that can be reached at each stage, (stage, state), and their number, (stage,).
    is_path
        Whether nothing is left to chance: a single first state, a single next state each.
    """

    actions: Ints
    n_actions: int
    per_stage: int
    room: int
    lengths: Ints
    is_certain: Ints
    means: Floats
    sd: Floats
    lows: Floats
    heights: Floats
    probabilities: Floats
    cumulative: Floats
    next_states: Ints
    losses: Floats
    first: Floats
    first_cumulative: Floats
    reached: Ints
    n_reached: Ints
    is_path: bool


def course_of(world: World) -> Course:
    """The tables of a world, flattened."""
    stages, states, actions, most = world.probabilities.shape
    room = most + most % 2
    noisy = (world.sd > 0.0) | (world.coins[..., 1] != 0.0)
    return Course(
        actions=world.actions,
        n_actions=actions,
        per_stage=0 if stages == 1 else states * actions,
        room=room,
        lengths=world.lengths.ravel(),
        is_certain=((world.lengths == 1) & ~noisy).ravel().astype(np.int64),
        means=world.means.ravel(),
        sd=world.sd.ravel(),
        lows=world.coins[..., 0].ravel(),
        heights=world.coins[..., 1].ravel(),
        probabilities=_padded(world.probabilities, room),
        cumulative=_padded(world.cumulative, room),
        next_states=_padded(world.next_states, room),
        losses=_padded(world.losses, room),
        first=world.first,
        first_cumulative=world.first_cumulative,
        reached=world.reached,
        n_reached=(world.reached >= 0).sum(axis=1),
        is_path=bool((world.lengths == 1).all() and (world.first > 0.0).sum() == 1),
    )


def _padded(table: Any, room: int) -> Any:
    """A table by outcome, flat, with room for this many outcomes."""
    missing = room - table.shape[-1]
    return np.pad(table, [(0, 0), (0, 0), (0, 0), (0, missing)]).ravel()


@kernel
def place_of(course: Course, stage: int, s: int, action: int) -> int:
    """The place of an action."""
    return stage * course.per_stage + s * course.n_actions + action


@kernel
def draw_first(course: Course, stream: Stream) -> int:
    """The first state of an episode."""
    at = uniform(stream)
    state = 0
    while state < len(course.first) - 1 and at >= course.first_cumulative[state]:
        state += 1
    return state


@kernel
def draw_outcome(course: Course, place: int, stream: Stream) -> int:
    """Draw one of an action's outcomes, and return its index; a single one needs no draw."""
    outcome = course.room * place
    last = outcome + course.lengths[place] - 1
    if outcome == last:
        return outcome
    at = uniform(stream)
    while outcome < last and at >= course.cumulative[outcome]:
        outcome += 1
    return outcome


@kernel
def draw_loss(course: Course, place: int, outcome: int, stream: Stream) -> float:
    """Draw the loss of an outcome."""
    mean, height, sd = course.losses[outcome], course.heights[place], course.sd[place]
    if height != 0.0:
        low = course.lows[place]
        return low + height * coin(stream, (mean - low) / height)
    return mean + sd * normal(stream) if sd > 0.0 else mean


class Worth(NamedTuple):
    """The policy that was evaluated last, and its values.

    Attributes
    ----------
    policy
        The action at each stage and state that can be reached, (stage, state).
    losses
        The mean losses from there onwards, (stage + 1, state); the last row is 0.
    """

    policy: Ints
    losses: Floats


@allocating_kernel
def worth_of(course: Course, horizon: int) -> Worth:
    """A record of values before any policy has been evaluated."""
    n_states = len(course.actions)
    return Worth(np.full((horizon, n_states), -1), np.zeros((horizon + 1, n_states)))


@kernel
def mean_loss(course: Course, place: int, ahead: Floats) -> float:
    """The mean loss of an action and of what follows.

    Outcomes are read two at a time: the number of iterations is hard to predict, and there are half
    as many of them.
    """
    place = from_start(place)
    loss, begin = course.means[place], from_start(course.room * place)
    for outcome in range(begin, begin + course.room, 2):
        one = course.probabilities[outcome] * ahead[from_start(course.next_states[outcome])]
        two = course.probabilities[outcome + 1] * ahead[from_start(course.next_states[outcome + 1])]
        loss += one + two
    return loss


@kernel
def differs(course: Course, policy: Ints, other: Ints, stage: int) -> bool:
    """Whether two policies differ at a stage, in states that can be reached."""
    now, before, states = policy[stage], other[stage], course.reached[stage]
    different = 0
    for i in range(course.n_reached[stage]):
        s = from_start(states[i])
        different += int(now[s] != before[s])
    return different > 0


@kernel
def evaluate(
    course: Course, policy: Ints, epsilon: float, anew: bool, found: Worth, fault: Ints
) -> float:
    """The exact mean loss of an episode under a policy, (stage, state).

    It is computed backwards from the last stage at which the policy differs from the one evaluated
    before, or from the last of all stages if `anew` is set. With probability `epsilon` an action is
    drawn uniformly instead. An action that does not exist is written to `fault`.
    """
    stage = len(policy) - 1
    while stage >= 0 and not anew and not differs(course, policy, found.policy, stage):
        stage -= 1
    while stage >= 0:
        states, ahead, here = course.reached[stage], found.losses[stage + 1], found.losses[stage]
        for i in range(course.n_reached[stage]):
            s = from_start(states[i])
            action, n_actions = policy[stage, s], course.actions[s]
            if action < 0 or action >= n_actions:
                fault[0], fault[1], fault[2] = stage, s, action
                return 0.0
            row = place_of(course, stage, s, 0)
            loss = mean_loss(course, row + action, ahead)
            if epsilon > 0.0:
                loss *= 1.0 - epsilon
                for place in range(row, row + n_actions):
                    loss += epsilon / n_actions * mean_loss(course, place, ahead)
            found.policy[stage, s], here[s] = action, loss
        stage -= 1
    mean = 0.0
    for i in range(course.n_reached[0]):
        s = course.reached[0, i]
        mean += course.first[s] * found.losses[0, s]
    return mean
