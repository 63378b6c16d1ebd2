"""Simulated sums, compared with the losses of a simulation one by one."""

import numpy as np

import lowbid
from lowbid._random import key, seek_loss, stream_of_run
from lowbid.theory._sampling import sums, worst_shortfalls

ARM = lowbid.Bernoulli([0.3])


def losses(purpose: str, run: int, n: int, seed: int = 4) -> list[float]:
    begin, stream = stream_of_run(key(seed, purpose), run), np.zeros(1, np.uint64)
    found = []
    for i in range(n):
        seek_loss(stream, begin, 0, i)
        found.append(ARM.draw(ARM.table(), 0, 0, stream))
    return found


def test_sums_are_of_independent_losses():
    expected = [sum(losses("sums of 9", run, 9)) for run in range(5)]
    assert sums(ARM, 9, runs=5, seed=4).tolist() == expected


def test_the_worst_shortfall_is_over_all_numbers_of_losses():
    widths = np.array([0.3, 0.2, 0.1, 0.1, 0.05, 0.0])
    expected = []
    for run in range(5):
        seen, worst = losses("shortfalls", run, 6), -np.inf
        for n in range(1, 7):
            batches = [seen[:n][j::2] for j in range(2)]
            index = min(sum(batch) / (len(batch) + 2) for batch in batches)
            worst = max(worst, 0.3 - index - widths[n - 1])
        expected.append(worst)
    found = worst_shortfalls(ARM, 2, widths, runs=5, seed=4)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
