"""Explain why an arm is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lowbid._compile import compiling
from lowbid.errors import InvalidValueError
from lowbid.online._core import Core
from lowbid.online._decisions import Arm
from lowbid.online._ledger import COUNT, mean_of_row
from lowbid.policies import Bid, EnsemblePolicy, Wrapper

# With more arms than this, an explanation prints the best of them.
_MOST_ROWS = 20


@dataclass(frozen=True)
class ExplainedArm:
    """What is known about one arm, in the caller's units.

    Attributes
    ----------
    arm : str or int
        Its name.
    count : int
        The number of its reported outcomes.
    mean : float
        Their mean.
    pending : int
        The number of its decisions whose outcomes are pending.
    paused : bool
        Whether it is currently paused.
    index : float or None
        The index it is ranked by; None if it is paused, or if the policy has no indices.
    batch_sizes, batch_estimates : list
        The size and the estimate of each batch, if the policy has batches.
    left_out : bool
        Whether the next decision leaves it out: it was added, has no outcome yet, and has had its
        fair share of the decisions since.
    """

    arm: Arm
    count: int
    mean: float
    pending: int
    paused: bool
    index: float | None
    batch_sizes: list[int]
    batch_estimates: list[float]
    left_out: bool = False


@dataclass(frozen=True)
class Explanation:
    """Why an arm is chosen; prints as a table.

    Attributes
    ----------
    arms : list of ExplainedArm
        All arms, including paused ones.
    kind : str
        What is measured: "loss" or "reward".
    policy : str
        The name of the policy.
    best : {"lowest", "highest"}
        Whether the lowest or the highest index is chosen.
    """

    arms: list[ExplainedArm]
    kind: str
    policy: str
    best: Literal["lowest", "highest"] = "lowest"

    @property
    def winners(self) -> list[Arm]:
        """The arms with the best index, one of which is chosen next; empty without indices."""
        can = [arm for arm in self.arms if not arm.left_out]
        ranked = [(arm.index, arm.arm) for arm in can if arm.index is not None]
        if not ranked:
            return []
        best = (max if self.best == "highest" else min)(index for index, _ in ranked)
        return [name for index, name in ranked if index == best]

    def __str__(self) -> str:
        shown, winners = self._shown(), self.winners
        width = max(3, *(len(str(arm.arm)) for arm in shown))
        head = f"{'arm':{width}}  {'count':>7}  {'mean':>10}"
        head += f"  {'index':>10}" if winners else ""
        head += "  batches (size: estimate)" if any(arm.batch_sizes for arm in shown) else ""
        lines = [head, *(self._line(arm, width, winners) for arm in shown)]
        if len(shown) < len(self.arms):
            lines.append(f"... and {len(self.arms) - len(shown)} more arms, in explain().arms")
        if not winners:
            return "\n".join([*lines, f"{self.policy} does not use an index."])
        return "\n".join([*lines, f"{self.policy}: the {self.best} index is chosen."])

    def _shown(self) -> list[ExplainedArm]:
        """All arms, or the best few of many."""
        if len(self.arms) <= _MOST_ROWS:
            return self.arms
        sign = -1.0 if self.best == "highest" else 1.0

        def rank(arm: ExplainedArm) -> tuple[bool, float, int]:
            return arm.index is None, sign * (arm.index or 0.0), -arm.count

        return sorted(self.arms, key=rank)[:_MOST_ROWS]

    def _line(self, arm: ExplainedArm, width: int, winners: list[Arm]) -> str:
        line = f"{arm.arm!s:{width}}  {arm.count:7}  {arm.mean:10.4g}"
        if winners:
            index = "-" if arm.index is None else f"{arm.index:.4g}"
            line += f"  {'paused' if arm.paused else index:>10}"
        pairs = zip(arm.batch_sizes, arm.batch_estimates, strict=True)
        batches = ", ".join(f"{size}: {estimate:.4g}" for size, estimate in pairs)
        line += f"  {batches}" if batches else ""
        line += "  paused" if arm.paused and not winners else ""
        line += f"  {arm.pending} pending" if arm.pending else ""
        line += "  left out: no outcome yet, and has had its share" if arm.left_out else ""
        line += "  <- chosen next" if winners == [arm.arm] else ""
        line += "  <- tied" if len(winners) > 1 and arm.arm in winners else ""
        return line


def explained(core: Core) -> Explanation:
    """Why the next arm would be chosen."""
    try:
        indices = indices_of(core)
    except InvalidValueError:  # the policy has no indices
        indices = {}
    pending = core.decisions.count_by_arm()
    estimates, sizes = _batches(core)
    left_out = core.roster.newcomers.left_out(core.roster.number)
    arms = [
        ExplainedArm(
            arm=arm,
            count=int(row[COUNT]),
            mean=mean_of_row(row),
            pending=pending[arm],
            paused=arm in core.roster.paused,
            index=indices.get(arm),
            batch_sizes=sizes.get(arm, []),
            batch_estimates=estimates.get(arm, []),
            left_out=arm in left_out,
        )
        for arm, row in core.roster.rows.items()
    ]
    kind = "outcome" if core.feedback is None else core.feedback.kind
    highest = kind == "reward" and core.engine.policy.index_unit == "loss"
    return Explanation(arms, kind, core.policy.name, "highest" if highest else "lowest")


def indices_of(core: Core) -> dict[Arm, float]:
    """The index of each arm that can be chosen, in the caller's units if it is a loss."""
    indices = core.engine.indices()
    if core.engine.policy.index_unit == "loss":
        indices = [_in_units(core, index) for index in indices]
    return dict(zip(core.roster.names, indices, strict=True))


def bids_of(core: Core) -> list[Bid]:
    """The arm that each batch would play on its own, with its bid in the caller's units."""
    policy, state = _with_batches(core)
    if policy is None:
        raise InvalidValueError(f"{core.engine.policy.name} has no batches; use BatchEnsemble.")
    with compiling(core.engine.compiled):
        bids = policy.bids(state)
    return [Bid(core.roster.names[int(bid.arm)], _in_units(core, bid.estimate)) for bid in bids]


def _batches(core: Core) -> tuple[dict[Arm, list[float]], dict[Arm, list[int]]]:
    """The estimates and sizes of every arm's batches, if there are batches."""
    names = core.roster.names
    policy, state = _with_batches(core)
    if policy is None:
        return {}, {}
    with compiling(core.engine.compiled):
        table = policy.estimates(state)
    estimates = [[_in_units(core, float(x)) for x in row] for row in table]
    sizes = state.batches.counts[:, : table.shape[1]].astype(int).tolist()
    return dict(zip(names, estimates, strict=True)), dict(zip(names, sizes, strict=True))


def _with_batches(core: Core) -> tuple[EnsemblePolicy | None, Any]:
    """The policy with batches, be it within others, and its state at the next choice."""
    policy, path = core.engine.policy, 0
    while isinstance(policy, Wrapper):
        policy, path = policy.policy, path + 1
    if not isinstance(policy, EnsemblePolicy):
        return None, None
    state = core.engine.ahead()
    for _ in range(path):
        state = state.policy
    return policy, state


def _in_units(core: Core, loss: float) -> float:
    return loss if core.feedback is None else core.feedback.value(loss)
