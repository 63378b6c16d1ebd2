"""The paper's test cases, completed by settings for the details that it leaves open."""

from __future__ import annotations

import dataclasses

from lowbid import schedules
from lowbid.environments import Beta, Environment, ExponentialByRate, RandomArms, paper_test
from lowbid.experiments._experiment import Case
from lowbid.experiments.paper._settings import SETTINGS, Chosen
from lowbid.policies import (
    KLUCB,
    MARS,
    RBSDA,
    UCB1,
    UCBV,
    BatchEnsemble,
    BetaThompson,
    ExponentialThompson,
    GaussianThompson,
    Policy,
)

ADAPTIVE, EFFICIENT = "EnsembleAdaptive", "EnsembleAdaptiveEfficient"
ENSEMBLES = (ADAPTIVE, EFFICIENT)
UCB, UCB_V, UCB_KL, MARS_ = "UCB", "UCB-V", "UCB-KL", "MARS"
OTHERS = (UCB, UCB_V, MARS_)
TS, RB_SDA = "TS", "RB-SDA"
POLICIES = (ADAPTIVE, EFFICIENT, UCB, UCB_V, UCB_KL, MARS_, TS, RB_SDA)

HORIZON, RUNS = 2000, 100

TITLES = {
    "test-1": "Test 1: Bernoulli arms, the best of low variance",
    "test-2": "Test 2: Bernoulli arms, means 0.90 to 0.99",
    "test-3": "Test 3: Bernoulli arms, random means",
    "test-4": "Test 4: Gaussian arms, random means, variance 1",
    "test-5": "Test 5: exponential arms, random scales",
    "test-6": "Test 6: beta arms, with parameters of our own",
}

_SCHEDULES = {
    "0.3log": schedules.Logarithmic(0.3),
    "0.6log": schedules.Logarithmic(0.6),
    "log": schedules.Logarithmic(1.0),
    "8log": schedules.Anytime(),
}
_UCB_SCALE = {"textbook": 1.0, "tight": 0.5}
_UCB_V = {"usual": UCBV(), "proof": UCBV(zeta=1.2), "tight": UCBV(c=1.0 / 3.0)}


def environment(test: str, chosen: Chosen) -> Environment:
    """The arms of a test."""
    by_rate = chosen["exponential"] == "rate"
    spread = 1.0 if chosen["beta"] == "a-uniform" else 5.0
    return {
        "test-1": paper_test(1),
        "test-2": paper_test(2),
        "test-3": paper_test(3),
        "test-4": paper_test(4),
        "test-5": RandomArms(ExponentialByRate, n_arms=10) if by_rate else paper_test(5),
        "test-6": RandomArms(Beta, n_arms=10, high=spread, b=spread),
    }[test]


def policies(test: str, chosen: Chosen, horizon: int) -> dict[str, Policy]:
    """The policies of a test, by the paper's names."""
    schedule, ties = _SCHEDULES[chosen["schedule"]], chosen["ties"]
    subsets = {"1/T": max(horizon, 2), "1/1000": 1000, "1/T^2": horizon * horizon}[chosen["mars"]]
    return {
        ADAPTIVE: BatchEnsemble(batches=schedule, growth="redistribute", ties=ties),  # type: ignore[arg-type]
        EFFICIENT: BatchEnsemble(batches=schedule, growth="append", ties=ties),  # type: ignore[arg-type]
        UCB: UCB1(scale=_UCB_SCALE[chosen["ucb"]]),
        UCB_V: _UCB_V[chosen["ucbv"]],
        UCB_KL: _kl_ucb(test, chosen),
        MARS_: MARS(subsets=subsets),
        TS: {"test-4": GaussianThompson(), "test-5": ExponentialThompson()}.get(
            test, BetaThompson()
        ),
        RB_SDA: RBSDA(),
    }


def _kl_ucb(test: str, chosen: Chosen) -> Policy:
    made = KLUCB.bernoulli()
    if test == "test-4":
        known = chosen["kl-gaussian"] == "known"
        made = KLUCB.gaussian() if known else KLUCB.gaussian_unknown_variance()
    elif test == "test-5":
        gaussian = chosen["kl-exponential"] == "gaussian"
        made = KLUCB.gaussian() if gaussian else KLUCB.exponential()
    return dataclasses.replace(made, c=0.0 if chosen["kl"] == "log" else 3.0)


def case(test: str, chosen: Chosen, horizon: int, runs: int, seed: int) -> Case:
    """A test, ready to run."""
    made = policies(test, chosen, horizon)
    return Case(test, TITLES[test], environment(test, chosen), made, horizon, runs, seed)


@dataclasses.dataclass(frozen=True)
class Alternative:
    """A test with one setting chosen differently.

    Attributes
    ----------
    setting, choice, test : str
        The setting, the other choice, and the test.
    case : Case
        The policies that it changes; all of them if it changes the arms.
    """

    setting: str
    choice: str
    test: str
    case: Case


def alternatives(base: Case, chosen: Chosen, costly: bool) -> list[Alternative]:
    """All other choices of one setting at a time that change something in a test."""
    found = []
    for setting in SETTINGS:
        for choice in setting.choices:
            if choice.key == chosen[setting.key] or (choice.most_runs and not costly):
                continue
            changed = {**chosen, setting.key: choice.key}
            runs = min(base.runs, choice.most_runs or base.runs)
            other = case(base.key, changed, base.horizon, runs, base.seed)
            same_arms = other.environment.describe() == base.environment.describe()
            kept = {
                name: policy
                for name, policy in other.policies.items()
                if name in base.policies and not (same_arms and policy == base.policies[name])
            }
            if kept:
                key = f"{base.key}--{setting.key}--{choice.key.replace('/', 'over')}"
                made = dataclasses.replace(other, key=key, policies=kept)
                found.append(Alternative(setting.key, choice.key, base.key, made))
    return found
