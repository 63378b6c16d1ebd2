import json
import re
import threading
import time

import numpy as np
import pytest

import lowbid
from lowbid.cli import main, reproduce
from lowbid.experiments.paper import _reproduce
from lowbid.report import _figures, figure
from lowbid.simulation import mean_curves

SMALL = [
    "reproduce",
    "--cases",
    "1,3",
    "--policies",
    "ucb,ensembleadaptive,ensembleadaptiveefficient",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")
    assert main([*SMALL, "--horizon", "60", "--runs", "5", "--out", str(folder)]) == 0
    return folder


def test_every_number_of_a_figure_comes_from_the_data(folder):
    page = (folder / "report.html").read_text()
    charts = [
        json.loads(x) for x in re.findall(r'<script type="application/json">(.*?)</scr', page)
    ]
    assert [chart["key"] for chart in charts] == ["test-1", "test-3"]
    for chart in charts:
        result = lowbid.Result.load(folder / "data" / f"{chart['key']}.npz")
        assert chart["steps"] == result.checkpoints.tolist()
        curves = mean_curves(result)
        assert {curve["name"] for curve in chart["curves"]} == set(curves)
        for curve in chart["curves"]:
            for part in ("mean", "low", "high"):
                data = getattr(curves[curve["name"]], part)
                assert np.allclose(curve[part], data, rtol=1e-4, atol=1e-12)


def test_every_number_of_a_table_comes_from_the_data(folder):
    page = (folder / "report.html").read_text()
    for test in ("test-1", "test-3"):
        for row in lowbid.Result.load(folder / "data" / f"{test}.npz").summary():
            cells = [figure(row.mean), f"[{figure(row.low)}, {figure(row.high)}]", figure(row.sd)]
            text = f"<th>{row.policy}</th>" + "".join(f"<td>{cell}</td>" for cell in cells)
            assert text in page


def test_the_page_is_made_again_without_running(folder, monkeypatch, capsys):
    page = (folder / "report.html").read_text()
    (folder / "report.html").unlink()
    monkeypatch.setattr("lowbid.experiments._run.simulate", None)
    assert main(["report", str(folder)]) == 0
    assert (folder / "report.html").read_text() == page


def test_figures_settings_and_costs_are_there(folder):
    figures = {path.name for path in (folder / "figures").iterdir()}
    assert {"test-1.png", "test-1.svg", "test-3.png", "all-tests.png", "all-tests.svg"} <= figures
    contents = json.loads((folder / "experiment.json").read_text())
    assert contents["settings"]["schedule"] == "0.3log"
    assert set(contents["costs"]["bytes"]) == {
        "UCB",
        "EnsembleAdaptive",
        "EnsembleAdaptiveEfficient",
    }
    page = (folder / "report.html").read_text()
    for words in ("How many batches", "schedule=8log", "Time and memory", "not tested"):
        assert words in page


def test_provenance_names_the_arms_and_policies_of_every_test(tmp_path, capsys):
    few = ["reproduce", "--quick", "--cases", "1,4", "--policies", "ucb,ucb-kl"]
    assert main([*few, "--runs", "2", "--horizon", "20", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text()
    about = page[page.index("<h2>Provenance") :]
    assert re.search(r"<dt>policy UCB-KL</dt><dd>test-1: [^<]*Bern[^<]*test-4: [^<]*Gauss", about)
    assert re.search(r"<dt>policy UCB</dt><dd>UCB1\(", about)
    assert re.search(r"<dt>arms of test-4</dt><dd>[^<]*Gaussian", about)


def test_strict_exits_with_1_if_a_verdict_is_not_as_recorded(tmp_path, capsys):
    little = ["--quick", "--runs", "2", "--horizon", "20", "--strict", "--out", str(tmp_path)]
    assert main([*SMALL, *little]) == 0  # so few policies that no claim is tested
    assert capsys.readouterr().err == ""
    assert main(["reproduce", "--cases", "1", *little]) == 1
    assert "not as recorded: test-1-ensembles-close" in capsys.readouterr().err


def test_ctrl_c_leaves_what_was_finished(tmp_path, capsys, monkeypatch):
    real, calls = lowbid.simulate, []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr("lowbid.experiments._run.simulate", interrupted)
    small = [*SMALL, "--quick", "--runs", "2", "--horizon", "20", "--out", str(tmp_path)]
    assert main(small) == 130
    assert "stopped" in capsys.readouterr().err
    assert len(lowbid.Result.load(tmp_path / "data" / "test-1.npz").policies) == 3
    assert len(lowbid.Result.load(tmp_path / "data" / "test-3.npz").policies) == 1
    assert "Test 1" in (tmp_path / "report.html").read_text()


def test_ctrl_c_while_figures_are_drawn(tmp_path, capsys, monkeypatch):
    """It is answered at once, and what is drawn again does not mix with what was being drawn."""
    small = [*SMALL, "--runs", "2", "--horizon", "20", "--out", str(tmp_path)]
    drawing, answered = threading.Event(), []
    real_run, real_save, real_stopped = _reproduce.run, _figures.save_png_and_svg, reproduce.stopped

    def interrupted(case, *arguments):
        if case.key not in ("test-1", "test-3"):
            drawing.wait(60)
            raise KeyboardInterrupt
        return real_run(case, *arguments)

    def slowly(*arguments):
        drawing.set()
        time.sleep(0.5)
        return real_save(*arguments)

    def stopped(folder, command):
        answered.append(not any((tmp_path / "figures").glob("*.svg")))
        return real_stopped(folder, command)

    monkeypatch.setattr(_reproduce, "run", interrupted)
    monkeypatch.setattr(_figures, "save_png_and_svg", slowly)
    monkeypatch.setattr(reproduce, "stopped", stopped)
    assert main(small) == 130
    assert answered == [True]
    drawn = {path.name: path.read_bytes() for path in tmp_path.glob("figures/*.svg")}
    assert main(["report", str(tmp_path)]) == 0
    assert len(drawn) == 3
    assert drawn == {path.name: path.read_bytes() for path in tmp_path.glob("figures/*.svg")}


def test_a_stopped_reproduction_goes_on_where_it_was(tmp_path, capsys, monkeypatch):
    real, calls = lowbid.simulate, []

    def interrupted(policies, *arguments, **options):
        calls.append(options["progress"])
        if len(calls) == 5:
            raise KeyboardInterrupt
        return real(policies, *arguments, **options)

    monkeypatch.setattr("lowbid.experiments._run.simulate", interrupted)
    small = [*SMALL, "--quick", "--runs", "2", "--horizon", "20", "--out", str(tmp_path)]
    assert main(small) == 130
    assert main([*small, "--resume"]) == 0
    second, third = "test-3, 2 of 3, ", "test-3, 3 of 3, "
    assert [call[: len(second)] for call in calls[4:]] == [second, second, third]
    assert len(lowbid.Result.load(tmp_path / "data" / "test-3.npz").policies) == 3


def test_a_folder_without_an_experiment_is_refused(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "experiment.json" in capsys.readouterr().err
    ours = {"format": "lowbid-experiment", "format_version": 1}
    for text in ("{", "[]", json.dumps(ours), json.dumps({**ours, "kind": "comparison"})):
        (tmp_path / "experiment.json").write_text(text)
        assert main(["report", str(tmp_path)]) == 2
        assert "damaged" in capsys.readouterr().err


def test_nothing_finished_is_said_and_not_called_a_report(tmp_path, capsys, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("lowbid.experiments._run.simulate", interrupted)
    assert main([*SMALL, "--out", str(tmp_path)]) == 130
    assert "nothing was finished" in capsys.readouterr().err
    assert main(["report", str(tmp_path)]) == 2
    assert "no finished results" in capsys.readouterr().err
