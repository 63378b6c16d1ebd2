"""How long cells take, from what is known of their relatives."""

import dataclasses
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


def test_putting_cells_on_file_is_a_part_of_the_estimate():
    rates = Rates()
    for _ in range(500):
        rates.learn_keeping(0.01)
    assert rates.keeping == pytest.approx(0.01, rel=1e-3)
