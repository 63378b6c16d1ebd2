r"""One Bayesian linear model per arm, whose prior and noise are estimated from all losses.

With features x, measured from the first ones and 1 in front, an arm's mean loss is :math:`\theta_a
\cdot x`. Now and then, after each tenth more steps, the prior is estimated anew; see
`refresh`. Between, the models are updated one loss at a time, which is exact for a fixed prior.

A pending decision counts as a play whose loss is what was predicted when it was made: it makes the
arm less uncertain near its features, and moves nothing. When its loss arrives, or never will, that
play is taken back, exactly.

Notation, as in `refresh`: `V` is the variance of losses that the models start from, `ρ` the part of
it that the features of an arm are expected to explain, `θ0` the level of the average arm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid.contextual._columns import Columns, columns_of, count, deviation, read
from lowbid.contextual._triangle import (
    add_multiple,
    add_square,
    copy,
    dot,
    factorise,
    form,
    invert,
    packed,
    solve_transposed,
    times,
)
from lowbid.policies import (
    HIGHEST,
    LOWEST,
    UNIT,
    Limits,
    Sizes,
    Yardstick,
    measured,
    real,
    whole,
    yardstick_of,
)

# What `Model.prior` holds: V, the noise's variance σ², θ0, ρ, and σ² as it was before a refresh.
VARIANCE, NOISE, CENTRE, SHARE, OLD_NOISE = range(5)
# What `Model.due` holds: the step of the next refresh, what the current one does, and to which arm.
NEXT, PHASE, ARM = range(3)
_IDLE, _WEIGHING, _REBUILDING = range(3)

# The noise is estimated as if so many more losses had had the variance V.
_PSEUDO_LOSSES = 3.0
# ρ is changed from so many losses per arm and column on, within these limits, and only slowly.
_LOSSES_PER_COLUMN, _LEAST_SHARE, _MOST_SHARE, _STEADINESS = 3.0, 0.01, 4.0, 1.5
# From this loss on, one may lie beyond the range seen by no more than so many deviations.
_CLIP_FROM, _FAR = 10.0, 5.0
# The multiplications that one call may spend on a refresh: about as many as a millisecond has.
_MULTIPLICATIONS = 4_000_000


class Model(NamedTuple):
    """All that is known; matrices are packed triangles, see `_triangle`.

    Attributes
    ----------
    columns
        The features.
    yardstick
        How losses are measured.
    counts, pending
        The number of losses, and of pending decisions, of each arm.
    squares
        The sum of each arm's squared losses.
    moments, targets
        For each arm, the sum of x x', and that of x times the loss.
    held, held_targets
        The same for its pending decisions.
    inverse, weights
        For each arm, the inverse of σ² times the posterior precision, and the posterior mean.
    built
        Whether they are there: not before a refresh has found the arm.
    prior
        See `VARIANCE`, ...
    due
        See `NEXT`, ...
    centre, scale
        The mean and the standard deviation of each column at the last refresh.
    weighed
        For ρ / 2, ρ and 2 ρ: the sum of squared residuals, and that of log-determinants; then, for
        the ρ chosen, the first of these, and 1 if it is known.
    forecast
        What was predicted for the decision that `hold` was called for.
    work, vector, other
        Room to compute in.
    """

    columns: Columns
    yardstick: Yardstick
    counts: Floats
    pending: Floats
    squares: Floats
    moments: Floats
    targets: Floats
    held: Floats
    held_targets: Floats
    inverse: Floats
    weights: Floats
    built: Ints
    prior: Floats
    due: Ints
    centre: Floats
    scale: Floats
    weighed: Floats
    forecast: Floats
    work: Floats
    vector: Floats
    other: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `policies._limits`."""
        yield "counts", whole(0)
        yield "pending", whole(0, sizes.steps)
        yield "squares", real(0.0)
        yield "built", whole(0, 1)
        yield "due", whole(0)
        yield "scale", real(0.0)

    def renumber(self, before: Model, arms: Sequence[int]) -> None:
        """Continue with other arms: a new one gets its prior before the next choice."""
        self.due[:] = 0


@allocating_kernel
def model_of(n_arms: int, columns: int, low: float, high: float) -> Model:
    """Before the first decision."""
    d = columns + 1
    size = packed(d)
    prior = np.zeros(5)
    prior[VARIANCE] = prior[NOISE] = prior[SHARE] = 1.0
    return Model(
        columns=columns_of(columns),
        yardstick=yardstick_of(low, high),
        counts=np.zeros(n_arms),
        pending=np.zeros(n_arms),
        squares=np.zeros(n_arms),
        moments=np.zeros((n_arms, size)),
        targets=np.zeros((n_arms, d)),
        held=np.zeros((n_arms, size)),
        held_targets=np.zeros((n_arms, d)),
        inverse=np.zeros((n_arms, size)),
        weights=np.zeros((n_arms, d)),
        built=np.zeros(n_arms, np.int64),
        prior=prior,
        due=np.zeros(3, np.int64),
        centre=np.zeros(d),
        scale=np.ones(d),
        weighed=np.zeros((3, 2)),
        forecast=np.zeros(1),
        work=np.zeros(size),
        vector=np.zeros(d),
        other=np.zeros(d),
    )


