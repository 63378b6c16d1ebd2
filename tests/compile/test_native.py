import math
import multiprocessing
import re
import threading
import time
from typing import NamedTuple

import numpy as np
import pytest

import lowbid
from compile.test_language import build
from environments.test_registry import EXAMPLES
from lowbid import mdp, policies
from lowbid._compile import _kernel, _native, background
from lowbid._compile._kernel import allocating_kernel, interpreted, kernel
from lowbid._compile._module import Module
from lowbid._random import key
from lowbid.mdp._simulate import loop_for as mdp_loop_for
from lowbid.simulation._delays import read_late
from lowbid.simulation._loop import loop_for
from lowbid.simulation._share import arms_of
from lowbid.testing._policies import informed_of, suitable_arms

VARIANTS = [each for name in policies.__all__ for each in getattr(policies, name).variants()]
RULES = [each for name in mdp.agents.__all__ for each in getattr(mdp, name).variants()]


def arguments_for(policy, environment, late=None, horizon=30):
    """A loop, and all that it takes."""
    loop, more = loop_for(policy, environment, late, 0)
    now, gaps, world = arms_of(environment, 0, 2)
    given = (
        policy.parameters(environment.n_arms, horizon, horizon),
        now,
        gaps,
        key(0, "losses"),
        key(0, policy.stream_name),
        0,
        np.array([horizon]),
        np.zeros((2, 1)),
        np.zeros((2, environment.n_arms), np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        world,
        *more,
    )
    return loop, given


def written(loop, given):
    """The text for LLVM; an error says what is not known."""
    module = Module()
    module.call(loop, _native.kinds_of(given))
    return module.text()


@pytest.mark.parametrize("policy", VARIANTS, ids=lambda policy: policy.name)
def test_every_policy_is_compiled_here(policy):
    arms = suitable_arms(policy)[0]
    for late in (None, read_late(3, 0.1, 2)):
        assert "lowbid_entry" in written(*arguments_for(informed_of(policy, arms), arms, late))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_for_mdps_is_compiled_here(rule):
    model = mdp.MetaChain()
    problem = rule.for_problem(model.problem(5))
    recorded = np.zeros((1, 1)), np.zeros((1, model.world.means.size), np.int64)
    flags = np.zeros(1, np.int64), np.zeros(1, np.int64), np.full(3, -1)
    facing = rule.parameters(problem), problem, model.course, model.optimum
    given = *facing, np.zeros(3, np.uint64), 0, np.array([5]), *recorded, *flags
    assert "lowbid_entry" in written(mdp_loop_for(rule), given)


@pytest.mark.parametrize("arms", EXAMPLES, ids=lambda arms: repr(arms)[:40])
def test_every_environment_is_played_as_python_plays_it(arms):
    policy = lowbid.UniformPlay()
    loop, given = arguments_for(policy, arms, horizon=60)
    build(loop, given)(*given)
    _, others = arguments_for(policy, arms, horizon=60)
    with interpreted():
        loop(*others)
    for number in (7, 8):
        assert given[number].tobytes() == others[number].tobytes()


class Switches(NamedTuple):
    on: bool
    rate: float


@allocating_kernel
def _switched(switches, numbers):
    if switches.on:
        numbers[0] = math.log(numbers[1])
    if switches.rate > 0.0:
        numbers[2] += math.exp(switches.rate)
    return switches.rate


def test_what_is_switched_off_is_left_out():
    numbers = np.ones(3)
    for on in (False, True):
        for rate in (0.0, 0.5):
            text = written(_switched, (Switches(on, rate), numbers))
            assert ("call double @llvm.log" in text) == on
            assert ("call double @llvm.exp" in text) == (rate > 0.0)


def test_a_loop_is_compiled_again_for_other_switches_and_not_for_other_rates():
    _switched.natives.clear()
    for on in (False, True, False):
        for rate in (0.5, 0.25, 0.0, -0.0, 3.0):
            numbers, expected = np.full(3, 2.0), np.full(3, 2.0)
            found = _switched(Switches(on, rate), numbers)
            with interpreted():
                _switched(Switches(on, rate), expected)
            assert numbers.tobytes() == expected.tobytes()
            assert (found, math.copysign(1.0, found)) == (rate, math.copysign(1.0, rate))
    assert [type(each) for each in _switched.natives.values()] == [_native.Call] * 4


@allocating_kernel
def _power(x):
    return x**3.0


def test_what_cannot_be_compiled_says_so_once_and_runs_uncompiled(caplog):
    for _ in range(2):
        assert _power(2.0) == 8.0
    (said,) = caplog.records
    line = _power.function.__code__.co_firstlineno + 2
    assert re.search(
        rf"kernel _power> runs uncompiled, .*test_native.py, line {line}: .*x \* x",
        said.getMessage(),
    )


@allocating_kernel
def _sum(numbers):
    total = 0.0
    for i in range(len(numbers)):
        total += numbers[i]
    return total


@pytest.mark.parametrize(
    "numbers",
    [np.arange(6.0)[::2], np.arange(3.0, dtype=">f8"), np.arange(3, dtype=np.int32)],
    ids=["gaps", "the other byte first", "32 bits"],
)
def test_arrays_that_lie_otherwise_run_uncompiled(numbers, caplog, monkeypatch):
    monkeypatch.setattr(_kernel, "_reported", set())
    assert _sum(numbers) == sum(numbers)
    assert "contiguous" in caplog.text or "array of" in caplog.text


def test_a_broken_llvm_costs_time_only(monkeypatch, caplog, tmp_path):
    def broken(text):
        raise AttributeError("create_pass_builder")

    monkeypatch.setenv("LOWBID_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_native, "object_of", broken)
    monkeypatch.setattr(background, "failed", False)
    for each in (_sum, _hungry):
        monkeypatch.setattr(each, "natives", {})
    assert _sum(np.arange(3.0)) == 3.0
    assert _hungry(2, 5) == 2.0
    (said,) = caplog.records  # once: the next kernel is likely to fail, too
    assert "cannot be compiled on this machine" in said.getMessage()


_ADDED = 1.0


@allocating_kernel
def _adds_a_global(switches, numbers):
    numbers[0] = numbers[0] + _ADDED if switches.on else numbers[0] - _ADDED
    return 0


def test_code_for_a_global_that_has_changed_is_not_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("LOWBID_CACHE_DIR", str(tmp_path))
    build(_adds_a_global, (Switches(False, 0.0), np.zeros(1)))
    (kept,) = tmp_path.iterdir()
    monkeypatch.setitem(globals(), "_ADDED", 2.0)
    build(_adds_a_global, (Switches(True, 0.0), np.zeros(1)))
    assert list(tmp_path.iterdir()) == [kept]


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork"
)
def test_a_child_compiles_that_was_forked_while_its_parent_did(monkeypatch, tmp_path):
    monkeypatch.setenv("LOWBID_CACHE_DIR", str(tmp_path))
    at_work, object_of = threading.Event(), _native.object_of

    def slow(text):
        at_work.set()
        time.sleep(0.5)
        return object_of(text)

    monkeypatch.setattr(_native, "object_of", slow)
    _sum.natives.clear()
    thread = threading.Thread(target=_sum, args=(np.arange(3.0),))
    thread.start()
    at_work.wait()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_sums_in_child).get(timeout=30) == 6.0
    thread.join()


