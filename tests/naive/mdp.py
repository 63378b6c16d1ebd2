"""Rules for MDPs from their definitions: in rewards, from whole histories, with no shortcuts.

Every function gives Q[stage][state][action], higher is better. `told` is the Problem; visits are
those of `follow`: stage, state, action, reward, next state, and the stream before the update.
"""

import math
from collections import Counter

from lowbid._random import (
    bits,
    integer,
    normal,
    quick_exponential,
    quick_gamma,
    quick_log_gamma,
    quick_normal,
    uniform_open,
)


def stages(told):
    return range(len(told.slack))


def places(told):
    return [(s, a) for s in range(len(told.actions)) for a in range(told.actions[s])]


def seen(told, visits, stage, s, a):
    """The visits that count for (stage, s, a): those at all stages, if they are pooled."""
    mine = [v for v in visits if (v.s, v.a) == (s, a)]
    return mine if told.groups == 1 else [v for v in mine if v.stage == stage]


def backwards(told, estimate, cap=None, ties=None):
    """Q by backward induction; ``estimate(stage, s, a, ahead)`` knows the next stage's values.

    `ties` is a stream from which a number is drawn wherever actions tie, as the rule does.
    """
    horizon, states = len(told.slack), len(told.actions)
    table, ahead = [[] for _ in range(horizon)], [0.0] * states
    for stage in reversed(range(horizon)):
        for s in range(states):
            row = [estimate(stage, s, a, ahead) for a in range(told.actions[s])]
            table[stage].append(row)
            if ties is not None:
                highest(row, ties)
        ahead = [max(row) for row in table[stage]]
        if cap is not None:
            ahead = [min(value, cap[stage]) for value in ahead]
    return table


def highest(row, stream):
    """The place of the highest entry, ties drawn from the stream."""
    best = [i for i, x in enumerate(row) if x == max(row)]
    return best[integer(stream, len(best))] if len(best) > 1 else best[0]


def padded_mean(told, batch, stage, ahead, padding):
    bound = told.bounds[stage]
    if not batch:
        return bound
    return (sum(v.reward + ahead[v.next_s] for v in batch) + padding * bound) / (
        len(batch) + padding
    )


def batch_q(told, visits, batches, padding, rank=1):
    """Reading B: the highest (or rank-th highest) of the batches' estimates, one common V."""

    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        dealt = [mine[first::batches] for first in range(batches)]
        found = sorted((padded_mean(told, b, stage, ahead, padding) for b in dealt), reverse=True)
        return found[rank - 1]

    return backwards(told, estimate, cap=told.bounds)


def own_q(told, visits, batch, batches, padding, by_episode=False):
    """What one batch makes of its own visits, by its own V."""

    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        if by_episode:
            dealt = [v for v in mine if (v.episode - 1) % batches == batch]
        else:
            dealt = mine[batch::batches]
        return padded_mean(told, dealt, stage, ahead, padding)

    return backwards(told, estimate, cap=told.bounds)


def bid_of(told, table):
    """What a batch expects of an episode."""
    best = [min(max(row), told.bounds[0]) for row in table[0]]
    return sum(chance * value for chance, value in zip(told.first, best, strict=True))


def mean_of(mine, ahead):
    return sum(v.reward + ahead[v.next_s] for v in mine) / len(mine)


def eqo(told, visits, scale):
    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        if not mine:
            return told.bounds[stage]
        return mean_of(mine, ahead) + scale * told.spans[0] / len(mine)

    return backwards(told, estimate, cap=told.bounds)


def certainty_equivalence(told, visits):
    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        return mean_of(mine, ahead) if mine else 0.0

    return backwards(told, estimate)


