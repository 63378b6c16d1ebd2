"""Run the service until it is stopped."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from lowbid.service._connection_limits import limited
from lowbid.service._service_limits import Limits

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_log = logging.getLogger("uvicorn.error")

# How long SIGTERM waits for accepted requests, and then for the store to be released, in seconds.
_PATIENCE, _CLOSING = 30, 5
# Threads that commit take turns with the event loop; Python's 5 ms would delay every request.
_SWITCH_INTERVAL = 0.0005
# Objects that live as long as the server (modules, open decisions) are rarely searched for garbage:
# each such pause would delay all requests. Python's default is 700.
_ALLOCATIONS = 20_000
# Files that a process may open, where the system does not say, and where it sets no limit.
_FILES, _MANY_FILES = 1024, 2**20


class _PunctualServer(uvicorn.Server):
    """A server that ends in time after a signal, whatever hangs: a thread, a store, a request."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, and end the process if that takes too long."""
        if not self.should_exit:
            watchdog = threading.Timer(_PATIENCE + _CLOSING, _give_up)
            watchdog.daemon = True
            watchdog.start()
        super().handle_exit(sig, frame)


def _give_up() -> None:
    """End the process without waiting for anything: what was acknowledged is on disk."""
    _log.error("The server did not stop within %d s; it ends now.", _PATIENCE + _CLOSING)
    os._exit(1)


def server_of(
    app: ASGIApp,
    host: str,
    port: int,
    limits: Limits | None = None,
    parser: type[asyncio.Protocol] = AutoHTTPProtocol,
    **settings: Any,
) -> uvicorn.Server:
    """A server of an app.

    Parameters
    ----------
    limits : Limits, optional
        Those on headers, connections and unread answers; the others are the app's.
    parser : type
        The protocol of uvicorn that reads requests.
    **settings
        Further settings of uvicorn.
    """
    limits, files = limits or Limits(), _open_files()
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=limited(parser, limits, files),
        h11_max_incomplete_event_size=limits.header_bytes,
        ws="none",
        backlog=min(2048, files // 4),  # so many may be accepted before we see the first
        access_log=False,  # URLs contain names of experiments and units
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
        **settings,
    )
    return _PunctualServer(config)


def _open_files() -> int:
    """How many files this process may open."""
    if resource is None:
        return _FILES
    found = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MANY_FILES if found == resource.RLIM_INFINITY else found


def serve(app: ASGIApp, host: str, port: int) -> int:
    """Serve an app until SIGTERM or Ctrl-C; returns the exit code."""
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, 20, 20)
    # uvicorn raises the signal again at the end, which would end the process as if it were killed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = server_of(app, host, port)
    server.run()
    return 0 if server.started else 3
