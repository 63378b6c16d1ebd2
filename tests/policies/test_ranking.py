import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowbid.policies import _ranking as ranking


def scan_and_tree(n_arms):
    """A ranking that scans, and one that keeps a tree, of the same arms."""
    tree = ranking.ranking_of(max(n_arms, 200))
    assert len(tree.groups) > 0
    for arm in range(n_arms, 200):
        ranking.place(tree, arm, np.inf)
    nothing, unknown = np.zeros((0, 8)), np.full(1, -1)
    return ranking.Ranking(np.zeros(n_arms), nothing, np.zeros(1, np.int64), unknown), tree


@settings(max_examples=80)
@given(st.integers(1, 40), st.data())
def test_the_tree_picks_what_the_scan_picks(n_arms, data):
    scan, tree = scan_and_tree(n_arms)
    values = st.sampled_from([-np.inf, -1.0, 0.0, 0.25, 0.5, 3.0])
    for arm, index in data.draw(
        st.lists(st.tuples(st.integers(0, n_arms - 1), values), max_size=60)
    ):
        ranking.place(scan, arm, index)
        ranking.place(tree, arm, index)
        assert ranking.index_of(scan, arm) == ranking.index_of(tree, arm) == index
        for random_ties in (True, False):
            ours, theirs = np.array([9], np.uint64), np.array([9], np.uint64)
            chosen = ranking.lowest_arm(tree, random_ties, theirs)
            assert chosen == ranking.lowest_arm(scan, random_ties, ours)
            assert scan.indices[chosen] == scan.indices.min()
            assert ours[0] == theirs[0]


@pytest.mark.parametrize("n_arms", [97, 255, 256, 257, 1023, 1024, 1025, 5000])
def test_rebuild_brings_the_tree_up_to_date(n_arms):
    """At sizes that fill the tree's levels exactly, and at one more and one less."""
    tree = ranking.ranking_of(n_arms)
    values = np.random.default_rng(0).permutation(n_arms).astype(float)
    for arm, value in enumerate(values):
        ranking.place_unsorted(tree, arm, value)
    ranking.rebuild(tree)
    stream = np.array([1], np.uint64)
    for _ in range(200):
        arm = ranking.lowest_arm(tree, True, stream)
        assert arm == values.argmin()
        values[arm] += 1000.5
        ranking.place(tree, arm, values[arm])


def test_the_tree_s_padding_never_wins():
    tree = ranking.ranking_of(97)
    for arm in range(97):
        ranking.place(tree, arm, np.inf)
    stream = np.array([1], np.uint64)
    assert {ranking.lowest_arm(tree, True, stream) for _ in range(3000)} <= set(range(97))


def test_the_winner_is_forgotten_when_an_index_changes():
    """A lone winner is kept between choices; a new index or a new tie must be seen at once."""
    for n_arms in (5, 300):
        few_or_many = ranking.ranking_of(n_arms)
        stream = np.array([1], np.uint64)
        ranking.place(few_or_many, 3, -1.0)
        assert {ranking.lowest_arm(few_or_many, True, stream) for _ in range(9)} == {3}
        assert few_or_many.winner[0] == 3
        ranking.place(few_or_many, 1, -1.0)
        assert {ranking.lowest_arm(few_or_many, True, stream) for _ in range(99)} == {1, 3}
        ranking.place_unsorted(few_or_many, 2, -2.0)
        ranking.rebuild(few_or_many)
        assert ranking.lowest_arm(few_or_many, True, stream) == 2
        ranking.place(few_or_many, 2, 0.5)
        assert ranking.lowest_arm(few_or_many, False, stream) == 1


@pytest.mark.parametrize("n_arms", [5, 40, 97, 104, 500])
@pytest.mark.parametrize("where", [slice(0, 1), slice(0, 4), slice(None)])
def test_what_is_not_a_number_never_leads_out_of_bounds(n_arms, where):
    """A policy of a user may have such an index, and compiled code checks nothing."""
    holder = ranking.ranking_of(n_arms)
    for arm in range(n_arms)[where]:
        ranking.place(holder, arm, np.nan)
    stream = np.array([1], np.uint64)
    chosen = {ranking.lowest_arm(holder, True, stream) for _ in range(300)}
    assert chosen <= set(range(n_arms))
    if where != slice(None) and n_arms >= 40:
        assert not chosen & set(range(n_arms)[where])


def test_the_tree_has_as_many_groups_as_it_needs():
    """Four children each, over 128 leaves of eight arms: more would only cost memory."""
    assert len(ranking.ranking_of(1024).groups) == 32 + 8 + 2 + 1
