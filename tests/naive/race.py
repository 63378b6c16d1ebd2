"""Races for the lead from whole histories: who may be played, given who was played so far."""

import math

from lowbid._compile import interpreted
from naive.index import mean
from replay import lowest_arms, replay


class Clip:
    """Losses from the first one, in units of the first difference, clipped, in order."""

    def __init__(self, low=None, high=None):
        self.declared = low is not None
        self.origin, self.unit = (low, high - low) if self.declared else (None, None)
        self.seen = []

    def take(self, loss):
        if self.origin is None:
            self.origin = loss
        if self.unit is None and loss != self.origin:
            self.unit = abs(loss - self.origin)
        x = 0.0 if loss == self.origin else (loss - self.origin) / self.unit
        if not self.declared and len(self.seen) >= 2 and max(self.seen) > min(self.seen):
            width = max(self.seen) - min(self.seen)
            x = min(max(x, min(self.seen) - width), max(self.seen) + width)
        self.seen.append(x)
        return x

    def reach(self, x, margin):
        if self.declared:
            return x
        first, second = sorted(self.seen)[:2]
        return x - first + margin * (second - first)


class Follower:
    """Follows a race play by play, and knows which arms may be played next."""

    def __init__(self, n_arms, evidence, patience, recheck, low=None, high=None):
        self.evidence, self.patience, self.recheck = evidence, patience, recheck
        self.clip = Clip(low, high)
        self.losses = [[] for _ in range(n_arms)]
        self.leader, self.until, self.settled, self.pool = None, 0, False, None
        self.indices, self.asleep = [-2.0] * n_arms, [0.0] * n_arms

    def index(self, arm):
        x = self.losses[arm]
        if len(x) < 2:
            return len(x) - 2
        if self.leader is None or arm == self.leader:
            return len(x)
        gap = mean(x) - mean(self.losses[self.leader])
        if gap <= 1e-15:
            return len(x)
        evidence = min(self.evidence(x, gap, self.clip, self.pool), 600.0)
        return len(x) * (1 + self.patience * math.expm1(evidence))

    def allowed(self, lowest):
        """The arms that may be played now; `lowest` says which have the lowest index."""
        if self.leader is not None and len(self.losses[self.leader]) < self.until:
            return {self.leader}
        if all(len(x) >= 2 for x in self.losses) and not self.settled:
            order = [(mean(x), -len(x)) for x in self.losses]
            best, self.until, self.settled = order.index(min(order)), 0, True
            if best != self.leader:
                self.leader, self.asleep = best, [0.0] * len(self.losses)
            self.pool = [list(x) for x in self.losses]
            plays = len(self.losses[self.leader])
            for arm in range(len(self.losses)):
                if self.asleep[arm] <= plays or arm == self.leader:
                    self.indices[arm] = self.index(arm)
                    far = self.indices[arm] > 4 * plays
                    self.asleep[arm] = 1.5 * plays if far else 0.0
        return lowest(self.indices)

    def play(self, arm, loss):
        ready = all(len(x) >= 2 for x in self.losses)
        staying = arm == self.leader and len(self.losses[arm]) < self.until
        if ready and arm == self.leader and not staying:
            n = len(self.losses[arm])
            self.until = n + 1 + math.floor(self.recheck * n)
            self.settled = False
        self.losses[arm].append(self.clip.take(loss))
        if arm == self.leader:
            return
        self.indices[arm] = self.index(arm)
        if self.leader is not None:
            ours, best = self.losses[arm], self.losses[self.leader]
            if (mean(ours), -len(ours)) < (mean(best), -len(best)):
                self.settled = False


def follow(policy, arms, follower, tolerance, horizon=400, seed=3):
    """Every choice of a policy is one that the follower allows."""
    last = None
    with interpreted():
        for moment in replay(policy, arms, horizon, seed):
            if last is not None:
                follower.play(last, moment.losses[last][-1])
            last = moment.arm
            allowed = follower.allowed(lambda indices: lowest_arms(indices, tolerance))
            assert last in allowed, moment.step


def deviations(x, power):
    return math.fsum((value - mean(x)) ** power for value in x)


def moment_evidence(c, e, margin):
    """By definition: Moment IMED's evidence, its integral computed in small steps."""

    def evidence(x, gap, clip, pool):
        n = len(x)
        w = max(clip.reach(mean(x), margin), gap)
        share = min(gap / w, 1 - 1 / (len(clip.seen) + 2))
        if clip.declared and len(set(x)) == 1:
            return -n * math.log(1 - share)
        weight = sum(len(y) - 1 for y in pool)
        squares = deviations(x, 2) + c * math.fsum(deviations(y, 2) for y in pool) / weight
        cubes = deviations(x, 3) + c * math.fsum(deviations(y, 3) for y in pool) / weight
        if squares <= 1e-15:
            return math.inf
        v = squares / (n - 1 + c)
        g = cubes / squares * n / (n - 1.5)
        r = max(min(1 - g * w / v, w * w / v), -0.95)
        f = n - 1 + e
        return f / 2 * math.log(1 + 2 * n * w * w / v * integral(share, r) / f)

    return evidence


def integral(x, r, steps=2000):
    """Of u / ((1 - u)(1 + r u)) from 0 to x by Simpson's rule, on a scale that opens the pole."""
    top = -math.log(1 - x)

    def f(s):  # u = 1 - exp(-s), du = (1 - u) ds
        u = -math.expm1(-s)
        return u / (1 + r * u)

    h = top / steps
    inner = sum((4 if i % 2 else 2) * f(i * h) for i in range(1, steps))
    return h / 3 * (f(0.0) + inner + f(top))


def batch_evidence(batches, c):
    """By definition: the log-wealth of batches, its maximum found by ternary search."""

    def dealt(x):
        return [x[first::batches] for first in range(min(batches, len(x)))]

    def scatter(x):
        offs = [(sum(b) - len(b) * mean(x), len(b)) for b in dealt(x)]
        return math.fsum(d**2 / n for d, n in offs), math.fsum(d**3 / n for d, n in offs)

    def evidence(x, gap, clip, pool):
        n, u, used = len(x), mean(x) - gap, min(batches, len(x))
        weight = sum(min(batches, len(y)) - 1 for y in pool)
        squares, cubes = scatter(x)
        lowest = n / used * clip.reach(u, 0.0)
        if clip.declared and squares < 1e-20:
            bottom = lowest
        else:
            squares += c * math.fsum(scatter(y)[0] for y in pool) / weight
            cubes += c * math.fsum(scatter(y)[1] for y in pool) / weight
            v, rho = squares / (used - 1 + c), cubes / squares
            bottom = min(lowest, (math.sqrt(rho**2 + 4 * v * n / used) - rho) / 2)
        bets = [sum(b) - len(b) * u for b in dealt(x)] + [-bottom]
        if sum(bets) <= 0:
            return 0.0
        if min(bets) >= 0:
            return math.inf

        def wealth(stake):
            return math.fsum(math.log(1 + stake * bet) for bet in bets)

        low, high = 0.0, -1 / min(bets) * (1 - 1e-15)
        for _ in range(200):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            low, high = (a, high) if wealth(a) < wealth(b) else (low, b)
        return wealth(low)

    return evidence
