from pathlib import Path

import lowbid
from lowbid import policies
from lowbid.experiments.league import LEAGUE, entrants, league_sweep, play, settings_named
from lowbid.experiments.sweeps import CellStore, SweptPolicy, read_table

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
    assert len(LEAGUE.environments) == 33
    assert len(LEAGUE.policies) == 19
    assert {tier.steps for tier in LEAGUE.tiers} == {100_000, 1_000_000}
    assert not set(LEAGUE.tune.on) & set(LEAGUE.tune.judge)
    play(few(), tmp_path, workers=1, say=lambda text: None)
    table = read_table(few(), CellStore(tmp_path))
    places = sorted((row.policy, row.place.step) for row in table)
    assert places == [("greedy", 1_000), ("uniform", 1_000), ("uniform", 10_000)]


def test_who_plays_is_what_the_page_says():
    """All policies that must know nothing, but for two whose regret grows in proportion to time."""
    playing = {type(each.policy).__name__ for each in entrants()}
    nothing = {
        name
        for name in policies.__all__
        if getattr(policies, name).variants()[0].about.needs == "nothing"
    }
    assert nothing - playing == {"Greedy", "EpsilonGreedy"}
    assert playing - nothing == {"BatchEnsemble", "MARS", "IMED", "KLUCB"}
    page = (Path(__file__).parents[3] / "docs" / "league.md").read_text(encoding="utf-8")
    numbers = f"Not all {len(policies.__all__)} policies of the library: {len(playing)} of them"
    assert numbers in page
    assert f"makes {len(entrants())}\nentrants" in page
