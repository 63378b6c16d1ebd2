"""The result of a simulation: regret over time, plays per arm, and provenance."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid._array_format import ArrayFormat
from lowbid._require import invalid, require_whole
from lowbid.errors import InvalidValueError, MissingPackageError
from lowbid.simulation._provenance import joined
from lowbid.simulation._statistics import Estimate, estimate
from lowbid.simulation._summary import Summary, known, summary_row

_FORMAT = ArrayFormat(
    "lowbid-result",
    1,
    "a result file of lowbid",
    "run the simulation again, or restore the file.",
)
_KINDS = ["i1", "f3", "i3"]  # whole checkpoints, regret and whole pulls, with their dimensions


@dataclasses.dataclass(frozen=True)
class Result:
    """The outcome of `simulate`.

    Attributes
    ----------
    policies : tuple of str
        Their names, in the order of the arrays' first axis.
    checkpoints : array
        The steps at which the regret was recorded; the last is the horizon.
    regret : array
        The pseudo-regret up to each checkpoint, (policy, run, checkpoint): against the best arm,
        or, if the arms change, against the best arm at each step (`measure` says which).
    pulls : array
        How often each arm was played in total, (policy, run, arm).
    provenance : dict
        Versions, seed, parameters, date, and a hash of the configuration that is the same on
        every machine.
    """

    policies: tuple[str, ...]
    checkpoints: npt.NDArray[np.int64]
    regret: npt.NDArray[np.float64]
    pulls: npt.NDArray[np.int64]
    provenance: dict[str, Any] = dataclasses.field(repr=False)

    @property
    def measure(self) -> str:
        """What `regret` is: "regret", or "dynamic regret" if the arms change from step to step."""
        return str(self.provenance.get("regret", "regret"))

    def __getitem__(self, policies: str | list[str] | tuple[str, ...]) -> Result:
        """The result of one policy, or of several, by name."""
        names = list(policies) if isinstance(policies, list | tuple) else [policies]
        rows = [self._index(name) for name in names]
        return dataclasses.replace(
            self, policies=tuple(names), regret=self.regret[rows], pulls=self.pulls[rows]
        )

    def summary(self, step: int | None = None) -> Summary:
        """Mean, sd, standard error, 95% interval and quantiles of the regret, best first.

        Parameters
        ----------
        step : int, optional
            One of the checkpoints; by default the last.

        Examples
        --------
        >>> import lowbid
        >>> policies = [lowbid.UCB1(), lowbid.BatchEnsemble(batches=2)]
        >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
        >>> result = lowbid.simulate(policies, arms, horizon=1000, runs=100, seed=0)
        >>> [row.policy for row in result.summary()]
        ['BatchEnsemble(batches=2)', 'UCB1']
        """
        at = self._at(step)
        rows = [summary_row(name, self.regret[i, :, at]) for i, name in enumerate(self.policies)]
        summary = Summary(sorted(rows, key=lambda row: row.mean))
        summary.measure = self.measure
        return summary

    def difference(self, first: str, second: str, step: int | None = None) -> Estimate:
        """The regret of `first` minus that of `second`, run by run on the same losses.

        Parameters
        ----------
        first, second : str
            Names of policies.
        step : int, optional
            One of the checkpoints; by default the last.

        Examples
        --------
        >>> import lowbid
        >>> policies = [lowbid.UCB1(), lowbid.BatchEnsemble(batches=2)]
        >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
        >>> result = lowbid.simulate(policies, arms, horizon=1000, runs=100, seed=0)
        >>> result.difference("BatchEnsemble(batches=2)", "UCB1").high < 0  # less regret
        True
        """
        at = self._at(step)
        ours, theirs = (self.regret[self._index(name), :, at] for name in (first, second))
        return estimate(ours - theirs)

    def to_dataframe(self) -> Any:
        """A pandas (otherwise polars) frame with the columns policy, run, step, regret."""
        n_policies, runs, steps = self.regret.shape
        columns = {
            "policy": np.repeat(np.array(self.policies), runs * steps),
            "run": np.tile(np.repeat(np.arange(runs), steps), n_policies),
            "step": np.tile(self.checkpoints, n_policies * runs),
            "regret": self.regret.ravel(),
        }
        for library in ("pandas", "polars"):
            if importlib.util.find_spec(library):
                return importlib.import_module(library).DataFrame(columns)
        raise MissingPackageError(
            "to_dataframe needs pandas or polars: pip install 'lowbid[pandas]'"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that `load` reads; it is replaced atomically.

        The file is a zip of NumPy columns (``.npz``): ``checkpoints``, ``regret``, ``pulls``, and
        ``header``, a JSON text with the policies' names and the provenance.

        Examples
        --------
        >>> import lowbid, tempfile
        >>> arms = lowbid.Bernoulli([0.1, 0.5])
        >>> result = lowbid.simulate(lowbid.UCB1(), arms, horizon=50, runs=5, seed=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.save(f"{folder}/result.npz")
        ...     lowbid.Result.load(f"{folder}/result.npz").policies
        ('UCB1',)
        """
        header = {"policies": list(self.policies), "provenance": self.provenance}
        columns = {"checkpoints": self.checkpoints, "regret": self.regret, "pulls": self.pulls}
        _FORMAT.write(_read_path(path), header, columns)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Read a file that `save` wrote."""
        file = _read_path(path)
        header, columns = _FORMAT.read(file)
        try:
            names, provenance = tuple(header["policies"]), header["provenance"]
            steps, regret, pulls = (columns[name] for name in ("checkpoints", "regret", "pulls"))
        except (KeyError, TypeError) as error:
            raise _FORMAT.damaged(file) from error
        result = cls(names, steps, regret, pulls, provenance)
        if not _can_be(result):
            raise _FORMAT.damaged(file)
        return result

    @classmethod
    def concatenate(cls, results: Sequence[Result]) -> Result:
        """Combine the results of several policies into one.

        Parameters
        ----------
        results : sequence of Result
            Results that agree in everything but the policies: arms, horizon, runs, seed,
            checkpoints.

        Examples
        --------
        >>> import lowbid
        >>> arms = lowbid.Bernoulli([0.1, 0.5])
        >>> parts = [lowbid.simulate(policy, arms, horizon=50, runs=5, seed=0)
        ...          for policy in (lowbid.UCB1(), lowbid.Greedy())]
        >>> lowbid.Result.concatenate(parts).policies
        ('UCB1', 'Greedy')
        """
        results = list(results)
        if not results:
            raise InvalidValueError("there are no results to concatenate; give at least one.")
        names = [name for result in results for name in result.policies]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidValueError(
                f"two results have a policy named {twice!r}; rename one of them."
            )
        provenance = joined([result.provenance for result in results])
        if any(not np.array_equal(r.checkpoints, results[0].checkpoints) for r in results):
            raise InvalidValueError(
                "the results have different checkpoints; simulate them again with the same."
            )
        regret = np.concatenate([result.regret for result in results])
        pulls = np.concatenate([result.pulls for result in results])
        return cls(tuple(names), results[0].checkpoints, regret, pulls, provenance)

    def _index(self, policy: str) -> int:
        return self.policies.index(known(policy, self.policies))

    def _at(self, step: int | None) -> int:
        if step is None:
            return -1
        step, known = require_whole("step", step), self.checkpoints.tolist()
        if step not in known:
            near = min(known, key=lambda checkpoint: abs(checkpoint - step))
            raise InvalidValueError(
                f"step {step} was not recorded; the nearest checkpoint is {near}."
            )
        return int(known.index(step))


def _read_path(path: Any) -> Path:
    """The path of a file, or a clear error."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise invalid("path", path, "give the name of a file.")
    return Path(path)


def _can_be(result: Result) -> bool:
    """Whether a simulation can have had this result."""
    names, steps, regret, pulls, provenance = (
        getattr(result, field.name) for field in dataclasses.fields(result)
    )
    if [array.dtype.kind + str(array.ndim) for array in (steps, regret, pulls)] != _KINDS:
        return False
    shape = (len(names), regret.shape[1], steps.size)
    per_step = pulls.sum(axis=2) // max(steps[-1:].sum(), 1)
    return bool(
        isinstance(provenance, dict)
        and all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names)
        and regret.shape == shape
        and pulls.shape[:2] == shape[:2]
        and 0 not in regret.shape
        and steps[0] >= 1
        and (np.diff(steps) > 0).all()
        and np.isfinite(regret).all()
        and (pulls >= 0).all()
        and (per_step >= 1).all()  # above 1 for an MDP, whose episodes have several
        and (pulls.sum(axis=2) == per_step * steps[-1]).all()
    )
