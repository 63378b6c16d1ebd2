import time

import pytest

from mutations import run

MUTATIONS = run.read_tables()


@pytest.mark.skipif(
    not (run.ROOT / "src").exists(),
    reason="mistakes are planted in the source, and here is none: an installed package is tested",
)
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_every_mistake_fits_the_code(mutation):
    assert run.misfit(mutation) == ""


def test_names_are_unique():
    names = [str(mutation) for mutation in MUTATIONS]
    assert len(set(names)) == len(names)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "sums.py").write_text("def add(a, b):\n    return a + b\n\nUNUSED = 1\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_sums.py").write_text(
        "import sums\n\ndef test_add():\n    assert sums.add(2, 3) == 5\n\n"
        "def test_wrong():\n    assert sums.add(2, 3) == 6\n"
    )
    return tmp_path


def mutation(name, old, new, match="add"):
    return run.Mutation("table", name, "src/sums.py", old, new, ("tests/test_sums.py",), match)


@pytest.mark.slow
def test_mistakes_are_killed_survive_or_do_not_fit(project):
    planted = [
        mutation("minus", "a + b", "a - b"),
        mutation("unused", "UNUSED = 1", "UNUSED = 2"),
        mutation("gone", "a * b", "a - b"),
        mutation("failing anyway", "a + b", "a - b", match="wrong"),
        mutation("typo", "return a", "retrun a"),
    ]
    found = {each.name: outcome for each, outcome, _ in run.attempts(planted, 2, project)}
    assert found == {
        "minus": "killed",
        "unused": "SURVIVED",
        "gone": "DOES NOT FIT",
        "failing anyway": "DOES NOT FIT",
        "typo": "killed",
    }
    assert "a + b" in (project / "src" / "sums.py").read_text()


def test_words_choose():
    planted = [mutation("minus", "+", "-"), mutation("other", "a", "b")]
    assert [each.name for each in run.chosen(planted, ["MIN"])] == ["minus"]
    assert run.chosen(planted, []) == planted


def test_a_stopped_run_goes_on_with_what_is_left(project, monkeypatch, capsys):
    """Survivors are planted again, and so is what was noticed if a test has changed since."""
    planted = [mutation("minus", "a + b", "a - b"), mutation("unused", "UNUSED = 1", "UNUSED = 2")]
    found = {"minus": "killed", "unused": "SURVIVED"}
    tried = []

    def attempts(mutations, jobs):
        for each in mutations:
            tried.append(each.name)
            yield each, found[each.name], 0.0

    digest = run.digest
    monkeypatch.setattr(run, "digest", lambda each: digest(each, project))
    monkeypatch.setattr(run, "KEPT", project / "out" / "kept.txt")
    monkeypatch.setattr(run, "read_tables", lambda: planted)
    monkeypatch.setattr(run, "attempts", attempts)

    def tries(*arguments):
        tried.clear()
        status = run.main(list(arguments))
        return status, list(tried)

    assert tries("--resume", "minus") == (0, ["minus"])
    with open(run.KEPT, "a", encoding="utf-8") as file:
        file.write("a line that was cut o")
    assert tries("--resume") == (1, ["unused"])
    assert "1 of 2 were noticed by an earlier run" in capsys.readouterr().out
    assert tries("--resume") == (1, ["unused"])
    assert tries() == (1, ["minus", "unused"])
    with open(project / "tests" / "test_sums.py", "a", encoding="utf-8") as file:
        file.write("# another text\n")
    assert tries("--resume", "minus") == (0, ["minus"])
    found["minus"] = "SURVIVED"
    assert tries("minus") == (1, ["minus"])
    assert tries("--resume", "minus") == (1, ["minus"])


@pytest.mark.slow
def test_tests_that_hang_do_not_pass(project):
    (project / "src" / "sums.py").write_text("while True:\n    pass\n")
    began = time.monotonic()
    assert not run.passes((("tests/test_sums.py",), "add", False), project, patience=3.0)
    assert time.monotonic() - began >= 3.0
    assert not run.AT_WORK
