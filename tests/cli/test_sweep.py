import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lowbid import _array_format
from lowbid.cli import main

FILE = """
title = "Small"
horizons = [40, 80]
runs = 6
[[policies]]
policy = "uniform-play"
[[policies]]
policy = "greedy"
[[environments]]
name = "easy"
family = "bernoulli"
mean = [0.1, 0.9]
[[environments]]
name = "hard"
family = "bernoulli"
mean = [0.4, 0.5, 0.6]
"""
LONG = FILE.replace("horizons = [40, 80]", "horizons = [400_000]").replace("runs = 6", "runs = 60")

ONE_CELL = """
horizon = 40
runs = 6
[[policies]]
policy = "uniform-play"
[[environments]]
family = "bernoulli"
mean = [0.1, 0.9]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(FILE)
    return tmp_path


def test_a_plan_is_printed_and_nothing_written(here, capsys):
    assert main(["sweep", "mine.toml", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "2 policies x 2 environments, horizons 40, 80" in printed
    assert "8 cells (8 different), 0 finished" in printed
    assert "48 runs, 2,880 steps left: about 1 s" in printed
    assert sorted(path.name for path in here.iterdir()) == ["mine.toml"]


def test_a_plan_of_one_is_told_in_the_singular(here, capsys):
    Path("mine.toml").write_text(ONE_CELL)
    assert main(["sweep", "mine.toml", "--dry-run", "--workers", "1"]) == 0
    printed = capsys.readouterr().out
    assert "1 policy x 1 environment, horizon 40, 1 seed\n1 cell (1 different)" in printed
    assert printed.endswith("on 1 worker\n")


def test_who_does_not_play_everywhere_is_ranked_apart(here, capsys):
    slow = FILE.replace('policy = "greedy"', 'policy = "greedy"\nlongest = 40')
    split = 'runs = 6\ntune = { on = ["easy"], judge = ["hard"] }'
    Path("mine.toml").write_text(slow.replace("runs = 6", split))
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    page = (here / "out" / "mine" / "report.html").read_text()
    for place in (printed, page):
        assert place.count("Over all 4 cells") == place.count("where Greedy plays") == 2
    whole, few, *_ = printed.split("Over ")[1:]
    assert "Greedy" not in whole
    assert "Greedy" in few
    assert "UniformPlay" in few


def test_the_page_of_one_is_told_in_the_singular(here):
    Path("mine.toml").write_text(ONE_CELL)
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    page = (here / "out" / "mine" / "report.html").read_text()
    assert "1 policy on 1 environment; 1 of 1 cell is finished" in page


def test_a_precision_that_is_not_reached_is_reported(here, capsys):
    for precision, missed in ((0.0005, True), (0.5, False)):
        asked = f"runs = 20\nprecision = {precision}\nmost_runs = 60"
        Path("mine.toml").write_text(ONE_CELL.replace("runs = 6", asked))
        assert main(["sweep", "mine.toml", "--out", "out"]) == 0
        printed = capsys.readouterr().out
        assert f"means to within {'0.05%' if missed else '50%'}:" in printed
        page = (here / "out" / "mine" / "report.html").read_text()
        for place in (printed, page):
            assert ("missed the precision of 0.05%" in place) == missed
            assert ("missed the precision" in place) == missed


def test_it_goes_on_where_it_was_and_when_the_file_grows(here, capsys):
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    first = (here / "out" / "mine" / "table.csv").read_text().splitlines()
    assert len(first) == 1 + 8
    files = {path: path.stat().st_mtime_ns for path in (here / "out").rglob("*.npz")}
    assert len(files) == 8
    grown = FILE.replace('policy = "greedy"', 'policy = "batch-ensemble"\nbatches = [1, 2]')
    Path("mine.toml").write_text(grown + '\n[[policies]]\npolicy = "greedy"\n')
    capsys.readouterr()
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    assert "16 cells (16 different), 8 finished" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert main(["sweep", "mine.toml", "--out", "out", "--dry-run"]) == 0
    assert "16 finished\nnothing is left to run" in capsys.readouterr().out


def test_two_sweeps_in_one_folder_share_what_they_have_in_common(here, capsys):
    Path("other.toml").write_text(FILE.replace("[40, 80]", "[80, 90]"))
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    before = (here / "out" / "mine" / "table.csv").read_bytes()
    capsys.readouterr()
    assert main(["sweep", "other.toml", "--out", "out"]) == 0
    assert "8 cells (8 different), 4 finished" in capsys.readouterr().out
    assert (here / "out" / "mine" / "table.csv").read_bytes() == before
    assert main(["sweep", "--show", "out"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Small: 8 of 8 cells are finished") == 2
    page = (here / "out" / "other" / "report.html").read_text()
    assert "lowbid sweep other.toml --out out" in page


def test_two_files_of_one_name_do_not_disturb_each_other(here, capsys):
    for folder, horizons in (("a", "[40]"), ("b", "[80]")):
        Path(folder).mkdir()
        Path(folder, "mine.toml").write_text(FILE.replace("[40, 80]", horizons))
    for file in ("a/mine.toml", "b/mine.toml", "a/mine.toml", "b/mine.toml"):
        assert main(["sweep", file, "--out", "out"]) == 0
    tables = list(Path("out").glob("*/table.csv"))
    steps = {tuple(sorted({row.split(",")[5] for row in rows(table)})) for table in tables}
    assert len(tables) == 2
    assert steps == {("40",), ("80",)}
    assert ",40," in Path("out/mine/table.csv").read_text()
    capsys.readouterr()
    assert main(["sweep", "--show", "out"]) == 0
    assert capsys.readouterr().out.count("Small: 4 of 4 cells are finished") == 2
    assert len(list(Path("out").glob("*/table.csv"))) == 2
    for table in tables:
        assert "lowbid sweep mine.toml" in (table.parent / "report.html").read_text()


def test_a_file_that_was_moved_keeps_its_part_of_the_folder(here):
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    Path("elsewhere").mkdir()
    Path("mine.toml").rename("elsewhere/mine.toml")
    assert main(["sweep", "elsewhere/mine.toml", "--out", "out"]) == 0
    assert len(list(Path("out").glob("*/table.csv"))) == 1


def rows(table):
    return table.read_text().splitlines()[1:]


@pytest.mark.slow
def test_two_files_of_one_name_can_be_played_at_once(here):
    for folder, runs in (("a", 30), ("b", 40)):
        Path(folder).mkdir()
        Path(folder, "mine.toml").write_text(FILE.replace("runs = 6", f"runs = {runs}"))
    words = [sys.executable, "-m", "lowbid", "sweep"]
    both = [subprocess.Popen([*words, f"{f}/mine.toml", "--out", "out"]) for f in ("a", "b")]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    for folder in ("a", "b"):
        assert main(["sweep", f"{folder}/mine.toml", "--out", f"alone-{folder}"]) == 0
    together = {table.read_bytes() for table in Path("out").glob("*/table.csv")}
    assert together == {Path(f"alone-{f}/mine/table.csv").read_bytes() for f in ("a", "b")}


def test_a_file_that_is_damaged_later_is_left_out_of_tables(here, capsys):
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    victim = next((here / "out").rglob("*.npz"))
    content, state = bytearray(victim.read_bytes()), victim.stat()
    content[content.index(b"regret.npy") + 600] ^= 1
    victim.write_bytes(bytes(content))
    os.utime(victim, ns=(state.st_atime_ns, state.st_mtime_ns))
    capsys.readouterr()
    assert main(["sweep", "--show", "out"]) == 0
    shown = capsys.readouterr().out
    assert "7 of 8 cells are finished; 1 damaged file is left out: " in " ".join(shown.split())
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    assert "8 of 8 cells are finished\n" in capsys.readouterr().out


def test_a_damaged_file_is_played_again(here, capsys):
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    table = (here / "out" / "mine" / "table.csv").read_bytes()
    victim = next((here / "out").rglob("*.npz"))
    victim.write_bytes(victim.read_bytes()[:-20])
    capsys.readouterr()
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    printed = capsys.readouterr().out
    assert "7 finished" in printed
    assert f"1 damaged file is played again: {victim.relative_to(here)}" in " ".join(
        printed.split()
    )
    assert (here / "out" / "mine" / "table.csv").read_bytes() == table


def test_a_full_disk_leaves_a_folder_to_go_on_with(here, capsys, monkeypatch):
    write, left = _array_format.np.savez, [5]

    def full(*columns, **more):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device", "cell.npz")
        write(*columns, **more)

    with monkeypatch.context() as disk:
        disk.setattr(_array_format.np, "savez", full)
        assert main(["sweep", "mine.toml", "--out", "out"]) == 2
    message = capsys.readouterr().err
    assert "No space left on device" in message
    assert "5 of 8 cells are finished and kept in out. The same command continues" in message
    assert len(list(here.rglob("*.npz"))) == 5
    assert list(here.rglob("*.part")) == []
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    assert "5 finished" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "give a sweep file, or --show"),
        (["mine.toml", "--show", "."], "give a sweep file, or --show"),
        (["none.toml"], "lowbid init --sweep none.toml"),
        (["mine.toml", "--on", "thread"], "give threads, processes, or dask://HOST:PORT"),
        (["mine.toml", "--workers", "0"], "workers is 0"),
        (["mine.toml", "--time-limit", "-3"], "time_limit is -3"),
        (["--show", "."], "holds no sweep"),
    ],
)
def test_mistakes_are_named(here, capsys, given, message):
    assert main(["sweep", *given]) == 2
    assert message in capsys.readouterr().err


def started(folder, text, *more):
    (folder / "mine.toml").write_text(text)
    words = [sys.executable, "-m", "lowbid", "sweep", "mine.toml", "--out", "out", *more]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 90
    while not list(folder.rglob("*.npz")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


@pytest.mark.slow
@pytest.mark.parametrize("on", ["threads", "processes"])
def test_kill_9_loses_nothing_that_was_finished(tmp_path, capsys, monkeypatch, on):
    process = started(tmp_path, LONG, "--on", on)
    process.kill()
    process.communicate(timeout=60)
    kept = len(list(tmp_path.rglob("*.npz")))
    assert 0 < kept <= 4
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", "mine.toml", "--out", "out"]) == 0
    whole = (tmp_path / "out" / "mine" / "table.csv").read_bytes()
    assert main(["sweep", "mine.toml", "--out", "fresh"]) == 0
    assert (tmp_path / "fresh" / "mine" / "table.csv").read_bytes() == whole


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_ctrl_c_writes_up_what_is_there_and_says_how_to_go_on(tmp_path):
    process = started(tmp_path, LONG)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("the machine was done before it was stopped")
    assert process.returncode == 130
    assert "continue with: lowbid sweep mine.toml --out out" in err.decode()
    assert (tmp_path / "out" / "mine" / "table.csv").stat().st_size > 100
    assert os.path.exists(tmp_path / "out" / "index.jsonl")
