import dataclasses

import numpy as np
import pytest

import lowbid
from experiments.sweeps.sweep_examples import PlainPolicy, Raising
from lowbid._compile import kernel
from lowbid.experiments.sweeps import Cell, SweptEnvironment, SweptPolicy
from lowbid.experiments.sweeps import _cell as module
from lowbid.schedules import Logarithmic


def cell(policy=None, environment=None, **more):
    policy = SweptPolicy("p", "p", policy or lowbid.Greedy())
    arms = SweptEnvironment("e", environment or lowbid.Bernoulli([0.1, 0.5]))
    return Cell(policy, arms, **{"horizon": 50, "seed": 0, "runs": 5, "record": (50,), **more})


def test_the_digest_changes_with_anything_that_runs_depend_on():
    cells = [
        cell(),
        cell(lowbid.UniformPlay()),
        cell(lowbid.BatchEnsemble(2)),
        cell(lowbid.BatchEnsemble(3)),
        cell(lowbid.BatchEnsemble(Logarithmic(0.4))),
        cell(environment=lowbid.Bernoulli([0.1, 0.6])),
        cell(environment=lowbid.RandomArms(lowbid.Bernoulli, 2)),
        cell(environment=lowbid.Contaminated(lowbid.Bernoulli([0.1, 0.5]), 5.0, 0.1)),
        cell(horizon=60, record=(60,)),
        cell(seed=1),
        cell(record=(20, 50)),
        cell(PlainPolicy()),
        cell(Raising()),
    ]
    assert len({each.digest for each in cells}) == len(cells)


def test_names_and_numbers_of_runs_do_not_matter():
    first = cell()
    other = dataclasses.replace(
        first,
        runs=500,
        policy=dataclasses.replace(first.policy, name="another"),
        environment=dataclasses.replace(first.environment, name="another", group="g"),
    )
    assert other.digest == first.digest


def test_another_version_of_the_random_streams_is_another_cell(monkeypatch):
    before = cell().digest
    monkeypatch.setattr(module, "STREAMS_VERSION", 999)
    assert cell().digest != before


@kernel
def always_the_first(parameters, state, step, stream):
    return 0


class Changed(lowbid.Greedy):
    kernels = lowbid.Greedy.kernels._replace(select=always_the_first)


Changed.__qualname__ = "Greedy"


def test_another_rule_under_the_same_name_is_another_cell():
    assert Changed().identity == lowbid.Greedy().identity
    assert cell(Changed()).digest != cell().digest


def test_a_schedule_s_steps_matter_not_only_its_name():
    def schedule(limit):
        def grows(step):
            return 1 if step < limit else 2

        return grows

    early, late = (cell(lowbid.BatchEnsemble(schedule(limit))) for limit in (10, 20))
    assert early.policy.policy.identity == late.policy.policy.identity
    assert early.digest != late.digest


def test_checkpoints_have_what_is_judged_and_the_last_tenth():
    steps = cell(horizon=1000, record=(333, 1000)).checkpoints
    assert {1, 333, 900, 1000} <= set(steps.tolist())
    assert steps[-2] == 900
    assert (np.diff(steps) > 0).all()


@pytest.mark.parametrize("horizon", [1, 2, 10])
def test_short_horizons(horizon):
    made = cell(horizon=horizon, record=(horizon,))
    assert made.checkpoints[-1] == horizon
    assert made.checkpoints[0] == 1
