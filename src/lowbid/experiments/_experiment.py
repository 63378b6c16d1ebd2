"""The cases of an experiment, each with its arms and its policies."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from lowbid._require import require, require_value, require_whole
from lowbid.environments import Environment, Switching
from lowbid.policies import BatchEnsemble, Policy
from lowbid.simulation import (
    Result,
    check_environment,
    check_losses,
    check_size,
    default_checkpoints,
    misfit_of,
    named_policies,
    provenance,
    read_horizon,
)
from lowbid.theory.curves import BoundCurves, curves_for

# More lines than this would hide the curves.
_MOST_MARKS = 8


@dataclasses.dataclass(frozen=True)
class Case:
    """One environment and the policies that are compared on it.

    Attributes
    ----------
    key : str
        A short name, also used for its files.
    title : str
        The title of its figure.
    environment : Environment
        The arms.
    policies : mapping
        The policies, by their names in tables and figures.
    horizon, runs, seed : int
        See `lowbid.simulate`.
    """

    key: str
    title: str
    environment: Environment
    policies: Mapping[str, Policy]
    horizon: int
    runs: int
    seed: int

    def __post_init__(self) -> None:
        # Invalid values are refused before a folder is touched or another case is run.
        read_horizon(self.horizon)
        require_whole("runs", self.runs)
        require_whole("seed", self.seed, at_least=0)
        require_value(
            "policies",
            self.policies,
            isinstance(self.policies, Mapping),
            "give a mapping from names to policies.",
        )
        require(bool(self.policies), "there are no policies; give at least one, such as ucb1.")
        check_environment(self.environment)
        for name, policy in named_policies(self.policies).items():
            check_losses(name, policy, self.environment)
        steps = len(default_checkpoints(self.horizon))
        check_size(self.runs, len(self.policies), steps, self.environment.n_arms)

    def began(self, result: Result) -> bool:
        """Whether a result belongs to this case, with all its policies or some of them."""
        if not set(result.policies) <= set(self.policies):
            return False
        policies = {name: self.policies[name] for name in result.policies}
        source = provenance(policies, self.environment, self.horizon, self.runs, self.seed)
        return bool(source["configuration_hash"] == result.provenance["configuration_hash"])

    @property
    def marks(self) -> dict[str, tuple[int, ...]]:
        """Steps at which Batch Ensemble policies add a batch, and those before the arms change."""
        by_steps: dict[tuple[int, ...], list[str]] = {}
        for name, policy in self.policies.items():
            steps = _growths(policy, self.horizon)
            if 0 < len(steps) <= _MOST_MARKS:
                by_steps.setdefault(steps, []).append(name)
        marks = {}
        for steps, who in by_steps.items():
            add = "adds" if len(who) == 1 else "add"
            marks[f"{' and '.join(who)} {add} a batch"] = steps
        return marks | _changes(self.environment, self.horizon)

    @property
    def misfits(self) -> dict[str, str]:
        """Why policies are not made for these losses, and what to do, by their names."""
        found = {
            name: misfit_of(name, policy, self.environment)
            for name, policy in self.policies.items()
        }
        return {f"Note on {name}": text for name, text in found.items() if text}

    def bounds(self) -> BoundCurves:
        """The regret bounds that apply to these arms, at the steps that a result records."""
        steps = default_checkpoints(self.horizon)
        return curves_for(self.environment, self.horizon, steps, seed=self.seed, runs=self.runs)


def _changes(environment: Environment, horizon: int) -> dict[str, tuple[int, ...]]:
    """The last steps before the arms change, if they are fixed and not too many."""
    after = environment.after or () if isinstance(environment, Switching) else ()
    steps = tuple(step for step in after if step < horizon)
    return {"the arms change after": steps} if 0 < len(steps) <= _MOST_MARKS else {}


def _growths(policy: Policy, horizon: int) -> tuple[int, ...]:
    """The steps, past the first thousandth, at which a policy's number of batches grows."""
    if not isinstance(policy, BatchEnsemble):
        return ()
    growth_steps = policy.parameters(1, horizon, horizon).growth_steps
    steps = np.unique(growth_steps[1:-1])
    return tuple(int(step) for step in steps if step > horizon / 1000)
