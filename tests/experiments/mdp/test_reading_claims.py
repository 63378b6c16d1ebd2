import numpy as np
import pytest

from lowbid.experiments.mdp import Study, claims
from lowbid.experiments.mdp import _mdp_page as page
from lowbid.experiments.mdp._contenders import DEFAULT, GLOBAL, one_batch, reading
from lowbid.experiments.mdp._prototype import Agreement, agreements
from lowbid.experiments.mdp._reading_claims import verdict_of
from lowbid.simulation import Result

RUNS = 20
NOISE = np.random.default_rng(0).normal(size=RUNS)


def made(name, mean, stuck_runs=0):
    """A result whose regret at the end has this mean; stuck runs lose all of it at the end."""
    regret = np.zeros((1, RUNS, 3))
    regret[0, :, 2] = mean + NOISE - NOISE.mean()
    regret[0, :, 1] = regret[0, :, 2]
    regret[0, :stuck_runs, 1] = 0.0
    return Result((name,), np.array([1, 90, 100]), regret, np.zeros((1, RUNS, 12), int), {})


def study(means, stuck=()):
    return Study.of(
        {
            (key, name): made(name, mean, 3 if (key, name) in stuck else 0)
            for (key, name), mean in means.items()
        }
    )


def verdict(found, says):
    (claim,) = [each for each in claims(found) if says in each.says]
    return claim.verdict, [each.kind for each in claim.evidence]


def test_the_lower_regret_wins_where_intervals_say_so():
    means = {("river", DEFAULT): 70.0, ("river", reading(GLOBAL, 2)): 75.0}
    assert verdict(study(means), "One value function") == ("holds", ["good"])
    means["river", DEFAULT] = 80.0
    assert verdict(study(means), "One value function") == ("fails", ["bad"])


def test_no_difference_at_all_decides_nothing():
    means = {("sea20", DEFAULT): 70.0, ("sea20", reading(GLOBAL, 2)): 70.0}
    assert verdict(study(means), "One value function") == ("undecided", ["open"])


def test_stuck_runs_are_counted():
    means = {("river", one_batch(1.0)): 400.0, ("sea20", one_batch(1.0)): 400.0}
    found = study(means, stuck={("river", one_batch(1.0))})
    assert found.stuck == {("river", one_batch(1.0)): 0.15, ("sea20", one_batch(1.0)): 0.0}
    assert verdict(found, "With one batch no run gets stuck") == ("fails in most", ["bad", "good"])


def test_a_rival_has_its_published_constants_and_in_hindsight_its_best():
    means = {
        ("river", DEFAULT): 70.0,
        ("river", "RLSVI, variance 1"): 170.0,
        ("river", "RLSVI, variance 0.1"): 42.0,
        ("river", "RLSVI, variance 0.01"): 29.0,
    }
    found = study(means)
    assert found.best_of("RLSVI", "river", published=True) == "RLSVI, variance 1"
    assert found.best_of("RLSVI", "river", published=False) == "RLSVI, variance 0.01"
    assert verdict(found, "beat RLSVI with its published")[0] == "holds"
    assert verdict(found, "beat RLSVI with its best")[0] == "fails"
    assert not [each for each in claims(found) if "PSRL" in each.says]


def rows_of(means):
    (table,) = [page._table(study(means), [], rivals=True)]
    return [row[0] for row in table.rows]


def test_a_rival_of_which_one_rule_was_played_has_no_best_one():
    means = {("river", "RLSVI, variance 1"): 170.0, ("river", "EQO, c = 1"): 140.0}
    assert rows_of(means) == ["RLSVI, published", "EQO, the only one tried"]
    means["river", "RLSVI, variance 0.1"] = 42.0
    assert rows_of(means) == ["RLSVI, published", "RLSVI, best", "EQO, the only one tried"]


@pytest.mark.parametrize(
    ("kinds", "word"),
    [
        (["good", "open"], "holds"),
        (["bad", "open"], "fails"),
        (["good", "good", "bad"], "holds in most"),
        (["good", "bad", "bad"], "fails in most"),
        (["open", "open"], "undecided"),
    ],
)
def test_verdicts(kinds, word):
    assert verdict_of(kinds)[0] == word


def test_the_prototype_agrees_within_errors():
    near, far = made(DEFAULT, 70.5), made(DEFAULT, 80.0)
    (found,) = agreements({("river", DEFAULT): near})
    assert (found.theirs, found.their_error, found.agrees) == (70.0, 1.3, True)
    (found,) = agreements({("river", DEFAULT): far})
    assert not found.agrees
    assert agreements({("garnet", DEFAULT): near}) == []
    assert Agreement("six", "x", 10.0, 0.0, 10.0, 0.0).agrees
