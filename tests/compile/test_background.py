"""Kernels that run uncompiled while they are compiled, in processes of their own."""

import os
import pickle
import subprocess
import sys
import textwrap

import pytest

import lowbid
from lowbid._compile._kernel import default_when
from lowbid.errors import InvalidValueError

BEGIN = """
import sys, time, logging
import lowbid
from lowbid._compile._background import background

def play(bandit, steps):
    chosen = []
    for step in range(steps):
        arm = bandit.select()
        chosen.append(arm)
        bandit.update(arm, loss=(0.3 + 0.1 * step * (1 + arm)) % 1.0)
    return chosen

def is_over(bandit):
    engine = bandit._core.engine
    return engine._select is not None and engine._take_in is not None

bandit = lowbid.Bandit(3, lowbid.UCB1(), seed=1, compiled="background")
expected = play(lowbid.Bandit(3, lowbid.UCB1(), seed=1, compiled="never"), 300)
"""


def run(script, tmp_path, **environment):
    """What a new process with an empty cache prints."""
    given = {**os.environ, "LOWBID_CACHE_DIR": str(tmp_path / "cache"), **environment}
    out = subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(script)],
        env=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    return out.stdout.split(), out.stderr


def test_a_bandit_decides_before_anything_is_compiled(tmp_path):
    script = """
    first = play(bandit, 10)
    print(first == expected[:10], "llvmlite" in sys.modules, is_over(bandit))
    """
    assert run(script, tmp_path) == (["True", "False", "False"], "")


@pytest.mark.slow
def test_it_goes_over_between_two_calls_and_makes_the_same_choices(tmp_path):
    script = """
    chosen = play(bandit, 20)
    print(background.wait(200), is_over(bandit))
    chosen += play(bandit, 280)  # not the same losses as in one go
    again = lowbid.Bandit(3, lowbid.UCB1(), seed=1, compiled="never")
    print(is_over(bandit), play(again, 20) + play(again, 280) == chosen)
    print(all((a == b).all() for a, b in zip(again.state, bandit.state)))
    """
    printed, errors = run(script, tmp_path)
    assert printed == ["True", "False", "True", "True", "True"]
    assert errors == ""
    assert len(list((tmp_path / "cache").rglob("*.o"))) >= 2


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a folder that nobody can make")
def test_where_nothing_can_be_kept_the_thread_compiles(tmp_path):
    script = """
    play(bandit, 20)
    print(background.wait(200), play(bandit, 2) and is_over(bandit))
    """
    printed, _ = run(script, tmp_path, LOWBID_CACHE_DIR="/proc/nowhere")
    assert printed[0] == "True"
    assert printed[-1] == "True"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_goes_on_by_itself(tmp_path):
    """While the parent compiles, in its thread: a lock that is held there would stay held."""
    script = """
    import os
    chosen = play(bandit, 20)
    for pause in (0.0, 0.06, 0.05, 0.05, 0.05, 0.05, 0.05):
        time.sleep(pause)
        child = os.fork()
        if child == 0:
            begin = time.monotonic()
            play(bandit, 20)
            print(background.wait(200), flush=True)
            play(bandit, 2)
            print(is_over(bandit), flush=True)
            os._exit(0)
        print(os.waitpid(child, 0)[1], flush=True)
    print(background.wait(200))
    play(bandit, 2)
    print(is_over(bandit))
    """
    printed, _ = run(script, tmp_path)
    assert printed == ["True", "True", "0"] * 7 + ["True", "True"]