# Choose, and learn


@kernel
def look(model: Model, step: int) -> None:
    """Read the features of a decision, and bring the models up to date."""
    read(model.columns)
    count(model.columns)
    refresh(model, step)


@kernel
def is_new(model: Model, arm: int) -> bool:
    """Whether an arm was never played."""
    return model.counts[arm] + model.pending[arm] == 0.0


@kernel
def predicted(model: Model, arm: int) -> float:
    """The mean loss of an arm at the features at hand."""
    return dot(model.weights[arm], model.columns.x)


@kernel
def uncertainty(model: Model, arm: int) -> float:
    """Of what is predicted: its variance in units of σ², 1 / the number of losses near here."""
    return form(model.inverse[arm], model.columns.x, model.vector)


@kernel
def learn(model: Model, arm: int, loss: float) -> float:
    """Learn from a loss of an arm at the features at hand; returns it as it was measured."""
    columns = model.columns
    read(columns)
    total = 1.0
    for other in range(len(model.counts)):
        total += model.counts[other]
    if total > columns.seen[0]:  # it was decided elsewhere
        count(columns)
    y = _clipped(model, arm, loss, total)
    model.counts[arm] += 1.0
    model.squares[arm] += y * y
    add_square(model.moments[arm], 1.0, columns.x)
    add_multiple(model.targets[arm], y, columns.x)
    if model.built[arm] == 1:
        _adjust(model, arm, y, 1.0)
    return y


@kernel
def hold(parameters: Any, state: Any, arm: int, change: int) -> None:
    """Count a decision whose loss is not known yet, at the features at hand."""
    model = state.model
    x = model.columns.x
    if change == 0:
        return
    read(model.columns)
    sign = 1.0 if change > 0 else -1.0
    if change > 0:
        model.forecast[0] = predicted(model, arm)
    f = model.forecast[0]
    model.pending[arm] += sign
    add_square(model.held[arm], sign, x)
    add_multiple(model.held_targets[arm], sign * f, x)
    if model.pending[arm] == 0.0:  # what rounding has left
        model.held[arm][:] = 0.0
        model.held_targets[arm][:] = 0.0
    if model.built[arm] == 1:
        _adjust(model, arm, f, sign)


@kernel
def _adjust(model: Model, arm: int, y: float, sign: float) -> None:
    """Add a loss to an arm's model, or take it out."""
    x, change, weights = model.columns.x, model.vector, model.weights[arm]
    times(model.inverse[arm], x, change)
    rest = 1.0 + sign * dot(x, change)
    factor = sign / rest
    add_multiple(weights, factor * (y - dot(weights, x)), change)
    add_square(model.inverse[arm], -factor, change)


@kernel
def _clipped(model: Model, arm: int, loss: float, total: float) -> float:
    """A loss by the yardstick, clipped to what was seen or can be expected, whichever is wider."""
    yardstick, prior = model.yardstick, model.prior
    lowest, highest = yardstick[LOWEST], yardstick[HIGHEST]
    y = measured(yardstick, loss)
    ready = model.built[arm] == 1 and prior[VARIANCE] != 1.0 and yardstick[UNIT] > 0.0
    if total <= _CLIP_FROM or not ready:
        return y
    mean = predicted(model, arm)
    margin = _FAR * math.sqrt(prior[NOISE] * (1.0 + uncertainty(model, arm)))
    y = min(max(y, min(lowest, mean - margin)), max(highest, mean + margin))
    yardstick[LOWEST], yardstick[HIGHEST] = min(lowest, y), max(highest, y)
    return y


# The prior


