import pytest
from hypothesis import given
from hypothesis import strategies as st

import lowbid
from benchmarks import changing_arms, growth
from lowbid.experiments.league._league_page import DRAWN
from lowbid.report._palette import DARK, style, styles_of

UNDRAWN = changing_arms.UNDRAWN


def test_styles_differ():
    assert len({style(number) for number in range(81)}) == 81
    assert {style(number).colour for number in range(9)} == set(DARK)


def test_every_policy_has_a_style_of_its_own():
    """The same one alone, among all, and under the name that its parameters or a paper give it."""
    names = list(lowbid.policies.__all__)
    together = styles_of(names)
    assert len(set(together.values())) == len(names)
    for name in names:
        assert styles_of(["some other", name, "another"])[name] == together[name]
        assert styles_of([f"{name}(scale=2.0)"]) == {f"{name}(scale=2.0)": together[name]}
    assert styles_of(["UCB-KL"])["UCB-KL"] == styles_of(["KLUCB.bernoulli"])["KLUCB.bernoulli"]
    assert styles_of(["SW-TS"])["SW-TS"] == together["SlidingWindowBetaThompson"]


@given(st.lists(st.sampled_from([*lowbid.policies.__all__, *"abcdefgh", "UCB", "UCB1(scale=2)"])))
def test_no_two_curves_of_a_picture_are_alike(names):
    found = styles_of(names)
    assert list(found) == list(dict.fromkeys(names))
    assert len(set(found.values())) == len(found)


def test_names_that_are_no_policies_have_a_colour_each():
    found = styles_of(["UCB1", "UCB1(scale=2.0)", *"abcdefg"])
    assert len({look.colour for look in found.values()}) == 9


def test_more_curves_than_styles_still_have_one():
    assert len(styles_of([f"x{number}" for number in range(100)])) == 100


@pytest.mark.parametrize(
    "names",
    [
        list(growth.paper_policies()),  # speed-growth.png, and all of reproduced.png
        list(DRAWN),  # league.png
        [name for name in changing_arms.policies(changing_arms.SETTINGS[0]) if name not in UNDRAWN],
    ],
)
def test_policies_of_a_picture_in_the_documentation_differ_in_colour(names):
    assert len({look.colour for look in styles_of(names).values()}) == len(names) > 3
