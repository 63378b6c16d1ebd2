"""A bandit in a notebook."""

import re

from lowbid import Bandit
from online_play import ENSEMBLE


def test_means_and_intervals_are_drawn_on_one_scale():
    bandit = Bandit(["low", "high", "none"], ENSEMBLE, loss_range=(0.0, 10.0))
    bandit.update_many(["low", "high"] * 400, losses=[2.0, 8.0] * 400)
    shown = bandit._repr_html_()
    places = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', shown)]
    lines = [
        (float(a), float(b)) for a, b in re.findall(r'<line x1="([\d.]+)" x2="([\d.]+)"', shown)
    ]
    assert len(places) == len(lines) == 2  # nothing is drawn for an arm without values
    assert places[0] < places[1]
    for place, (left, right) in zip(places, lines, strict=True):
        assert 10 <= left < place < right <= 350
    assert "<td>400</td><td>2</td>" in shown
    assert "<td>0</td><td>-</td>" in shown
    assert "mean loss" in shown


def test_an_empty_bandit_and_one_value_are_drawn():
    bandit = Bandit(2, ENSEMBLE)
    assert bandit._repr_html_().count("<circle") == 0
    assert "mean outcome" in bandit._repr_html_()
    bandit.update(0, reward=5.0)
    assert '<circle cx="10.0"' in bandit._repr_html_()
