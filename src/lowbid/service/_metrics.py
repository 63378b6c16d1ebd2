"""What Prometheus is told of a server and of its experiments."""

from __future__ import annotations

import time
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lowbid.errors import LowbidError
from lowbid.service._hosted import Experiments, Hosted
from lowbid.service._plain_views import described

_COMMIT_SIZES = (1, 2, 5, 10, 20, 50, 100)


class Metrics:
    """Counters of one server, and looks at the experiments that it has open."""

    def __init__(self, experiments: Experiments) -> None:
        self._registry = CollectorRegistry()
        self.decisions = Counter(
            "lowbid_decisions", "Decisions made, repeated ones included.", ["experiment"],
            registry=self._registry,
        )  # fmt: skip
        self.outcomes = Counter(
            "lowbid_outcomes", "Outcomes reported, by what became of them.",
            ["experiment", "answer"], registry=self._registry,
        )  # fmt: skip
        self.latency = Histogram(
            "lowbid_request_seconds", "Time to answer a request.", ["route", "status"],
            registry=self._registry,
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
        )  # fmt: skip
        self._registry.register(_State(experiments))

    def exposition(self) -> bytes:
        """All metrics, in Prometheus' text format."""
        return generate_latest(self._registry)


class _State(Collector):
    """What is read off the experiments when somebody asks."""

    def __init__(self, experiments: Experiments) -> None:
        self._experiments = experiments

    def describe(self) -> list[Metric]:
        """Nothing: the store is not asked when the registry is made."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The metrics of all experiments that are open here."""
        pending = GaugeMetricFamily(
            "lowbid_pending", "Decisions that wait for their outcomes.", labels=["experiment"]
        )
        share = GaugeMetricFamily(
            "lowbid_arm_share", "Share of all outcomes that are of this arm.",
            labels=["experiment", "arm"],
        )  # fmt: skip
        commits = HistogramMetricFamily(
            "lowbid_commit_calls", "Calls carried out by one commit.", labels=["experiment"]
        )
        for name, hosted in list(self._experiments.open.items()):
            commits.add_metric([name], *_histogram(hosted))
            try:
                found = described(hosted.bandit)
                counts = hosted.bandit.counts()
            except LowbidError:  # deleted meanwhile, or the store is away
                continue
            pending.add_metric([name], found["pending"])
            for arm, count in counts.items():
                share.add_metric([name, str(arm)], count / max(1, found["outcomes"]))
        yield from (pending, share, commits)


def _histogram(hosted: Hosted) -> tuple[list[tuple[str, float]], float]:
    """The sizes of commits as cumulative buckets, and their sum."""
    sizes = hosted.bandit.commit_sizes
    buckets = [
        (str(most), float(sum(n for size, n in sizes.items() if size <= most)))
        for most in _COMMIT_SIZES
    ]
    buckets.append(("+Inf", float(sum(sizes.values()))))
    return buckets, float(sum(size * n for size, n in sizes.items()))


class Timing:
    """Measure how long requests take, by their route."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics
        self._histograms: dict[tuple[str, str], Histogram] = {}  # found sooner than by labels()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), "500"

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            route = scope.get("route")
            path = getattr(route, "path", "other")  # never the address itself: there are too many
            histogram = self._histograms.get((path, status))
            if histogram is None:
                histogram = self._metrics.latency.labels(path, status)
                self._histograms[path, status] = histogram
            histogram.observe(time.perf_counter() - began)
