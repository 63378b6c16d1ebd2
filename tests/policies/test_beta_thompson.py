import numpy as np
from scipy import stats

import lowbid
from replay import replay


def test_the_posterior_counts_losses():
    arms = lowbid.Bernoulli([0.2, 0.6])
    for moment in replay(lowbid.BetaThompson(), arms, horizon=200, seed=1):
        state = moment.bandit.state
        for arm, losses in enumerate(moment.losses):
            assert state.bad[arm] == 1 + sum(losses)
            assert state.good[arm] == 1 + len(losses) - sum(losses)


def test_arms_are_played_as_often_as_their_draw_is_lowest():
    """P(Beta(2, 4) < Beta(3, 3)), by numerical integration."""
    bandit = lowbid.Bandit(2, lowbid.BetaThompson(), seed=0)
    for arm, loss in [(0, 1), (0, 0), (0, 0), (0, 0), (1, 1), (1, 1), (1, 0), (1, 0)]:
        bandit.update(arm, loss=loss)
    n = 20_000
    first = sum(bandit.select() == 0 for _ in range(n)) / n
    x = np.linspace(0, 1, 20_001)
    expected = np.trapezoid(stats.beta(2, 4).cdf(x) * stats.beta(3, 3).pdf(x), x)
    assert abs(first - expected) < 4 * np.sqrt(expected * (1 - expected) / n)


def test_a_loss_between_0_and_1_is_a_coin():
    bandit = lowbid.Bandit(1, lowbid.BetaThompson(), seed=0)
    n = 20_000
    for _ in range(n):
        bandit.update(0, loss=0.3)
    flips = bandit.state.bad[0] - 1
    assert flips == int(flips)
    assert bandit.state.good[0] - 1 == n - flips
    assert abs(flips / n - 0.3) < 4 * np.sqrt(0.3 * 0.7 / n)


def test_a_merged_posterior_counts_the_prior_once():
    policy = lowbid.BetaThompson(prior_bad=0.5, prior_good=2.0)
    parts = [policy.start(2)[1] for _ in range(2)]
    for state, losses in zip(parts, ([(0, 1.0), (1, 0.0)], [(0, 1.0), (0, 0.0)]), strict=True):
        for arm, loss in losses:
            policy.kernels.update(
                policy.parameters(2, None, 1), state, arm, loss, 1, np.zeros(1, np.uint64)
            )
    merged = policy.merge(*parts)
    assert merged.bad.tolist() == [0.5 + 2.0, 0.5]
    assert merged.good.tolist() == [2.0 + 1.0, 2.0 + 1.0]
