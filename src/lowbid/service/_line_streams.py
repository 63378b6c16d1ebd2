"""Answers of many lines, sent as they are read."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from starlette.concurrency import iterate_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from lowbid.service._problems import ProblemError
from lowbid.shared import SharedBandit

Row = dict[str, Any]

# A portion, which is read and sent at once, ends after this many characters or lines. Each takes a
# switch of threads, and one of the log a connection to the store.
_CHARACTERS, _LINES = 500_000, 5_000


class Streams:
    """The streams that a server is sending.

    Parameters
    ----------
    most : int
        How many there may be.
    """

    def __init__(self, most: int) -> None:
        self._most, self._open = most, 0

    @contextlib.contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a stream for as long as the block lasts; a problem if there are too many."""
        if self._open >= self._most:
            raise ProblemError(
                503, "too-many-streams",
                f"the server is sending {self._open} logs or lists of pending decisions, and sends "
                "no more at once; try again later, and read answers to their end.",
                headers={"Retry-After": "5"},
            )  # fmt: skip
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1


class Streamed(StreamingResponse):
    """Lines of JSON. What fails before the first of them is answered with a problem.

    Parameters
    ----------
    streams : Streams
        The streams that it is one of.
    begin : callable
        Gets the first portion, in another thread.
    portions : iterator of str
        The lines.
    """

    def __init__(
        self, streams: Streams, begin: Callable[..., Any], portions: Iterator[str]
    ) -> None:
        super().__init__((), media_type="application/x-ndjson")
        self._streams, self._begin, self._portions = streams, begin, portions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._streams.one_more():
            first: str = await self._begin(next, self._portions, "")
            self.body_iterator = iterate_in_threadpool(itertools.chain([first], self._portions))
            await super().__call__(scope, receive, send)


def in_portions(rows: Iterable[Row]) -> Iterator[str]:
    """Rows as lines of JSON, many at a time."""
    left = iter(rows)
    while portion := _portion(left):
        yield "".join(portion)


def log_in_portions(bandit: SharedBandit, after: int) -> Iterator[str]:
    """The events of a log after a number as lines of JSON, many at a time.

    Nothing is kept open in the store between two portions: the client may take its time.
    """
    while True:
        with contextlib.closing(bandit.log(after)) as entries:
            portion = _portion(entry.to_data() for entry in entries)
        if not portion:
            return
        yield "".join(portion)
        after = json.loads(portion[-1])["number"]


def _portion(rows: Iterator[Row]) -> list[str]:
    """The lines of the next rows."""
    lines, size = [], 0
    for row in rows:
        lines.append(json.dumps(row) + "\n")
        size += len(lines[-1])
        if size >= _CHARACTERS or len(lines) >= _LINES:
            break
    return lines
