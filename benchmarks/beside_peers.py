"""lowbid and its peers at the same tasks, measured in turns.

- `online`: one select and update from Python, with K = 10 to 10,000 arms, each of which has
  been played twice before; processor seconds.
- `simulate`: each library's own simulator, as fast as it can go, on 100 runs of 2,000 steps with 10
  Bernoulli arms; the arms' means are redrawn for each run, and are the same for all libraries.
  Processor seconds, on one core; and, since no peer's simulator uses more, also wall time of ours
  with all cores, its default.
- `memory`: the peak memory of a new process that only runs that simulation.
- `starting`: processor seconds of importing the library in a new process, less those of Python.
- `commands`: seconds of two commands from start to end: the whole paper without MARS, and one
  policy's simulation in SMPyBandits.

The mean regret in the simulation shows whether they all do the same work: its difference from ours,
run by run, is shown with its standard error.
"""

from __future__ import annotations

import functools
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

import lowbid

from .measure import Spread, Usage, by_turns, new_process, ratios, spread
from .peers import LIBRARIES, SERVER, NotInstalledError, Server, python_of
from .reproduce import WITHOUT_MARS

ARMS, HORIZON, RUNS = 10, 2000, 100
ONLINE_ARMS = (10, 100, 1_000, 10_000)
POLICIES = ("UCB1", "Thompson", "KL-UCB", "UCB-V", "Batch Ensemble")
ALL_CORES = "lowbid, all cores"
Answer = dict[str, Any]


def start(names: list[str]) -> tuple[dict[str, Server], dict[str, str]]:
    """A server for each library, and the reason for each that is not available."""
    servers, missing = {}, {}
    for name in names:
        print(f"  starting {name}", file=sys.stderr, flush=True)
        try:
            servers[name] = Server(name)
        except (NotInstalledError, OSError, subprocess.SubprocessError) as error:
            missing[name] = str(error)
    return servers, missing


def measure(repeats: int, runs: int = RUNS, seconds: float = 0.2) -> Answer:
    """The first two tasks, for all available libraries."""
    servers, missing = start(list(LIBRARIES))
    try:
        return {
            "versions": {name: server.about["version"] for name, server in servers.items()},
            "missing": missing,
            "online": online(servers, repeats, seconds),
            # Longer, since threads that the system starts late make short simulations uneven.
            "simulate": simulate(servers, repeats, runs, 5 * seconds),
        }
    finally:
        for server in servers.values():
            server.close()


def around(names: list[str], repeats: int, runs: int = RUNS) -> Answer:
    """The other two tasks, for these libraries."""
    return {"memory": memory(names, runs), "starting": starting(names, repeats)}


def having(servers: dict[str, Server], policy: str) -> dict[str, Server]:
    return {name: each for name, each in servers.items() if policy in each.about["policies"]}


def online(servers: dict[str, Server], repeats: int, seconds: float) -> list[Answer]:
    """Microseconds of select and update, for every policy and number of arms."""
    rows = []
    for policy, n_arms in itertools.product(POLICIES, ONLINE_ARMS):
        print(f"  online {policy} {n_arms}", file=sys.stderr, flush=True)
        question = {"what": "online", "policy": policy, "n_arms": n_arms, "seconds": seconds}
        works = {
            name: functools.partial(_ask_online, server, question)
            for name, server in having(servers, policy).items()
        }
        rows.append({"policy": policy, "arms": n_arms, **compared(by_turns(works, repeats))})
    return rows


def _ask_online(server: Server, question: Answer) -> float:
    return server.ask(**question) * 1e6


def simulate(servers: dict[str, Server], repeats: int, runs: int, seconds: float) -> list[Answer]:
    """Nanoseconds per step of every simulator, and whether the mean regrets agree."""
    rows = []
    for policy in POLICIES:
        print(f"  simulate {policy}", file=sys.stderr, flush=True)
        question = {"what": "simulate", "policy": policy, "seconds": seconds}
        question |= {"means": random_means(runs), "horizon": HORIZON}
        regrets: dict[str, list[float]] = {}
        works = {
            name: functools.partial(_ask_simulate, server, question, regrets)
            for name, server in having(servers, policy).items()
        }
        works[ALL_CORES] = functools.partial(_ask_all_cores, servers["lowbid"], question)
        taken = by_turns(works, repeats)
        together = taken.pop(ALL_CORES)
        row = {"policy": policy, **compared(taken), "regret": agreement(regrets)}
        row["all cores"] = compared({**taken, "lowbid": together})
        rows.append(row)
    return rows


