import math

import numpy as np
import pytest

from lowbid.experiments.sweeps import Place, SweepTable, SweptPolicy, TuneSplit
from lowbid.experiments.sweeps._figures_of_cell import Figures
from lowbid.experiments.sweeps._ranking_tables import ranking_columns, ranking_title
from lowbid.experiments.sweeps._sweep_scores import (
    Ranking,
    rankings,
    ratios_of,
    regrets,
    sweep_scores,
)
from lowbid.experiments.sweeps._tidy import Row
from lowbid.experiments.sweeps._tuning import tuned


def row(policy, environment, mean, step=100, stuck=None, runs=10, settings=None):
    figures = Figures(runs, mean, 1.0, 0.1, mean - 1, mean + 1, mean, mean, mean, stuck)
    place = Place(environment, step, 0)
    return Row(policy, policy[0], settings or {}, place, "", 2, step, figures, "digest")


ROWS = [
    row("a", "x", 1.0, stuck=0.5),
    row("b", "x", 4.0),
    row("a", "y", 9.0, stuck=0.0, runs=30),
    row("b", "y", 1.0),
    row("a", "z", 1.0),
]
WANTED = {Place(name, 100, 0): ["a", "b"] for name in "xyz"}


def test_places_where_someone_is_missing_do_not_count():
    known = regrets(ROWS, WANTED)
    assert {place.environment for place in known} == {"x", "y"}


def test_scores_are_geometric_means_of_ratios_to_the_best():
    known = regrets(ROWS, WANTED)
    first, second = sweep_scores(ROWS, known, "ab")
    assert (first.name, second.name) == ("b", "a")
    assert first.mean.value == pytest.approx(2.0)
    assert second.mean.value == pytest.approx(3.0)
    assert (second.worst.value, second.worst_at.environment) == (9.0, "y")
    assert second.stuck.value == pytest.approx(5 / 40)
    assert math.isnan(first.stuck.value)


def test_intervals_come_from_environments_that_are_drawn_again():
    """By hand: with two environments, a quarter of the draws is the one twice, and so on."""
    first, second = sweep_scores(ROWS, regrets(ROWS, WANTED), "ab")
    assert (first.mean.low, first.mean.high) == pytest.approx((1.0, 4.0))
    assert (second.worst.low, second.worst.high) == (1.0, 9.0)
    assert (second.stuck.low, second.stuck.high) == (0.0, 0.5)


def test_one_environment_gives_no_interval():
    rows = [row("a", "x", 1.0), row("b", "x", 4.0)]
    score = sweep_scores(rows, regrets(rows, {Place("x", 100, 0): ["a", "b"]}), "ab")[1]
    assert score.mean.value == pytest.approx(4.0)
    assert math.isnan(score.mean.low)
    assert math.isnan(score.worst.high)


def test_many_alike_environments_give_narrow_intervals():
    rng = np.random.default_rng(0)
    rows = [
        row(name, f"e{i}", float(scale * np.exp(0.1 * rng.standard_normal())))
        for i in range(50)
        for name, scale in (("a", 1.0), ("b", 3.0))
    ]
    wanted = {Place(f"e{i}", 100, 0): ["a", "b"] for i in range(50)}
    score = sweep_scores(rows, regrets(rows, wanted), "ab")[1]
    assert score.mean.low < score.mean.value < score.mean.high
    assert score.mean.high / score.mean.low == pytest.approx(
        math.exp(2 * 1.96 * 0.1 * math.sqrt(2 / 50)), rel=0.05
    )


def test_a_regret_of_nothing_is_no_division_by_it():
    rows = [row("a", "x", 0.0), row("b", "x", 2.0)]
    ratios = ratios_of(regrets(rows, {Place("x", 100, 0): ["a", "b"]}))
    (found,) = ratios.values()
    assert found["a"] == 1.0
    assert math.isfinite(found["b"])


def test_settings_are_chosen_on_some_environments_and_judged_on_others():
    policies = [SweptPolicy(name, name[0], None) for name in ("a1", "a2", "b1")]
    means = {
        "a1": {"on": 1.0, "judge": 6.0},
        "a2": {"on": 2.0, "judge": 2.0},
        "b1": {"on": 4.0, "judge": 1.0},
    }
    rows = [row(name, where, value) for name, own in means.items() for where, value in own.items()]
    wanted = {Place(where, 100, 0): list(means) for where in ("on", "judge")}
    (ranking,) = rankings(rows, regrets(rows, wanted))
    found = tuned(policies, TuneSplit(("on",), ("judge",)), rows, ranking)
    best, second = found
    assert (best.rule, best.tried, best.judged.mean.value) == ("b", 1, 1.0)
    assert (second.rule, second.tried, second.chosen.name) == ("a", 2, "a1")
    assert second.chosen.mean.value == pytest.approx(1.0)
    assert second.judged.mean.value == pytest.approx(6.0)
    assert (second.hindsight.name, second.hindsight.mean.value) == ("a2", pytest.approx(2.0))


