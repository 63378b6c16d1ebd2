"""The settings of the league: arms for choosing a rule's constants, and others for judging it.

Whatever is tuned is tuned on the settings for choosing; what the league says of a policy that was
tuned here is what it does on the settings for judging. Both were laid down before any tuning.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from lowbid.environments import (
    Bernoulli,
    Beta,
    Contaminated,
    Empirical,
    Environment,
    ExponentialByMean,
    Gaussian,
    LogNormal,
    Orders,
    Pareto,
    RandomArms,
    Rewards,
    ScaledBernoulli,
    StudentT,
    Uniform,
    paper_test,
)
from lowbid.errors import UnknownNameError

Role = Literal["choosing", "judging"]

# An outlier comes about once in as many steps as the settings with outliers have.
OUTLIER_HORIZON = 20_000
_CHANCE = 1.0 / OUTLIER_HORIZON


class LeagueSetting(NamedTuple):
    """Arms to play, and what they are there for.

    Attributes
    ----------
    key : str
        A short name.
    title : str
        What it is, in words.
    role : {"choosing", "judging"}
        Whether constants may be tuned on it.
    environment : Environment
        The arms.
    clean : str
        The key of the same arms without outliers; empty if there are none.
    """

    key: str
    title: str
    role: Role
    environment: Environment
    clean: str = ""


_CONVERSIONS = Bernoulli([0.20] * 4 + [0.17])
_GAUSSIAN = Gaussian([0.2] * 4 + [0.0])
_ORDERS = Rewards(Orders([0.02] * 4 + [0.024], size=50.0, log_sd=1.0))
_LATENCY = LogNormal([100.0, 110.0, 120.0, 150.0], log_sd=1.0)

_CHOOSING = (
    LeagueSetting(
        "paper-1", "the paper's test 1: Bernoulli, clear best arm", "choosing", paper_test(1)
    ),
    LeagueSetting(
        "paper-2", "the paper's test 2: Bernoulli, high losses", "choosing", paper_test(2)
    ),
    LeagueSetting(
        "paper-3", "the paper's test 3: Bernoulli, random means", "choosing", paper_test(3)
    ),
    LeagueSetting(
        "paper-4", "the paper's test 4: Gaussian, random means", "choosing", paper_test(4)
    ),
    LeagueSetting(
        "paper-5", "the paper's test 5: exponential, random means", "choosing", paper_test(5)
    ),
    LeagueSetting(
        "conversions-80", "conversions of 80% four times, and 83%", "choosing", _CONVERSIONS
    ),
    LeagueSetting(
        "conversions-60", "conversions of 60% and 63%", "choosing", Bernoulli([0.40, 0.37])
    ),
    LeagueSetting(
        "conversions-97",
        "conversions of 97% four times, and 98%",
        "choosing",
        Bernoulli([0.03] * 4 + [0.02]),
    ),
    LeagueSetting("orders", "orders of log-normal size, rates of 2% and 2.4%", "choosing", _ORDERS),
    LeagueSetting("gaussian", "Gaussian, gap 0.2, sd 1", "choosing", _GAUSSIAN),
    LeagueSetting(
        "spreads",
        "Gaussian, sds from 0.1 to 3",
        "choosing",
        Gaussian([0.0, 0.2, 0.2, 0.2, 0.2], sd=[1.0, 0.1, 0.3, 1.0, 3.0]),
    ),
    LeagueSetting(
        "noisy-best",
        "Gaussian, the best arm ten times as noisy",
        "choosing",
        Gaussian([0.0, 0.2, 0.2], sd=[2.0, 0.2, 0.2]),
    ),
    LeagueSetting(
        "exponential",
        "exponential, means from 1 to 2",
        "choosing",
        ExponentialByMean([1.0, 1.2, 1.4, 1.6, 2.0]),
    ),
    LeagueSetting(
        "orders-outlier",
        "orders, and about one reported as 1,000,000",
        "choosing",
        Contaminated(_ORDERS, value=-1e6, chance=_CHANCE),
        clean="orders",
    ),
)

_JUDGING = (
    LeagueSetting(
        "conversions-50",
        "conversions of 50% nine times, and 55%",
        "judging",
        Bernoulli([0.50] * 9 + [0.45]),
    ),
    LeagueSetting(
        "conversions-1", "conversions of 1% and 1.2%", "judging", Bernoulli([0.99, 0.988])
    ),
    LeagueSetting("tiny", "conversions of 0.1% and 0.2%", "judging", Bernoulli([0.999, 0.998])),
    LeagueSetting(
        "refunds",
        "orders of which one in ten is refunded",
        "judging",
        Rewards(Orders([0.02] * 4 + [0.026], size=50.0, log_sd=1.0, refunds=0.1)),
    ),
    LeagueSetting("latency", "log-normal waiting times", "judging", _LATENCY),
    LeagueSetting(
        "ratings",
        "ratings of one to five stars, as losses",
        "judging",
        Empirical(
            [
                np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], [45, 25, 15, 5, 10]),
                np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], [40, 25, 15, 8, 12]),
                np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], [20, 50, 20, 5, 5]),
            ]
        ),
    ),
    LeagueSetting(
        "widths",
        "uniform, of different widths",
        "judging",
        Uniform([0.0, 0.4, 0.2, 0.0], [0.9, 0.6, 0.8, 1.1]),
    ),
    LeagueSetting(
        "scales",
        "Bernoulli of different scales",
        "judging",
        ScaledBernoulli([0.10, 0.12, 0.15, 0.20], [1.0, 10.0, 0.5, 100.0]),
    ),
    LeagueSetting(
        "beta",
        "beta, of different shapes",
        "judging",
        Beta([1.0, 2.0, 0.5, 8.0], [3.0, 5.0, 1.0, 16.0]),
    ),
    LeagueSetting("many-bernoulli", "100 Bernoulli arms", "judging", RandomArms(Bernoulli, 100)),
    LeagueSetting("many-gaussian", "50 Gaussian arms", "judging", RandomArms(Gaussian, 50)),
    LeagueSetting(
        "student-t",
        "Student's t with three degrees of freedom",
        "judging",
        StudentT([0.0, 0.3, 0.3, 0.3], df=3.0),
    ),
    LeagueSetting(
        "pareto-rewards",
        "Pareto rewards of infinite variance",
        "judging",
        Rewards(Pareto([1.2, 1.0, 1.0, 1.0], shape=1.5)),
    ),
    LeagueSetting(
        "pareto-losses", "Pareto losses", "judging", Pareto([1.0, 1.2, 1.2, 1.5], shape=3.0)
    ),
    LeagueSetting(
        "offset",
        "Gaussian, sd 0.001 around 1,000,000",
        "judging",
        Gaussian(1e6 + 1e-3 * np.array([0.3, 0.3, 0.0, 0.3]), sd=1e-3),
    ),
    LeagueSetting(
        "noisy-others",
        "Gaussian, the best arm ten times less noisy",
        "judging",
        Gaussian([0.0, 0.2, 0.2], sd=[0.2, 2.0, 2.0]),
    ),
    LeagueSetting(
        "conversions-outlier",
        "conversions, and about one reported as a loss of 1,000,000",
        "judging",
        Contaminated(_CONVERSIONS, value=1e6, chance=_CHANCE),
        clean="conversions-80",
    ),
    LeagueSetting(
        "gaussian-outlier",
        "Gaussian, and about one reported as -1,000,000",
        "judging",
        Contaminated(_GAUSSIAN, value=-1e6, chance=_CHANCE),
        clean="gaussian",
    ),
    LeagueSetting(
        "latency-outlier",
        "waiting times, and about one reported as 1,000,000",
        "judging",
        Contaminated(_LATENCY, value=1e6, chance=_CHANCE),
        clean="latency",
    ),
)

SETTINGS = {setting.key: setting for setting in (*_CHOOSING, *_JUDGING)}


def settings_named(names: Sequence[str]) -> list[LeagueSetting]:
    """Settings by name, or all of a role; all settings if no name is given."""
    if not names:
        return list(SETTINGS.values())
    chosen: dict[str, LeagueSetting] = {}
    for name in names:
        found = [setting for setting in SETTINGS.values() if name in (setting.key, setting.role)]
        if not found:
            near = difflib.get_close_matches(name, [*SETTINGS, "choosing", "judging"], n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(SETTINGS)}."
            raise UnknownNameError(f"no setting is named {name!r}; {hint}")
        chosen |= {setting.key: setting for setting in found}
    return list(chosen.values())
