"""Processes that are killed at any moment lose nothing that was acknowledged, and repeat nothing.

``LOWBID_KILLS`` and ``LOWBID_SOAK_CALLS`` set how many kills and calls there are at least.
"""

import json
import multiprocessing
import os
import random
import time

import pytest

import lowbid
from herd import BANDITS, Herd, damage, make_bandits

KILLS = int(os.environ.get("LOWBID_KILLS", "60"))
CALLS = int(os.environ.get("LOWBID_SOAK_CALLS", "1000"))
PAUSE = 0.15  # seconds between two kills, at most

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked and killed here"),
]


@pytest.mark.parametrize("name", list(BANDITS))
def test_processes_are_killed_at_any_moment(any_url, tmp_path, name):
    make_bandits(any_url, [name])
    chance, kills, done = random.Random(5), 0, []
    herd = Herd([any_url] * 8, tmp_path / "notes", [name])
    give_up = time.monotonic() + 60 + PAUSE * KILLS + 0.02 * CALLS
    while (kills < KILLS or len(done) < CALLS) and time.monotonic() < give_up:
        time.sleep(chance.uniform(0.0, PAUSE))
        number = chance.randrange(8)
        assert herd.kill(number), "a process ended by itself"
        herd.start(number)
        kills += 1
        if kills >= KILLS and kills % 20 == 0:
            done = herd.done()
    assert herd.end(), "a process ended by itself"
    done = herd.done()
    assert kills >= KILLS
    assert len(done) >= CALLS
    print(f"{kills} kills, {len(done)} acknowledged calls")
    found = damage(any_url, [name], done)
    assert not any(found), found


def correct_for_ever(url, path):
    """Report outcomes and correct them; write down each id whose correction is acknowledged."""
    bandit = lowbid.open(url, "b")
    with open(path, "a") as notes:
        while True:
            decision = bandit.decide()
            bandit.update(decision, reward=1.0)
            assert bandit.amend(decision, reward=0.25, reason="refund") is None
            print(decision.id, file=notes, flush=True)
            assert bandit.void(since=0.0, until=1.0) == 0


def test_processes_that_correct_outcomes_are_killed(any_url, tmp_path):
    bandit = lowbid.open(any_url, "b", ["x", "y"], reward_range=(0, 1))
    context, chance, notes = multiprocessing.get_context("spawn"), random.Random(7), tmp_path / "n"
    for _ in range(max(3, KILLS // 8)):
        processes = [
            context.Process(target=correct_for_ever, args=(any_url, notes)) for _ in range(2)
        ]
        for process in processes:
            process.start()
        time.sleep(4.0 + chance.uniform(0.0, 1.0))
        for process in processes:
            process.kill()
            process.join()
    bandit.export_decisions(tmp_path / "decisions.jsonl")
    rows = map(json.loads, (tmp_path / "decisions.jsonl").read_text().splitlines())
    rewards = {row["decision"]: row["reward"] for row in rows}
    corrected = notes.read_text().split()
    assert len(corrected) >= 3
    assert {rewards[each] for each in corrected} == {0.25}
    counts, means = bandit.counts(), bandit.means()
    total = sum(counts[arm] * means[arm] for arm in counts if counts[arm])
    assert total == pytest.approx(sum(value for value in rewards.values() if value is not None))
    with bandit._log.store.apart().transaction(write=True) as transaction:
        transaction.keep_snapshot(bandit.key, b"damaged")
    assert lowbid.open(any_url, "b").to_json() == bandit.to_json()
