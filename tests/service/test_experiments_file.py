import pytest

from lowbid.errors import FileFormatError
from lowbid.service import create_app
from lowbid.service.experiments_file import make_experiments

GOOD = """\
[[experiment]]
name = "checkout"
arms = ["blue", "green"]
reward_range = [0, 1]
window = "1h"
if_silent = 0.0

[[experiment]]
name = "basket"
arms = ["small", "large"]
policy = "ucb1"
reward_range = [0, 10]
"""


def make(tmp_path, url, text):
    path = tmp_path / "shop.toml"
    path.write_text(text)
    experiments = create_app(url).state.experiments
    try:
        return make_experiments(path, experiments), experiments.names()
    finally:
        experiments.close()


def test_a_file_makes_experiments_once(tmp_path, url):
    for _ in range(2):
        assert make(tmp_path, url, GOOD) == (["checkout", "basket"], ["basket", "checkout"])


def test_a_file_that_is_not_there(url, tmp_path):
    with pytest.raises(FileFormatError, match=r"cannot be read .*; give a file of experiments\.$"):
        make_experiments(tmp_path / "none.toml", create_app(url).state.experiments)


@pytest.mark.parametrize(
    ("old", "new", "line", "word"),
    [
        ('window = "1h"', 'window = "soon"', 5, "soon"),
        ('policy = "ucb1"', 'policy = "ucb7"', 11, "ucb1"),
        ('name = "basket"', 'name = "checkout"', 9, "checkout"),
        ('name = "basket"', 'title = "basket"', 8, "name"),
        ('arms = ["small", "large"]', "arms = []", 10, "arms"),
        ("if_silent = 0.0", "if_silnt = 0.0", 6, "if_silnt"),
    ],
)
def test_an_error_names_its_line_and_nothing_is_made(tmp_path, url, old, new, line, word):
    with pytest.raises(FileFormatError) as error:
        make(tmp_path, url, GOOD.replace(old, new))
    assert f"line {line}:" in str(error.value)
    assert word in str(error.value)
    assert create_app(url).state.experiments.names() == []
