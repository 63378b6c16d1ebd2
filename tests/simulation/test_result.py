import numpy as np
import pytest
from scipy import stats

import lowbid
from lowbid.errors import InvalidValueError, MissingPackageError, UnknownNameError

POLICIES = {"ucb": lowbid.UCB1(), "batch": lowbid.BatchEnsemble(batches=2)}
ARMS = lowbid.Bernoulli([0.1, 0.3, 0.5])


@pytest.fixture(scope="module")
def result():
    return lowbid.simulate(POLICIES, ARMS, horizon=200, runs=30, seed=3)


def test_summary(result):
    summary = result.summary()
    assert [row.policy for row in summary] == ["batch", "ucb"]
    final = result.regret[0, :, -1]
    row = summary.row("ucb")
    assert row.mean == pytest.approx(final.mean())
    assert row.sd == pytest.approx(final.std(ddof=1))
    assert row.se == pytest.approx(final.std(ddof=1) / np.sqrt(30))
    assert row.low < row.mean < row.high
    assert row.runs == 30
    assert row.quantiles[0.5] == pytest.approx(np.median(final))
    assert row.max == final.max()
    text = str(summary)
    assert f"{final.mean():.2f}" in text
    assert text.index("batch") < text.index("ucb")


def test_summary_at_an_earlier_step(result):
    step = int(result.checkpoints[10])
    assert result.summary(step).row("ucb").mean == pytest.approx(result.regret[0, :, 10].mean())
    with pytest.raises(InvalidValueError, match="was not recorded; the nearest checkpoint is"):
        result.summary(10**6)


def test_one_run_has_no_error_bar():
    single = lowbid.simulate(lowbid.UCB1(), ARMS, horizon=10, runs=1).summary()[0]
    assert np.isnan([single.sd, single.se, single.low, single.high]).all()
    assert np.isfinite(single.mean)


def test_paired_differences(result):
    difference = result.difference("ucb", "batch")
    pairs = result.regret[0, :, -1] - result.regret[1, :, -1]
    assert difference.mean == pytest.approx(pairs.mean())
    assert difference.se == pytest.approx(stats.sem(pairs))
    assert result.difference("ucb", "ucb").high == 0.0


def test_selection_by_name(result):
    assert result["batch"].policies == ("batch",)
    assert np.array_equal(result[["batch", "ucb"]].regret, result.regret[::-1])
    with pytest.raises(UnknownNameError, match="did you mean 'batch'"):
        result["batc"]
    with pytest.raises(UnknownNameError, match="unknown policy 0"):
        result[0]


def test_frames(result, monkeypatch):
    pytest.importorskip("pandas")
    frame = result.to_dataframe()
    assert list(frame.columns) == ["policy", "run", "step", "regret"]
    assert len(frame) == result.regret.size
    one = frame[(frame.policy == "batch") & (frame.run == 7)]
    assert np.array_equal(one.regret, result.regret[1, 7])
    assert np.array_equal(one.step, result.checkpoints)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="pip install"):
        result.to_dataframe()


def without_date(provenance):
    return {entry: value for entry, value in provenance.items() if entry != "date"}


def test_results_of_single_policies_make_the_result_of_all(result):
    parts = [
        lowbid.simulate({name: policy}, ARMS, horizon=200, runs=30, seed=3)
        for name, policy in POLICIES.items()
    ]
    whole = lowbid.Result.concatenate(parts)
    assert whole.policies == result.policies
    for name in ("checkpoints", "regret", "pulls"):
        assert np.array_equal(getattr(whole, name), getattr(result, name))
    assert without_date(whole.provenance) == without_date(result.provenance)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 4}, "seed is 3 in one and 4 in another"),
        ({"runs": 5}, "runs is 30 in one and 5"),
        ({"environment": lowbid.Bernoulli([0.1, 0.3, 0.6])}, "environment is"),
        ({"delay": 2}, "batch is None in one and 1 in another"),
        ({"checkpoints": [100]}, "different checkpoints"),
        ({"policies": {"ucb": lowbid.UCB1()}}, "two results have a policy named 'ucb'"),
    ],
)
def test_results_of_different_simulations_are_not_concatenated(result, change, message):
    like = {"policies": {"other": lowbid.UCB1()}, "environment": ARMS, "horizon": 200}
    other = lowbid.simulate(**{**like, "runs": 30, "seed": 3, **change})
    with pytest.raises(InvalidValueError, match=message):
        lowbid.Result.concatenate([result, other])


def test_nothing_cannot_be_concatenated():
    with pytest.raises(InvalidValueError, match="no results"):
        lowbid.Result.concatenate([])
