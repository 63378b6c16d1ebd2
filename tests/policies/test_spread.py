"""Policies that must know the spread of losses, given by a declared range."""

import math

import pytest

import lowbid
from lowbid import policies
from lowbid._compile import interpreted
from lowbid._random import key, stream_of_run
from lowbid.errors import InvalidValueError
from lowbid.policies._base import Policy

VARIANTS = [policy for name in policies.__all__ for policy in getattr(policies, name).variants()]
# A count has no other unit than one event.
COUNTING = [policy for policy in VARIANTS if policy.name.endswith(".poisson")]
# Losses of four arms, in 64ths: products with powers of 2 are exact.
LOSSES = [[5, 9, 30, 1, 22], [3, 40, 18, 7], [50, 2, 33, 60, 47, 14], [64, 41, 58]]
WIDTH_OF_UCB = [
    lowbid.UCB1,
    lowbid.UCBAlpha,
    lowbid.UCBTuned,
    lowbid.UCBV,
    lowbid.MOSS,
    lowbid.AnytimeMOSS,
    lowbid.SuccessiveElimination,
]
SD_OF = [
    lowbid.GaussianThompson,
    lowbid.ReBoot,
    lowbid.KLUCB.gaussian,
    lowbid.KLUCBPlus.gaussian,
    lowbid.KLUCBPlusPlus.gaussian,
    lowbid.KLMaillard.gaussian,
    lowbid.IMED.gaussian,
]


def choices(policy: Policy, unit: float, steps: int = 150) -> list[int]:
    """What a policy plays if losses from 0 to 1 are measured in another unit."""
    bounded = math.isfinite(policy.loss_range[1])
    unit = 1.0 if bounded else unit  # the caller scales such losses
    informed = policy.for_range(0.0, unit)
    stream = stream_of_run(key(0, policy.stream_name), 0)
    played = []
    with interpreted():
        parameters, state = informed.start(len(LOSSES), steps)
        for step in range(1, steps + 1):
            arm = int(informed.kernels.select(parameters, state, step, stream))
            row = LOSSES[arm]
            loss = unit * row[played.count(arm) % len(row)] / 64.0
            informed.kernels.update(parameters, state, arm, loss, step, stream)
            played.append(arm)
    return played


@pytest.mark.parametrize("unit", [2.0**-20, 64.0, 2.0**30])
@pytest.mark.parametrize(
    "policy", [p for p in VARIANTS if p not in COUNTING], ids=lambda policy: policy.name
)
def test_choices_are_the_same_in_every_unit(policy, unit):
    assert choices(policy, unit) == choices(policy, 1.0)


@pytest.mark.parametrize("policy", VARIANTS, ids=lambda policy: policy.name)
def test_a_policy_needs_a_range_until_it_has_one(policy):
    free = policy.scale_free or math.isfinite(policy.loss_range[1]) or policy in COUNTING
    assert policy.needs_range != free
    assert not policy.for_range(0.0, 3.0).needs_range


@pytest.mark.parametrize(
    "policy", [p for p in VARIANTS if p.needs_range], ids=lambda policy: policy.name
)
def test_a_range_changes_a_parameter_and_nothing_else(policy):
    # 0 to 1 has a width of 1, and -1 to 1 a largest standard deviation of 1: the defaults.
    low = -1.0 if hasattr(policy, "sd") else 0.0
    informed = policy.for_range(low, 1.0)
    assert (informed.name, informed.identity) == (policy.name, policy.identity)
    assert informed.parameters(3, 10, 10) == policy.parameters(3, 10, 10)


@pytest.mark.parametrize("make", WIDTH_OF_UCB)
def test_the_scale_is_the_declared_width(make):
    assert make().for_range(-3.0, 5.0) == make(scale=8.0)
    assert make(scale=0.3).for_range(0.1, 0.4) == make(scale=0.3), "0.4 - 0.1 is not quite 0.3"


@pytest.mark.parametrize("make", SD_OF)
def test_the_sd_is_half_the_declared_width(make):
    assert make().for_range(-3.0, 5.0) == make(sd=4.0)
    assert make(sd=1.5).for_range(-3.0, 5.0) == make(sd=1.5), "it may be smaller"


def test_the_bonus_of_acb_is_as_wide_as_the_range():
    assert lowbid.ACB().for_range(0.0, 64.0) == lowbid.ACB(beta=64.0)
    assert lowbid.ACB(beta=2.0).for_range(0.0, 64.0) == lowbid.ACB(beta=2.0)


@pytest.mark.parametrize("make", WIDTH_OF_UCB)
@pytest.mark.parametrize("scale", [1.0, 63.0, 65.0])
def test_a_scale_that_contradicts_the_range_is_refused(make, scale):
    with pytest.raises(InvalidValueError, match=r"scale=.* range of width 64; leave out scale"):
        make(scale=scale).for_range(0.0, 64.0)


@pytest.mark.parametrize("make", SD_OF)
def test_an_sd_that_no_losses_in_the_range_have_is_refused(make):
    with pytest.raises(InvalidValueError, match=r"sd=33.* standard deviation of 32 at most"):
        make(sd=33.0).for_range(0.0, 64.0)


@pytest.mark.parametrize("make", [*WIDTH_OF_UCB, *SD_OF])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "1", True])
def test_a_spread_is_a_positive_number(make, value):
    name = "scale" if make in WIDTH_OF_UCB else "sd"
    with pytest.raises(InvalidValueError, match=f"{name} is .*; give a finite number above 0"):
        make(**{name: value})
