"""Follow a policy step by step, with all losses seen so far at hand."""

from collections.abc import Iterator
from typing import NamedTuple

from lowbid import Bandit, Environment, Policy
from lowbid.simulation import loss_of


class Moment(NamedTuple):
    """One step: `losses[a]` are those of arm a before it, `arm` is what the policy chose."""

    step: int
    losses: list[list[float]]
    arm: int
    bandit: Bandit


def replay(policy: Policy, environment: Environment, horizon: int, seed: int) -> Iterator[Moment]:
    """Play run 0 of a simulation through the online object."""
    table = environment.table(seed, 1)
    bandit = Bandit(environment.n_arms, spelled_out(policy), seed=seed, horizon=horizon)
    losses: list[list[float]] = [[] for _ in range(environment.n_arms)]
    for step in range(1, horizon + 1):
        arm = bandit.select()
        yield Moment(step, losses, arm, bandit)
        loss = loss_of(environment, table, seed, 0, arm, len(losses[arm]))
        bandit.update(arm, loss=loss)
        losses[arm].append(loss)


def spelled_out(policy: Policy) -> Policy:
    """The policy with its default scale or deviation of 1 given: for losses of any size."""
    if not policy.needs_range:
        return policy
    # A range of width 2 has a largest standard deviation of 1.
    return policy.for_range(-1.0 if hasattr(policy, "sd") else 0.0, 1.0)


def lowest_arms(indices: list[float], tolerance: float = 1e-9) -> set[int]:
    """The arms that a rule may choose: all within rounding of the lowest index."""
    lowest = min(indices)
    return {
        arm
        for arm, index in enumerate(indices)
        if index == lowest or index <= lowest + tolerance * (1 + abs(lowest))
    }
