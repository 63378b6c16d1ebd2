import re
from pathlib import Path

import lowbid
from lowbid import policies
from lowbid.experiments.league import (
    LEAGUE,
    TOLD,
    entrants,
    league_sweep,
    left_out,
    play,
    settings_named,
)
from lowbid.experiments.sweeps import CellStore, SweptPolicy, read_table

PAGE = Path(__file__).parents[3] / "docs" / "league.md"
ENTRANTS = [
    SweptPolicy("uniform", "uniform", lowbid.UniformPlay()),
    SweptPolicy("greedy", "greedy", lowbid.Greedy(), longest=1_000),
]


def few(*settings):
    return league_sweep(settings_named(settings or ["gaussian"]), ENTRANTS, 10_000, 0.02)


def test_what_was_played_is_read_and_more_entrants_play_alone(tmp_path):
    said = []
    first = play(few(), tmp_path, workers=1, say=said.append)
    assert sorted(key[1:] for key in first) == [("greedy", 1_000), ("uniform", 10_000)]
    assert {result.regret.shape[1] for result in first.values()} == {4}
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    again = play(few(), tmp_path, workers=1, say=said.append)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")} == files
    for key, result in first.items():
        assert (again[key].regret == result.regret).all()


def test_outcomes_are_those_of_plain_simulations(tmp_path):
    found = play(few(), tmp_path, workers=1, say=lambda text: None)["gaussian", "uniform", 10_000]
    (gaussian,) = settings_named(["gaussian"])
    steps = found.checkpoints
    assert {1_000, 9_000, 10_000} <= set(steps.tolist())
    plain = lowbid.simulate(
        {"uniform": lowbid.UniformPlay()}, gaussian.environment, 10_000, 4, checkpoints=steps
    )
    assert (found.regret == plain.regret).all()


def test_the_tiers_of_the_whole_league():
    slow = [SweptPolicy("slow", "slow", lowbid.Greedy(), longest=10_000, share=0.2), *ENTRANTS[:1]]
    cells = league_sweep(settings_named(["gaussian"]), slow).cells
    found = {(cell.policy.name, cell.horizon): (cell.runs, cell.record) for cell in cells}
    assert found == {
        ("slow", 10_000): (40, (1_000, 10_000)),
        ("uniform", 100_000): (200, (1_000, 10_000, 100_000)),
        ("uniform", 1_000_000): (32, (1_000_000,)),
    }
    assert all(20_000 in cell.checkpoints for cell in cells if cell.horizon == 100_000)


def test_settings_with_outliers_have_one_horizon_that_slow_entrants_do_not_play():
    for longest in (None, 10_000):
        cells = league_sweep(settings_named(["gaussian-outlier"]), ENTRANTS, longest).cells
        assert [(cell.policy.name, cell.horizon) for cell in cells] == [("uniform", 20_000)]


def test_a_policy_that_plays_anyway_keeps_its_limit():
    named = {each.name: each for each in entrants("wrsda,moment-imed:patience=2", alone=True)}
    assert named["WRSDA"].longest == 10_000
    assert named["MomentIMED(patience=2)"].longest is None


def test_the_league_is_a_sweep_like_any_other(tmp_path):
    assert len(LEAGUE.environments) == 36
    assert len(LEAGUE.policies) == 19
    assert {tier.steps for tier in LEAGUE.tiers} == {100_000, 1_000_000}
    assert not set(LEAGUE.tune.on) & set(LEAGUE.tune.judge)
    play(few(), tmp_path, workers=1, say=lambda text: None)
    table = read_table(few(), CellStore(tmp_path))
    places = sorted((row.policy, row.place.step) for row in table)
    assert places == [("greedy", 1_000), ("uniform", 1_000), ("uniform", 10_000)]


def test_entrants_that_are_told_nothing_are_those_that_the_page_names():
    """All policies that need to know nothing, except two whose regret is linear in time."""
    playing = {type(getattr(each.policy, "policy", each.policy)).__name__ for each in entrants()}
    nothing = {
        name
        for name in policies.__all__
        if getattr(policies, name).variants()[0].about.needs == "nothing"
    }
    assert nothing - playing - set(left_out()) == set()
    assert playing - nothing == {"BatchEnsemble", "QuantileOfMeans", "MARS", "IMED", "KLUCB"}
    page = PAGE.read_text(encoding="utf-8")
    assert f"The first league has {len(entrants())} entrants" in page
    assert f"from {len(playing)} policies" in page


def test_who_does_not_play_has_a_reason():
    found = left_out()
    assert found["Greedy"].startswith("its regret is linear")
    assert "arms that change" in found["SlidingWindowUCB"]
    assert not {"Clipped", "QuantileOfMeans", "UCB1"} & set(found)
    rows = re.findall(r"^\| ([\w.]+) \| (it.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 10
    assert all(found[name] == why for name, why in rows), "the page says otherwise"


def test_policies_are_told_what_they_must_know():
    """What the table of policies says that a policy needs is what it is told in the league."""
    words = {
        "range": ("width of the losses' range", "losses in [0, 1]", "nothing"),
        "lowest": ("lowest possible loss", "best possible loss", "losses of mean 0 or more"),
        "gaussian": ("standard deviation", "Gaussian losses", "scale of the losses' noise"),
        "exponential": ("exponentially distributed",),
        "gap": ("smallest gap",),
        "horizon": ("the horizon",),
    }
    for entrant in TOLD.policies:
        needs = entrant.policy.about.needs
        if entrant.told:
            assert any(word in needs for word in words[entrant.told]), entrant.name
            assert ("the horizon" in needs) == (
                entrant.name.endswith("and the horizon") or entrant.told == "horizon"
            )
        else:
            assert entrant.policy in [each.policy for each in LEAGUE.policies]


def test_both_leagues_have_the_same_settings_horizons_and_runs():
    assert [each.name for each in TOLD.environments] == [each.name for each in LEAGUE.environments]
    runs = {(tier.steps, tier.runs) for tier in TOLD.tiers}
    assert runs == {(1_000, 200), (10_000, 200), (100_000, 200), (1_000_000, 16)}
    assert all(tier.record == (tier.steps,) for tier in TOLD.tiers if tier.record)
    places = {cell.environment.name for cell in TOLD.cells if cell.policy.told == "range"}
    assert len(places) == 14