# c plays at 100 steps only, where it is worse than both others, and not at 900, where ratios are
# larger: over the places where each plays, it would be first.
LIMITED = [
    row(name, environment, mean, step)
    for environment in ("on", "judge")
    for name, step, mean in [
        ("a", 100, 1.0),
        ("b", 100, 1.5),
        ("c", 100, 2.0),
        ("a", 900, 20.0),
        ("b", 900, 1.0),
    ]
]
PLAYING = {
    Place(environment, step, 0): names
    for environment in ("on", "judge")
    for step, names in ((100, "abc"), (900, "ab"))
}


def test_policies_are_ranked_only_at_places_where_all_of_them_play():
    known = regrets(LIMITED, PLAYING)
    whole, short = rankings(LIMITED, known)
    assert (whole.limited, short.limited) == ((), ("c",))
    assert [(score.name, score.places) for score in whole.scores] == [("b", 4), ("a", 4)]
    assert [(score.name, score.places) for score in short.scores] == [("a", 2), ("b", 2), ("c", 2)]
    assert [score.mean.value for score in short.scores] == pytest.approx([1.0, 1.5, 2.0])
    assert {place.step for place in short.table} == {100}


def test_without_anyone_who_plays_everywhere_there_are_only_rankings_over_fewer_places():
    rows = [row("a", "x", 1.0), row("b", "y", 2.0)]
    wanted = {Place("x", 100, 0): "a", Place("y", 100, 0): "b"}
    assert [ranking.limited for ranking in rankings(rows, regrets(rows, wanted))] == [
        ("a",),
        ("b",),
    ]


def test_chosen_settings_are_judged_only_at_places_where_all_of_them_play():
    policies = [SweptPolicy(name, name, None) for name in "abc"]
    split = TuneSplit(("on",), ("judge",))
    whole, short = (
        [(each.rule, each.judged.places) for each in tuned(policies, split, LIMITED, ranking)]
        for ranking in rankings(LIMITED, regrets(LIMITED, PLAYING))
    )
    assert whole == [("b", 2), ("a", 2)]
    assert short == [("a", 1), ("b", 1), ("c", 1)]


@pytest.mark.parametrize(
    ("limited", "places", "title"),
    [
        ((), 18, "Over all 18 cells"),
        ((), 1, "Over the only cell"),
        (("A",), 9, "Over the 9 cells where A plays"),
        (("A", "B"), 1, "Over the 1 cell where A and B play"),
        (("A", "B", "C", "D"), 9, "Over the 9 cells where A, B, C and 1 other play"),
    ],
)
def test_titles_say_which_places_count(limited, places, title):
    table = {Place("x", step, 0): {} for step in range(places)}
    assert ranking_title(Ranking(limited, table, [])) == title


def test_the_file_of_rankings_says_which_one_a_row_belongs_to():
    columns = ranking_columns(rankings(LIMITED, regrets(LIMITED, PLAYING)))
    assert list(zip(columns["ranking"], columns["policy"], strict=True)) == [
        *(("Over all 4 cells", name) for name in "ba"),
        *(("Over the 2 cells where c plays", name) for name in "abc"),
    ]


def test_tables_as_csv_parquet_pandas_and_polars(tmp_path):
    rows = [
        row("a", "x", 1.5, stuck=0.25, settings={"c": 1, "ties": "first"}),
        row("b", "x", 2.5, settings={"c": 0.5}),
    ]
    table = SweepTable(rows)
    lines = table.to_csv(tmp_path / "a.csv").splitlines()
    assert lines[0].startswith("policy,rule,environment,group,n_arms,horizon,step,seed,runs,mean")
    assert lines[0].endswith("stuck,parameter_c,parameter_ties,cell")
    assert (tmp_path / "a.csv").read_text().splitlines() == lines
    table.to_parquet(tmp_path / "a.parquet")
    import polars

    for frame in (
        table.to_pandas(),
        table.to_polars(),
        polars.read_parquet(tmp_path / "a.parquet"),
    ):
        assert list(frame["mean"]) == [1.5, 2.5]
        assert list(frame["parameter_c"]) == [1.0, 0.5]
        assert frame["parameter_ties"][0] == "first"
    assert table.to_polars()["stuck"].to_list() == [0.25, None]
