"""Processes that are killed at any moment lose nothing that was acknowledged, and repeat nothing.

``LOWBID_KILLS`` and ``LOWBID_SOAK_CALLS`` set how many kills and calls there are at least.
"""

import os
import random
import time

import pytest

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