@kernel
def refresh(model: Model, step: int) -> None:
    """Estimate the prior and the noise anew if that is due, and fit every arm's model to them.

    With many columns and arms this takes a while, so it is spread over several calls: the evidence
    for ρ is weighed arm by arm, and then the models are fitted, arm by arm.
    """
    due, n_arms = model.due, len(model.counts)
    d = len(model.columns.x)
    if due[PHASE] == _IDLE:
        if step < due[NEXT]:
            return
        due[NEXT] = max(step + 1, (11 * step + 9) // 10)
        _begin(model, step)
    left = _MULTIPLICATIONS
    while due[PHASE] != _IDLE and left > 0:
        arm = due[ARM]
        if due[PHASE] == _WEIGHING:
            _weigh(model, arm)
        else:
            _rebuild(model, arm)
        left -= d * d * d
        due[ARM] += 1
        if due[ARM] == n_arms:
            due[ARM] = 0
            if due[PHASE] == _WEIGHING:
                _choose_share(model)
            else:
                _end(model, step)


@kernel
def _begin(model: Model, step: int) -> None:
    """Begin a refresh."""
    prior, due, columns = model.prior, model.due, model.columns
    model.centre[0] = 1.0
    for j in range(1, len(columns.x)):
        sd = deviation(columns, j)
        model.centre[j] = columns.mean[j]
        model.scale[j] = sd if sd > 0.0 else 1.0
    prior[VARIANCE] = _variance(model)
    if step <= 3:
        prior[NOISE] = prior[VARIANCE]
        prior[CENTRE] = _mean(model)
    prior[OLD_NOISE] = prior[NOISE]
    total = _total(model)
    model.weighed[:, :] = 0.0
    due[ARM] = 0
    enough = total > _LOSSES_PER_COLUMN * len(model.counts) * len(columns.x)
    due[PHASE] = _WEIGHING if enough and len(columns.x) > 1 else _REBUILDING


@kernel
def _total(model: Model) -> float:
    """The number of all losses."""
    total = 0.0
    for arm in range(len(model.counts)):
        total += model.counts[arm]
    return total


@kernel
def _mean(model: Model) -> float:
    """The mean of all losses, 0 before the first."""
    total = 0.0
    for arm in range(len(model.counts)):
        total += model.targets[arm, 0]
    return total / max(_total(model), 1.0)


@kernel
def _variance(model: Model) -> float:
    """The variance of losses within arms, and that of the arms' means; 1 while all are alike.

    It is not the variance of all losses, which shrinks when the best arm gets most of them.
    """
    within, mean, squares, played, total = 0.0, 0.0, 0.0, 0.0, 0.0
    for arm in range(len(model.counts)):
        n = model.counts[arm]
        if n > 0.0:
            own = model.targets[arm, 0] / n
            within += max(model.squares[arm] - n * own * own, 0.0)
            total += n
            played += 1.0
            off = own - mean
            mean += off / played
            squares += off * (own - mean)
    if total == 0.0:
        return 1.0
    variance = within / total + squares / played
    return variance if variance > 0.0 else 1.0


@kernel
def _load(model: Model, arm: int, held: bool) -> None:
    """Write the moments of an arm to `work` and `vector`, for standard features and losses - θ0."""
    copy(model.work, model.moments[arm])
    copy(model.vector, model.targets[arm])
    if held:
        add_multiple(model.work, 1.0, model.held[arm])
        add_multiple(model.vector, 1.0, model.held_targets[arm])
    standardise(model)
    add_multiple(model.vector, -model.prior[CENTRE], model.work[0 : len(model.vector)])


@kernel
def standardise(model: Model) -> None:
    """Turn the moments in `work`, and the targets in `vector`, into those of standard features."""
    work, vector, centre, scale = model.work, model.vector, model.centre, model.scale
    d = len(vector)
    first = d
    for i in range(1, d):  # the rows below the first one, which they need as it is
        for j in range(i, d):
            moved = work[first + j - i] - centre[i] * work[j] - centre[j] * work[i]
            moved += centre[i] * centre[j] * work[0]
            work[first + j - i] = moved / (scale[i] * scale[j])
        first += d - i
    for j in range(1, d):
        work[j] = (work[j] - centre[j] * work[0]) / scale[j]
        vector[j] = (vector[j] - centre[j] * vector[0]) / scale[j]


@kernel
def add_precision(model: Model, share: float) -> float:
    """Add the prior's precision to `work`; returns its ln det."""
    d = len(model.vector)
    constant = model.prior[OLD_NOISE] / model.prior[VARIANCE]
    rest = (d - 1) * constant / share
    model.work[0] += constant
    first = d
    for i in range(1, d):
        model.work[first] += rest
        first += d - i
    return math.log(constant) + (d - 1) * (math.log(rest) if d > 1 else 0.0)


@kernel
def least_precision(model: Model, share: float) -> float:
    """The smallest number that `add_precision` adds."""
    constant = model.prior[OLD_NOISE] / model.prior[VARIANCE]
    d = len(model.vector)
    return min(constant, (d - 1) * constant / share) if d > 1 else constant


@kernel
def _squares_around_centre(model: Model, arm: int) -> float:
    """The sum of an arm's squared losses, measured from θ0."""
    centre, n = model.prior[CENTRE], model.counts[arm]
    total = model.squares[arm] - 2.0 * centre * model.targets[arm, 0] + n * centre * centre
    return max(total, 0.0)


@kernel
def _weigh(model: Model, arm: int) -> None:
    """Add what an arm says about ρ / 2, ρ and 2 ρ."""
    if model.counts[arm] == 0.0:
        return
    for which in range(3):
        share = _share(model, which)
        _load(model, arm, False)
        log_det = -add_precision(model, share)
        log_det += factorise(model.work, len(model.vector), least_precision(model, share))
        explained = solve_transposed(model.work, model.vector)
        rest = max(_squares_around_centre(model, arm) - explained, 0.0)
        model.weighed[which, 0] += rest
        model.weighed[which, 1] += log_det


@kernel
def _share(model: Model, which: int) -> float:
    """ρ / 2, ρ or 2 ρ, within its limits."""
    factor = 0.5 if which == 0 else (1.0 if which == 1 else 2.0)
    return min(max(factor * model.prior[SHARE], _LEAST_SHARE), _MOST_SHARE)


@kernel
def _choose_share(model: Model) -> None:
    """Take the ρ with most evidence, and start to fit the models."""
    prior, total = model.prior, _total(model)
    best, chosen = -math.inf, 1
    n = total + _PSEUDO_LOSSES
    for turn in range(3):
        which = (4 - turn) % 3  # ρ itself comes first, and stays if the others are no better
        rest = model.weighed[which, 0] + _PSEUDO_LOSSES * prior[VARIANCE]
        doubt = math.log(_share(model, which)) / _STEADINESS
        evidence = -0.5 * (n * math.log(rest / n) + model.weighed[which, 1] + doubt * doubt)
        if evidence > best:
            best, chosen = evidence, which
    prior[SHARE] = _share(model, chosen)
    rest = model.weighed[chosen, 0]
    model.weighed[:, :] = 0.0
    model.weighed[0, 0], model.weighed[0, 1] = rest, 1.0
    model.due[PHASE] = _REBUILDING


@kernel
def _rebuild(model: Model, arm: int) -> None:
    """Fit an arm's model to all its losses, and to its pending decisions."""
    if model.weighed[0, 1] == 0.0 and model.counts[arm] > 0.0:  # the residuals are not known yet
        share = model.prior[SHARE]
        _load(model, arm, False)
        add_precision(model, share)
        factorise(model.work, len(model.vector), least_precision(model, share))
        explained = solve_transposed(model.work, model.vector)
        model.weighed[0, 0] += max(_squares_around_centre(model, arm) - explained, 0.0)
    _load(model, arm, True)
    solve(model, model.inverse[arm], model.weights[arm])
    model.built[arm] = 1


@kernel
def solve(model: Model, inverse: Floats, weights: Floats) -> None:
    """Fit a model to what `_load` left in `work` and `vector`; both are cleared."""
    work, vector, other, prior = model.work, model.vector, model.other, model.prior
    d, share = len(vector), prior[SHARE]
    add_precision(model, share)
    factorise(work, d, least_precision(model, share))
    invert(work, d, other)
    times(work, vector, other)
    other[0] += prior[CENTRE]
    _back(model, inverse, weights)
    work[:] = 0.0
    vector[:] = 0.0
    other[:] = 0.0


@kernel
def _back(model: Model, inverse: Floats, weights: Floats) -> None:
    """Return from standard features, in `work` and `other`, to those that `x` holds."""
    work, vector, other = model.work, model.vector, model.other
    centre, scale = model.centre, model.scale
    d = len(vector)
    copy(weights, other)
    for j in range(1, d):
        weights[j] /= scale[j]
        weights[0] -= centre[j] * weights[j]
    vector[0] = 1.0
    for j in range(1, d):
        vector[j] = -centre[j] / scale[j]
    times(work, vector, other)
    inverse[0] = dot(other, vector)
    first = d
    for i in range(1, d):
        inverse[i] = other[i] / scale[i]
        for j in range(i, d):
            inverse[first + j - i] = work[first + j - i] / (scale[i] * scale[j])
        first += d - i


@kernel
def _end(model: Model, step: int) -> None:
    """Finish a refresh: the noise, and the level of the average arm for the next one."""
    prior, due = model.prior, model.due
    n = _total(model) + _PSEUDO_LOSSES
    prior[NOISE] = (model.weighed[0, 0] + _PSEUDO_LOSSES * prior[VARIANCE]) / n
    model.weighed[:, :] = 0.0
    if step > 3:
        level, played = 0.0, 0.0
        for arm in range(len(model.counts)):
            if model.counts[arm] > 0.0:
                level += dot(model.weights[arm], model.centre)
                played += 1.0
        if played > 0.0:
            prior[CENTRE] = level / played
    due[PHASE] = _IDLE
