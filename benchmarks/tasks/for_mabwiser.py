"""MABWiser: `predict` and `partial_fit`. Its simulator replays logs, so its online loop is run."""

import random

from mabwiser.mab import MAB, LearningPolicy

POLICIES = {
    "UCB1": lambda: LearningPolicy.UCB1(alpha=1),
    "Thompson": LearningPolicy.ThompsonSampling,
}


def bandit(policy, n_arms, history):
    made = MAB(list(range(n_arms)), POLICIES[policy](), seed=0)
    made.fit([arm for arm, _ in history], [reward for _, reward in history])
    return made.predict, lambda arm, reward: made.partial_fit([arm], [reward])


def simulate(policy, means, horizon):
    rng = random.Random(0)
    return [run(policy, row, horizon, rng) for row in means]


def run(policy, means, horizon, rng):
    def play(arm):
        nonlocal regret
        regret += best - means[arm]
        return 1.0 if rng.random() < means[arm] else 0.0

    best, regret = max(means), 0.0
    # It must be fitted before it predicts: UCB1 to every arm, Thompson to one.
    first = range(len(means)) if policy == "UCB1" else [rng.randrange(len(means))]
    predict, update = bandit(policy, len(means), [(arm, play(arm)) for arm in first])
    for _ in range(horizon - len(first)):
        arm = predict()
        update(arm, play(arm))
    return regret
