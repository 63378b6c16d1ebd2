"""How long cells take, from what is known of their relatives."""

import dataclasses
import threading
from concurrent.futures import Future

import pytest

import lowbid
from experiments.sweeps.sweep_examples import PlainPolicy, Slow, small
from lowbid.experiments.sweeps._engines import Engine, Failure
from lowbid.experiments.sweeps._rates import Rates
from lowbid.simulation._share import PlayedShare


def cells(*policies, **more):
    return small(*policies, **more).cells


def test_the_closest_relative_that_is_known_decides():
    first, second = cells(PlainPolicy(), Slow(), environments=1)
    rates = Rates()
    rates.learn(first, runs=2, seconds=40.0)  # a second per step
    assert rates.seconds(first, 3) == pytest.approx(60.0)
    long = dataclasses.replace(first, horizon=200)
    assert rates.seconds(long, 1) == pytest.approx(200.0)
    rates.learn(long, runs=1, seconds=2000.0)
    assert rates.seconds(long, 1) == pytest.approx(2000.0)
    assert rates.seconds(first, 3) == pytest.approx(60.0)  # longer runs of the rule do not matter
    other = dataclasses.replace(first, policy=dataclasses.replace(first.policy, name="other"))
    assert rates.seconds(other, 1) > 20.0  # of the same class
    assert rates.seconds(second, 1) > 0.0


def test_new_measurements_replace_old_ones_by_and_by():
    (cell,) = cells(PlainPolicy(), environments=1)
    rates = Rates()
    rates.learn(cell, 1, 20.0)
    for _ in range(20):
        rates.learn(cell, 1, 2.0)
    assert rates.seconds(cell, 1) == pytest.approx(2.0, rel=1e-4)


def test_plain_policies_are_taken_for_slower_than_compiled_ones():
    plain, compiled = cells(PlainPolicy(), lowbid.UCB1(), environments=1)
    assert Rates().seconds(plain, 1) > 100 * Rates().seconds(compiled, 1)


class Scripted(Engine):
    """Answers as configured, by the class of the policy."""

    workers = 1

    def __init__(self, answers):
        self.answers, self.revived = answers, 0

    def submit(self, shares):
        future, answer = Future(), self.answers[type(shares[0].policy).__name__]
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        else:
            future.set_result([answer] * len(shares))
        return future

    def is_death(self, error):
        return isinstance(error, OSError)

    def revive(self):
        self.revived += 1


def test_calibration_learns_from_answers_and_survives_what_fails():
    found = cells(PlainPolicy(), Slow(), lowbid.UCB1(), environments=1, horizon=5000)
    played = PlayedShare(None, None, 6.0)  # three runs of 2,000 steps: a millisecond per step
    answers = {"PlainPolicy": played, "Slow": Failure("no"), "UCB1": OSError("dead")}
    engine, rates = Scripted(answers), Rates()
    rates.calibrate(found, engine)
    assert rates.seconds(found[0], 1) == pytest.approx(5.0)
    assert engine.revived == 1


class Unstartable(Scripted):
    """A worker died before it was given anything."""

    def submit(self, shares):
        raise self.answers


def test_a_worker_that_dies_while_it_starts_is_replaced():
    found = cells(PlainPolicy(), environments=1)
    engine = Unstartable(OSError("dead"))
    assert Rates().calibrate(found, engine) == []
    assert engine.revived == 1
    with pytest.raises(RuntimeError, match="other"):
        Rates().calibrate(found, Unstartable(RuntimeError("other")))


def test_putting_cells_on_file_is_a_part_of_the_estimate():
    rates = Rates()
    for _ in range(500):
        rates.learn_keeping(0.01)
    assert rates.keeping == pytest.approx(0.01, rel=1e-3)


class Delayed(Engine):
    """Answers a little later, and records how many tasks were waiting at most."""

    workers = 2

    def __init__(self, *, one_interpreter):
        self.one_interpreter, self.sent, self.most = one_interpreter, [], 0

    def submit(self, shares):
        future = Future()
        self.sent.append(future)
        self.most = max(self.most, sum(not each.done() for each in self.sent))
        answer = [PlayedShare(None, None, 0.006, 2.0)] * len(shares)
        threading.Timer(0.05, future.set_result, [answer]).start()
        return future


@pytest.mark.parametrize(("one_interpreter", "most"), [(True, 1), (False, 2)])
def test_workers_that_slow_each_other_down_are_calibrated_one_at_a_time(one_interpreter, most):
    found = cells(lowbid.UCB1(), lowbid.Greedy(), environments=1, horizon=2000)
    engine, rates = Delayed(one_interpreter=one_interpreter), Rates()
    assert rates.calibrate(found, engine) == []
    assert engine.most == most
    assert rates.seconds(found[0], 1) == pytest.approx(0.002)


def test_loops_that_the_calibration_did_not_compile_are_a_part_of_the_estimate():
    """Six loops, two of them compiled in two seconds each; plain policies compile nothing."""
    arms = [lowbid.Bernoulli([0.1, 0.2]), lowbid.Gaussian([0, 1]), lowbid.Uniform(0.0, [1.0, 2.0])]
    named = small(lowbid.UCB1(), lowbid.Greedy(), PlainPolicy(), environments=3)
    environments = [
        dataclasses.replace(old, environment=new)
        for old, new in zip(named.environments, arms, strict=True)
    ]
    found = dataclasses.replace(named, environments=environments).cells
    rates = Rates()
    assert rates.compiling(found) == 0.0
    compiled = [cell for cell in found if cell.policy.policy.compiled]
    rates.calibrate(compiled, Delayed(one_interpreter=True))
    assert rates.compiling(found) == pytest.approx(4 * 2.0)
    assert rates.compiling(compiled[:1]) == 0.0
