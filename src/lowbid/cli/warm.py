"""Compile policies ahead of time, in an image or in CI, so that no request waits for it.

Compiled code is stored on disk: in the folder that LOWBID_CACHE_DIR names, or in your user's cache
folder. Give policies by name, optionally with parameters; without names, all policies are
compiled, which takes half a minute. This compiles the code for a bandit's decisions and, with
--arms, the code for simulations on such arms:

    lowbid warm batch-likelihood
    lowbid warm ucb1 batch-ensemble:batches=12 --arms bernoulli --arms gaussian
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lowbid.environments import Environment
    from lowbid.policies import Policy


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("policies", nargs="*", help="policies by name (default: all)")
    parser.add_argument("--arms", action="append", default=[], help="a family of arms to simulate")


def run(arguments: argparse.Namespace) -> int:
    """Compile the requested policies, one by one."""
    from lowbid._compile import cache_folder, can_store
    from lowbid.experiments.names import policy_of_text

    if not can_store():
        raise OSError(
            f"compiled code cannot be stored in {cache_folder()}: it must be a folder that you can "
            "write to and nobody else can. Name one: LOWBID_CACHE_DIR=/a/folder lowbid warm"
        )
    chosen = [policy_of_text(text) for text in arguments.policies] or _all_policies()
    families = [_arms(text) for text in arguments.arms]
    began = time.monotonic()
    for policy in chosen:
        begin = time.monotonic()
        _compile(policy, families)
        print(f"{policy.name}: {time.monotonic() - begin:.1f} s", flush=True)
    print(f"Ready after {time.monotonic() - began:.1f} s.")
    return 0


def _all_policies() -> list[Policy]:
    from lowbid import policies

    return [getattr(policies, name).variants()[0] for name in policies.__all__]


def _arms(text: str) -> Environment:
    from lowbid.experiments.names import arms_of_text

    return arms_of_text(text if ":" in text else f"{text}:0.25,0.75")


def _compile(policy: Policy, families: list[Environment]) -> None:
    from lowbid.online import Bandit
    from lowbid.simulation import simulate

    Bandit(2, policy, horizon=10, compiled="now")
    for arms in families:
        simulate(policy, arms, horizon=10, runs=1, progress=False)
