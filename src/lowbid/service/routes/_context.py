"""The objects that all routes share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from lowbid.errors import LowbidError, StoreError, StoreUnavailableError, UnknownNameError
from lowbid.service._guard import Guard
from lowbid.service._hosted import Experiments
from lowbid.service._line_streams import Streamed, Streams
from lowbid.service._metrics import Metrics
from lowbid.service._problems import ProblemError
from lowbid.service._service_limits import Limits
from lowbid.shared import Call, SharedBandit

Found = TypeVar("Found")


@dataclass(frozen=True)
class Context:
    """One server: its experiments, who may use them, and how much."""

    experiments: Experiments
    guard: Guard
    limits: Limits
    metrics: Metrics
    streams: Streams

    async def bandit(self, name: str) -> SharedBandit:
        """The bandit of an experiment, which is opened now if it was not."""
        found = self.experiments.open.get(name)
        if found is not None:
            return found
        return await run_in_threadpool(self.experiments.get, name)

    async def shown(self, name: str, view: Callable[..., Any], *arguments: Any) -> JSONResponse:
        """A view of an experiment's bandit, as JSON."""
        bandit = await self.bandit(name)
        return JSONResponse(await self.run(name, view, bandit, *arguments))

    def streamed(self, name: str, portions: Iterator[str]) -> Streamed:
        """Lines about an experiment, as they are read."""
        return Streamed(self.streams, partial(self.run, name), portions)

    async def run(self, name: str, work: Callable[..., Found], *arguments: Any) -> Found:
        """Slow work on an experiment; forget the experiment if it is gone."""
        try:
            return await run_in_threadpool(work, *arguments)
        except (StoreError, UnknownNameError) as error:
            await self._forget_if_gone(name, error)
            raise

    async def submit(self, name: str, call: Call) -> Any:
        """The answer to a call on an experiment; forget the experiment if it is gone."""
        bandit = self.experiments.open.get(name) or await self.bandit(name)
        try:
            return await bandit.submit_async(call)
        except (StoreError, UnknownNameError) as error:
            await self._forget_if_gone(name, error)
            raise

    async def _forget_if_gone(self, name: str, error: LowbidError) -> None:
        if isinstance(error, StoreUnavailableError):
            return
        if await run_in_threadpool(self.experiments.forget_if_gone, name):
            raise ProblemError(
                503, "experiment-gone",
                "the experiment was deleted or renamed; send the request again to see what is "
                "there now.", headers={"Retry-After": "1"},
            ) from error  # fmt: skip
