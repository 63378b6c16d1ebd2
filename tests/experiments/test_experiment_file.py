import pytest

import lowbid
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.experiments.experiment_file import TEMPLATE, read_experiment


def read(tmp_path, text):
    path = tmp_path / "experiment.toml"
    path.write_text(text)
    return read_experiment(path)


def test_the_template_is_a_good_experiment(tmp_path):
    title, cases = read(tmp_path, TEMPLATE)
    assert title == "My comparison"
    assert [case.horizon for case in cases] == [10_000, 10_000]
    assert cases[0].environment.means.tolist() == [0.1, 0.12, 0.2]
    assert cases[0].policies["three batches"] == lowbid.BatchEnsemble(batches=3)
    schedule = lowbid.schedules.Logarithmic(0.3)
    assert cases[1].policies["0.3 log t batches"] == lowbid.BatchEnsemble(batches=schedule)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("batches = 3", "batches = 0"),
        ("batches = 3", "bathces = 3"),
        ('"ucb1"', '"ubc1"'),
        ("runs = 200", "runs = 0"),
        ("runs = 200", "rums = 200"),
        ("runs = 200", "runs == 200"),
        ("sd = 1.0", "sd = -1.0"),
        ("mean = [0.1, 0.12, 0.2]", 'mean = [0.1, "x", 0.2]'),
        ('family = "random-gaussian"', 'family = "random-gausian"'),
        ('"ucb1"', '"ubc1"  # a comment'),
        ("runs = 200", "Runs = 0"),
        ("batches = 3", '"batches" = 0'),
        ('batches = "log(0.3)"', 'batches = "lgo(0.3)"'),
        ('batches = "log(0.3)"', 'batches = "log(-1)"'),
        ("[[policies]]", "[[polices]]"),
        ("[[arms]]", "[[amrs]]"),
    ],
)
def test_a_bad_file_is_told_by_its_line(tmp_path, good, bad):
    text = TEMPLATE.replace(good, bad)
    line = 1 + next(i for i, each in enumerate(text.splitlines()) if bad in each)
    with pytest.raises(FileFormatError, match=rf"line {line}\b"):
        read(tmp_path, text)


def test_arms_that_a_policy_cannot_play_are_told_by_their_line(tmp_path):
    text = TEMPLATE.replace('"ucb1"', '"beta-thompson"')
    line = 1 + [i for i, each in enumerate(text.splitlines()) if each == "[[arms]]"][1]
    with pytest.raises(FileFormatError, match=rf"line {line}\b.*BetaThompson"):
        read(tmp_path, text)


@pytest.mark.parametrize("text", ["", "policies = []", 'policies = [{policy = "ucb1"}]'])
def test_a_file_without_policies_or_arms_is_refused(tmp_path, text):
    with pytest.raises(FileFormatError, match=r"there are no (policies|arms)"):
        read(tmp_path, text)


def test_a_file_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "latin.toml").write_bytes('title = "é"'.encode("latin-1"))
    with pytest.raises(FileFormatError, match="UTF-8"):
        read_experiment(tmp_path / "latin.toml")


def test_numbers_given_beside_the_file_count_and_are_checked(tmp_path):
    path = tmp_path / "experiment.toml"
    path.write_text(TEMPLATE)
    _, cases = read_experiment(path, horizon=50, seed=0)
    assert (cases[0].horizon, cases[0].runs, cases[0].seed) == (50, 200, 0)
    with pytest.raises(InvalidValueError, match=r"^runs is 0"):
        read_experiment(path, runs=0)


def test_numbers_of_the_file_count(tmp_path):
    path = tmp_path / "experiment.toml"
    path.write_text("horizon = 77\nruns = 5\nseed = 9\n" + TEMPLATE[TEMPLATE.index("[[arms]]") :])
    _, cases = read_experiment(path)
    assert {(case.horizon, case.runs, case.seed) for case in cases} == {(77, 5, 9)}


def test_a_file_that_is_not_there_says_how_to_get_one(tmp_path):
    with pytest.raises(FileFormatError, match="lowbid init"):
        read_experiment(tmp_path / "none.toml")