def ucbvi(told, visits, before, scale, delta, bernstein, log=None):
    """`before` is Q of the episode before, or None."""
    horizon, states, span = len(told.slack), len(told.actions), told.spans[0]
    actions = max(told.actions)
    log = log or math.log(5 * states * actions * told.episodes * horizon / delta)

    def bonus(mine, stage, ahead):
        n = len(mine)
        if not bernstein:
            return 7 * span * log / math.sqrt(n)
        values = [ahead[v.next_s] for v in mine]
        variance = sum((x - sum(values) / n) ** 2 for x in values) / n
        doubt = 0.0
        for v in mine:
            there = sum((w.stage, w.s) == (stage + 1, v.next_s) for w in visits)
            wide = 100**2 * horizon * span**2 * states**2 * actions * log**2
            doubt += min(wide / there, span**2) / n if there else span**2 / n
        return (
            math.sqrt(8 * log * variance / n) + 14 * span * log / (3 * n) + math.sqrt(8 * doubt / n)
        )

    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        if not mine:
            return told.bounds[stage]
        now = mean_of(mine, ahead) + scale * bonus(mine, stage, ahead)
        return min(now, told.bounds[stage] if before is None else before[stage][s][a])

    return backwards(told, estimate, cap=told.bounds)


def exponentials(number, stream):
    """In pairs: gamma numbers of shape 2, each split by a uniform; an odd one, or few, alone."""
    if number < 16:
        return [quick_exponential(stream) for _ in range(number)]
    half = number // 2
    words = [int(bits(stream)) for _ in range(half)]
    sums = [-math.log((w // 2**32 + 0.5) * (w % 2**32 + 0.5) / 2**64) for w in words]
    parts = [uniform_open(stream) for _ in range(half)]
    pairs = list(zip(sums, parts, strict=True))
    rest = [quick_exponential(stream)] if number % 2 else []
    return [x * part for x, part in pairs] + [x * (1 - part) for x, part in pairs] + rest


def normals(number, stream):
    """In pairs: a distance and a direction, an eighth of a turn to either side of an axis."""
    if number < 16:
        return [quick_normal(stream) for _ in range(number)]
    half = number // 2
    distances = [math.sqrt(-2 * math.log(uniform_open(stream))) for _ in range(half)]
    points = []
    for r in distances:
        word = int(bits(stream))
        angle = math.pi / 2 * ((word // 2**11 + 0.5) / 2**53 - 0.5)
        point = math.cos(angle), math.sin(angle)
        sign = -1 if word & 2 else 1
        points.append([sign * r * x for x in (point[::-1] if word & 1 else point)])
    rest = [quick_normal(stream)] if number % 2 else []
    return [x for x, _ in points] + [y for _, y in points] + rest


def gammas(shapes, stream):
    """By Marsaglia and Tsang: all numbers are tried once before any is tried again."""
    tried = normals(len(shapes), stream)
    tried = [(n, x, uniform_open(stream)) for n, x in zip(shapes, tried, strict=True)]
    return [accepted(n, x, u) or quick_gamma(stream, n) for n, x, u in tried]


def accepted(shape, x, u):
    d = shape - 1 / 3
    v = (1 + x / math.sqrt(9 * d)) ** 3
    is_good = v > 0 and math.log(u) < x * x / 2 + d - d * v + d * math.log(v)
    return d * v if is_good else None


def prior_weights(prior, n_next, n, stream):
    """Gamma numbers of the prior, by next state and entry, and what others are scaled by."""
    if prior < 1:
        logs = [[quick_log_gamma(stream, prior) for _ in range(n)] for _ in range(n_next)]
        highest = [max(column) for column in zip(*logs, strict=True)]
        rows = [[math.exp(x - top) for x, top in zip(row, highest, strict=True)] for row in logs]
        return rows, [math.exp(min(-top, 600)) for top in highest]
    if prior == 1:
        flat = exponentials(n_next * n, stream)
    else:
        flat = [quick_gamma(stream, prior) for _ in range(n_next * n)]
    return [flat[y * n : (y + 1) * n] for y in range(n_next)], [1.0] * n


def psrl(told, visits, stream, prior, mean, reward_precision, precision):
    """Entries are numbered by group, action and state."""
    horizon, states, actions = len(told.slack), len(told.actions), max(told.actions)
    entries = states * actions
    arrivals = Counter((0 if told.groups == 1 else v.stage, v.a, v.s, v.next_s) for v in visits)
    added = dict(zip(arrivals, gammas(list(arrivals.values()), stream), strict=True))
    noise = iter(normals(told.groups * entries, stream))
    rewards = {}
    for group in range(told.groups):
        for a in range(actions):
            for s in range(states):
                mine = seen(told, visits, group, s, a)
                total = reward_precision + len(mine) * precision
                centre = reward_precision * mean + precision * sum(v.reward for v in mine)
                rewards[group, s, a] = centre / total - next(noise) / math.sqrt(total)
    chances = {}

    def draw(group):
        rows, factors = prior_weights(prior, states, entries, stream)
        for (g, a, s, y), number in added.items():
            if g == group:
                rows[y][a * states + s] += factors[a * states + s] * number
        for a in range(actions):
            for s in range(states):
                column = [row[a * states + s] for row in rows]
                chances[group, s, a] = [x / sum(column) for x in column]

    def estimate(stage, s, a, ahead):
        group = 0 if told.groups == 1 else stage
        if stage == horizon - 1:
            return rewards[group, s, a]
        if (group, s, a) not in chances:
            draw(group)
        following = sum(c * v for c, v in zip(chances[group, s, a], ahead, strict=True))
        return rewards[group, s, a] + following

    return backwards(told, estimate)


def rlsvi(told, visits, stream, variance, prior):
    states, actions = len(told.actions), max(told.actions)
    noise = normals(len(told.slack) * states * actions, stream)

    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        precision = len(mine) / variance + 1 / prior
        centre = sum(v.reward + ahead[v.next_s] for v in mine) / variance / precision
        return centre - noise[(stage * states + s) * actions + a] / math.sqrt(precision)

    return backwards(told, estimate)


def russo_rlsvi(told, visits, stream, episode, scale):
    horizon, states, actions = len(told.slack), len(told.actions), max(told.actions)
    beta = scale * states * told.spans[0] ** 2 * horizon / 2
    beta *= math.log(2 * horizon * states * actions * episode)

    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        centre = sum(v.reward + ahead[v.next_s] for v in mine) / (len(mine) + 1)
        return centre - math.sqrt(beta / (len(mine) + 1)) * normal(stream)

    return backwards(told, estimate)


def lsvi_phe(told, visits, stream, members, variance, regularisation):
    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        weight = len(mine) + regularisation
        centre = sum(v.reward + ahead[v.next_s] for v in mine) / weight
        draws = [centre - math.sqrt(variance / weight) * normal(stream) for _ in range(members)]
        return min(max(draws), told.bounds[stage])

    return backwards(told, estimate, ties=stream)


def ensemble_rlsvi(told, visits, first_stream, stream, episode, members, variance, prior):
    """`first_stream` is the stream before the first plan, from which the priors are drawn."""
    most, states = max(told.actions), len(told.actions)
    priors = {
        (m, h, s, a): -math.sqrt(prior) * normal(first_stream)
        for m in range(members)
        for h in stages(told)
        for s in range(states)
        for a in range(most)
    }
    member = integer(first_stream if episode == 1 else stream, members)

    def noise(v):
        draws = v.stream.copy()
        return [-math.sqrt(variance) * normal(draws) for _ in range(members)][member]

    def estimate(stage, s, a, ahead):
        mine = seen(told, visits, stage, s, a)
        total = sum(v.reward + noise(v) + ahead[v.next_s] for v in mine) / variance
        total += priors[member, stage, s, a] / prior
        return total / (len(mine) / variance + 1 / prior)

    return backwards(told, estimate)


def step_of(fixed, told, n):
    horizon = len(told.slack)
    return fixed if fixed else (horizon + 1) / (horizon + n)


def empty(told, start):
    return [[[start(h)] * told.actions[s] for s in range(len(told.actions))] for h in stages(told)]


def q_learning(told, visits, step, optimistic):
    table = empty(told, lambda h: told.bounds[h] if optimistic else 0.0)
    counts = empty(told, lambda h: 0)
    for v in visits:
        ahead = max(table[v.stage + 1][v.next_s]) if v.stage + 1 < len(table) else 0.0
        counts[v.stage][v.s][v.a] += 1
        alpha = step_of(step, told, counts[v.stage][v.s][v.a])
        old = table[v.stage][v.s][v.a]
        table[v.stage][v.s][v.a] = (1 - alpha) * old + alpha * (v.reward + ahead)
    return table


def ebql(told, visits, members, step):
    """The sum of all members' tables."""
    tables = [empty(told, lambda h: 0.0) for _ in range(members)]
    counts = [empty(told, lambda h: 0) for _ in range(members)]
    for v in visits:
        draws = v.stream.copy()
        k = integer(draws, members)
        target = v.reward
        if v.stage + 1 < len(told.slack):
            favourite = highest(tables[k][v.stage + 1][v.next_s], draws)
            others = [t[v.stage + 1][v.next_s][favourite] for j, t in enumerate(tables) if j != k]
            target += sum(others) / len(others)
        counts[k][v.stage][v.s][v.a] += 1
        alpha = step_of(step, told, counts[k][v.stage][v.s][v.a])
        row = tables[k][v.stage][v.s]
        row[v.a] += alpha * (target - row[v.a])
    return [
        [
            [sum(t[h][s][a] for t in tables) for a in range(told.actions[s])]
            for s in range(len(told.actions))
        ]
        for h in stages(told)
    ]


def ucb_q(told, visits, scale, delta, bernstein):
    horizon, states, span = len(told.slack), len(told.actions), told.spans[0]
    pairs = states * max(told.actions)
    iota = math.log(pairs * told.episodes * horizon / delta)
    unit = span / horizon  # in which returns lie in [0, H]
    table = empty(told, lambda h: told.bounds[h])
    ahead_of, beta = {}, {}
    for v in visits:
        place = v.stage, v.s, v.a
        ahead = 0.0
        below = 0.0
        if v.stage + 1 < horizon:
            ahead = min(told.bounds[v.stage + 1], max(table[v.stage + 1][v.next_s]))
            below = told.bounds[v.stage + 1] - ahead
        past = ahead_of.setdefault(place, [])
        past.append(below / unit)
        t = len(past)
        alpha = (horizon + 1) / (horizon + t)
        bonus = scale * math.sqrt(horizon**3 * iota / t)
        if bernstein:
            variance = sum((x - sum(past) / t) ** 2 for x in past) / t
            first = math.sqrt(horizon * (variance + horizon) * iota / t)
            second = math.sqrt(horizon**7 * pairs) * iota / t
            now = scale * min(first + second, math.sqrt(horizon**3 * iota / t))
            bonus = (now - (1 - alpha) * beta.get(place, 0.0)) / (2 * alpha)
            beta[place] = now
        row = table[v.stage][v.s]
        row[v.a] = (1 - alpha) * row[v.a] + alpha * (v.reward + ahead + unit * bonus)
    return table


def batch_q_learning(told, visits, batches):
    tables = [empty(told, lambda h: told.bounds[h]) for _ in range(batches)]
    counts = empty(told, lambda h: 0)

    def best(h, s):
        return min(told.bounds[h], max(max(t[h][s]) for t in tables))

    for v in visits:
        ahead = best(v.stage + 1, v.next_s) if v.stage + 1 < len(told.slack) else 0.0
        n = counts[v.stage][v.s][v.a]
        counts[v.stage][v.s][v.a] += 1
        row = tables[n % batches][v.stage][v.s]
        alpha = step_of(None, told, n // batches + 1)
        row[v.a] = (1 - alpha) * row[v.a] + alpha * (v.reward + ahead)
    return [
        [
            [max(t[h][s][a] for t in tables) for a in range(told.actions[s])]
            for s in range(len(told.actions))
        ]
        for h in stages(told)
    ]
