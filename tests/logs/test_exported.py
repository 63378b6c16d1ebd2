"""The decisions that a shared bandit exports are a log."""

import pytest

import lowbid
from lowbid.errors import InvalidValueError, LogError


@pytest.fixture
def shop(tmp_path):
    """A bandit with sticky units and a holdout, some of whose outcomes are known."""
    bandit = lowbid.open(
        f"sqlite:///{tmp_path / 'shop.db'}",
        "checkout",
        arms=["blue", "green"],
        policy=lowbid.EpsilonGreedy(0.5),
        reward_range=(0, 1),
        sticky=True,
        holdout=0.3,
        control="blue",
    )
    for number in range(40):
        decision = bandit.decide(unit=f"customer-{number % 25}")
        if number % 8:
            bandit.update(decision, reward=float(decision.arm == "green"))
    return bandit


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "parquet"])
def test_decisions_of_the_policy_with_an_outcome(shop, kind, tmp_path):
    path = tmp_path / f"decisions.{kind}"
    rows = shop.export_decisions(path)
    log = lowbid.read_log(path)
    made = {
        number for number in range(25) if shop.decide(unit=f"customer-{number}").way != "holdout"
    }
    expected = sum(1 for number in made if number % 8)
    assert (len(log), log.left_out) == (expected, rows - expected)
    assert log.kind == "reward"
    assert set(log.propensities) <= {0.25, 0.5, 0.75}
    assert f"{log.left_out} left out" in repr(log)
    assert lowbid.read_log(log).left_out == log.left_out


def test_units_that_keep_their_arm_are_learned_from(shop, tmp_path):
    shop.export_decisions(tmp_path / "decisions.jsonl")
    bandit = lowbid.Bandit(["blue", "green"])
    learned = bandit.learn_from(tmp_path / "decisions.jsonl")
    assert learned > len(lowbid.read_log(tmp_path / "decisions.jsonl"))
    assert bandit.counts() == shop.counts()
    assert bandit.means() == pytest.approx(shop.means())


def test_events_are_refused_in_words(shop, tmp_path):
    shop.export(tmp_path / "events.jsonl")
    with pytest.raises(InvalidValueError, match="export_decisions"):
        lowbid.read_log(tmp_path / "events.jsonl")


def test_propensities_that_the_policy_cannot_say_are_listed():
    rows = [
        {"decision": "x-1", "way": "policy", "arm": "a", "propensity": 0.5, "reward": 1.0},
        {"decision": "x-2", "way": "policy", "arm": "a", "propensity": None, "reward": 1.0},
    ]
    with pytest.raises(LogError, match="row 2: propensity is missing"):
        lowbid.read_log(rows)
    assert len(lowbid.read_log(rows, propensity=None)) == 2
