import numpy as np
import pytest

from lowbid.report import save_learning, save_solving
from lowbid.report._deep_figures import moving_means


def test_moving_means_are_those_of_the_last_episodes():
    returns = np.random.default_rng(0).normal(size=(2, 30))
    found = moving_means(returns, 7)
    for run in range(2):
        for episode in range(30):
            wanted = returns[run, max(0, episode - 6) : episode + 1].mean()
            assert found[run, episode] == pytest.approx(wanted)


@pytest.mark.parametrize(
    "solved",
    [
        {"one": [(10, 90), (10, 110), (20, 300)], "another with a long name": [(10, None)]},
        {"nothing is solved": [(10, None)]},
    ],
)
def test_pictures_of_seas_are_written_and_the_same_each_time(tmp_path, solved):
    paths = save_solving(solved, 600, tmp_path, "sea")
    assert [path.name for path in paths] == ["sea.png", "sea.svg"]
    before = [path.read_bytes() for path in paths]
    save_solving(solved, 600, tmp_path, "sea")
    assert [path.read_bytes() for path in paths] == before
    text = paths[1].read_text()
    assert "episodes until solved" in text
    assert next(iter(solved)) in text


def test_learning_curves_are_written(tmp_path):
    curves = {"one": np.arange(60.0).reshape(2, 30), "another": np.ones((1, 30))}
    paths = save_learning(curves, 5, "CartPole-v1", tmp_path, "control")
    assert "CartPole-v1" in paths[1].read_text()
    assert "another" in paths[1].read_text()
