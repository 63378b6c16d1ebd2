"""The bandit as a whole: choices, names and units, threads, copies, files."""

import copy
import decimal
import enum
import json
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.simulation import loss_of
from online_play import ENSEMBLE, go_on, used

ARMS = lowbid.Bernoulli([0.2, 0.4, 0.5])


POLICIES = [
    BatchEnsemble(),
    BatchEnsemble(baseline="minimum", growth="redistribute"),
    lowbid.UCB1(),
    lowbid.BetaThompson(),
]


def play(bandit, steps, choose, tell):
    """Play arms 0, 1, 2 on the losses of run 0, and give the arms chosen."""
    table, counts, chosen = ARMS.table(), [0, 0, 0], []
    for _ in range(steps):
        arm, what = choose(bandit)
        tell(bandit, what, loss_of(ARMS, table, 5, 0, arm, counts[arm]))
        counts[arm] += 1
        chosen.append(arm)
    return chosen


def select(bandit):
    arm = bandit.select()
    return arm, arm


def decide(bandit):
    decision = bandit.decide()
    return decision.arm, decision


def tell_loss(bandit, what, loss):
    assert bandit.update(what, loss=loss) is None


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("choose", [select, decide])
def test_it_makes_the_choices_of_the_simulation(policy, choose):
    steps = 2500  # past the first doubling of the room for steps
    bandit = Bandit(3, policy, seed=5, horizon=steps)
    chosen = play(bandit, steps, choose, tell_loss)
    result = lowbid.simulate(policy, ARMS, steps, runs=1, seed=5)
    assert np.bincount(chosen, minlength=3).tolist() == result.pulls[0, 0].tolist()


def test_rewards_of_any_sign_and_size_make_the_same_choices():
    def tell_reward(scale, shift):
        return lambda bandit, arm, loss: bandit.update(arm, reward=shift - scale * loss)

    ours = play(Bandit(3, seed=1), 600, select, tell_loss)
    for scale, shift in [(1.0, 0.0), (1024.0, 0.0), (0.5, -64.0), (1.0, 4096.0)]:
        assert play(Bandit(3, seed=1), 600, select, tell_reward(scale, shift)) == ours


@pytest.mark.parametrize("policy", [BatchEnsemble(), lowbid.BetaThompson()], ids=str)
def test_a_policy_that_must_know_the_best_reward_asks_for_it(policy):
    with pytest.raises(InvalidValueError, match="reward_range"):
        Bandit(3, policy).update(0, reward=1.0)

    def tell_reward(bandit, arm, loss):
        bandit.update(arm, reward=30.0 - 40.0 * loss)

    bandit = Bandit(3, policy, seed=1, reward_range=(-10.0, 30.0))
    assert play(bandit, 300, select, tell_reward) == play(
        Bandit(3, policy, seed=1), 300, select, tell_loss
    )
    with pytest.raises(InvalidValueError, match="from -10 to 30"):
        bandit.update(0, reward=30.5)


def test_true_and_numpy_numbers_are_rewards_too():
    bandit = Bandit(["a", "b"])
    rewards = [True, np.bool_(False), 1, np.int32(2), np.float32(0.5), decimal.Decimal("1.5")]
    for reward in rewards:
        bandit.update(np.str_("a"), reward=reward)
    assert bandit.counts() == {"a": 6, "b": 0}
    assert bandit.means()["a"] == pytest.approx(1.0)
    bandit.update_many(["b"] * 6, rewards=rewards)
    assert bandit.means()["b"] == bandit.means()["a"]
    assert {type(arm) for arm in bandit.arms} == {str}


def test_the_members_of_an_enumeration_are_arms():
    class Page(str, enum.Enum):  # noqa: UP042 - its str() is not its value
        SHORT = "short"
        LONG = "long"

    bandit = Bandit(Page)
    assert bandit.arms == ["short", "long"]
    assert bandit.update(Page.SHORT, loss=1.0) is None
    assert bandit.update("short", loss=1.0) is None
    assert bandit.counts() == {"short": 2, "long": 0}


def test_threads_that_share_a_bandit_lose_no_update():
    bandit = Bandit(5, ENSEMBLE, seed=0)
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
    bandit = Bandit(3, ENSEMBLE, seed=0)
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
    one, two = Bandit(3, ENSEMBLE, seed=0), Bandit(3, ENSEMBLE, seed=1)
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


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
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


