"""State in and out: to the last bit, whole or not at all."""

import copy
import functools
import json
import os
import pickle
import subprocess
import sys
import threading
import time

import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble, policies, schedules
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.online import _saved

ALL = [policy for name in policies.__all__ for policy in getattr(policies, name).variants()]
ALL += [
    BatchEnsemble(batches=schedules.HighProbability(0.1), baseline="minimum"),
    BatchEnsemble(batches=schedules.Logarithmic(1.5), growth="redistribute", warmup=1),
]


def used(policy=None, steps=1500, **options):
    bandit = Bandit(["a", "b", "c", 4], policy, seed=2, horizon=3000, **options)
    for step in range(steps):
        arm = bandit.select()
        bandit.update(arm, loss=(0.3 + 0.1 * step) % 1.0)
    bandit.decide(3)
    return bandit


def go_on(bandit, steps=300):
    chosen = []
    for step in range(steps):
        decision = bandit.decide()
        chosen.append(decision.arm)
        bandit.update(decision, loss=(0.2 + 0.17 * step) % 1.0)
    return chosen


@pytest.mark.parametrize("policy", ALL, ids=lambda policy: policy.name)
def test_a_restored_bandit_goes_on_as_the_original_would_have(policy, tmp_path):
    bandit = used(policy)
    bandit.save(tmp_path / "bandit.json")
    twin = Bandit.load(tmp_path / "bandit.json")
    assert twin.policy == policy
    assert twin.to_json() == bandit.to_json()
    assert go_on(twin) == go_on(bandit)
    assert twin.to_json() == bandit.to_json()


def test_the_text_is_strict_json_that_a_person_can_read():
    bandit = used(lowbid.UCB1(), steps=2)  # widths of arms not yet played are infinite

    def refuse(word):
        raise AssertionError(word)

    text = bandit.to_json()
    body = json.loads(text, parse_constant=refuse)
    assert body["arms"][3]["name"] == 4
    assert [arm["count"] for arm in body["arms"]] == [float(x) for x in bandit.counts().values()]
    assert max(len(line) for line in text.splitlines()) < 400


