"""What can be seen of a bandit, and how sure it is."""

import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble
from lowbid.errors import InvalidValueError


def test_indices_and_bids_are_in_the_callers_units():
    bandit = Bandit(["a", "b"], BatchEnsemble(batches=2, baseline="minimum"), seed=0)
    for arm, reward in [("a", 10.0), ("a", 30.0), ("b", 20.0), ("b", 20.0)]:
        bandit.update(arm, reward=reward)
    # As losses above the best, 30: a has 20 and 0, b has 10 and 10.
    assert bandit.indices() == {"a": 30.0, "b": pytest.approx(30 - 10 / 3)}
    assert [tuple(bid) for bid in bandit.bids()] == [("b", pytest.approx(30 - 10 / 3)), ("a", 30.0)]
    assert bandit.explain().winners == ["a"]
    assert bandit.select() == "a"


@pytest.mark.parametrize("policy", [lowbid.UCB1(), lowbid.UCBV()], ids=str)
def test_the_best_index_is_chosen(policy):
    bandit = Bandit(4, policy, seed=0)
    for i in range(200):
        arm = bandit.select()
        if i > 20:
            assert arm in bandit.explain().winners
        bandit.update(arm, loss=(i * 7 % 10) / 10)


def test_what_a_policy_does_not_have_is_refused():
    with pytest.raises(InvalidValueError, match="no batches"):
        Bandit(2, lowbid.UCB1()).bids()
    with pytest.raises(InvalidValueError, match="no indices"):
        Bandit(2, lowbid.BetaThompson()).indices()
    assert Bandit(2, lowbid.BetaThompson()).explain().winners == []
    assert "does not rank" in str(Bandit(2, lowbid.BetaThompson()).explain())


def test_looking_changes_nothing():
    bandit = Bandit(["a", "b<script>", "c"], seed=0)
    for i in range(100):
        bandit.update(bandit.select(), loss=(i * 7 % 10) / 10)
    bandit.pause_arm("c")
    before = bandit.to_json()
    shown = bandit._repr_html_()
    assert "<svg" in shown
    assert "<script>" not in shown
    assert "(paused)" in shown
    assert "paused" in str(bandit.explain())
    assert repr(bandit) == (
        "<Bandit ['a', 'b<script>'], 1 paused, BatchEnsemble(baseline='minimum'), 100 losses>"
    )
    bandit.indices(), bandit.bids(), bandit.recommend(), bandit.means(), bandit.pending()
    assert bandit.to_json() == before
    assert repr(Bandit(2)) == "<Bandit [0, 1], BatchEnsemble(baseline='minimum')>"
    assert "<svg" in Bandit(2)._repr_html_()


@pytest.mark.parametrize("growth", ["append", "redistribute"])
def test_what_is_shown_is_what_the_next_choice_goes_by(growth):
    """At every step, those at which a batch is added and those with pending decisions included."""
    policy = BatchEnsemble(batches=lambda step: 1 + step // 40, growth=growth, baseline="minimum")
    bandit = Bandit(["a", "b", "c"], policy, seed=0)
    bandit.update_many(["a", "b", "c"], rewards=[0.5, 0.25, 0.75])
    for i in range(130):
        told = bandit.explain()
        for arm in told.arms:
            assert arm.index == pytest.approx(max(arm.batch_estimates))
        assert max(bid.estimate for bid in bandit.bids()) == pytest.approx(
            max(bandit.indices().values())
        )
        if i % 7 == 0:
            chosen = bandit.decide().arm
        else:
            chosen = bandit.select()
            bandit.update(chosen, reward=(i * 7 % 10) / 10)
        assert chosen in told.winners


def test_removed_arms_are_not_waited_for():
    bandit = Bandit(["a", "b"], BatchEnsemble(ties="first"))
    bandit.decide(2)
    bandit.remove_arm("a")
    assert repr(bandit) == "<Bandit ['b'], BatchEnsemble(ties='first')>"