@pytest.mark.slow
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


def test_a_save_error_names_the_users_file(tmp_path):
    bandit = used(steps=5)
    nowhere = tmp_path / "no such folder" / "bandit.json"
    with pytest.raises(FileNotFoundError) as caught:
        bandit.save(nowhere)
    assert caught.value.filename == str(nowhere)
    assert ".part" not in str(caught.value)
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(OSError, match=r"folder\.json") as caught:
        bandit.save(tmp_path / "folder.json")
    assert ".part" not in str(caught.value)
    assert os.listdir(tmp_path) == ["folder.json"]


class TestLoadOrNew:
    def test_it_starts_and_then_goes_on(self, tmp_path):
        path = tmp_path / "bandit.json"

        def today():
            return Bandit.load_or_new(path, ["a", "b"], ENSEMBLE, seed=4, expiry=9)

        bandit = today()
        assert not path.exists()
        assert go_on(bandit, 50) == go_on(Bandit(["a", "b"], ENSEMBLE, seed=4), 50)
        bandit.save(path)
        assert today().to_json() == bandit.to_json()
        assert today().expiry == 9
        assert go_on(today()) == go_on(bandit)

    def test_new_arms_are_added_and_none_is_removed(self, tmp_path):
        path = tmp_path / "bandit.json"
        bandit = Bandit(["a", "b", "c", "d"], ENSEMBLE)
        bandit.update_many(["a", "b"], losses=[0.5, 0.5])
        bandit.pause_arm("b")
        bandit.remove_arm("c")
        bandit.save(path)
        again = Bandit.load_or_new(path, ["b", "c", "new"], ENSEMBLE, expiry=7)
        assert (again.arms, again.paused) == (["a", "d", "new"], ["b"])
        assert again.counts() == {"a": 1, "d": 0, "new": 0, "b": 1}
        assert again.expiry == 7
        assert Bandit.load_or_new(path, ["a"], ENSEMBLE).expiry is None

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"policy": lowbid.UCB1()}, "was saved"),
            ({"horizon": 50}, "the horizon given is 50, but that of .* is 100"),
            ({"loss_range": (0, 2)}, "the range given is .* is .*'loss'"),
            ({"reward_range": (0, 1)}, "the range given"),
            ({"loss_range": (2, 0)}, "the smaller first"),
            ({"expiry": 0}, "expiry"),
        ],
    )
    def test_what_contradicts_the_file_is_refused(self, tmp_path, options, says):
        path = tmp_path / "bandit.json"
        Bandit(["a", "b"], ENSEMBLE, horizon=100, loss_range=(0, 1)).save(path)
        before = path.read_bytes()
        with pytest.raises(InvalidValueError, match=says):
            Bandit.load_or_new(path, ["a", "b"], **{"policy": ENSEMBLE, **options})
        assert path.read_bytes() == before
        same = Bandit.load_or_new(path, ["a", "b"], ENSEMBLE, horizon=100, loss_range=(0, 1))
        assert same.horizon == 100

    def test_a_damaged_file_is_not_taken_for_none(self, tmp_path):
        path = tmp_path / "bandit.json"
        path.write_text("{")
        with pytest.raises(FileFormatError, match="damaged"):
            Bandit.load_or_new(path, ["a", "b"])


def test_arms_are_explored_in_the_order_of_no_name():
    """Names do not matter: only their places do."""
    by_number, by_name = Bandit(3, ENSEMBLE, seed=1), Bandit(["x", "y", "z"], ENSEMBLE, seed=1)
    names = dict(enumerate(by_name.arms))
    assert [names[arm] for arm in go_on(by_number)] == go_on(by_name)


def test_the_seed_fixes_all_choices():
    chosen = [go_on(Bandit(5, ENSEMBLE, seed=seed)) for seed in (0, 0, 1)]
    assert chosen[0] == chosen[1] != chosen[2]


def test_a_bandit_without_a_log_refuses_corrections():
    bandit = lowbid.Bandit(["a", "b"])
    for refused in (bandit.amend, bandit.void):
        with pytest.raises(InvalidValueError, match=r"lowbid\.open"):
            refused("a", reason="refund")