@pytest.mark.parametrize("growth", ["append", "redistribute"])
def test_a_function_as_schedule_is_given_again(growth):
    policy = BatchEnsemble(batches=lambda step: 1 + step // 500, growth=growth)
    bandit = used(policy)
    text = bandit.to_json()
    with pytest.raises(FileFormatError, match="policy="):
        Bandit.from_json(text)
    with pytest.raises(InvalidValueError, match="was saved"):
        Bandit.from_json(text, policy=lowbid.UCB1())
    assert go_on(Bandit.from_json(text, policy=policy)) == go_on(bandit)


class EveryHundred:
    def __call__(self, step):
        return 1 + step // 100


def every(steps, step):
    return 1 + step // steps


@pytest.mark.parametrize("make", [EveryHundred, lambda: functools.partial(every, 100)])
def test_a_schedule_has_the_same_name_in_every_process(make):
    text = used(BatchEnsemble(batches=make())).to_json()
    again = BatchEnsemble(batches=make())  # elsewhere in memory, as in another process
    assert Bandit.from_json(text, policy=again).to_json() == text


def test_a_policy_of_ones_own_is_given_again():
    class Mine(lowbid.UCB1):
        pass

    text = used(Mine()).to_json()
    with pytest.raises(FileFormatError, match="policy="):
        Bandit.from_json(text)
    assert Bandit.from_json(text, policy=Mine()).to_json() == text


@pytest.mark.parametrize("state", [[], {}, [[1.0]]])
def test_a_whole_text_of_another_layout_is_not_called_damaged(state):
    body = json.loads(used().to_json())
    del body["checksum"]
    body["state"] = state
    text = json.dumps({**body, "checksum": _saved._checksum(body)})
    with pytest.raises(FileFormatError, match=r"is whole, but .*, written by lowbid"):
        Bandit.from_json(text)


def test_a_text_cannot_make_objects_of_other_libraries():
    text = used().to_json()
    forged = text.replace("lowbid.policies.batch_ensemble:BatchEnsemble", "subprocess:Popen")
    with pytest.raises(FileFormatError):
        Bandit.from_json(forged)


def test_every_kind_of_damage_is_refused(tmp_path):
    text = used(steps=40).to_json()
    path = tmp_path / "bandit.json"
    for cut in range(0, len(text), 97):
        path.write_text(text[:cut])
        with pytest.raises(FileFormatError, match="damaged"):
            Bandit.load(path)
    for at in range(0, len(text), 41):
        if text[at].isdigit():
            other = text[:at] + str(9 - int(text[at])) + text[at + 1 :]
            with pytest.raises(FileFormatError):
                Bandit.from_json(other)
    for number in ("1e999", "NaN", "-Infinity"):
        for field in ('"capacity": 1024', '"format_version": 1'):
            with pytest.raises(FileFormatError, match="damaged"):
                Bandit.from_json(text.replace(field, f"{field.split(':')[0]}: {number}"))
    for other in ["[]", "3", "{}", "\x00", text + "x", text.replace("lowbid-bandit", "bandit")]:
        with pytest.raises(FileFormatError):
            Bandit.from_json(other)
    with pytest.raises(FileFormatError, match="Upgrade"):
        Bandit.from_json(text.replace('"format_version": 1', '"format_version": 2'))
    with pytest.raises(FileNotFoundError):
        Bandit.load(tmp_path / "nowhere.json")


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "bandit.json"
    bandit = used(steps=10)
    bandit.save(path)
    before = path.read_text()
    bandit.update("a", loss=1.0)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        bandit.save(path)
    assert path.read_text() == before
    assert os.listdir(tmp_path) == ["bandit.json"]


def test_a_link_to_the_file_stays_a_link(tmp_path):
    bandit, target, link = used(steps=10), tmp_path / "real.json", tmp_path / "link.json"
    bandit.save(target)
    link.symlink_to(target)
    bandit.update("a", loss=1.0)
    bandit.save(link)
    assert link.is_symlink()
    assert target.read_text() == bandit.to_json()


# A parent, with all code loaded, forks children that save all the time, and kills each after a
# while that grows, so that all moments of `save` are hit; on a busy machine it takes more of them.
KILLER = """
import json, os, pathlib, signal, sys, time
from lowbid import Bandit
path = pathlib.Path(sys.argv[1])
bandit = Bandit(50, seed=0)
for i in range(200):
    bandit.update(i % 50, loss=0.5)
bandit.save(path)
kills = whole = during = 0
while kills < 200 or (during < 20 and kills < 5000):
    at_work, says_so = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(says_so, b"!")
        while True:
            bandit.update(0, loss=0.5)
            bandit.save(path)
    os.read(at_work, 1)
    time.sleep(0.00001 * (kills % 200))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(at_work), os.close(says_so)
    kills += 1
    whole += Bandit.load(path).counts()[0] >= 4
    for part in path.parent.glob(".*.part"):
        during += 1
        part.unlink()
print(json.dumps({"kills": kills, "whole": whole, "during": during}))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that it forks")
def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(tmp_path / "bandit.json")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)
    assert counted["whole"] == counted["kills"]
    assert counted["during"] >= 20  # unfinished files: kills in the middle of save


def test_threads_that_share_a_bandit_lose_no_update():
    bandit = Bandit(5, seed=0)
    bandit.update(bandit.select(), loss=0.5)
    failures = []

    def work(number):
        try:
            for i in range(400):
                if i % 3 == 0:
                    decision = bandit.decide()
                    bandit.update(decision, loss=0.5)
                else:
                    bandit.update(bandit.select(), loss=0.25)
                if i % 50 == number:
                    bandit.to_json()
                    bandit.explain()
        except Exception as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert failures == []
    assert sum(bandit.counts().values()) == 1 + 8 * 400
    assert bandit.state.batches.counts.sum() == 1 + 8 * 400
    assert bandit.step == 2 + 8 * 400
    assert bandit.pending() == []


@pytest.mark.parametrize(
    "take", [copy.copy, copy.deepcopy, lambda bandit: pickle.loads(pickle.dumps(bandit))]
)
def test_a_copy_taken_while_others_write_is_whole(take):
    bandit = Bandit(3, seed=0)
    bandit.update(bandit.decide(), loss=0.5)
    done = threading.Event()

    def work():
        while not done.is_set():
            bandit.update(bandit.decide(), loss=0.5)
            time.sleep(0.0001)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=work) for _ in range(4)]
    try:
        for thread in threads:
            thread.start()
        copies = [take(bandit) for _ in range(30)]
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    for twin in copies:
        told = sum(twin.counts().values())
        assert told == twin.state.batches.counts.sum() == twin.step - 1 - len(twin.pending())
        assert twin.state.batches.pending.sum() == len(twin.pending())


def test_a_copy_shares_nothing():
    bandit = used()
    before = bandit.to_json()
    twin = copy.copy(bandit)
    twin.update("a", loss=0.5)
    twin.remove_arm("b")
    assert bandit.to_json() == before


def test_two_bandits_that_merge_each_other_do_not_wait_forever():
    one, two = Bandit(3, seed=0), Bandit(3, seed=1)
    threads = [
        threading.Thread(target=lambda: [copy_merge(one, two) for _ in range(20)]),
        threading.Thread(target=lambda: [copy_merge(two, one) for _ in range(20)]),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)


def copy_merge(one, two):
    try:
        one.merge(two)
    except InvalidValueError:
        time.sleep(0)  # merged before: they have a common past


def test_merged_bandits_know_what_both_saw():
    ones = [(arm, (7 * i % 5) / 4) for i, arm in enumerate(["a", "b", "c", 4] * 30)]
    left, right = Bandit(["a", "b", "c", 4], seed=0), Bandit([4, "c", "b", "a"], seed=1)
    for i, (arm, reward) in enumerate(ones):
        (left if i % 3 else right).update(arm, reward=reward)
    waiting = right.decide(4)
    mine = left.decide(2)
    left.merge(right)
    everything = {arm: [x for other, x in ones if other == arm] for arm in left.arms}
    assert left.counts() == {arm: len(x) for arm, x in everything.items()}
    assert left.means() == pytest.approx({arm: sum(x) / len(x) for arm, x in everything.items()})
    assert left.step == len(ones) + 6 + 1
    assert left.state.batches.pending.sum() == 6
    for decision in [*waiting, *mine]:
        assert left.update(decision, reward=1.0) is None
    go = [left.select() for _ in range(5)]
    assert set(go) <= set(left.arms)


def test_arms_that_were_removed_from_either_are_answered_after_a_merge():
    left, right = Bandit(["a", "b"]), Bandit(["a", "b", "old"])
    right.remove_arm("old")
    left.merge(right)
    assert left.update("old", loss=1.0) == "removed"


def test_only_like_is_merged_with_like():
    base = used()
    for other, reason in [
        (used(lowbid.UCB1()), "different policies"),
        (Bandit(["a", "b"]), "different"),
        (used(loss_range=(0, 2)), "different kinds or ranges"),
        (Bandit.from_json(base.to_json()), "common past"),
        ("no bandit", "not a bandit"),
    ]:
        before = base.to_json()
        with pytest.raises(InvalidValueError, match=reason):
            base.merge(other)
        assert base.to_json() == before
    with pytest.raises(InvalidValueError, match="cannot be merged"):
        used(lowbid.LBSDA()).merge(used(lowbid.LBSDA()))


def test_many_updates_leave_memory_and_text_as_they_were():
    bandit = Bandit(3, BatchEnsemble(batches=8, baseline="minimum"), seed=0)

    def size():
        return sum(array.nbytes for array in lowbid.policies._base.arrays_of(bandit.state))

    for i in range(2000):
        bandit.update(bandit.select(), loss=(i % 10) / 10)
    before, text = size(), len(bandit.to_json())
    for i in range(30_000):
        bandit.update(bandit.select(), loss=(i % 10) / 10)
    assert size() == before
    assert len(bandit.to_json()) < 1.5 * text
