import collections
import math
import re
from pathlib import Path

import pytest

import lowbid
from browser import open_browser
from lowbid.errors import InvalidValueError
from lowbid.online._assign import murmur

UNITS = [f"visitor {i}" for i in range(4000)]


@pytest.mark.parametrize(
    ("text", "seed", "value"),
    [  # those that implementations of MurmurHash3 are commonly checked with
        ("", 0, 0),
        ("", 1, 0x514E28B7),
        ("test", 0, 0xBA6BD213),
        ("Hello, world!", 0, 0xC0363E43),
        ("The quick brown fox jumps over the lazy dog", 0, 0x2E4FF723),
    ],
)
def test_the_hash_is_the_published_one(text, seed, value):
    assert murmur(text.encode(), seed) == value


def test_shares_are_kept():
    shares = {"A": 6, "B": 3, "C": 1, "D": 0}
    counts = collections.Counter(lowbid.assign(unit, shares, "salt") for unit in UNITS)
    for arm, share in shares.items():
        p = share / 10
        assert abs(counts[arm] - p * len(UNITS)) <= 4 * math.sqrt(p * (1 - p) * len(UNITS)), arm


def test_only_those_move_that_must():
    before, after = {"A": 0.5, "B": 0.3, "C": 0.2}, {"A": 0.5, "B": 0.3, "C": 0.4}
    moves = {(lowbid.assign(unit, before, "s"), lowbid.assign(unit, after, "s")) for unit in UNITS}
    assert moves == {("A", "A"), ("B", "B"), ("C", "C"), ("A", "C"), ("B", "C")}


def test_salts_are_independent():
    shares = {"A": 1, "B": 1}
    both = sum(lowbid.assign(u, shares, "x") == lowbid.assign(u, shares, "y") for u in UNITS)
    assert abs(both - len(UNITS) / 2) <= 4 * math.sqrt(len(UNITS)) / 2


def test_numbers_are_arms_too_and_order_does_not_matter():
    shares = {0: 0.5, 1: 0.5}
    for unit in UNITS[:100]:
        assert lowbid.assign(unit, shares) == lowbid.assign(unit, {1: 0.5, 0: 0.5})


@pytest.mark.parametrize(
    "shares", [{}, {"A": 0.0}, {"A": -1.0}, {"A": math.nan}, {"A": math.inf}, ["A"], {"A": "1"}]
)
def test_bad_shares_are_refused(shares):
    with pytest.raises(InvalidValueError, match="shares is"):
        lowbid.assign("visitor", shares)


def test_units_are_texts():
    with pytest.raises(InvalidValueError, match="unit and salt"):
        lowbid.assign(7, {"A": 1.0})


@pytest.mark.parametrize("policy", [None, lowbid.BatchEnsemble()], ids=["default", "ensemble"])
def test_shares_are_those_of_the_next_decisions(policy):
    bandit = lowbid.Bandit(["a", "b", "c"], policy, reward_range=(0, 1), seed=1)
    for i in range(200):
        arm = bandit.select()
        bandit.update(arm, reward=float(i * 7 % 10 < {"a": 3, "b": 5, "c": 4}[arm]))
    before = bandit.to_json()
    shares = bandit.shares(next=300)
    assert bandit.to_json() == before
    made = collections.Counter(decision.arm for decision in bandit.decide(300))
    assert shares == {arm: made[arm] / 300 for arm in "abc"}


@pytest.mark.parametrize("bad", [0, -1, 1.5, 100_001, "x"])
def test_a_bad_number_of_decisions_is_refused(bad):
    with pytest.raises(InvalidValueError, match="next"):
        lowbid.Bandit(2).shares(next=bad)


@pytest.mark.slow
def test_javascript_assigns_alike(tmp_path):
    page = (Path(__file__).resolve().parents[2] / "docs/how-to/fleets.md").read_text()
    script = re.search(r"^```javascript\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    units = [f"visitor {i}" for i in range(300)] + ["", "Zoë", "訪問者", "🎲🎲", "a" * 1000]
    shares = {"A": 0.5, "B": 0.3, "größer": 0.2, "none": 0.0}
    with open_browser() as browser:
        found = browser.execute_script(
            f"{script}; return arguments[0].map((unit) => assign(unit, arguments[1], 'salt'))",
            units,
            shares,
        )
    assert found == [lowbid.assign(unit, shares, "salt") for unit in units]