def _ask_simulate(server: Server, question: Answer, regrets: dict[str, list[float]]) -> float:
    answer = server.ask(**question)
    regrets[server.name] = answer["regrets"]
    return answer["processor"] / _steps(question)


def _ask_all_cores(server: Server, question: Answer) -> float:
    return server.ask(**question, workers=None)["clock"] / _steps(question)


def _steps(question: Answer) -> float:
    """A number in thousands of millions."""
    return len(question["means"]) * question["horizon"] / 1e9


def random_means(runs: int) -> list[list[float]]:
    """The arms' mean rewards in each run: those that lowbid draws for the same seed."""
    arms = lowbid.RandomArms(lowbid.Bernoulli, n_arms=ARMS)
    return (1.0 - arms.table(0, runs)[:, :, 0]).tolist()


def compared(taken: dict[str, list[float]]) -> Answer:
    """The spread of each library's figures, and of the fastest peer's over ours."""
    figures = {name: spread(values) for name, values in taken.items()}
    peers = [name for name in figures if name != "lowbid"]
    if not peers or "lowbid" not in figures:
        return {"figures": figures, "fastest": None, "ratio": None}
    fastest = min(peers, key=lambda name: figures[name].median)
    return {
        "figures": figures,
        "fastest": fastest,
        "ratio": ratios(taken[fastest], taken["lowbid"]),
    }


def agreement(regrets: dict[str, list[float]]) -> dict[str, Answer]:
    """Mean regrets, and their differences from ours, run by run, with the standard error."""
    found = {}
    for name, values in regrets.items():
        apart = np.subtract(values, regrets["lowbid"])
        error = float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else 0.0
        found[name] = {
            "mean": statistics.fmean(values),
            "difference": float(apart.mean()),
            "error": error,
            "agrees": bool(abs(apart.mean()) <= 4 * error),
        }
    return found


def memory(names: list[str], runs: int) -> dict[str, float]:
    """Most memory of the simulation of UCB1, in MB."""
    question = {"what": "simulate", "policy": "UCB1", "seconds": 0}
    question |= {"means": random_means(runs), "horizon": HORIZON}
    given = json.dumps(question) + "\n"
    return {
        name: new_process([str(python_of(name)), str(SERVER), name], given).peak for name in names
    }


def commands(names: list[str], repeats: int) -> dict[str, Answer]:
    """Wall and processor seconds, and the ratio of wall time to that of the whole paper."""
    with tempfile.TemporaryDirectory() as folder:
        paper = [sys.executable, "-m", "lowbid", "reproduce", "--out", folder]
        paper += ["--policies", WITHOUT_MARS]
        new_process([*paper, "--runs", "2"])  # compiles
        works = {"lowbid": (paper, "")}
        if "SMPyBandits" in names:
            works |= {policy: _in_smpybandits(policy) for policy in POLICIES[:4]}
        used: dict[str, list[Usage]] = {name: [] for name in works}
        for name in itertools.chain.from_iterable([*works] for _ in range(repeats)):
            print(f"  command {name}", file=sys.stderr, flush=True)
            used[name].append(new_process(*works[name]))
    clocks = {name: [each.clock for each in taken] for name, taken in used.items()}
    return {
        name: {
            "clock": spread(clocks[name]),
            "processor": spread(each.processor for each in taken),
            "ratio": ratios(clocks[name], clocks["lowbid"]),
        }
        for name, taken in used.items()
    }


def _in_smpybandits(policy: str) -> tuple[list[str], str]:
    """A command that simulates one policy, and its input."""
    question = {"what": "simulate", "policy": policy, "seconds": 0}
    question |= {"means": random_means(RUNS), "horizon": HORIZON}
    command = [str(python_of("SMPyBandits")), str(SERVER), "SMPyBandits"]
    return command, json.dumps(question) + "\n"


def starting(names: list[str], repeats: int) -> dict[str, Spread]:
    """Processor seconds of an import, less those of starting Python."""
    works = {}
    for name in names:
        python = str(python_of(name))
        for code in ("pass", LIBRARIES[name].imports):
            new_process([python, "-c", code])  # writes and reads what is kept on disk

        def work(python: str = python, imports: str = LIBRARIES[name].imports) -> float:
            bare = new_process([python, "-c", "pass"]).processor
            return new_process([python, "-c", imports]).processor - bare

        works[name] = work
    return {name: spread(values) for name, values in by_turns(works, repeats).items()}
