"""Estimates from logs by their definitions, one line after another."""


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def weights(arms, propensities, target):
    return [target.get(arm, 0.0) / p for arm, p in zip(arms, propensities, strict=True)]


def replay(arms, values, arm):
    return mean(value for other, value in zip(arms, values, strict=True) if other == arm)


def ips(arms, values, propensities, target, cap=float("inf")):
    pairs = zip(weights(arms, propensities, target), values, strict=True)
    return mean(min(weight, cap) * value for weight, value in pairs)


def snips(arms, values, propensities, target):
    return ips(arms, values, propensities, target) / mean(weights(arms, propensities, target))


def doubly_robust(arms, values, propensities, target):
    lines = list(zip(arms, values, strict=True))
    means = {arm: mean(v for a, v in lines if a == arm) for arm in set(arms)}
    residuals = [value - means[arm] for arm, value in lines]
    model = sum(chance * means[arm] for arm, chance in target.items() if chance > 0.0)
    return model + ips(arms, residuals, propensities, target)


def replayed(policy, parameters, arms, values, losses, n_arms, horizon, stream_of, runs):
    """What a policy that learns earns in each run, by Li's rejection, uncompiled."""
    lines = iter(zip(arms, values, losses, strict=True))
    totals = []
    for run in range(runs):
        stream, total = stream_of(run), 0.0
        state = policy.kernels.init(parameters, n_arms, horizon)
        for step in range(1, horizon + 1):
            arm = policy.kernels.select(parameters, state, step, stream)
            found = next((line for line in lines if line[0] == arm), None)
            if found is None:
                return totals
            total += found[1]
            policy.kernels.update(parameters, state, arm, found[2], step, stream)
        totals.append(total)
    return totals
