"""What policies that learn would have earned: rejection replay of a log."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats, Ints
from lowbid._compile import Kernel, specialise
from lowbid._random import key, stream_of_run
from lowbid._require import require_arm, require_whole
from lowbid.errors import InvalidValueError, Refusal, UnanswerableError
from lowbid.logs import Log, read_log, refuse
from lowbid.offline._replay_loop import fill_uniform, play_log
from lowbid.offline._support import propensities_of, require_tried
from lowbid.online import Feedback, Kind, feedback_for, policy_for, read_feedback, read_value
from lowbid.policies import Policy
from lowbid.simulation import (
    Estimate,
    estimate,
    known,
    named_policies,
    read_checkpoints,
    read_horizon,
    within,
)


class ReplayRow(NamedTuple):
    """What one policy would have earned per decision; see `Estimate`."""

    policy: str
    mean: float
    sd: float
    se: float
    low: float
    high: float


class ReplaySummary(tuple[ReplayRow, ...]):
    """One row per policy, best first; prints as a table."""

    def __str__(self) -> str:
        width = max(len("policy"), *(len(row.policy) for row in self))
        head = f"{'policy':{width}}  {'per step':>10}  {'95% interval':>24}"
        rows = [
            f"{row.policy:{width}}  {row.mean:10.4g}  [{row.low:10.4g}, {row.high:10.4g}]"
            for row in self
        ]
        return "\n".join([head, "-" * len(head), *rows])


@dataclasses.dataclass(frozen=True, eq=False)
class Replay:
    """The outcome of `replay`.

    Attributes
    ----------
    policies : tuple of str
        Their names, in the order of the arrays' first axis.
    arms : tuple of str or int
        The log's arms, in the order of the last axis of `plays`.
    kind : {"loss", "reward"}
        What was measured.
    checkpoints : array
        The steps at which totals were recorded; the last is the horizon.
    totals : array
        The sum of rewards, or losses, up to each checkpoint, (policy, run, checkpoint).
    plays : array
        How often each arm was played in total, (policy, run, arm).
    lines : int
        The number of decisions in the log.
    kept : int
        The number of decisions the replay could use: all, if all arms were equally likely.
    logged : float
        The mean of the logged values.
    """

    policies: tuple[str, ...]
    arms: tuple[str | int, ...]
    kind: Kind
    checkpoints: Ints
    totals: Floats
    plays: Ints
    lines: int
    kept: int
    logged: float

    @property
    def runs(self) -> int:
        """The number of times the log was long enough to play the horizon."""
        return int(self.totals.shape[1])

    def mean(self, policy: str) -> Estimate:
        """What a policy earns per step up to the horizon, with its 95% interval over the runs."""
        return estimate(self._per_step(policy))

    def difference(self, first: str, second: str) -> Estimate:
        """How much more `first` earns per step than `second`, run by run on similar lines."""
        return estimate(self._per_step(first) - self._per_step(second))

    def summary(self) -> ReplaySummary:
        """What every policy earns per step, best first."""
        rows = [ReplayRow(name, *self.mean(name)) for name in self.policies]
        return ReplaySummary(sorted(rows, key=lambda row: row.mean, reverse=self.kind == "reward"))

    def _per_step(self, policy: str) -> Floats:
        row = self.policies.index(known(policy, self.policies))
        return self.totals[row, :, -1] / self.checkpoints[-1]

    def __repr__(self) -> str:
        runs = f"{self.runs} run{'s' if self.runs != 1 else ''} of {self.checkpoints[-1]} steps"
        said = f"{self.kind} per step in {runs}, from {self.kept} of {self.lines} decisions"
        alone = "" if self.runs > 1 else "\none run has no interval: give a shorter horizon"
        return f"{self.summary()}\nas logged: {self.logged:.4g}; {said}{alone}"


def replay(
    policies: Policy | Sequence[Policy] | Mapping[str, Policy],
    log: Any,
    horizon: int,
    seed: int = 0,
    *,
    checkpoints: npt.ArrayLike | None = None,
    loss_range: tuple[float, float] | None = None,
    reward_range: tuple[float, float] | None = None,
) -> Replay:
    """Play policies that learn on a log, and estimate what they would have earned [1]_.

    The policy chooses an arm; lines of the log are skipped until one has this arm, and the policy
    sees its outcome. If all arms were equally likely in the log, that is as good as having played.
    After `horizon` steps the next run begins with the next line, so runs are independent and there
    are as many as the log has room for: about its length divided by the number of arms and the
    horizon.

    If arms were not equally likely, lines are first dropped at random so that arms are equally
    likely among the remaining lines: a line of propensity p is kept with probability min p / p. All
    policies see the same lines.

    Parameters
    ----------
    policies : Policy, sequence of Policy, or mapping
        The policies to compare; the keys of a mapping are the names in the result.
    log : Log, path, frame, mapping or list
        The log, as for `evaluate`.
    horizon : int
        The number of decisions per run.
    seed : int
        Determines which lines are left out, and the policies' own random numbers: in its run r, a
        policy draws from the same stream as in run r of `simulate` with this seed.
    checkpoints : array of int, optional
        The steps at which to record totals; by default enough for a smooth curve.
    loss_range, reward_range : (float, float), optional
        The smallest and the largest possible value, for policies that must know it; see `Bandit`.

    Returns
    -------
    Replay
        What each policy earned in each run.

    References
    ----------
    .. [1] L. Li, W. Chu, J. Langford, X. Wang (2011). Unbiased offline evaluation of contextual-
       bandit-based news article recommendation algorithms. WSDM.

    Examples
    --------
    >>> import lowbid
    >>> log = {"arm": ["a", "b", "b", "a"] * 500, "reward": [0.2, 0.6, 0.4, 0.0] * 500}
    >>> lowbid.replay([lowbid.BatchLikelihood(), lowbid.UniformPlay()], log, horizon=20)
    policy             per step              95% interval
    -----------------------------------------------------
    BatchLikelihood      0.4585  [    0.4567,     0.4603]
    UniformPlay           0.299  [    0.2861,     0.3122]
    as logged: 0.3; reward per step in 52 runs of 20 steps, from 2000 of 2000 decisions
    """
    named = named_policies(policies)
    horizon = read_horizon(horizon)
    seed = require_whole("seed", seed, at_least=0)
    steps = read_checkpoints(checkpoints, horizon)
    whole = read_log(log)
    kept = _equally_likely(whole, seed)
    most = len(kept) // horizon
    played = [
        _play(policy, whole, kept, seed, steps, most, (loss_range, reward_range))
        for policy in named.values()
    ]
    runs = min((len(totals) for totals, _ in played), default=0)
    if runs == 0:
        raise UnanswerableError(_too_short(whole, len(kept), horizon))
    return Replay(
        policies=tuple(named),
        arms=whole.arms,
        kind=whole.kind,
        checkpoints=steps,
        totals=np.stack([totals[:runs] for totals, _ in played]),
        plays=np.stack([plays[:runs] for _, plays in played]),
        lines=len(whole),
        kept=len(kept),
        logged=float(whole.values.mean()),
    )


def _equally_likely(log: Log, seed: int) -> Ints:
    """Lines among which every arm was equally likely; all if that is true of the whole log."""
    chances = propensities_of(log)
    for arm in range(len(log.arms)):
        require_tried(log, chances, arm)
    lowest = float(chances.min())
    if np.allclose(chances, lowest, rtol=1e-6, atol=0.0):
        return np.arange(len(log))
    coins = np.zeros(len(log))
    fill_uniform(stream_of_run(key(seed, "replay"), 0), coins)
    return np.flatnonzero(coins * chances < lowest)


def _play(
    policy: Policy,
    log: Log,
    kept: Ints,
    seed: int,
    steps: Ints,
    most: int,
    ranges: tuple[Any, Any],
) -> tuple[Floats, Ints]:
    """What a policy earned in each run, and how often it played each arm."""
    feedback = _feedback(policy, log, *ranges)
    at_work = policy_for(policy, feedback)
    values = log.values[kept]
    losses = feedback.shift + feedback.factor * (values - feedback.origin)
    n_arms, horizon = len(log.arms), int(steps[-1])
    totals, plays = np.zeros((most, len(steps))), np.zeros((most, n_arms), np.int64)
    init, select, update = at_work.kernels
    if not isinstance(select, Kernel):
        select = within(select, policy.name, n_arms)
    loop = specialise(play_log, init=init, select=select, update=update)
    runs, _, arm = loop(
        at_work.parameters(n_arms, horizon, horizon),
        n_arms,
        log.choices[kept],
        values,
        np.clip(losses, feedback.floor, feedback.ceiling),
        key(seed, policy.stream_name),
        steps,
        totals,
        plays,
    )
    require_arm(arm, policy.name, n_arms)
    return totals[:runs], plays[:runs]


def _feedback(policy: Policy, log: Log, loss_range: Any, reward_range: Any) -> Feedback:
    """How the log's values become losses; those that the policy cannot take are refused."""
    kind: Kind = log.kind
    feedback = read_feedback(policy, loss_range, reward_range)
    if feedback is None:
        feedback = feedback_for(policy, kind, None)
    if feedback.kind != kind:
        raise InvalidValueError(
            f"{log.name} has {log.plural}; give {kind}_range, not {feedback.kind}_range."
        )
    outside = np.flatnonzero((log.values < feedback.low) | (log.values > feedback.high))
    refused = [
        Refusal(int(log.lines[line]), _objection(float(log.values[line]), feedback))
        for line in outside.tolist()
    ]
    refuse(log.name, log.unit, len(log), refused)
    return feedback


def _objection(value: float, feedback: Feedback) -> str:
    try:
        read_value(value, feedback)
    except InvalidValueError as error:
        return str(error).rstrip(".")
    raise AssertionError("a value inside the range was refused")


def _too_short(log: Log, kept: int, horizon: int) -> str:
    steps = kept // len(log.arms)
    return (
        f"{log.name} has {len(log)} {log.unit}s, of which a policy with {len(log.arms)} arms can "
        f"play about {steps} steps, not {horizon}; give a shorter horizon, or a longer log."
    )
