"""The Prometheus metrics of a server and of its experiments."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from lowbid.errors import LowbidError
from lowbid.service._hosted import Experiments
from lowbid.shared import Answer, SharedBandit
from lowbid.shared.as_data import described

_LATENCIES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_COMMIT_SIZES = (1, 2, 5, 10, 20, 50, 100)


class Metrics:
    """The metrics of one server: its counts, and the state of the experiments that it has open.

    The event loop counts in plain dictionaries; Prometheus' objects are made from them on request.
    """

    def __init__(self, experiments: Experiments) -> None:
        self._decisions: Counter[str] = Counter()
        self._outcomes: Counter[tuple[str, str]] = Counter()
        self._latencies: dict[tuple[str, int], _Latency] = {}
        self._registry = CollectorRegistry()
        self._registry.register(_Collected(self._traffic))
        self._registry.register(_Collected(lambda: _state(experiments)))

    def decided(self, experiment: str, count: int) -> None:
        """Count decisions."""
        self._decisions[experiment] += count

    def reported(self, experiment: str, answers: Sequence[Answer]) -> None:
        """Count outcomes by the answers they got."""
        for answer in answers:
            self._outcomes[experiment, answer or "taken"] += 1

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Record how long a request took."""
        found = self._latencies.get((route, status))
        if found is None:
            found = self._latencies[route, status] = _Latency()
        found.counts[bisect.bisect_left(_LATENCIES, seconds)] += 1
        found.seconds += seconds

    def exposition(self) -> bytes:
        """All metrics, in Prometheus' text format."""
        return generate_latest(self._registry)

    def _traffic(self) -> Iterator[Metric]:
        """The counts; copies of them, since the event loop keeps counting."""
        decisions = CounterMetricFamily(
            "lowbid_decisions", "Decisions made, repeated ones included.", labels=["experiment"]
        )
        for experiment, count in self._decisions.copy().items():
            decisions.add_metric([experiment], count)
        outcomes = CounterMetricFamily(
            "lowbid_outcomes", "Outcomes reported, by answer.",
            labels=["experiment", "answer"],
        )  # fmt: skip
        for (experiment, answer), count in self._outcomes.copy().items():
            outcomes.add_metric([experiment, answer], count)
        latency = HistogramMetricFamily(
            "lowbid_request_seconds", "Time to answer a request.", labels=["route", "status"]
        )
        for (route, status), found in self._latencies.copy().items():
            counts = itertools.accumulate(found.counts)
            edges = [*map(str, _LATENCIES), "+Inf"]
            buckets = [(edge, float(count)) for edge, count in zip(edges, counts, strict=True)]
            latency.add_metric([route, str(status)], buckets, found.seconds)
        yield from (decisions, outcomes, latency)


class _Latency:
    """How long requests of one kind took."""

    def __init__(self) -> None:
        self.counts = [0] * (len(_LATENCIES) + 1)  # by bucket; the last has no upper limit
        self.seconds = 0.0


class _Collected(Collector):
    """Metrics that are collected on request."""

    def __init__(self, collect: Callable[[], Iterator[Metric]]) -> None:
        self._collect = collect

    def describe(self) -> list[Metric]:
        """Nothing: the store is not read when the registry is created."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The metrics as of now."""
        return self._collect()


def _state(experiments: Experiments) -> Iterator[Metric]:
    """The metrics that are read from the experiments open on this server."""
    pending = GaugeMetricFamily(
        "lowbid_pending", "Decisions whose outcomes are pending.", labels=["experiment"]
    )
    share = GaugeMetricFamily(
        "lowbid_arm_share", "This arm's share of all outcomes.",
        labels=["experiment", "arm"],
    )  # fmt: skip
    refused = CounterMetricFamily(
        "lowbid_refused_outcomes", "Outcomes not recorded, of all servers, by answer.",
        labels=["experiment", "answer"],
    )  # fmt: skip
    commits = HistogramMetricFamily(
        "lowbid_commit_calls", "Calls carried out by one commit.", labels=["experiment"]
    )
    for name, bandit in list(experiments.open.items()):
        commits.add_metric([name], *_histogram(bandit))
        try:
            found = described(bandit)
            counts = bandit.counts()
        except LowbidError:  # deleted meanwhile, or the store is unavailable
            continue
        pending.add_metric([name], found["pending"])
        refused.add_metric([name, "late"], found["late"])
        refused.add_metric([name, "conflict"], found["conflicts"])
        for arm, count in counts.items():
            share.add_metric([name, str(arm)], count / max(1, found["outcomes"]))
    yield from (pending, share, refused, commits)


def _histogram(bandit: SharedBandit) -> tuple[list[tuple[str, float]], float]:
    """The sizes of commits as cumulative buckets, and their sum."""
    sizes = bandit.commit_sizes
    buckets = [
        (str(most), float(sum(n for size, n in sizes.items() if size <= most)))
        for most in _COMMIT_SIZES
    ]
    buckets.append(("+Inf", float(sum(sizes.values()))))
    return buckets, float(sum(size * n for size, n in sizes.items()))
