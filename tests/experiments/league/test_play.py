import lowbid
from lowbid.experiments.league import Entrant, entrants, matches, play, settings_named
from lowbid.experiments.league._play import Match

ENTRANTS = {"uniform": Entrant(lowbid.UniformPlay()), "greedy": Entrant(lowbid.Greedy(), 300)}


def few(longest=400):
    return matches(settings_named(["gaussian"]), ENTRANTS, longest=longest, scale=0.02)


def test_what_was_played_is_read_and_a_damaged_file_played_again(tmp_path):
    said = []
    first = play(few(), tmp_path, workers=1, say=said.append)
    assert sorted(key[1:] for key in first) == [("greedy", 300), ("uniform", 400)]
    assert len(said) == 2
    again = play(few(), tmp_path, workers=1, say=said.append)
    assert len(said) == 2
    for key, result in first.items():
        assert (again[key].regret == result.regret).all()
    next(iter(tmp_path.glob("*-400-*"))).write_bytes(b"cut short")
    play(few(), tmp_path, workers=1, say=said.append)
    assert len(said) == 3


def test_a_file_belongs_to_one_rule_and_one_setting():
    gaussian, orders = settings_named(["gaussian", "orders"])
    match = Match(gaussian, "x", Entrant(lowbid.MomentIMED()), 1000, 10)
    others = [
        match._replace(setting=orders),
        match._replace(entrant=Entrant(lowbid.MomentIMED(patience=2.0))),
        match._replace(entrant=Entrant(lowbid.BatchLikelihood())),
        match._replace(horizon=2000),
        match._replace(runs=11),
    ]
    assert len({each.file_name for each in (match, *others)}) == 6
    assert match._replace(name="y").file_name == match.file_name


def test_slow_entrants_play_short_horizons_with_their_share_of_runs():
    (gaussian,) = settings_named(["gaussian"])
    slow = {"slow": Entrant(lowbid.Greedy(), 10_000, 0.2), "fast": Entrant(lowbid.Greedy())}
    found = {(m.name, m.horizon): m.runs for m in matches([gaussian], slow)}
    assert found == {("slow", 10_000): 40, ("fast", 100_000): 200, ("fast", 1_000_000): 32}


def test_settings_with_outliers_have_one_horizon_that_slow_entrants_do_not_play():
    (outliers,) = settings_named(["gaussian-outlier"])
    some = {"slow": Entrant(lowbid.Greedy(), 10_000), "fast": Entrant(lowbid.Greedy())}
    for longest in (None, 10_000):
        found = [(m.name, m.horizon) for m in matches([outliers], some, longest=longest)]
        assert found == [("fast", 20_000)]


def test_a_policy_that_plays_anyway_keeps_its_limit():
    named = entrants("wrsda,moment-imed:patience=2", alone=True)
    assert named["WRSDA"].longest == 10_000
    assert named["MomentIMED(patience=2)"].longest == 1_000_000
