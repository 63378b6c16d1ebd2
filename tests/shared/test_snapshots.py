"""Snapshots that no bandit can have made are not used, or do no harm."""

import functools
import hashlib
import json
import zlib

import pytest

import lowbid
from lowbid.errors import LowbidError
from lowbid.shared import _snapshots
from lowbid.shared.stores import store_at

HOSTILE = [None, True, -1, -3.5, 7, 2**70, 1e300, "x\0", [], {}, [[1]]]
START = len(_snapshots._FORMAT) + _snapshots._DIGEST


def used(url):
    """A bandit with everything that a snapshot can hold."""
    settings = {"window": "1h", "if_silent": 0.0, "sticky": True, "holdout": 0.3, "control": "x"}
    bandit = lowbid.open(url, "b", list("xyzw"), lowbid.UCB1(), reward_range=(0, 1), **settings)
    for number in range(30):
        decision = bandit.decide(unit=f"u{number % 10}", request_id=f"r{number}")
        if number % 3:
            bandit.update(decision, reward=0.5)
    bandit.pause_arm("w")
    bandit.remove_arm("z")
    bandit.compact(events="1h")
    return bandit


def leaves(value, path=()):
    """The paths of everything but the policy's state, which others mutate; of lists, the ends."""
    yield path
    if isinstance(value, dict | list):
        names = list(value) if isinstance(value, dict) else range(len(value))
        for name in dict.fromkeys([*names[:2], *names[-1:]] if isinstance(names, range) else names):
            if name != "state":
                yield from leaves(value[name], (*path, name))


def packed(saved):
    body = zlib.compress(json.dumps(saved).encode(), level=1)
    digest = hashlib.blake2b(body, digest_size=_snapshots._DIGEST).digest()
    return _snapshots._FORMAT + digest + body


def look_at(url):
    with lowbid.open(url, "b") as bandit:
        for view in ("means", "summary", "recommend", "shares", "history", "lift", "pending"):
            getattr(bandit, view)()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_mutated_snapshot_is_not_used_or_does_no_harm(url):
    used(url).close()
    store, faults = store_at(url), []
    with store.transaction(write=False) as transaction:
        text = zlib.decompress(transaction.snapshot(1)[START:])
    for path in list(leaves(json.loads(text)))[1:]:
        for value in HOSTILE:
            saved = json.loads(text)
            functools.reduce(lambda part, name: part[name], path[:-1], saved)[path[-1]] = value
            with store.transaction(write=True) as transaction:
                transaction.keep_snapshot(1, packed(saved))
            try:
                look_at(url)
            except LowbidError:
                continue
            except Exception as error:
                faults.append(f"{path} = {value!r}: {error!r}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("number",), None),
        (("number",), 2**70),
        (("changes",), [[1]]),
        (("settings", "window"), "x"),
        (("holdout", "made"), None),
        (("holdout", "groups"), []),
        (("core", "removed"), 2**70),
    ],
)
def test_what_is_not_used_is_made_again_from_the_events(url, path, value):
    bandit = used(url)
    expected = bandit.to_json()
    bandit.close()
    store = store_at(url)
    with store.transaction(write=True) as transaction:
        saved = json.loads(zlib.decompress(transaction.snapshot(1)[START:]))
        functools.reduce(lambda part, name: part[name], path[:-1], saved)[path[-1]] = value
        transaction.keep_snapshot(1, packed(saved))
    look_at(url)
    with lowbid.open(url, "b") as again:
        assert again.to_json() == expected
