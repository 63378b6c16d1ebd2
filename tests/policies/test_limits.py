"""Saved states are refused, or are played on without leaving an array."""

import copy
import functools
import itertools
import math

import numpy as np
import pytest

from checked import Checked, checked
from lowbid import MARS, Bandit
from lowbid.errors import StateError
from lowbid.online._core import Core
from lowbid.testing._policies import suitable_arms
from variants import VARIANTS, quick_by_default

STEPS = 60
BAD = [-1, -2, 5, 6, 31, 1_000_000, 2**40, 2**62, -(2**62), 2**63 - 1, 1e300, -1e300, 0.5, -0.5]
BAD += ["inf", "-inf", "nan", "words", None]


def played(policy, steps=STEPS, kind=0, n_arms=5, seed=1):
    """A bandit in the middle of its life: some decisions are open, and an arm was paused."""
    arms = suitable_arms(policy)[kind]
    bandit = Bandit(n_arms, policy, seed=seed, horizon=1000, compiled="never")
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        arm = bandit.select()
        bandit.update(arm, loss=float(generator.choice(arms.data[arm % 5])))
    bandit.decide(3)
    return bandit


def fields(state, path=()):
    for name, value in state.items():
        if isinstance(value, dict):
            yield from fields(value, (*path, name))
        else:
            yield (*path, name)


def mutations(rows, generator, n_arms=5):
    """Other values for a field: single numbers replaced, rows dropped and added."""
    for value in BAD:
        other = copy.deepcopy(rows)
        place = other
        while isinstance(place, list) and place and isinstance(place[0], list):
            place = place[generator.integers(len(place))]
        if place:
            place[generator.integers(len(place))] = value
        else:
            place.append(value)
        yield other
    yield rows[:-1]
    yield rows + rows[-1:]
    yield [rows]
    yield rows * 300
    yield 7
    yield {"a": 1}


def play_on(core, policy, kind, steps=3):
    """Play on with checked arrays; whatever is raised is a fault."""
    core.engine.state = checked(core.engine.state)
    arms = suitable_arms(policy)[kind]
    feedback = core.feedback_of("loss")
    Checked.left = 5_000_000
    with np.errstate(all="ignore"):
        for step in range(steps):
            arm = core.engine.select()
            core.take_in(arm, float(arms.data[arm % 5][step % 7]), feedback)
        for _ in range(2):
            core.decide()


@pytest.fixture
def _arithmetic_of_compiled_code(monkeypatch):
    """Logarithms and the like give NaN and infinity, as in compiled code, and raise nothing."""
    for name in ("log", "log1p", "sqrt", "exp", "expm1"):
        function = functools.partial(lambda plain, x: plain(float(x)).item(), getattr(np, name))
        monkeypatch.setattr(math, name, function)


def faults_of(policy, kind, most):
    """What goes wrong with mutated states other than a refusal; `most` mutations of each field."""
    generator = np.random.default_rng(7)
    saved = played(policy, kind=kind)._core.to_data()
    play_on(Core.from_data(policy, saved, "never"), policy, kind)  # it was whole before
    for path in fields(saved["state"]):
        holder = functools.reduce(lambda part, name: part[name], path[:-1], saved["state"])
        before = holder[path[-1]]
        for value in itertools.islice(mutations(before, generator), most):
            holder[path[-1]] = value
            try:
                play_on(Core.from_data(policy, saved, "never"), policy, kind)
            except StateError as error:
                if "allowed" not in str(error):
                    yield path, value, error
            except Exception as error:
                yield path, value, error
        holder[path[-1]] = before


def small(policy):
    """The policy, with a smaller state if it is one of the largest."""
    return MARS(subsets=16) if isinstance(policy, MARS) else policy


@pytest.mark.usefixtures("_arithmetic_of_compiled_code")
@pytest.mark.parametrize("kind", [0, 1], ids=["two-valued", "continuous"])
@pytest.mark.parametrize("policy", quick_by_default(VARIANTS))
def test_a_mutated_state_is_refused_or_played_on(policy, kind):
    faults = [
        f"{'.'.join(path)} = {str(value)[:90]}: {error!r}"
        for path, value, error in faults_of(small(policy), kind, most=100)
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("policy", VARIANTS, ids=lambda policy: policy.name)
def test_what_a_policy_reaches_is_accepted(policy):
    for steps in (0, 3, STEPS, 300):
        saved = played(small(policy), steps)._core.to_data()
        back = Core.from_data(small(policy), saved, "never")
        assert back.to_data() == saved
