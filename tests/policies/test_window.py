"""The ring of the last losses: against a list, with arms that come and go, and saved."""

import numpy as np
import pytest

import lowbid
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.policies._window import slide, sum_of_last, window_of
from naive import forgetting


@pytest.mark.parametrize("length", [1, 3, 17, 500])
def test_counts_and_sums_are_those_of_the_last_losses(length):
    rng = np.random.default_rng(0)
    history = [(int(rng.integers(3)), float(rng.normal())) for _ in range(200)]
    with interpreted():
        window = window_of(3, length, 200)
        for n, (arm, loss) in enumerate(history, start=1):
            slide(window, length, arm, loss)
            kept = forgetting.in_window(history[:n], length, 3)
            assert window.counts.tolist() == [len(each) for each in kept]
            np.testing.assert_allclose(window.sums, [sum(each) for each in kept], atol=1e-12)
            for each, losses in enumerate(kept):
                some = len(losses) // 2
                expected = sum(losses[len(losses) - some :])
                assert sum_of_last(window, length, each, some) == pytest.approx(expected)


def test_rounding_does_not_add_up():
    with interpreted():
        window = window_of(1, 5, 1000)
        slide(window, 5, 0, 1e15)
        for _ in range(30):
            slide(window, 5, 0, 0.1)
        assert window.sums[0] == sum([0.1] * 5)


def test_what_falls_out_is_forgotten_by_arms_that_come_and_go():
    policy = lowbid.SlidingWindowUCB(window=6, scale=10.0)
    bandit = lowbid.Bandit(["a", "b", "c"], policy, seed=0)
    for arm, loss in [("a", 1.0), ("b", 2.0), ("c", 3.0), ("b", 4.0)]:
        bandit.update(arm, loss=loss)
    bandit.remove_arm("a")
    assert bandit.state.window.sums.tolist() == [6.0, 3.0]
    bandit.add_arm("d")
    bandit.update("d", loss=5.0)
    for _ in range(2):
        bandit.update("c", loss=7.0)
    # a, b, c, b, d, c, c: the first one, of an arm that is gone, fell out.
    assert bandit.state.window.sums.tolist() == [6.0, 17.0, 5.0]
    bandit.update("c", loss=7.0)
    assert bandit.state.window.sums.tolist() == [4.0, 24.0, 5.0]


@pytest.mark.parametrize(("meanwhile", "left"), [(0, 3), (3, 3), (4, 2), (5, 1), (7, 1), (8, 0)])
def test_an_arm_that_comes_back_has_what_is_still_in_the_window(meanwhile, left):
    bandit = lowbid.Bandit(["a", "b"], lowbid.SlidingWindowUCB(window=8), seed=0)
    for arm in ("a", "a", "b", "b", "a"):
        bandit.update(arm, loss=1.0)
    bandit.pause_arm("a")
    for _ in range(meanwhile):
        bandit.update("b", loss=0.0)
    bandit.resume_arm("a")
    a = list(bandit.arms).index("a")
    assert bandit.state.window.counts[a] == bandit.state.window.sums[a] == left


def test_two_windows_cannot_be_merged():
    bandits = [lowbid.Bandit(2, lowbid.SlidingWindowUCB(window=5), seed=s) for s in (0, 1)]
    for bandit in bandits:
        bandit.update(0, loss=1.0)
    with pytest.raises(InvalidValueError, match="no common order in time"):
        bandits[0].merge(bandits[1])
    assert bandits[0].state.window.counts.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "policy", [lowbid.SlidingWindowUCB(window=30), lowbid.SlidingWindowLBSDA(window=30)]
)
def test_a_saved_bandit_goes_on(policy, tmp_path):
    bandit = lowbid.Bandit(3, policy, seed=1)
    for i in range(100):
        bandit.update(bandit.select(), loss=(i * 7 % 10) / 10)
    bandit.save(tmp_path / "bandit")
    twin = lowbid.Bandit.load(tmp_path / "bandit")
    for i in range(100):
        arm = bandit.select()
        assert arm == twin.select()
        for each in (bandit, twin):
            each.update(arm, loss=(i * 3 % 10) / 10)
