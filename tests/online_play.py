"""Bandits that have been used for a while."""

from lowbid import Bandit


def used(policy=None, steps=1500, **options):
    bandit = Bandit(["a", "b", "c", 4], policy, seed=2, horizon=3000, **options)
    for step in range(steps):
        arm = bandit.select()
        bandit.update(arm, loss=(0.3 + 0.1 * step) % 1.0)
    bandit.decide(3)
    return bandit


def go_on(bandit, steps=300):
    chosen = []
    for step in range(steps):
        decision = bandit.decide()
        chosen.append(decision.arm)
        bandit.update(decision, loss=(0.2 + 0.17 * step) % 1.0)
    return chosen
