"""Odd values for every parameter of every policy, environment, schedule and function of the theory.

Each is accepted, and then works, or is refused at once with one of our errors; there are no other
errors, no endless computations, and no later failures.
"""

import dataclasses
import decimal
import fractions
import inspect
import signal
from contextlib import contextmanager, suppress

import numpy as np
import pytest

import lowbid
from lowbid import environments, policies, schedules, theory
from lowbid._compile import interpreted
from lowbid._random import key, stream_of_run
from lowbid.errors import LowbidError
from lowbid.theory import concentration, conjecture, lower, printed, textbook, theorem1, theorem2

ODD = [
    None,
    True,
    False,
    np.bool_(True),
    "",
    "yes",
    "0.5",
    b"1",
    object(),
    [],
    ["a"],
    {},
    {0.5},
    lambda step: 10**9,
    float,
    1j,
    decimal.Decimal("0.5"),
    fractions.Fraction(1, 2),
    float("nan"),
    float("inf"),
    -float("inf"),
    np.float64("nan"),
    0,
    -0.0,
    -1,
    0.5,
    2,
    np.float32(0.5),
    np.int8(3),
    np.array(0.5),
    np.array([0.5, 0.25]),
    np.datetime64("2026-01-01"),
    1e308,
    -1e308,
    5e-324,
    10**18,
    10**400,
    -(10**400),
]
SECONDS = 5


