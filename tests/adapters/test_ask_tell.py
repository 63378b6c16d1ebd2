import pytest

import lowbid
from lowbid.adapters.ask_tell import AskTell
from lowbid.errors import InvalidValueError, UnknownNameError


def test_it_finds_the_smallest_cost():
    optimizer = AskTell(["a", "b", "c"], lowbid.UCB1(), loss_range=(0, 1))
    for _ in range(200):
        choice = optimizer.ask()
        optimizer.tell(choice, {"a": 0.6, "b": 0.1, "c": 0.9}[choice])
    assert optimizer.best() == "b"
    assert optimizer.bandit.pending() == []


def test_several_at_once_in_any_order():
    optimizer = AskTell([0, 1])
    asked = optimizer.ask(4)
    assert len(asked) == len(optimizer.bandit.pending()) == 4
    optimizer.tell(asked[::-1], [1.0, 2.0, 3.0, 4.0])
    assert optimizer.bandit.pending() == []
    assert sum(optimizer.bandit.counts().values()) == 4


def test_what_was_not_asked_for_counts_too():
    optimizer = AskTell([0, 1])
    optimizer.tell(1, 0.5)
    assert optimizer.bandit.counts() == {0: 0, 1: 1}


def test_what_failed_is_forgotten():
    optimizer = AskTell([0, 1])
    choice = optimizer.ask()
    optimizer.forget(choice)
    assert optimizer.bandit.pending() == []
    with pytest.raises(UnknownNameError, match="not returned by ask"):
        optimizer.forget(choice)


def test_a_wrong_cost_loses_nothing():
    optimizer = AskTell([0, 1])
    asked = optimizer.ask(2)
    with pytest.raises(InvalidValueError):
        optimizer.tell(asked, [1.0, float("nan")])
    assert len(optimizer.bandit.pending()) == 2
    optimizer.tell(asked, [1.0, 2.0])
    assert optimizer.bandit.pending() == []
