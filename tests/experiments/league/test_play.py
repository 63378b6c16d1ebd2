import lowbid
from lowbid.experiments.league import Entrant, matches, play, settings_named
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
