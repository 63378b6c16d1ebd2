"""Columns by any name, arms as they were meant, and every bad line at once."""

import math
from decimal import Decimal

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowbid
from lowbid.errors import InvalidValueError, LogError, UnknownNameError


def test_columns_are_found_by_their_usual_names():
    log = lowbid.read_log({"propensity": [0.5, 1], "loss": [1, 2.5], "arm": ["b", "a"]})
    assert (log.arms, log.kind) == (("a", "b"), "loss")
    assert log.choices.tolist() == [1, 0]
    assert log.values.tolist() == [1.0, 2.5]
    assert log.propensities.tolist() == [0.5, 1.0]


def test_columns_are_found_by_the_names_given():
    columns = {"page": ["b", "a"], "reward": [9, 9], "usd": [1, 2], "p": [0.2, 0.8]}
    log = lowbid.read_log(columns, arm="page", reward="usd", propensity="p")
    assert (log.kind, log.values.tolist()) == ("reward", [1.0, 2.0])
    assert log.propensities.tolist() == [0.2, 0.8]


def test_propensities_can_be_left_out():
    columns = {"arm": ["a"], "reward": [1], "propensity": [0]}
    assert lowbid.read_log(columns, propensity=None).propensities is None


@pytest.mark.parametrize(
    ("columns", "names", "said"),
    [
        ({"reward": [1]}, {}, "no column 'arm'"),
        ({"arm": ["a"]}, {}, "neither 'reward' nor 'loss'"),
        ({"arm": ["a"], "reward": [1], "loss": [1]}, {}, "both 'reward' and 'loss'"),
        ({"arm": ["a"], "reward": [1]}, {"loss": "cost"}, "no column 'cost'"),
        ({"arm": ["a"], "reward": [1]}, {"propensity": "p"}, "no column 'p'"),
    ],
)
def test_columns_that_are_not_there_are_named(columns, names, said):
    with pytest.raises(UnknownNameError, match=said):
        lowbid.read_log(columns, **names)


def test_rewards_and_losses_at_once_are_refused():
    with pytest.raises(InvalidValueError, match="not both"):
        lowbid.read_log({"arm": ["a"], "r": [1], "l": [1]}, reward="r", loss="l")


def test_all_bad_lines_are_listed(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(
        "arm,reward,propensity\na,1,0.5\n,1,0.5\na,,0.5\na,nan,0.5\na,1,0\na,1,1.5\na,1e200,x\na\n"
    )
    with pytest.raises(LogError) as caught:
        lowbid.read_log(path)
    refused = caught.value.refused
    assert [line for line, _ in refused] == [3, 4, 5, 6, 7, 8, 8, 9]
    assert "line 3: the arm is missing" in str(caught.value)
    assert "7 of 8 lines" in str(caught.value)
    for (_, reason), said in zip(
        refused,
        ("arm", "missing", "'nan'", "'0'", "'1.5'", "propensity is 'x'", "'1e200'", "1 cells"),
        strict=True,
    ):
        assert said in reason


def test_the_message_stays_short_and_the_error_has_all():
    with pytest.raises(LogError) as caught:
        lowbid.read_log({"arm": ["a"] * 100, "reward": [None] * 100})
    assert len(caught.value.refused) == 100
    assert len(str(caught.value).splitlines()) == 12
    assert "and 90 more" in str(caught.value)


def test_lines_that_are_all_broken_are_listed(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("arm\nreward\n")
    with pytest.raises(LogError, match="2 of 2 lines"):
        lowbid.read_log(path)


@pytest.mark.parametrize(
    ("texts", "arms"),
    [
        (["10", "9"], (9, 10)),
        (["10", "09"], ("09", "10")),
        (["10", "x"], ("10", "x")),
        (["-1", "0"], (-1, 0)),
    ],
)
def test_numbers_in_text_are_arms_if_all_are_written_as_python_does(texts, arms, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("arm,reward\n" + "".join(f"{text},1\n" for text in texts))
    log = lowbid.read_log(path)
    assert log.arms == arms
    assert [str(log.arms[number]) for number in log.choices] == texts


def test_texts_stand_for_known_arms(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("arm,reward\n1,1\n2,1\n")
    assert lowbid.read_log(path, arms=[2, 1]).choices.tolist() == [1, 0]
    assert lowbid.read_log(path, arms=["1", 1, 2]).choices.tolist() == [0, 2]
    with pytest.raises(LogError, match="line 3: unknown arm '2'"):
        lowbid.read_log(path, arms=[1])


def test_numbers_are_not_texts_elsewhere():
    with pytest.raises(LogError, match="unknown arm 1"):
        lowbid.read_log({"arm": [1], "reward": [1]}, arms=["1"])


def test_whole_numbers_of_a_column_with_gaps():
    frame = pandas.DataFrame({"arm": [0.0, 1.0], "reward": [True, Decimal("0.5")]})
    log = lowbid.read_log(frame)
    assert (log.arms, log.values.tolist()) == ((0, 1), [1.0, 0.5])


@pytest.mark.parametrize("arm", [None, math.nan, 1.5, True, "", b"a", [1]])
def test_what_is_no_name_is_refused(arm):
    with pytest.raises(LogError, match="row 1: the arm is"):
        lowbid.read_log({"arm": [arm], "reward": [1]})


@pytest.mark.parametrize("arms", ["ab", [], ["a", "a"], [None, "a"]])
def test_arms_must_be_names(arms):
    with pytest.raises(InvalidValueError, match="none of them twice"):
        lowbid.read_log({"arm": ["a"], "reward": [1]}, arms=arms)


def test_a_table_without_rows_is_an_empty_log():
    log = lowbid.read_log({"arm": [], "reward": []})
    assert (len(log), log.shares) == (0, {})


def test_a_log_can_be_read_again():
    first = lowbid.read_log({"arm": ["b", "a"], "loss": [1, 2], "propensity": [0.5, 0.25]})
    again = lowbid.read_log(first, arms=["b", "a", "c"])
    assert again.arms == ("b", "a", "c")
    assert again.choices.tolist() == [0, 1]
    assert np.array_equal(again.propensities, first.propensities)
    assert lowbid.read_log(first).arms == first.arms


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1),
            st.floats(-1e100, 1e100),
            st.floats(1e-9, 1.0),
        ),
        min_size=1,
        max_size=10,
    )
)
def test_frames_and_files_of_text_say_the_same(tmp_path_factory, rows):
    frame = pandas.DataFrame(rows, columns=["arm", "reward", "propensity"])
    arms = sorted(set(frame["arm"]))
    folder = tmp_path_factory.mktemp("log")
    frame.to_csv(folder / "log.csv", index=False)
    ours, csv = lowbid.read_log(frame, arms=arms), lowbid.read_log(folder / "log.csv", arms=arms)
    assert np.array_equal(ours.choices, csv.choices)
    assert np.array_equal(ours.values, csv.values)
    assert np.array_equal(ours.propensities, csv.propensities)
