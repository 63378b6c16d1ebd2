"""The current Optuna: a bandit makes the categorical choices of a study."""

import pickle

import optuna
import pytest

import lowbid
from lowbid.adapters.optuna import LowbidSampler
from lowbid.errors import InvalidValueError

COSTS = {"adam": 0.2, "sgd": 0.8, "rmsprop": 0.6}


@pytest.fixture(autouse=True)
def _quiet():
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def _objective(trial):
    return COSTS[trial.suggest_categorical("optimizer", list(COSTS))]


def _share(study, name="adam"):
    chosen = [trial.params["optimizer"] for trial in study.trials]
    return chosen.count(name) / len(chosen)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_study_finds_the_best_choice(direction):
    study = optuna.create_study(direction=direction, sampler=LowbidSampler())
    study.optimize(_objective, n_trials=60)
    assert _share(study, "adam" if direction == "minimize" else "sgd") > 0.6


def test_it_makes_the_choices_of_a_bandit():
    study = optuna.create_study(sampler=LowbidSampler(lowbid.UCB1(), seed=2))
    study.optimize(_objective, n_trials=30)
    bandit, names = lowbid.Bandit(3, lowbid.UCB1(), seed=2), list(COSTS)
    for trial in study.trials:
        decision = bandit.decide()
        assert trial.params["optimizer"] == names[decision.arm]
        bandit.update(decision, loss=trial.value)


def test_numbers_come_from_the_other_sampler():
    def objective(trial):
        x = trial.suggest_float("x", -1.0, 1.0)
        trial.suggest_int("n", 1, 3)
        return x**2 + _objective(trial)

    ours = optuna.create_study(sampler=LowbidSampler(others=optuna.samplers.TPESampler(seed=1)))
    ours.optimize(objective, n_trials=20)
    random = optuna.create_study(sampler=LowbidSampler(seed=5))
    random.optimize(objective, n_trials=3)
    again = optuna.create_study(sampler=LowbidSampler(seed=5))
    again.optimize(objective, n_trials=3)
    assert [trial.params for trial in random.trials] == [trial.params for trial in again.trials]


def test_ask_and_tell_with_trials_that_fail():
    sampler = LowbidSampler()
    study = optuna.create_study(sampler=sampler)
    for number in range(12):
        trial = study.ask()
        value = _objective(trial)
        if number % 3:
            study.tell(trial, value)
        else:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
    study.ask().suggest_categorical("optimizer", list(COSTS))
    (chooser,) = sampler._choosers.values()
    assert sum(chooser.bandit.counts().values()) == 8
    assert len(chooser.bandit.pending()) == 1


@pytest.mark.slow
def test_trials_of_other_processes_are_learned_from(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    name = "shared"
    first = optuna.create_study(storage=storage, study_name=name, sampler=LowbidSampler())
    first.optimize(_objective, n_trials=8)
    sampler = LowbidSampler()
    second = optuna.load_study(storage=storage, study_name=name, sampler=sampler)
    second.optimize(_objective, n_trials=2)
    (chooser,) = sampler._choosers.values()
    assert sum(chooser.bandit.counts().values()) == 9


def test_threads_share_a_sampler():
    study = optuna.create_study(sampler=LowbidSampler())
    study.optimize(_objective, n_trials=20, n_jobs=4)
    assert len(study.trials) == 20


def test_a_sampler_can_be_pickled():
    sampler = LowbidSampler(seed=3)
    study = optuna.create_study(sampler=sampler)
    study.optimize(_objective, n_trials=5)
    twin = pickle.loads(pickle.dumps(sampler))
    optuna.create_study(sampler=twin).optimize(_objective, n_trials=2)


def test_several_objectives_are_refused():
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=LowbidSampler())
    with pytest.raises(InvalidValueError, match="one objective"):
        study.optimize(lambda trial: (_objective(trial), 0.0), n_trials=1)
