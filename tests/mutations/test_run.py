import time

import pytest

from mutations import run

needs_source = pytest.mark.skipif(
    not (run.ROOT / "src").exists(),
    reason="mistakes are planted in the source, and here is none: an installed package is tested",
)


@needs_source
@pytest.mark.parametrize("mutation", run.by_hand(), ids=str)
def test_every_mistake_of_the_table_fits_the_code(mutation):
    assert run.misfit(mutation) == ""


@needs_source
def test_every_generated_mistake_has_tests():
    whole = run.generated()
    assert {run.misfit(each) for each in whole} == {""}
    assert len({(each.file, each.start, each.old, each.new) for each in whole}) == len(whole)


@needs_source
def test_what_is_called_equivalent_is_in_the_code(monkeypatch):
    left_out = run.equivalent()
    without = len(run.generated())
    monkeypatch.setattr(run, "equivalent", list)
    assert len(run.generated()) - without >= len(left_out)
    assert all(each["why"] for each in left_out)


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


def mutation(name, start, old, new, match="add"):
    return run.Mutation(name, "src/sums.py", start, old, new, ("tests/test_sums.py",), match)


MINUS = mutation("minus", 28, "+", "-")
UNUSED = mutation("unused", 41, "1", "2")


@pytest.mark.slow
def test_mistakes_are_killed_survive_or_do_not_fit(project):
    planted = [
        MINUS,
        UNUSED,
        mutation("gone", -1, "a * b", "a - b"),
        mutation("failing anyway", 28, "+", "-", match="wrong"),
        mutation("typo", 19, "return", "retrun"),
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


def test_words_and_a_seed_choose():
    assert run.chosen([MINUS, UNUSED], ["MIN"], 0, 1) == [MINUS]
    assert run.chosen([MINUS, UNUSED], [], 0, 1) == [MINUS, UNUSED]
    many = [mutation(str(number), number, "a", "b") for number in range(100)]
    sample = run.chosen(many, [], 10, 1)
    assert len(set(sample)) == 10
    assert run.chosen(many, [], 10, 1) == sample
    assert run.chosen(many, [], 10, 2) != sample


def test_a_stopped_run_goes_on_with_what_is_left(project, monkeypatch):
    """What was planted is planted again only if a test has changed since."""
    found = {"minus": "killed", "unused": "SURVIVED"}
    tried = []

    def attempts(mutations, jobs):
        for each in mutations:
            tried.append(each.name)
            yield each, found[each.name], 0.0

    digest = run.digest
    monkeypatch.setattr(run, "digest", lambda each: digest(each, project))
    monkeypatch.setattr(run, "KEPT", project / "out" / "kept.txt")
    monkeypatch.setattr(run, "attempts", attempts)

    def tries(*mutations, resume=True):
        tried.clear()
        assert run.outcomes(list(mutations), 1, resume) == {
            each: found[each.name] for each in mutations
        }
        return list(tried)

    assert tries(MINUS) == ["minus"]
    with open(run.KEPT, "a", encoding="utf-8") as file:
        file.write(f"{run.digest(UNUSED)} kil")  # a line that was cut off
    assert tries(MINUS, UNUSED) == ["unused"]
    assert tries(MINUS, UNUSED, resume=False) == ["minus", "unused"]
    with open(project / "tests" / "test_sums.py", "a", encoding="utf-8") as file:
        file.write("# another text\n")
    assert tries(MINUS) == ["minus"]


def test_survivors_and_the_share_are_printed(capsys):
    found = {MINUS: "killed", UNUSED: "SURVIVED"}
    assert run.report([MINUS, UNUSED], found, 0.5) == 0
    assert capsys.readouterr().out == "survived: unused\n1 of 2 mistakes were noticed: 50%\n"
    assert run.report([MINUS, UNUSED], found, 0.6) == 1
    assert run.report([MINUS], {MINUS: "DOES NOT FIT"}, 0.0) == 1


@pytest.mark.slow
def test_tests_that_hang_do_not_pass(project):
    (project / "src" / "sums.py").write_text("while True:\n    pass\n")
    began = time.monotonic()
    assert not run.passes((("tests/test_sums.py",), "add", False), project, patience=3.0)
    assert time.monotonic() - began >= 3.0
    assert not run.AT_WORK
