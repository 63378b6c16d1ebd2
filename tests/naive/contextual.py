"""Linear models from their definitions: whole histories, dense matrices, solved at every call."""

import math

import numpy as np


class Refreshed:
    """What a refresh estimates, from (arm, features, loss) and the features of all decisions."""

    def __init__(self, outcomes, contexts, n_arms, noise, centre, share):
        contexts = np.asarray(contexts, float)
        self.mean, sd = contexts.mean(axis=0), contexts.std(axis=0)
        self.sd = np.where(sd > 0, sd, 1.0)
        rows = [[(self.z(x), y) for arm, x, y in outcomes if arm == a] for a in range(n_arms)]
        self.z_of = [np.array([z for z, _ in row]).reshape(-1, len(self.mean) + 1) for row in rows]
        self.y_of = [np.array([y for _, y in row]) for row in rows]
        played = [y for y in self.y_of if len(y)]
        total = sum(len(y) for y in played)
        self.variance = sum(((y - y.mean()) ** 2).sum() for y in played) / total
        self.variance += np.var([y.mean() for y in played])
        noise = self.variance if noise is None else noise
        centre = np.concatenate(played).mean() if centre is None else centre
        d = len(self.mean) + 1
        if total > 3 * n_arms * d:
            options = [min(max(share * factor, 0.01), 4.0) for factor in (1.0, 0.5, 2.0)]
            share = max(options, key=lambda rho: self.evidence(noise, centre, rho, total))
        self.share = share
        prior = self.prior(noise, share)
        self.inverse = [np.linalg.inv(z.T @ z + prior) for z in self.z_of]
        pull = prior @ np.eye(d)[0] * centre
        self.weights = [
            p @ (z.T @ y + pull) for p, z, y in zip(self.inverse, self.z_of, self.y_of, strict=True)
        ]
        rest = self.residuals(noise, centre, share)[0]
        self.noise = (rest + 3 * self.variance) / (total + 3)
        self.centre = np.mean(
            [w[0] for w, y in zip(self.weights, self.y_of, strict=True) if len(y)]
        )

    def z(self, x):
        return np.concatenate([[1.0], (np.asarray(x, float) - self.mean) / self.sd])

    def prior(self, noise, share):
        d = len(self.mean) + 1
        constant = noise / self.variance
        return np.diag([constant] + [(d - 1) * constant / share] * (d - 1))

    def residuals(self, noise, centre, share):
        prior = self.prior(noise, share)
        rest = log_dets = 0.0
        for z, y in zip(self.z_of, self.y_of, strict=True):
            if len(y):
                precision, pull = z.T @ z + prior, z.T @ (y - centre)
                rest += ((y - centre) ** 2).sum() - pull @ np.linalg.solve(precision, pull)
                log_dets += np.linalg.slogdet(precision)[1] - np.linalg.slogdet(prior)[1]
        return rest, log_dets

    def evidence(self, noise, centre, share, total):
        rest, log_dets = self.residuals(noise, centre, share)
        n = total + 3
        evidence = -0.5 * n * math.log((rest + 3 * self.variance) / n) - 0.5 * log_dets
        return evidence - 0.5 * (math.log(share) / 1.5) ** 2

    def at(self, x):
        """Means and uncertainties of all arms."""
        z = self.z(x)
        return [w @ z for w in self.weights], [z @ p @ z for p in self.inverse]


def evidence(means, uncertainties, noise):
    lowest = min(means)
    return [(m - lowest) ** 2 / (2 * noise * q) for m, q in zip(means, uncertainties, strict=True)]


def imed(against, uncertainties, patience):
    return [
        math.log(1 + patience * (math.exp(e) - 1)) - math.log(q)
        for e, q in zip(against, uncertainties, strict=True)
    ]


def med(against, patience):
    weights = [1 / (1 + patience * (math.exp(e) - 1)) for e in against]
    return [weight / sum(weights) for weight in weights]


def ridge(history, penalty, d):
    """The regression of (x, y) pairs, and the inverse of its matrix."""
    matrix, target = penalty * np.eye(d), np.zeros(d)
    for x, y in history:
        matrix += np.outer(x, x)
        target += x * y
    return np.linalg.solve(matrix, target), np.linalg.inv(matrix)
