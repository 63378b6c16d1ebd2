"""What a process writes down outlives it."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import lowbid
from lowbid.errors import FileFormatError, InvalidValueError

ARMS = ["A", "B"]


def opened(url, journal):
    return lowbid.open(url, "checkout", ARMS, kind="reward", exchange="1d", journal=journal)


def abandoned(member):
    """Leave a member as a kill would: nothing is closed but what the system closes."""
    member._journal.close()
    member._closed.set()


@pytest.mark.parametrize("seed", range(4))
def test_a_successor_has_every_outcome_once(url, tmp_path, seed):
    rng, told = random.Random(seed), dict.fromkeys(ARMS, 0)
    for _ in range(6):
        member = opened(url, tmp_path / "journal")
        for _ in range(rng.randrange(6)):
            arm = rng.choice(ARMS)
            assert member.update(arm, reward=1.0) is None
            told[arm] += 1
            if rng.random() < 0.3:
                member.exchange()
        member.decide(rng.randrange(3))
        abandoned(member)
    last = opened(url, tmp_path / "journal")
    assert last.counts() == told
    assert last.status().processes == 1
    last.close()
    other = lowbid.open(url, "checkout", exchange="1d")
    assert other.counts() == told
    other.close()


def test_a_row_that_was_folded_meanwhile_is_not_continued(url, tmp_path, monkeypatch):
    member = opened(url, tmp_path / "journal")
    member.update("A", reward=1.0)
    member.exchange()
    member.update("B", reward=1.0)
    abandoned(member)
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT", -1)
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT_EXCHANGES", 0)
    folding = lowbid.open(url, "checkout", exchange="1d")
    folding.exchange()
    last = opened(url, tmp_path / "journal")
    folding.exchange()
    assert last.counts() == folding.counts() == {"A": 1, "B": 1}
    last.close()
    folding.close()


def test_a_line_that_was_cut_short_is_left_out(url, tmp_path):
    member = opened(url, tmp_path / "journal")
    member.update("A", reward=1.0)
    member.update("B", reward=1.0)
    abandoned(member)
    text = (tmp_path / "journal").read_bytes()
    (tmp_path / "journal").write_bytes(text[:-3])
    last = opened(url, tmp_path / "journal")
    assert last.counts() == {"A": 1, "B": 0}
    last.close()


def test_a_journal_is_for_one_process_of_one_fleet(url, tmp_path):
    member = opened(url, tmp_path / "journal")
    with pytest.raises(InvalidValueError, match="in use by another process"):
        opened(url, tmp_path / "journal")
    member.close()
    with pytest.raises(InvalidValueError, match="belongs to"):
        lowbid.open(url, "other", ARMS, kind="loss", exchange=1, journal=tmp_path / "journal")
    (tmp_path / "journal").write_text("not a journal\n")
    with pytest.raises(FileFormatError, match="not a journal"):
        opened(url, tmp_path / "journal")


WORKER = """
    import random, sys
    import lowbid

    url, journal, acknowledged, seed = sys.argv[1:]
    bandit = lowbid.open(url, "checkout", journal=journal, exchange=0.02)
    rng = random.Random(int(seed))
    with open(acknowledged, "ab", buffering=0) as file:
        while True:
            arm = rng.choice("AB")
            file.write(b"?")
            bandit.update(arm, reward=1.0)
            file.write(arm.encode())
"""


@pytest.mark.slow
def test_kills_lose_nothing_that_was_acknowledged(any_url, tmp_path):
    lowbid.open(any_url, "checkout", ARMS, kind="reward", exchange=0.02).close()
    rng = random.Random(1)
    for kill in range(12):
        workers = [
            subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    textwrap.dedent(WORKER),
                    any_url,
                    str(tmp_path / f"journal {worker}"),
                    str(tmp_path / f"acknowledged {worker}"),
                    str(100 * kill + worker),
                ],
                env={**os.environ, "LOWBID_COMPILED": "never"},
            )
            for worker in range(3)
        ]
        time.sleep(1.5 + 2.0 * rng.random())
        for process in workers:
            process.send_signal(signal.SIGKILL)
            process.wait()
    for worker in range(3):
        lowbid.open(
            any_url, "checkout", exchange=0.02, journal=tmp_path / f"journal {worker}"
        ).close()
    last = lowbid.open(any_url, "checkout", exchange=0.02)
    texts = [(tmp_path / f"acknowledged {worker}").read_text() for worker in range(3)]
    done = {arm: sum(text.count(arm) for text in texts) for arm in ARMS}
    # A call that was cut off may have been recorded or not.
    unknown = sum(text.count("?") for text in texts) - sum(done.values())
    found = last.counts()
    last.close()
    assert sum(done.values()) > 500
    assert 0 <= unknown <= 36
    assert all(found[arm] >= done[arm] for arm in ARMS), (found, done)
    assert sum(found.values()) <= sum(done.values()) + unknown, (found, done)
