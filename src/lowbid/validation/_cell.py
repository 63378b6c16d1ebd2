"""One figure of a table: the policy and the arms, and the reference result."""

from __future__ import annotations

import dataclasses
import math
from typing import Protocol

from lowbid._arrays import Floats
from lowbid._terminal import coloured, filled, room
from lowbid.environments import Environment
from lowbid.policies import Policy
from lowbid.simulation import simulate

# A difference of more standard errors than this is a disagreement: by chance it occurs once in two
# thousand cells.
TOO_FAR = 3.5
# Figures below this are shares and get more digits.
_SHARE = 1.0
# The width of a table with everything on one line.
_WIDTH = 135


@dataclasses.dataclass(frozen=True)
class Cell:
    """A mean regret found by others: published, or from an independent program.

    Attributes
    ----------
    source : str
        Its source: authors, year, table.
    problem : str
        The source's name for the arms.
    arms : Environment
        The arms.
    policy : Policy
        The policy that was run.
    horizon : int
        The number of steps.
    regret : float
        The mean regret.
    unit : float
        The unit of its last digit, 0.1 for one decimal.
    runs : int, optional
        The number of runs behind it; the standard error follows from the spread of ours.
    error : float, optional
        Its relative standard error, if the source gives that instead.
    """

    source: str
    problem: str
    arms: Environment
    policy: Policy
    horizon: int
    regret: float
    unit: float
    runs: int | None = None
    error: float | None = None

    @property
    def label(self) -> str:
        """The policy or rule that was run."""
        return self.policy.name

    def measured(self, runs: int, seed: int, progress: bool | None) -> Floats:
        """The regret of each of our runs."""
        result = simulate(
            self.policy,
            self.arms,
            self.horizon,
            runs,
            seed,
            checkpoints=[self.horizon],
            progress=progress,
        )
        return result.regret[0, :, -1]

    def accepts(self, regret: float, distance: float) -> bool:
        """Whether our mean, this many standard errors from the published one, agrees with it."""
        return abs(distance) <= TOO_FAR

    def standard_error(self, sd: float) -> float:
        """The standard error of the reference figure, from sampling and from rounding."""
        sampling = sd / math.sqrt(self.runs) if self.runs else (self.error or 0.0) * self.regret
        return math.hypot(sampling, self.unit / math.sqrt(12.0))


class Published(Protocol):
    """A figure of a table, of whatever kind."""

    @property
    def source(self) -> str:
        """Its source."""

    @property
    def problem(self) -> str:
        """The source's name for the problem."""

    @property
    def label(self) -> str:
        """The policy or rule that was run."""

    @property
    def horizon(self) -> int:
        """The number of steps or episodes."""

    @property
    def regret(self) -> float:
        """The figure."""

    def measured(self, runs: int, seed: int, progress: bool | None) -> Floats:
        """Our figure in each run."""

    def accepts(self, regret: float, distance: float) -> bool:
        """Whether our mean, this many standard errors away, agrees."""

    def standard_error(self, sd: float) -> float:
        """The standard error of the published figure."""


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A reference figure compared with ours.

    Attributes
    ----------
    cell : Published
        The reference figure.
    regret, sd : float
        The mean and the standard deviation of our runs.
    runs : int
        Their number.
    """

    cell: Published
    regret: float
    sd: float
    runs: int

    @property
    def standard_error(self) -> float:
        """The standard error of our mean."""
        return self.sd / math.sqrt(self.runs)

    @property
    def distance(self) -> float:
        """The difference, ours minus the reference, in standard errors of the difference."""
        error = math.hypot(self.standard_error, self.cell.standard_error(self.sd))
        apart = self.regret - self.cell.regret
        return apart / error if error > 0.0 else math.copysign(math.inf, apart) if apart else 0.0

    @property
    def agrees(self) -> bool:
        """Whether the difference may be due to chance."""
        return self.cell.accepts(self.regret, self.distance)

    @staticmethod
    def head() -> str:
        """The head of a table of comparisons."""
        columns = f"{'ours':>8} {'reference':>9} {'our se':>8} {'their se':>8}  verdict"
        return _line("problem", "policy", columns)

    def __str__(self) -> str:
        verdict = coloured("agrees", "green")
        if not self.agrees:
            verdict = coloured(f"DISAGREES by {self.distance:+.1f} se", "red")
        digits = 1 if max(self.regret, self.cell.regret) >= _SHARE else 3
        numbers = f"{self.regret:8.{digits}f} {self.cell.regret:9.{digits}f}"
        errors = [self.standard_error, self.cell.standard_error(self.sd)]
        shown = " ".join(f"{error:8.{max(digits, 2)}f}" for error in errors)
        columns = f"{numbers} {shown}  {verdict}"
        return _line(self.cell.problem, self.cell.label, columns)


def _line(problem: str, policy: str, columns: str) -> str:
    """A row of a table: one line, or more where the terminal is narrow."""
    if room() >= _WIDTH:
        return f"{problem:<28} {policy:<44} {columns}"
    return f"{filled(f'{problem}, {policy}')}\n  {columns}"
