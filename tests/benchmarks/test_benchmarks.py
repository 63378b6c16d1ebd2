"""The benchmarks run, at tiny sizes. What they find depends on the machine, and is not tested."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import (
    beside_peers,
    c_loops,
    changing_arms,
    core,
    first_second,
    growth,
    interleaving,
    pictures,
    table,
)
from benchmarks.measure import by_turns, new_process, ratios, spread
from benchmarks.peers import NotInstalledError, Server
from lowbid._compile import cache_folder

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


def test_the_readme_s_example_is_a_simulation_that_runs_on_its_own(capsys):
    names = {}
    exec(first_second.readme_example(), names)
    assert names["result"].regret.shape[:2] == (4, 100)
    assert "BatchEnsemble" in capsys.readouterr().out


def test_a_first_second_finds_no_compiled_code():
    before = cache_folder()
    with first_second.empty_cache():
        assert cache_folder() != before
        assert list(cache_folder().iterdir()) == []
    assert cache_folder() == before


@pytest.mark.slow
@needs_gcc
def test_the_loops_in_c_do_the_same_work():
    found = c_loops.measure(repeats=1, runs=50)
    assert set(found) == set(c_loops.POLICIES)
    assert all(row["part"].low > 0 for row in found.values())


@needs_gcc
def test_the_core_says_which_promises_are_broken(capsys, monkeypatch):
    monkeypatch.setattr(c_loops, "PART_OF_C", 0.0)
    monkeypatch.setattr(growth, "MOST_TIMES", {20: np.inf})
    assert core.main(["--parts", "c,arms", "--repeats", "1"]) == 0
    assert "NOT KEPT" not in capsys.readouterr().out
    monkeypatch.setattr(growth, "MOST_TIMES", {20: 0.0})
    assert core.main(["--parts", "arms", "--repeats", "1"]) == 1
    broken = capsys.readouterr().out.splitlines()[-1]
    assert broken.startswith("time per step at K = 20 over that at K = 10")
    assert broken.endswith("NOT KEPT")


def test_many_arms_are_timed_in_one_long_play(monkeypatch):
    monkeypatch.setattr(growth, "SMALL", 10)
    assert growth.with_arms(growth.BATCH_ENSEMBLE, 200, repeats=1, seconds=1e-4) > 0


@pytest.mark.slow
def test_every_policy_of_the_paper_has_a_series():
    for name in growth.paper_policies(100):
        assert len(growth.time_with_steps(name, (50, 100), repeats=1, patience=60)) == 2


def test_states_that_do_not_fit_into_memory_are_left_out():
    many = 10**9
    assert growth.that_fit(growth.BATCH_ENSEMBLE, (10, 1000, many)) == [10, 1000]


def test_a_series_ends_when_patience_does():
    assert growth.series(lambda size: 2.0 * size, (1, 2, 3), patience=-1.0) == [(1, 2.0)]


def test_runs_side_by_side_have_the_same_results_as_one_after_another(monkeypatch):
    monkeypatch.setattr(interleaving, "TOGETHER", (2,))
    (rule,) = (each for each in interleaving.rules() if each.name == "UCB1")
    loops, seconds = interleaving.compiled(rule)
    assert list(loops) == list(seconds) == ["1", "2 copied", "2 shared"]
    taken = interleaving.measure(rule, "K = 2", loops, repeats=1, seconds=0.0)
    assert set(taken) == set(loops)
    wrong = {**loops, "2 shared": lambda *given: None}
    with pytest.raises(AssertionError, match="2 shared"):
        interleaving.measure(rule, "K = 2", wrong, repeats=1, seconds=0.0)


def test_slopes_are_powers():
    assert growth.slope([(n, 3.0 * n**1.5) for n in (1, 10, 100, 1000)]) == pytest.approx(1.5)
    assert np.isnan(growth.slope([(1, 2.0)]))


def test_measurements_take_turns():
    order = []
    works = {name: lambda name=name: order.append(name) or 1.0 for name in "ab"}
    assert by_turns(works, 2) == {"a": [1.0, 1.0], "b": [1.0, 1.0]}
    assert order == ["a", "b", "a", "b"]
    assert ratios([2.0, 6.0, 4.0], [1.0, 2.0, 1.0]) == (3.0, 2.0, 4.0)
    assert spread([5.0]) == (5.0, 5.0, 5.0)


def test_a_new_process_tells_what_it_took():
    usage = new_process(["cat"], "some text")
    assert usage.clock > 0
    assert usage.peak > 0
    with pytest.raises(subprocess.CalledProcessError):
        new_process(["false"])


def test_memory_is_that_of_the_new_process_alone():
    ballast = np.ones(40_000_000)  # 320 MB here must not count there
    small = new_process([sys.executable, "-c", "pass"]).peak
    large = new_process([sys.executable, "-c", "x = bytearray(b'1') * 200_000_000"]).peak
    assert small < 100
    assert large > small + 150
    assert ballast.nbytes > 3e8


def test_a_peer_that_cannot_be_had_is_reported(monkeypatch):
    def refuse(name):
        raise NotInstalledError(f"no wheel for {name}")

    monkeypatch.setattr(beside_peers, "Server", refuse)
    assert beside_peers.start(["river"]) == ({}, {"river": "no wheel for river"})


@pytest.mark.slow
def test_lowbid_answers_the_questions_that_peers_are_asked():
    server = Server("lowbid")
    try:
        row = beside_peers.online({"lowbid": server}, repeats=1, seconds=1e-4)[0]
        assert row["figures"]["lowbid"].median > 0
        (simulated, *_) = beside_peers.simulate({"lowbid": server}, 1, runs=2, seconds=0.0)
        assert simulated["all cores"]["figures"]["lowbid"].median > 0
    finally:
        server.close()


def test_other_work_is_noticed():
    ours = list(np.linspace(0, 1, 50))
    found = beside_peers.agreement(
        {"lowbid": ours, "same": ours[::-1], "other": [x + 1.0 + 0.1 * x for x in ours]}
    )
    assert found["same"]["agrees"]
    assert not found["other"]["agrees"]


def test_tables_and_pictures(tmp_path):
    points = [(10, 1.0), (100, 2.0), (1000, 4.0)]
    figures = {"lowbid": spread([1.0]), "river": spread([5.0])}
    row = {"policy": "UCB1", "arms": 10, "figures": figures, "fastest": "river"}
    row |= {"ratio": spread([5.0]), "regret": beside_peers.agreement({"lowbid": [1.0, 2.0]})}
    row["all cores"] = {**row}
    one = {name: {"one": points} for name, *_ in pictures.PANELS}
    results = {
        "growth": one,
        "memory": {},
        "workers": {"1": (1.0, 1.0, 1.0), "2": (1.9, 1.8, 2.0)},
        "peers": {
            "versions": {"lowbid": "1", "river": "2"},
            "missing": {"mabby": "no reason given"},
            "online": [row],
            "simulate": [row],
        },
        "around": {
            "memory": {"lowbid": 1.0, "river": 2.0},
            "starting": {"lowbid": spread([0.1]), "river": spread([0.5])},
        },
    }
    part = spread([0.9])
    results["c"] = {"UCB1": {"C": spread([9.0]), "lowbid": spread([10.0]), "part": part}}
    ours, theirs = spread([4.0]), spread([8.0])
    results["reproduce"] = {
        "lowbid": {"clock": ours, "processor": ours, "ratio": spread([1.0])},
        "UCB1": {"clock": theirs, "processor": theirs, "ratio": spread([2.0])},
    }
    results["measured"] = {"c": "Monday at 1a2b", "peers": "Monday at 1a2b", "growth": "Sunday"}
    text = table.markdown(results)
    assert "Measured: c, peers on Monday at 1a2b; growth on Sunday." in text
    assert "4.0 | 8.0 (SMPyBandits) | 2 x (2 to 2)" in text
    assert "mabby could not be installed: no reason given" in text
    assert "5 x" in text
    pictures.draw(results, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_the_table_of_growth_is_read_as_it_is_written():
    page = "| ns per step | K = 10 | K = 1,000 | slope |\n| - | - | - | - |\n"
    page += "| UCB | 26 | 5,500 | 1 |\n| TS | 503 | – | nan |\n\nThe end."
    found = pictures.time_with_arms(page)
    assert found == {"UCB": [(10, 26.0), (1000, 5500.0)], "TS": [(10, 503.0)]}


@pytest.mark.slow
def test_arms_that_change(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(changing_arms, "SETTINGS", changing_arms.SETTINGS[:2])
    assert changing_arms.main(["--runs", "2", "--pictures", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("SW-LB-SDA") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["changing-arms.png"]