# Each begins to compile something, and leaves the rest of the script while that goes on.
BUSY = {
    "bandit": "play(bandit, 20)",
    "agent": """
    from lowbid import mdp
    agent = mdp.Agent(3, 2, 5, seed=1, reward_range=(0, 1), best_return=5.0, compiled="background")
    for _ in range(4):
        agent.begin(0)
        while agent.stage is not None:
            action = agent.act()
            agent.update(reward=0.5 * action, next_state=(action + 1) % 3)
    """,
    "features": """
    by_features = lowbid.Bandit(3, features=4, seed=1, compiled="background")
    for step in range(20):
        decision = by_features.decide(features=[step % 3, step % 5, 1, 0])
        by_features.update(decision, loss=0.1 * decision.arm)
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5])
@pytest.mark.parametrize("busy", BUSY)
def test_a_process_can_end_at_any_time(busy, after, tmp_path):
    script = textwrap.dedent(BUSY[busy]) + f"\ntime.sleep({after}); print('ends')"
    assert run(script, tmp_path) == (["ends"], "")


@pytest.mark.parametrize("busy", ["agent", "features"])
def test_a_process_can_end_while_it_compiles(busy, tmp_path):
    """What has begun is compiled before Python takes itself apart."""
    end = """
    from lowbid._compile import waiting

    class Last:
        def __del__(self, waiting=waiting):
            print("compiles:", *waiting() or ["nothing"], flush=True)

    last = Last()
    while not waiting():
        assert background.queue
    """
    script = textwrap.dedent(BUSY[busy]) + textwrap.dedent(end)
    assert run(script, tmp_path) == (["compiles:", "nothing"], "")


def test_what_cannot_be_compiled_goes_on_uncompiled(tmp_path):
    script = """
    from lowbid.kernels import kernel

    @kernel  # without a file that has its source
    def select(parameters, state, step, stream):
        return step % 3

    class InTurn(lowbid.UCB1):
        kernels = lowbid.UCB1.kernels._replace(select=select)

    bandit = lowbid.Bandit(3, InTurn(), compiled="background")
    print(play(bandit, 4), background.wait(60), play(bandit, 3), is_over(bandit))
    """
    printed, errors = run(script, tmp_path)
    assert " ".join(printed) == "[1, 2, 0, 1] True [2, 0, 1] True"
    assert errors.count("runs uncompiled") == 1
    assert "source of select was not found" in errors


def test_a_policy_in_plain_python_needs_no_compiler(tmp_path):
    script = """
    class InTurn(lowbid.Policy):
        def init(self, n_arms, capacity):
            return ()
        def select(self, state, step, stream):
            return step % 3
        def update(self, state, arm, loss, step, stream):
            pass

    print(play(lowbid.Bandit(3, InTurn()), 6), "llvmlite" in sys.modules)
    """
    assert " ".join(run(script, tmp_path, LOWBID_COMPILED="background")[0]) == (
        "[1, 2, 0, 1, 2, 0] False"
    )


def test_the_default_is_the_background_if_nothing_is_said(monkeypatch):
    monkeypatch.delenv("LOWBID_COMPILED")
    assert default_when() == "background"
    monkeypatch.setenv("LOWBID_COMPILED", "now")
    assert default_when() == "now"
    monkeypatch.setenv("LOWBID_COMPILED", "soon")
    with pytest.raises(InvalidValueError, match="LOWBID_COMPILED is 'soon'"):
        default_when()


def test_bandits_are_told_when_to_compile():
    with pytest.raises(InvalidValueError, match="'background', 'now', 'never'"):
        lowbid.Bandit(2, compiled="soon")
    bandit = lowbid.Bandit(2, lowbid.UniformPlay(), compiled="now")
    assert bandit._core.engine._select is not None
    twin = pickle.loads(pickle.dumps(bandit))
    assert twin._core.engine.compiled == "now"
    assert [twin.select() for _ in range(9)] == [bandit.select() for _ in range(9)]
    text = bandit.to_json()
    assert lowbid.Bandit.from_json(text, compiled="never")._core.engine.compiled == "never"


def test_threads_take_turns_as_before_when_nothing_is_compiled(tmp_path):
    script = """
    sys.setswitchinterval(0.004)
    seen = set()
    play(bandit, 5)
    while background.queue:
        seen.add(round(sys.getswitchinterval(), 6))
        time.sleep(0.001)
    time.sleep(0.05)
    print(sorted(seen), round(sys.getswitchinterval(), 6))
    """
    assert " ".join(run(script, tmp_path)[0]) == "[0.0005, 0.004] 0.004"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a signal from a timer")
def test_an_interrupt_while_a_state_is_made_is_only_an_interrupt(tmp_path):
    script = """
    import random, signal
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    begin, caught = time.monotonic(), 0
    while time.monotonic() - begin < 5:
        try:
            signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 3e-3))
            for _ in range(30):
                lowbid.Bandit(1000, compiled="now")
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            caught += 1
    print("alive", caught > 50)
    """
    assert run(script, tmp_path)[0] == ["alive", "True"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_fork_waits_until_a_thread_has_imported_the_compiler(tmp_path):
    """In the child, an import begun by another thread would never end."""
    script = """
    import os, signal, threading
    begun = threading.Event()

    class Told:
        def find_spec(self, name, path=None, target=None):
            if name == "lowbid._compile._machine":
                begun.set()
                time.sleep(0.2)  # the fork begins in here

    sys.meta_path.insert(0, Told())
    make = lambda: lowbid.Bandit(3, lowbid.UCB1(), seed=1, compiled="now")
    thread = threading.Thread(target=make)
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        print(play(make(), 20) == expected[:20], flush=True)
        os._exit(0)
    print(os.waitpid(child, 0)[1])
    thread.join()
    """
    assert run(script, tmp_path) == (["True", "0"], "")


@pytest.mark.parametrize("when", ["background", "now"])
def test_without_a_compiler_policies_run_uncompiled(when, tmp_path):
    script = f"""
    class Missing:
        def find_spec(self, name, path=None, target=None):
            if name == "llvmlite":
                raise OSError("a library is missing")

    sys.meta_path.insert(0, Missing())
    bandit = lowbid.Bandit(3, lowbid.UCB1(), seed=1, compiled={when!r})
    chosen = play(bandit, 2)
    print(background.wait(60), chosen == expected[:2], play(bandit, 9) != [], is_over(bandit))
    """
    printed, errors = run(script, tmp_path)
    assert printed == ["True"] * 4
    assert errors.count("policies run uncompiled") == 1
    assert "a library is missing" in errors
    assert "Traceback" not in errors


def test_the_thread_survives_a_handler_of_the_log_that_raises(tmp_path):
    script = """
    from lowbid._compile import compiling, kernel

    class Broken(logging.Handler):
        def emit(self, record):
            raise ValueError("a broken handler")

    logging.getLogger("lowbid").addHandler(Broken())

    @kernel
    def without_source(x):
        return x

    with compiling("background"):
        without_source.bind(1.0)
    play(bandit, 2)
    print(background.wait(60), play(bandit, 2) != [] and is_over(bandit))
    """
    printed, errors = run(script, tmp_path)
    assert printed == ["True", "True"]
    assert "a broken handler" in errors


def test_where_no_thread_can_be_started_policies_run_uncompiled(tmp_path):
    script = """
    import threading
    start = threading.Thread.start

    def refused(self):
        raise RuntimeError("can't start new thread")

    threading.Thread.start = refused
    print(play(bandit, 20) == expected[:20], background.queue)
    threading.Thread.start = start
    print(play(bandit, 2) != [], background.wait(60), play(bandit, 2) != [] and is_over(bandit))
    """
    assert run(script, tmp_path) == (["True", "{}", "True", "True", "True"], "")


def test_threads_share_a_bandit_while_it_is_compiled(tmp_path):
    """No decision is lost when it switches to compiled code between calls of several threads."""
    script = """
    import threading
    made = []

    def work():
        while not is_over(bandit):
            decision = bandit.decide()
            bandit.update(decision, loss=0.5)
            made.append(decision)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    print(sum(bandit.counts().values()) == len(made), len(bandit.pending()))
    print(len(set(made)) == len(made))
    """
    assert run(script, tmp_path) == (["True", "0", "True"], "")


@pytest.mark.skipif(os.name != "posix", reason="needs a signal from a timer")
def test_an_interrupted_compilation_is_begun_again(tmp_path):
    script = """
    import signal
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    caught = 0
    for delay in (0.01, 0.03, 0.1):
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            lowbid.Bandit(3, lowbid.UCB1(), compiled="now")
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            caught += 1
    now = lowbid.Bandit(3, lowbid.UCB1(), seed=1, compiled="now")
    print(caught > 0, is_over(now), play(now, 300) == expected)
    """
    assert run(script, tmp_path) == (["True", "True", "True"], "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_an_agent_goes_on_in_a_forked_process(tmp_path):
    script = """
    import os, signal
    from lowbid import mdp

    def learn(agent, episodes):
        actions = []
        for _ in range(episodes):
            agent.begin(0)
            while agent.stage is not None:
                actions.append(agent.act())
                agent.update(reward=0.5 * actions[-1], next_state=(actions[-1] + 1) % 3)
        return actions

    def make(compiled):
        return mdp.Agent(3, 2, 5, seed=1, reward_range=(0, 1), best_return=5.0, compiled=compiled)

    wanted = learn(make("never"), 8)
    agent = make("background")
    chosen = learn(agent, 4)
    time.sleep(0.1)  # the thread compiles
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        print(chosen + learn(agent, 4) == wanted, background.wait(50), flush=True)
        os._exit(0)
    print(os.waitpid(child, 0)[1], chosen + learn(agent, 4) == wanted)
    """
    assert run(script, tmp_path) == (["True", "True", "0", "True"], "")


FEATURES = """
def cases(steps):
    return [[step % 3, step % 5 - 2.0, step % 2, 1.0] for step in steps]

