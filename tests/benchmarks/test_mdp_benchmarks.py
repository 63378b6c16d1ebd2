"""The benchmarks of rules for MDPs run, at tiny sizes; what they find is not tested."""

import json
import shutil

import pytest

from benchmarks import mdp
from benchmarks.measure import Spread

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


@needs_gcc
def test_the_loops_in_c_do_the_same_work(capsys, tmp_path):
    found = mdp.in_c(repeats=1, episodes=300, runs=20)
    assert set(found) == set(mdp.MODELS)
    for row in found.values():
        assert set(row["figures"]) == {"C", "C, plans everything", "lowbid"}
    assert "RiverSwim" in mdp.markdown({"c": json.loads(json.dumps(found))})


def made(ratio, part, megabytes):
    row = {"place": "RiverSwim", "rule": "PSRL", "ratios": {"rlberry": [ratio] * 3}}
    row["figures"] = {"lowbid": [1e-6] * 3, "rlberry": [1e-6 * ratio] * 3}
    large = {"states": 9, "episodes": 8, "MB": megabytes, "MB more": 7.0, "seconds": 6.0}
    return {
        "peers": {"rows": [row], "missing": {"bsuite": "no network"}},
        "c": {"RiverSwim": {"figures": {}, "fastest": "C", "part": Spread(part, part, part)}},
        "large": large,
    }


def test_broken_promises_are_named():
    assert mdp.promises_broken(made(301.0, 0.61, 900.0)) == []
    broken = mdp.promises_broken(made(299.0, 0.59, 1100.0))
    assert [line.partition(":")[0] for line in broken] == ["NOT KEPT"] * 3
    assert "299 times rlberry" in broken[0]


def test_tables_show_what_is_missing():
    text = mdp.peers_table(made(301.0, 0.6, 1.0)["peers"])
    assert "| RiverSwim, PSRL | 1,000,000 | 3,320 | – | – | 301 x (301 to 301) | – | – |" in text
    assert "bsuite could not be installed: no network" in text


def test_the_picture_is_drawn(tmp_path):
    mdp.draw({"states, S": [(10, 5.0), (20, 9.0)], "actions, A": [(2, 1.0)]}, tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 5000


def test_the_picture_can_be_drawn_from_the_page():
    page = "| ns per step (with so many) |  | slope |\n| - | - | - |\n"
    page += "| states, S | 657 (10); 1,990.5 (1,000) | 0.56 |\n\nThe end."
    assert mdp.growth_on_page(page) == {"states, S": [(10, 657.0), (1000, 1990.5)]}
