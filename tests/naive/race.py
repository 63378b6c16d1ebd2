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

    def __init__(self, n_arms, evidence, patience, recheck, low=None, high=None, dealt=None):
        self.evidence, self.patience, self.recheck = evidence, patience, recheck
        self.dealt = dealt
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
        evidence = min(self.evidence(x, gap, self.clip, self.pool, arm), 600.0)
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
        if self.dealt is not None:
            self.dealt.play(arm, self.losses[arm][-1], sum(map(len, self.losses)))
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


def alike(x, gap, clip):
    """Of an arm whose losses could have two values: those so far, and the best possible one."""
    share = min(gap / clip.reach(mean(x), 0.0), 1 - 1 / (len(clip.seen) + 2))
    return -len(x) * math.log(1 - share)


def moment_evidence(c, e, margin):
    """By definition: Moment IMED's evidence, its integral computed in small steps."""

    def evidence(x, gap, clip, pool, arm):
        n = len(x)
        if clip.declared and len(set(x)) == 1:
            return alike(x, gap, clip)
        w = max(clip.reach(mean(x), margin), gap)
        share = min(gap / w, 1 - 1 / (len(clip.seen) + 2))
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


class Dealt:
    """Batches of single losses: each loss goes to the smallest batch, the first of several."""

    def __init__(self, n_arms, least):
        self.least, self.in_use = least, least
        self.batches = [[[] for _ in range(100)] for _ in range(n_arms)]

    def play(self, arm, loss, step):
        self.in_use = max(self.least, math.ceil(2 * math.log(step)))
        min(self.batches[arm][: self.in_use], key=len).append(loss)


def batch_evidence(dealt, policy):
    """By definition: the log-wealth of batches, its maximum found by ternary search."""
    c, theta, a = policy.pooling, policy.null_weight, policy.exploration

    def used(x):
        return min(dealt.in_use, len(x))

    def pooled(pool, power):
        weights = {i: used(y) - 1 for i, y in enumerate(pool) if len(y) >= 2}
        total = sum(weights.values())
        return math.fsum(
            w * deviations(pool[i], power) / (len(pool[i]) - 1) / total for i, w in weights.items()
        )

    def rho(x, v, k):
        squares, cubes = deviations(x, 2), deviations(x, 3)
        own = (cubes + c * k) / (squares + c * v)
        if v <= 1e-24:
            return own
        if k >= 0:
            return min(own, k / v)
        return min(own, (min(cubes, 0) + 400 * k) / (squares + 400 * v))

    def depth(x, gap, clip, pool):
        n, u = len(x), mean(x) - gap
        size, lowest = n / used(x), n / used(x) * clip.reach(u, 0.0)
        v, k = pooled(pool, 2), pooled(pool, 3)
        if deviations(x, 2) + c * v <= 0:
            return 0.0
        variance = (deviations(x, 2) + c * v + theta * n * gap**2) / (n - 1 + c + theta)
        skew = rho(x, v, k)
        return min(lowest, (math.sqrt(skew**2 + 4 * variance * size) - skew) / 2)

    def largest(x, gap, clip, pool, arm):
        u = mean(x) - gap
        bets = [sum(b) - len(b) * u for b in dealt.batches[arm] if b]
        bets.append(-depth(x, gap, clip, pool))
        if sum(bets) <= 0:
            return 0.0
        if min(bets) >= 0:
            return math.inf

        def wealth(stake):
            return math.fsum(math.log(1 + stake * bet) for bet in bets)

        low, high = 0.0, -1 / min(bets) * (1 - 1e-15)
        for _ in range(200):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (left, high) if wealth(left) < wealth(right) else (low, right)
        return wealth(low)

    def evidence(x, gap, clip, pool, arm):
        due = math.exp(min((len(x) / a) ** (1 / 1.1), 600))
        forced = math.log(1 + max(due / len(x) - 1, 0) / policy.patience)
        if clip.declared and len(set(x)) == 1:
            return min(alike(x, gap, clip), forced)
        return min(largest(x, gap, clip, pool, arm), forced)

    return evidence