def personal(compiled, seed=1):
    return lowbid.Bandit(3, features=4, seed=seed, loss_range=(0, 2), compiled=compiled)

def learn(bandit, steps):
    chosen, late = [], []
    for case in cases(steps):
        late.append((bandit.decide(features=case), case))
        chosen.append(late[-1][0].arm)
        if len(late) > 2:  # outcomes arrive late
            decision, case = late.pop(0)
            bandit.update(decision, loss=(0.3 + 0.1 * case[0] * (1 + decision.arm)) % 1.0)
    for decision, _ in late:
        bandit.update(decision, loss=0.5)
    return chosen
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_bandit_with_features_goes_on_in_a_forked_process(tmp_path):
    script = """
    import os, signal
    wanted = personal("never")
    wanted = [learn(wanted, range(10)), learn(wanted, range(10, 20))]
    bandit = personal("background")
    chosen = [learn(bandit, range(10))]
    for pause in (0.0, 0.1):  # the thread compiles
        time.sleep(pause)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            chosen.append(learn(bandit, range(10, 20)))
            print(chosen == wanted, background.wait(50), flush=True)
            os._exit(0)
        print(os.waitpid(child, 0)[1], flush=True)
    print([*chosen, learn(bandit, range(10, 20))] == wanted)
    """
    printed, errors = run(FEATURES + textwrap.dedent(script), tmp_path)
    assert (printed, errors) == (["True", "True", "0"] * 2 + ["True"], "")


def test_bandits_with_features_are_merged_while_they_are_compiled(tmp_path):
    """One or both of them may have gone over to compiled code, and the third may not."""
    script = """
    import json

    def together(compiled, waits):
        first, second = personal(compiled), personal(compiled, seed=2)
        learn(first, range(30))
        waits and background.wait(50)
        learn(second, range(30, 50))
        first.merge(second)
        chosen, saved = learn(first, range(50, 80)), json.loads(first.to_json())
        del saved["decisions"], saved["checksum"]  # the names of decisions are random
        return chosen, saved

    wanted = together("never", False)
    print(together("background", False) == wanted, together("background", True) == wanted)
    print(background.wait(50), together("background", False) == wanted)
    """
    printed, errors = run(FEATURES + textwrap.dedent(script), tmp_path)
    assert (printed, errors) == (["True"] * 4, "")