@contextmanager
def in_time():
    """Stop what does not end, where the system has alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_):
        raise TimeoutError(f"not done within {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def feed(make, base, use=lambda made: None):
    """Replace each argument by each odd value; say what went wrong."""
    wrong = []
    for name in base:
        for value in ODD:
            try:
                with in_time(), interpreted():
                    made = make(**{**base, name: value})
            except LowbidError:
                continue
            except Exception as error:
                wrong.append(f"{name}={value!r}"[:60] + f": {type(error).__name__}: {error}"[:120])
                continue
            try:
                with in_time(), interpreted():
                    use(made)
            except Exception as error:
                wrong.append(
                    f"{name}={value!r}"[:60] + f", later: {type(error).__name__}: {error}"[:120]
                )
    return wrong


def policy_makers():
    for name in policies.__all__:
        cls = getattr(policies, name)
        for variant in cls.variants()[:1]:
            base = {field.name: getattr(variant, field.name) for field in dataclasses.fields(cls)}
            yield pytest.param(cls, base, id=name)
        for made, constructor in cls.constructors().items():
            if made != name:
                base = {
                    parameter: inspect.signature(constructor.make).parameters[parameter].default
                    for parameter in constructor.parameters
                    if parameter in inspect.signature(constructor.make).parameters
                }
                yield pytest.param(constructor.make, base, id=made)


def play(policy):
    """A few steps of a policy: it must work with whatever it accepted."""
    low, high = policy.loss_range
    low = max(low, 0.0) if low <= 0.0 else low
    losses = [low + part * (min(high, low + 1.0) - low) for part in (0.0, 1.0, 0.5)]
    assert policy.name
    parameters, state = policy.start(3, 30)
    stream = stream_of_run(key(0, policy.stream_name), 0)
    for step in range(1, 13):
        arm = policy.kernels.select(parameters, state, step, stream)
        policy.kernels.update(parameters, state, arm, losses[step % 3], step, stream)


@pytest.mark.parametrize(("make", "base"), list(policy_makers()))
def test_policies(make, base):
    assert feed(make, base, play) == []


ENVIRONMENT = environments.Bernoulli([0.2, 0.5])
ENVIRONMENTS = {
    environments.Bernoulli: {"mean": [0.2, 0.5]},
    environments.Beta: {"a": [1.0, 2.0], "b": 2.0},
    environments.Deterministic: {"loss": [0.1, 0.3]},
    environments.Empirical: {"data": [[0.1, 0.2], [0.3]]},
    environments.ExponentialByMean: {"mean": [0.2, 0.5]},
    environments.ExponentialByRate: {"rate": [0.2, 0.5]},
    environments.Gaussian: {"mean": [0.2, 0.5], "sd": 1.0},
    environments.Contaminated: {"environment": ENVIRONMENT, "value": 7.0, "chance": 0.1},
    environments.LogNormal: {"mean": [0.2, 0.5], "log_sd": 1.0},
    environments.Orders: {"rate": [0.2, 0.5], "size": 50.0, "log_sd": 1.0, "refunds": 0.1},
    environments.Pareto: {"mean": [0.2, 0.5], "shape": 3.0},
    environments.Rewards: {"environment": ENVIRONMENT},
    environments.StudentT: {"mean": [0.2, 0.5], "scale": 1.0, "df": 3.0},
    environments.Mixed: {"parts": [environments.Bernoulli([0.2])]},
    environments.ScaledBernoulli: {"mean": [0.2, 0.5], "scale": 1.0},
    environments.Uniform: {"low": [0.1, 0.2], "high": 1.0},
    environments.RandomArms: {
        "family": environments.Gaussian,
        "n_arms": 3,
        "low": 0.0,
        "high": 1.0,
        "sd": 1.0,
    },
    environments.Switching: {"environments": [ENVIRONMENT, ENVIRONMENT], "after": [3, 5]},
    environments.Drifting: {"environment": ENVIRONMENT, "path": environments.Wave(0.1, 50.0)},
    environments.paper_test: {"number": 1},
}
PATHS = {
    environments.RandomWalk: {"sd": 0.1, "low": 0.0, "high": 1.0},
    environments.Wave: {"amplitude": 0.1, "period": 50.0, "phase": 0.5},
    environments.GivenMeans: {"means": [[0.2, 0.5], [0.3, 0.4]]},
    environments.GivenMeans.of: {"function": lambda step: [0.1, 0.2], "steps": 3},
}


def draw_losses(environment):
    """A loss of each arm, the moments, and the names."""
    assert repr(environment)
    assert environment.describe()
    table = environment.table(0, 2)
    with np.errstate(over="ignore", divide="ignore"):
        assert np.isfinite(environment.means_of(table)).all()
        variances = environment.variances_of(table)
    assert np.isfinite(variances).all() or not environment.finite_variance
    stream = np.zeros(1, np.uint64)
    for arm in range(min(environment.n_arms, 5)):
        low, high = environment.support
        assert low <= environment.draw(table, 0, arm, stream) <= high


def test_no_environment_is_left_out():
    abstract = {"Arms", "Changing", "Environment", "Path"}
    made = {make.__name__ for make in ENVIRONMENTS} | {make.__name__ for make in PATHS} - {"of"}
    assert made == set(environments.__all__) - abstract


@pytest.mark.parametrize("make", ENVIRONMENTS, ids=lambda make: make.__name__)
def test_environments(make):
    assert feed(make, ENVIRONMENTS[make], draw_losses) == []


def test_switching_by_chance():
    base = {"environments": [ENVIRONMENT, ENVIRONMENT], "chance": 0.1}
    assert feed(environments.Switching, base, draw_losses) == []


@pytest.mark.parametrize("make", PATHS, ids=lambda make: make.__name__)
def test_paths(make):
    def drift(path):
        low, high = path.ends(np.array([0.2, 0.5]))
        if (low >= 0).all() and (high <= 1).all():
            arms = environments.Drifting(environments.Gaussian([0.2, 0.5]), path)
            assert np.isfinite(arms.means_at([1, 5])).all()

    def use(path):
        # It may be refused by the arms, whose number or whose start it does not fit.
        with suppress(LowbidError):
            drift(path)

    assert feed(make, PATHS[make], use) == []


SCHEDULES = {
    schedules.Fixed: {"batches": 3},
    schedules.Logarithmic: {"c": 0.3, "least": 1},
    schedules.HighProbability: {"delta": 0.05, "horizon": 100},
    schedules.Anytime: {},
    # A function of the user's is a schedule too.
    lambda value: schedules.growth_steps(lambda step: value, 10): {"value": 3},
}


def grow(made):
    if isinstance(made, schedules.Schedule):
        made = made.at_horizon(100)
        assert made(2**62) <= schedules.MOST_BATCHES
        assert len(schedules.growth_steps(made, 1000)) <= schedules.MOST_BATCHES + 1


def test_no_schedule_is_left_out():
    found = {
        cls
        for _, cls in inspect.getmembers(schedules, inspect.isclass)
        if issubclass(cls, schedules.Schedule) and cls is not schedules.Schedule
    }
    assert found <= set(SCHEDULES)


@pytest.mark.parametrize("make", SCHEDULES, ids=lambda make: make.__name__)
def test_schedules(make):
    assert feed(make, SCHEDULES[make], grow) == []


ARMS = lowbid.Bernoulli([0.1, 0.5])
LAW = theory.FiniteLaw([0.0, 1.0], [0.75, 0.25])
BOUND = {"environment": ARMS, "t": 100}
WITH_DELTA = {**BOUND, "delta": 0.05}
THEORY = {
    concentration.bernoulli_shortfall: {"n": 10, "mean": 0.5, "width": 0.1},
    concentration.bernstein: {"n": 10, "variance": 0.25, "delta": 0.05, "scale": 1.0},
    concentration.index_falls_below: {
        "arm": lowbid.Bernoulli([0.5]),
        "batches": 2,
        "widths": [1.0, 0.5],
        "runs": 3,
        "seed": 0,
    },
    concentration.index_width: {
        "n": 10,
        "batches": 2,
        "variance": 0.25,
        "horizon": 100,
        "delta": 0.05,
        "scale": 1.0,
    },
    conjecture.conjectured_floor: {"n": 3, "padding": 2.0},
    conjecture.counterexample: {"n": 10, "p": 0.999, "scale": None},
    conjecture.examine: {"law": LAW, "n": 3},
    conjecture.search: {"n": 3, "restarts": 1, "generations": 1, "padding": 2.0, "seed": 0},
    conjecture.three_point_counterexample: {"n": 10, "rare": 0.01},
    lower.bernoulli_divergence: {"p": 0.5, "q": 0.25},
    lower.divergence: {"law": LAW, "best": 0.1},
    lower.least_divergence: {"values": [0.0, 1.0], "probabilities": [0.5, 0.5], "below": 0.25},
    lower.lower_bound: BOUND,
    lower.lower_constant: {"environment": ARMS},
    printed.bernstein: {"n": 10, "variance": 0.25, "delta": 0.05},
    printed.index_width: {"n": 10, "batches": 2, "variance": 0.25, "horizon": 100, "delta": 0.05},
    printed.theorem1_independent_form: WITH_DELTA,
    printed.theorem1_mean_form: WITH_DELTA,
    printed.theorem1_variance_form: WITH_DELTA,
    textbook.kl_ucb: BOUND,
    textbook.ucb1: BOUND,
    textbook.ucb_v: BOUND,
    theorem1.batches: {"t": 100, "delta": 0.05, "proof": theory.PAPER},
    theory.ExponentialLaw: {"mean": 1.0},
    theory.EnvironmentLaw: {"environment": lowbid.Beta(a=[1.0], b=[2.0]), "runs": 10, "seed": 0},
    theory.FiniteLaw: {"values": [0.0, 1.0], "probabilities": [0.5, 0.5]},
    theory.GaussianLaw: {"mean": 0.5, "sd": 1.0},
    theory.batches_needed: {"delta": 0.05, "chance": 0.25},
    theory.bernoulli_floor: {"n": 3, "padding": 2.0},
    theory.curves_for: {
        "environment": lowbid.Gaussian([0.1, 0.5]),  # the bounds of others take seconds
        "horizon": 100,
        "steps": [1, 10],
        "delta": 0.05,
        "seed": 0,
        "runs": 2,
    },
    theory.ensemble_optimism: {"law": LAW, "n": 5, "batches": 2, "padding": 2.0},
    theory.instances: {
        "environment": lowbid.RandomArms(lowbid.Bernoulli, n_arms=2),
        "seed": 0,
        "runs": 2,
    },
    theory.law_of: {"environment": ARMS, "arm": 0},
    theory.lemma2_floor: {"n": 3},
    theory.optimism: {"law": LAW, "n": 3, "padding": 2.0},
    theory.paper_batches: {"delta": 0.05},
    theory.verdict: {"law": LAW, "n": 3, "padding": 2.0},
}


def public_functions(module):
    return {
        value
        for name, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == module.__name__ and not name.startswith(("_", "require"))
    }


for _module in (theorem1, theorem2):
    # In order of their names, so that all workers of pytest-xdist collect the same tests.
    _functions = public_functions(_module) - {theorem1.batches}
    for _function in sorted(_functions, key=lambda function: function.__name__):
        _names = inspect.signature(_function).parameters
        _values = {**WITH_DELTA, "proof": theory.PAPER}
        THEORY[_function] = {name: _values[name] for name in _names}


def test_no_function_of_the_theory_is_left_out():
    modules = (concentration, conjecture, lower, printed, textbook, theorem1, theorem2)
    found = {function for module in modules for function in public_functions(module)}
    found |= {
        value
        for name in theory.__all__
        if inspect.isfunction(value := getattr(theory, name)) or name.endswith("Law")
    }
    assert found - {theory.Law} == set(THEORY)


@pytest.mark.parametrize("function", THEORY, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_theory(function):
    assert feed(function, THEORY[function], use_law if isinstance(function, type) else repr) == []


def use_law(law):
    assert 0.0 <= law.sum_below(3, 5.0).value <= 1.0
    assert np.isfinite([law.mean, law.variance]).all()