def _sums_in_child():
    return _sum(np.arange(4.0).reshape(4))


@allocating_kernel
def _large(n):
    return np.zeros(n)


@allocating_kernel
def _hungry(turns, n):
    total = 0.0
    for i in range(turns):
        numbers = _large(n)
        numbers[i] = 1.0
        total += numbers[i] + numbers[n - 1]
    return total


def test_memory_of_a_turn_is_given_back():
    resource = pytest.importorskip("resource", reason="Windows sets no limits to memory")
    native = build(_hungry, (1, 10))
    before = resource.getrlimit(resource.RLIMIT_AS)
    most = 2**44 if before[1] == resource.RLIM_INFINITY else before[1]
    # 20 TB if it were not; a page of each is all that is ever written to.
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        assert native(20_000, 2**27) == 20_000.0
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_too_little_memory_is_an_error():
    native = build(_hungry, (1, 10))
    with pytest.raises(MemoryError, match="memory"):
        native(1, 2**59)
    assert native(2, 5) == 2.0


@kernel
def _add(numbers, i):
    numbers[0] += i


@allocating_kernel
def _count(n, numbers):
    for i in range(n):
        _add(numbers, i % 3)
    return True


def test_threads_run_at_once_and_a_fork_goes_on():
    native = build(_count, (1, np.zeros(1)))
    sums = [np.zeros(1) for _ in range(8)]
    threads = [threading.Thread(target=native, args=(30_000, each)) for each in sums]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {each[0] for each in sums} == {30_000.0}
    if "fork" in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.apply(_in_child, (30,)) == 30.0


def _in_child(n):
    numbers = np.zeros(1)
    assert build(_count, (1, numbers))(n, numbers) is True
    return numbers[0]
