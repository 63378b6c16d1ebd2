"""Limits on connections, whichever of uvicorn's parsers reads them.

uvicorn has no limit on the size of headers with httptools, none on the time that they take to
arrive or that answers take to be read, and none on connections that have not sent a whole request.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import time
from typing import Any

from lowbid.service._problems import ProblemError, response
from lowbid.service._service_limits import Limits

# Seconds between two looks at all connections, or less if a limit is shorter.
_LOOK_EVERY = 0.5
# What arrives for one request may be this many times as long as its body may be: there are also the
# sizes of chunks, and a part may arrive before a body that is too long is refused.
_FRAMES, _FRAME_BYTES = 2, 1_000_000
_NO_LINGER = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)


class LimitedConnection(asyncio.Protocol):
    """A connection with limits; mixed into a protocol of uvicorn, whose names it uses.

    It waits for the client (for the rest of a header, or for the next request), or is at work on a
    request (`cycle`).
    """

    watch: ConnectionWatch
    limits: Limits
    transport: asyncio.Transport
    cycle: Any
    loop: asyncio.AbstractEventLoop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless there are too many connections."""
        self.since = self.moved = time.monotonic()
        self.unsent = 0
        self._phase: tuple[Any, bool] = (None, True)
        self._received = 0  # bytes in this phase
        super().connection_made(transport)
        if not self.watch.admit(self):
            self._refuse(
                503, "too-many-connections", "the server has no room for another connection; try "
                "again in a moment.",
            )  # fmt: skip

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self.watch.leave(self)
        super().connection_lost(exc)

    @property
    def waits(self) -> bool:
        """Whether it is the client's turn."""
        return self.cycle is None or self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Hand data to the parser, but no more of it than a header, or a request, may have."""
        while data and not self.transport.is_closing():
            phase = (self.cycle, self.waits)
            if phase != self._phase:
                self._phase, self._received = phase, 0
            # After an answer to the first part of a request, the rest of its body may still come.
            in_header = self.waits and not (self.cycle is not None and self.cycle.more_body)
            room = self._most(in_header) - self._received
            if room <= 0:
                self._too_much(in_header)
                return
            part, data = data[:room], data[room:]
            self._received += len(part)
            super().data_received(part)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.since = time.monotonic()
        super().on_response_complete()  # type: ignore[misc]

    def resume_writing(self) -> None:
        """Go on: the client has read most of what was sent."""
        self.moved = time.monotonic()
        super().resume_writing()

    def look(self, now: float) -> None:
        """End the connection if the client takes too long."""
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or unsent < self.unsent:
            self.moved = now
        self.unsent = unsent
        if unsent and now - self.moved > self.limits.write_seconds:
            self.cut()
        elif self.waits and now - self.since > self.limits.header_seconds:
            self._refuse(
                408, "slow-header", "the request's header did not arrive within "
                f"{self.limits.header_seconds:g} s; send it again.",
            )  # fmt: skip

    def cut(self) -> None:
        """End the connection at once; what was not read is dropped, by the system too."""
        self.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER
        )
        self.transport.abort()

    def _most(self, in_header: bool) -> int:
        if in_header:
            return self.limits.header_bytes
        return _FRAMES * self.limits.body_bytes + _FRAME_BYTES

    def _too_much(self, in_header: bool) -> None:
        if in_header:
            self._refuse(
                431, "header-too-large", "a request's address and headers may have at most "
                f"{self.limits.header_bytes:,} bytes; send less.",
            )  # fmt: skip
        else:
            self.cut()

    def _refuse(self, status: int, kind: str, detail: str) -> None:
        """Answer with a problem document, and close the connection."""
        if not self.transport.is_closing():
            answer = response(ProblemError(status, kind, detail, headers={"Connection": "close"}))
            head = b"".join(b"%s: %s\r\n" % each for each in answer.raw_headers)
            first = f"HTTP/1.1 {status} {kind}\r\n".encode()
            self.transport.write(first + head + b"\r\n" + bytes(answer.body))
            self.transport.close()


class ConnectionWatch:
    """The connections of a server.

    Parameters
    ----------
    most : int
        How many there may be.
    every : float
        Seconds between two looks at all of them.
    """

    def __init__(self, most: int, every: float) -> None:
        self._most, self._every = most, every
        self._open: set[LimitedConnection] = set()
        self._next: asyncio.TimerHandle | None = None

    def admit(self, connection: LimitedConnection) -> bool:
        """Add a connection; the one that has kept us waiting longest makes room for it.

        Returns whether there is room. So nobody is kept out by clients that send no requests.
        """
        if len(self._open) >= self._most:
            waiting = [each for each in self._open if each.waits]
            if not waiting:
                return False
            oldest = min(waiting, key=lambda each: each.since)
            self._open.discard(oldest)
            oldest.cut()
        self._open.add(connection)
        if self._next is None:
            self._next = connection.loop.call_later(self._every, self._look, connection.loop)
        return True

    def leave(self, connection: LimitedConnection) -> None:
        """Remove a connection that has ended."""
        self._open.discard(connection)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._next = None
        now = time.monotonic()
        for connection in list(self._open):
            connection.look(now)
        if self._open:
            self._next = loop.call_later(self._every, self._look, loop)


def limited(protocol: type[asyncio.Protocol], limits: Limits, files: int) -> type[asyncio.Protocol]:
    """A protocol of uvicorn with limits.

    Parameters
    ----------
    files : int
        How many files the process may open: connections take at most half of them.
    """
    every = min(_LOOK_EVERY, limits.header_seconds / 4, limits.write_seconds / 4)
    watch = ConnectionWatch(min(limits.connections, files // 2), every)
    return type("Limited", (LimitedConnection, protocol), {"watch": watch, "limits": limits})
