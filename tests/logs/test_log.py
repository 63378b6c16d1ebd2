import pytest

import lowbid
from lowbid.errors import LogError, Refusal
from lowbid.logs._log import refuse


def test_counts_and_shares_have_every_arm():
    columns = {"arm": ["a", "b", "a", "a"], "loss": [1, 2, 3, 4]}
    log = lowbid.read_log(columns, arms=["c", "b", "a"])
    assert log.counts == {"c": 0, "b": 1, "a": 3}
    assert log.shares == {"c": 0.0, "b": 0.25, "a": 0.75}


def test_a_log_says_what_it_is():
    log = lowbid.read_log({"arm": ["a"], "loss": [1], "propensity": [1.0]})
    assert repr(log) == "<Log of 1 losses of 1 arm, with propensities>"


def test_refused_lines_come_in_order_and_none_is_no_error():
    refuse("x.csv", "line", 3, [])
    with pytest.raises(LogError, match="1 of 3 lines of x") as caught:
        refuse("x.csv", "line", 3, [Refusal(2, "b"), Refusal(2, "a")])
    assert caught.value.refused == (Refusal(2, "a"), Refusal(2, "b"))
