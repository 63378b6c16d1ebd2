"""Measures one library, in that library's own environment, as asked on standard input.

    python serve.py NAME

The module `for_NAME` next to this one says how the library is used: POLICIES (the names it has),
`bandit(policy, n_arms, history)`, which returns two functions, to select an arm and to report its
reward, and `simulate(policy, means, horizon)`, which returns the regret of a run on each row of
mean rewards. For MDPs it has RULES and `learn(rule, environment, episodes)`. Questions and answers
are lines of JSON. Needs only the library.
"""

import importlib
import json
import os
import platform
import random
import sys
import time
from importlib.metadata import version


def main():
    name = sys.argv[1]
    # Some libraries print as they go; the answers keep the output to themselves.
    answers = os.fdopen(os.dup(1), "w")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    task = importlib.import_module("for_" + name.lower())
    about = {"version": version(name), "python": platform.python_version()}
    about["policies"] = list(task.POLICIES)
    about["rules"] = list(getattr(task, "RULES", ()))
    tell(answers, about)
    os.dup2(silent, 2)
    for line in sys.stdin:
        question = json.loads(line)
        tell(
            answers,
            {"online": online, "simulate": simulate, "learn": learn}[question.pop("what")](
                task, **question
            ),
        )


def tell(answers, what):
    print(json.dumps(what), file=answers, flush=True)


def online(task, policy, n_arms, seconds):
    """Seconds of one select and update, once every arm has been played twice."""
    rng = random.Random(0)
    means = [rng.random() for _ in range(n_arms)]
    history = [(arm, float(rng.random() < means[arm])) for arm in range(n_arms) for _ in range(2)]
    select, update = task.bandit(policy, n_arms, history)

    def play(steps):
        draws = [rng.random() for _ in range(steps)]
        began = time.process_time()
        for draw in draws:
            arm = select()
            update(arm, 1.0 if draw < means[arm] else 0.0)
        return time.process_time() - began

    steps, taken = 4, 0.0
    while taken < seconds:
        steps *= 2
        taken = play(steps)
    return taken / steps


def simulate(task, policy, means, horizon, seconds, **options):
    """Seconds of processor and clock for one simulation of all rows, and the regret of each."""
    task.simulate(policy, means[:1], 20)  # compiles, if the library does that
    cpu, clock, times = time.process_time(), time.perf_counter(), 0
    while times == 0 or time.process_time() - cpu < seconds:
        regrets = task.simulate(policy, means, horizon, **options)
        times += 1
    return {
        "processor": (time.process_time() - cpu) / times,
        "clock": (time.perf_counter() - clock) / times,
        "regrets": regrets,
    }


def learn(task, rule, environment, episodes):
    """Processor seconds for a number of episodes of a rule in an environment."""
    task.learn(rule, environment, 2)  # compiles, if the library does that
    began = time.process_time()
    task.learn(rule, environment, episodes)
    return time.process_time() - began


if __name__ == "__main__":
    main()
