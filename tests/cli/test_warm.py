import pytest

from lowbid.cli import main


def test_a_policy_is_compiled_and_named(capsys):
    assert main(["warm", "uniform-play", "--arms", "bernoulli"]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("UniformPlay: ")
    assert last.startswith("Ready after ")


def test_unknown_names_are_refused_before_anything_is_compiled(capsys):
    assert main(["warm", "uniform-play", "ucb2"]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert "ucb1" in out.err


def test_where_nothing_can_be_kept_it_says_what_to_do(capsys, monkeypatch):
    monkeypatch.setenv("LOWBID_CACHE_DIR", "/proc/nowhere")
    assert main(["warm", "uniform-play"]) == 2
    assert "LOWBID_CACHE_DIR" in capsys.readouterr().err


@pytest.mark.slow
def test_without_names_every_policy_is_meant(monkeypatch):
    from lowbid import policies
    from lowbid.cli import warm

    seen = []
    monkeypatch.setattr(warm, "_compile", lambda policy, families: seen.append(type(policy)))
    assert main(["warm"]) == 0
    assert [each.__name__ for each in seen] == policies.__all__
