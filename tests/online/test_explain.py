"""What can be seen of a bandit."""

import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble
from lowbid.errors import InvalidValueError
from online_play import ENSEMBLE


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
    with pytest.raises(InvalidValueError, match="does not use an index"):
        Bandit(2, lowbid.BetaThompson()).indices()
    assert Bandit(2, lowbid.BetaThompson()).explain().winners == []
    assert "does not use an index" in str(Bandit(2, lowbid.BetaThompson()).explain())


def test_looking_changes_nothing():
    bandit = Bandit(["a", "b<script>", "c"], ENSEMBLE, seed=0)
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
    assert repr(Bandit(2, ENSEMBLE)) == "<Bandit [0, 1], BatchEnsemble(baseline='minimum')>"
    assert repr(Bandit(7, ENSEMBLE)).startswith("<Bandit [0, 1, 2, 3, 4, 5, ...], ")
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


def test_batches_are_spoken_of_only_if_there_are_some():
    for policy in (lowbid.UCB1(), lowbid.BetaThompson()):
        bandit = Bandit(["a", "b"], policy, seed=0)
        bandit.update_many(["a", "b", "b"], losses=[0.5, 1.0, 0.0])
        assert "batches" not in str(bandit.explain())
    lines = str(Bandit(["a", "b"], lowbid.UCB1()).explain()).splitlines()
    assert lines[0] == "arm    count        mean       index"
    lines = str(bandit.explain()).splitlines()
    assert lines == [
        "arm    count        mean",
        "a          1         0.5",
        "b          2         0.5",
        "BetaThompson does not use an index.",
    ]


class Evidence(lowbid.UCB1):
    """Ranks arms by numbers that are not in anybody's unit."""

    index_unit = "evidence"


@pytest.mark.parametrize("kind", ["loss", "reward"])
def test_evidence_is_shown_as_it_is_and_the_lowest_is_chosen(kind):
    bandits = [
        Bandit(2, policy, seed=0, **{f"{kind}_range": (10.0, 20.0)})
        for policy in (lowbid.UCB1(), Evidence())
    ]
    for bandit in bandits:
        bandit.update_many([0, 0, 1, 1], **{KINDS[kind]: [12.0, 14.0, 16.0, 18.0]})
    in_units, plain = (bandit.indices() for bandit in bandits)
    explained = bandits[1].explain()
    assert explained.best == "lowest"
    assert explained.winners == [min(plain, key=plain.get)] == [bandits[1].select()]
    assert "the lowest index is chosen" in str(explained)
    if kind == "reward":
        assert in_units == pytest.approx({arm: 20.0 - index for arm, index in plain.items()})
        assert bandits[0].explain().best == "highest"
    else:
        assert in_units == plain


KINDS = {"loss": "losses", "reward": "rewards"}


def test_the_best_of_many_arms_are_shown():
    bandit = Bandit(10_000, BatchEnsemble(batches=1, baseline="minimum"), seed=0)
    bandit.update_many(
        range(10_000), rewards=[10_000.0 - 7 * arm % 10_000 for arm in range(10_000)]
    )
    explained = bandit.explain()
    lines = str(explained).splitlines()
    assert len(lines) == 1 + 20 + 2
    assert len(explained.arms) == 10_000
    best = sorted(explained.arms, key=lambda arm: arm.index, reverse=True)[:20]
    assert [line.split()[0] for line in lines[1:21]] == [str(arm.arm) for arm in best]
    assert lines[21] == "... and 9980 more arms, in explain().arms"
    assert bandit._repr_html_().count("<tr>") <= 52


def test_arms_without_an_index_come_last_when_the_best_are_shown():
    bandit = Bandit(25, ENSEMBLE, seed=0)
    bandit.update_many(range(25), losses=[float(arm) for arm in range(25)])
    bandit.pause_arm(0)
    lines = str(bandit.explain()).splitlines()
    assert [line.split()[0] for line in lines[1:21]] == [str(arm) for arm in range(1, 21)]


@pytest.mark.parametrize("kind", ["reward", "loss"])
def test_the_winner_is_marked_and_so_are_ties(kind):
    bandit = Bandit(["a", "b", "c"], BatchEnsemble(batches=1, baseline="minimum"), seed=0)
    bandit.update_many(["a", "b", "c"], **{KINDS[kind]: [1.0, 1.0, 1.0]})
    assert str(bandit.explain()).count("<- tied") == 3
    bandit.update("a", **{kind: 0.5})
    marked = [line for line in str(bandit.explain()).splitlines() if "<-" in line]
    assert [line.split()[0] for line in marked] == {"loss": ["a"], "reward": ["b", "c"]}[kind]
