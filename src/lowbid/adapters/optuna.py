"""Optuna: a sampler that makes categorical choices with a bandit."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from lowbid._optional import needing
from lowbid.errors import InvalidValueError
from lowbid.online import Bandit, Decision
from lowbid.policies import Policy

with needing("optuna", "this adapter needs Optuna: pip install 'lowbid[optuna]'"):
    import optuna
    from optuna.distributions import BaseDistribution, CategoricalDistribution
    from optuna.trial import FrozenTrial, TrialState


class LowbidSampler(optuna.samplers.BaseSampler):
    """Suggest each categorical parameter with a bandit, and all others with another sampler.

    A bandit learns from every finished trial of the study that has its parameter, whichever process
    ran it. Trials that are still running are pending decisions; those that failed or were pruned
    are forgotten.

    Parameters
    ----------
    policy : Policy, optional
        As for `lowbid.Bandit`; by default one that takes objectives of any size and sign.
    seed : int
        Determines the policies' random numbers.
    others : BaseSampler, optional
        The sampler for numbers; by default Optuna's `RandomSampler` with the same seed.

    Examples
    --------
    >>> import optuna
    >>> from lowbid.adapters.optuna import LowbidSampler
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=LowbidSampler(seed=0))
    >>> def objective(trial):
    ...     optimizer = trial.suggest_categorical("optimizer", ["adam", "sgd"])
    ...     return 0.1 if optimizer == "adam" else 0.7
    >>> study.optimize(objective, n_trials=30)
    >>> sum(trial.params["optimizer"] == "adam" for trial in study.trials) > 20
    True
    """

    def __init__(
        self,
        policy: Policy | None = None,
        seed: int = 0,
        others: optuna.samplers.BaseSampler | None = None,
    ) -> None:
        self._policy, self._seed = policy, seed
        self._others = optuna.samplers.RandomSampler(seed) if others is None else others
        self._choosers: dict[tuple[str, str, int], _Chooser] = {}
        self._lock = threading.Lock()

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The parameters that the other sampler suggests jointly; never a categorical one."""
        space = self._others.infer_relative_search_space(study, trial)
        return {
            name: kind
            for name, kind in space.items()
            if not isinstance(kind, CategoricalDistribution)
        }

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The other sampler's suggestion."""
        return self._others.sample_relative(study, trial, search_space)

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """A bandit's choice, or the other sampler's suggestion for a number."""
        if not isinstance(param_distribution, CategoricalDistribution):
            return self._others.sample_independent(study, trial, param_name, param_distribution)
        if len(study.directions) > 1:
            raise InvalidValueError("LowbidSampler supports one objective; this study has several.")
        choices = param_distribution.choices
        key = (study.study_name, param_name, len(choices))
        with self._lock:
            if key not in self._choosers:
                self._choosers[key] = _Chooser(
                    Bandit(len(choices), self._policy, self._seed), param_name, param_distribution
                )
            return choices[self._choosers[key].choose(study, trial.number)]

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Let the other sampler prepare."""
        self._others.before_trial(study, trial)

    def after_trial(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Let the other sampler learn; the bandits learn before their next choice."""
        self._others.after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        """Give the other sampler a new seed in another process."""
        self._others.reseed_rng()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()


class _Chooser:
    """The bandit for one parameter of a study, and the trials it knows."""

    def __init__(self, bandit: Bandit, name: str, distribution: CategoricalDistribution) -> None:
        self.bandit, self.name, self.distribution = bandit, name, distribution
        self.settled: set[int] = set()
        self.asked: dict[int, Decision] = {}

    def choose(self, study: optuna.Study, number: int) -> int:
        """The index of the choice for a trial."""
        kind = "reward" if study.direction == optuna.study.StudyDirection.MAXIMIZE else "loss"
        for trial in study.get_trials(deepcopy=False):
            if trial.state.is_finished() and trial.number not in self.settled:
                self._settle(trial, kind)
        decision = self.bandit.decide()
        self.asked[number] = decision
        return int(decision.arm)

    def _settle(self, trial: FrozenTrial, kind: str) -> None:
        self.settled.add(trial.number)
        decision = self.asked.pop(trial.number, None)
        if trial.state != TrialState.COMPLETE or trial.distributions.get(self.name) is None:
            if decision is not None:
                self.bandit.forget(decision)
            return
        distribution = trial.distributions[self.name]
        if distribution == self.distribution:
            choice = int(self.distribution.to_internal_repr(trial.params[self.name]))
            self.bandit.update(choice if decision is None else decision, **{kind: trial.value})
