"""lowbid: the online object, and `simulate` with one worker, or one for each core."""

import lowbid

POLICIES = {
    "UCB1": lowbid.UCB1(),
    "Thompson": lowbid.BetaThompson(),
    "KL-UCB": lowbid.KLUCB.bernoulli(),
    "UCB-V": lowbid.UCBV(),
    "Batch Ensemble": lowbid.BatchEnsemble(),
}


def bandit(policy, n_arms, history):
    made = lowbid.Bandit(n_arms, POLICIES[policy], reward_range=(0.0, 1.0), compiled="now")
    for arm, reward in history:
        made.update(arm, reward=reward)
    return made.select, lambda arm, reward: made.update(arm, reward=reward)


def simulate(policy, means, horizon, workers=1):
    arms = lowbid.RandomArms(lowbid.Bernoulli, n_arms=len(means[0]))
    # The arms that it draws are those given to the peers: the last run stands for all.
    drawn = arms.table(0, len(means))[-1, :, 0].tolist()
    assert drawn == [1.0 - mean for mean in means[-1]]
    result = lowbid.simulate(
        POLICIES[policy],
        arms,
        horizon,
        runs=len(means),
        seed=0,
        checkpoints=[horizon],
        workers=workers,
    )
    return result.regret[0, :, -1].tolist()
