import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lowbid
from lowbid.report import Chart, save_figure, save_panel, styles
from lowbid.report._figures import draw, matplotlib_without_screen, spread

GAP = 0.05


@given(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=15))
def test_labels_are_moved_apart_and_keep_their_order(heights):
    named = {str(i): height for i, height in enumerate(heights)}
    places = spread(named, GAP)
    ordered = sorted(places.values())
    assert all(b - a > GAP - 1e-9 for a, b in itertools.pairwise(ordered))
    assert ordered[0] > -1e-9
    assert ordered[-1] < 1 + 1e-9
    clipped = {name: min(max(height, 0.0), 1.0) for name, height in named.items()}
    by_height = sorted(named, key=lambda name: (clipped[name], places[name]))
    assert by_height == sorted(named, key=lambda name: places[name])


@pytest.mark.parametrize("log", [False, True])
def test_figures_are_written_and_the_same_each_time(tmp_path, log):
    policies = [lowbid.UCB1(), lowbid.BatchEnsemble(batches=2)]
    result = lowbid.simulate(policies, lowbid.Bernoulli([0.2, 0.6]), horizon=100, runs=6)
    curves = {"a bound": result.checkpoints * 2.0}
    chart = Chart("chart", "title", result, {"growth": (50,)}, curves, log)
    shown = styles([chart])
    paths = save_figure(chart, shown, tmp_path) + save_panel([chart] * 4, shown, tmp_path, "panel")
    assert [path.name for path in paths] == ["chart.png", "chart.svg", "panel.png", "panel.svg"]
    before = [path.read_bytes() for path in paths]
    save_figure(chart, shown, tmp_path)
    save_panel([chart] * 4, shown, tmp_path, "panel")
    assert [path.read_bytes() for path in paths] == before
    assert "UCB1" in paths[1].read_text()


@pytest.mark.parametrize(("bound", "scale"), [(7.0, "linear"), (9.0, "log")])
def test_curves_that_end_far_apart_have_a_logarithmic_axis(bound, scale):
    result = lowbid.simulate(lowbid.UniformPlay(), lowbid.Bernoulli([0.2, 0.6]), 50, runs=4)
    end = result.regret[0, :, -1].mean()
    curves = {"a bound": result.checkpoints * bound * end / 50}
    chart = Chart("chart", "title", result, curves=curves)
    with matplotlib_without_screen() as plt:
        canvas, axes = plt.subplots()
        draw(axes, chart, styles([chart]))
        assert axes.get_yscale() == scale
        assert ("logarithmic" in axes.get_ylabel()) == (scale == "log")
        plt.close(canvas)
