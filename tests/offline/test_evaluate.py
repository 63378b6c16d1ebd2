import math

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError, LogError, UnanswerableError, UnknownNameError

MEANS = np.array([0.2, 0.7, 0.4])


def _table(n=3000, chances=(0.5, 0.3, 0.2), seed=0):
    rng = np.random.default_rng(seed)
    arms = rng.choice(3, n, p=chances)
    values = (rng.random(n) < MEANS[arms]).astype(float)
    return {"arm": arms, "reward": values, "propensity": np.array(chances)[arms]}


def test_all_methods_agree_with_the_truth():
    found = lowbid.evaluate({1: 0.5, 2: 0.5}, _table())
    assert list(found) == ["ips", "snips", "capped", "dr"]
    for estimate in found.values():
        assert estimate.low < 0.55 < estimate.high
        assert abs(estimate.value - 0.55) < 4.5 * estimate.se
    assert found["dr"].se < found["ips"].se
    assert (found.kind, found.lines) == ("reward", 3000)
    assert 0 < found.effective_size < 3000


def test_replay_is_for_one_arm_of_a_uniform_log():
    uniform = _table(chances=(1 / 3, 1 / 3, 1 / 3))
    found = lowbid.evaluate(1, uniform)
    assert found["replay"] == found["snips"]
    assert "replay" in found
    with pytest.raises(UnanswerableError, match="always chooses one arm"):
        lowbid.evaluate({0: 0.5, 1: 0.5}, uniform, methods="replay")
    with pytest.raises(UnanswerableError, match=r"range from 0.2 to 0.5; use 'snips'"):
        lowbid.evaluate(1, _table(), methods=["replay"])


def test_without_propensities_the_log_must_be_uniform():
    table = _table(chances=(1 / 3, 1 / 3, 1 / 3))
    bare = {name: table[name] for name in ("arm", "reward")}
    assert lowbid.evaluate(1, bare)["dr"] == lowbid.evaluate(1, table)["dr"]
    del (skewed := _table())["propensity"]
    with pytest.raises(UnanswerableError, match="no propensities"):
        lowbid.evaluate(1, skewed)


def test_losses_are_estimated_as_they_are():
    table = _table()
    table["loss"] = -table.pop("reward")
    assert lowbid.evaluate(1, table)["ips"].value < 0
    assert "loss" in repr(lowbid.evaluate(1, table))


def test_the_cap_is_allowed_for():
    table = _table()
    plain, capped = (lowbid.evaluate(2, table, cap=cap)["capped"] for cap in (100.0, 2.0))
    assert capped.value == pytest.approx(plain.value * 2.0 / 5.0)
    lost = np.mean(np.where(table["arm"] == 2, 5.0 - 2.0, 0.0))
    assert capped.high == pytest.approx(capped.value + lost + 3 * capped.se, abs=1.2 * capped.se)
    assert capped.low < MEANS[2] < capped.high
    wider = lowbid.evaluate(2, table, cap=2.0, value_range=(0, 3))["capped"]
    assert wider.high - capped.high == pytest.approx(2 * lost)
    assert lowbid.evaluate(2, table).cap == math.sqrt(3000)


def test_little_gives_no_interval_but_the_declared_range():
    table = {"arm": [0, 1] * 8, "reward": [0.0, 1.0] * 8, "propensity": [0.5] * 16}
    found = lowbid.evaluate(1, table)["dr"]
    assert (found.value, found.low, found.high) == (1.0, -math.inf, math.inf)
    assert math.isnan(found.se)
    assert lowbid.evaluate(1, table, value_range=(0, 1))["dr"][2:] == (0.0, 1.0)


def test_more_confidence_is_wider():
    low, high = (lowbid.evaluate(1, _table(), confidence=c)["dr"] for c in (0.8, 0.99))
    assert high.high - high.low > low.high - low.low


def test_impossible_propensities_are_listed_by_line():
    table = _table(10)
    table["propensity"] = [0.5, 0.0, 1.2, *[0.5] * 7]
    with pytest.raises(LogError) as caught:
        lowbid.evaluate(1, table)
    assert [line for line, _ in caught.value.refused] == [2, 3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"methods": ["magic"]}, "no method 'magic'"),
        ({"methods": []}, "methods is empty"),
        ({"cap": 0.0}, "cap is 0.0"),
        ({"cap": math.nan}, "cap is nan"),
        ({"confidence": 1.0}, "confidence is 1.0"),
        ({"value_range": 3}, "value_range is 3"),
        ({"value_range": (1, 0)}, "the smaller first"),
        ({"value_range": (0.0, 0.5)}, "outside"),
    ],
)
def test_options_that_make_no_sense(options, said):
    with pytest.raises((InvalidValueError, UnknownNameError), match=said):
        lowbid.evaluate(1, _table(100), **options)


def test_estimates_that_were_not_made():
    with pytest.raises(UnknownNameError, match="there are 'dr'"):
        lowbid.evaluate(1, _table(), methods=["dr"])["ips"]
