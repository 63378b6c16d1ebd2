import pytest

from lowbid.cli import main


def test_plays_prints_and_writes_a_page(tmp_path, capsys):
    out = tmp_path / "league"
    given = ["league", "gaussian", "--policies", "greedy,uniform-play", "--alone", "--quick"]
    assert main([*given, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "All entrants, up to 10,000 steps" in printed
    assert printed.count("Greedy") >= 2  # in the scores, and setting by setting
    page = (out / "report.html").read_text()
    assert "Setting by setting" in page
    assert "lowbid league gaussian" in page
    assert (out / "league.png").stat().st_size > 10_000
    assert main([*given, "--out", str(out), "--markdown"]) == 0
    assert "| Greedy |" in capsys.readouterr().out


def test_policies_that_are_told_something_have_a_league_of_their_own(tmp_path, capsys):
    given = ["league", "--told", "tiny", "--policies", "greedy,UCB1", "--alone", "--quick"]
    assert main([*given, "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "1 policy" not in printed
    assert "Told the range of the losses; up to 10,000 steps" in printed
    assert "UCB1" in printed
    page = (tmp_path / "told.html").read_text()
    assert "it is for Poisson losses" in page
    assert "lowbid league tiny --told" in page


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["gausian"], "did you mean gaussian?"),
        (["--alone"], "give --policies"),
        (["--policies", "momentimet"], "did you mean moment-imed"),
    ],
)
def test_mistakes_are_named(tmp_path, capsys, given, message):
    assert main(["league", *given, "--out", str(tmp_path / "x")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
