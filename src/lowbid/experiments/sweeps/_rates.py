"""Estimates of how long steps take: a short calibration, corrected by later measurements."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from lowbid.experiments.sweeps._cell import Cell
from lowbid.experiments.sweeps._engines import Answers, Engine
from lowbid.simulation import PlayedShare

# Seconds per step before anything is known: of compiled rules, and of those in plain Python.
_GUESS, _PLAIN_GUESS = 2e-7, 2e-4
_CALIBRATION_SECONDS = 5.0
_FIRST_ANSWER_SECONDS = 30.0
_CALIBRATION_STEPS = 2_000
_NEW = 0.5  # the weight of a new measurement
_KEEPING, _NEW_KEEPING = 1e-3, 0.02

Group = tuple[object, ...]


class Rates:
    """Seconds per step of each kind of cell, as far as they are known.

    Attributes
    ----------
    keeping : float
        Seconds that it takes to save a cell, however small it is.
    """

    def __init__(self) -> None:
        self._known: dict[Group, float] = {}
        self._compiled: list[float] = []
        self.keeping = _KEEPING

    def seconds(self, cell: Cell, runs: int) -> float:
        """How long some runs of a cell will take one worker."""
        found = next((self._known[g] for g in _groups(cell) if g in self._known), None)
        if found is None:
            known = sorted(self._known.values())
            guess = known[len(known) // 2] if known else _GUESS
            found = guess if cell.policy.policy.compiled else max(guess, _PLAIN_GUESS)
        return found * runs * cell.horizon

    def learn(self, cell: Cell, runs: int, seconds: float) -> None:
        """Update the estimates with the time that some runs took."""
        rate = seconds / max(1, runs * cell.horizon)
        for group in _groups(cell):
            before = self._known.get(group, rate)
            self._known[group] = (1.0 - _NEW) * before + _NEW * rate

    def learn_keeping(self, seconds: float) -> None:
        """Update the estimate with the time that it took to save a cell."""
        self.keeping += _NEW_KEEPING * (seconds - self.keeping)

    def calibrate(self, cells: Iterable[Cell], engine: Engine) -> list[Future[Answers]]:
        """Play a few steps of each policy on the engine, and wait some seconds for them.

        Code that is compiled for this need not be compiled again. Cells that fail will fail again
        when they are played, and are handled then. Returns the tasks that workers are still busy
        with.
        """
        first: dict[str, Cell] = {}
        for cell in sorted(cells, key=lambda cell: cell.horizon):
            first.setdefault(type(cell.policy.policy).__name__, _short(cell))
        try:
            sent = self._sent(list(first.values()), engine)
        except Exception as refused:
            if not engine.is_death(refused):
                raise
            engine.revive()  # a worker died while it was being started
            return []
        # Workers that are just being started take a while.
        done, _ = wait(sent, timeout=_FIRST_ANSWER_SECONDS, return_when=FIRST_COMPLETED)
        broken = False
        for future in done:
            error = future.exception()
            if error is None:
                self._learn_from(sent[future], future.result())
            else:
                broken = broken or engine.is_death(error)
        if broken:
            engine.revive()
            return []
        return [future for future in sent if not future.done() and not future.cancel()]

    def _sent(self, cells: Sequence[Cell], engine: Engine) -> dict[Future[Answers], Cell]:
        """Tasks that play a few steps, after some seconds.

        Where workers share an interpreter, one that compiles would slow down the others' steps.
        """
        sent: dict[Future[Answers], Cell] = {}
        until = time.monotonic() + _CALIBRATION_SECONDS
        for cell in cells:
            sent[engine.submit([cell.share(0, 1), cell.share(0, 3)])] = cell
            if engine.one_interpreter:
                wait(sent, timeout=max(0.0, until - time.monotonic()))
                if time.monotonic() >= until:
                    return sent
        wait(sent, timeout=max(0.0, until - time.monotonic()))
        return sent

    def _learn_from(self, cell: Cell, answers: Answers) -> None:
        """Update the estimates with the time that compiling took, and the steps after it."""
        before, after = answers[0], answers[-1]
        if isinstance(before, PlayedShare):
            self._compiled.append(before.compiling)
        if isinstance(after, PlayedShare):
            self.learn(cell, 3, after.seconds)

    def compiling(self, cells: Iterable[Cell]) -> float:
        """How long a worker will take to compile what cells need, in addition to the calibration.

        The time for one loop is that of an average policy in the calibration: seconds, or much
        less if loops were compiled before and are kept on disk.
        """
        loops = {
            (type(cell.policy.policy), cell.environment.environment.draw)
            for cell in cells
            if cell.policy.policy.compiled
        }
        left = max(0, len(loops) - len(self._compiled))
        return left * statistics.mean(self._compiled) if self._compiled else 0.0


def _short(cell: Cell) -> Cell:
    """The beginning of a cell."""
    steps = min(cell.horizon, _CALIBRATION_STEPS)
    return Cell(cell.policy, cell.environment, steps, cell.seed, 1, (steps,))


def _groups(cell: Cell) -> tuple[Group, ...]:
    """The groups of cells of about the same rate that a cell belongs to, the smallest first.

    Rules that look at all their past losses take longer per step the longer they play.
    """
    arms, kind = cell.environment.environment, type(cell.policy.policy).__name__
    there = (arms.draw, arms.n_arms)
    return (
        (cell.policy.name, cell.horizon, *there),
        (cell.policy.name, *there),
        (cell.policy.name,),
        (kind, *there),
        (kind,),
    )
