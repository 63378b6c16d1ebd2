"""Run the service until it is stopped."""

from __future__ import annotations

import gc
import signal
import sys

import uvicorn
from fastapi import FastAPI

# How long SIGTERM waits for accepted requests, in seconds.
_PATIENCE = 30
# Threads that commit take turns with the event loop; Python's 5 ms would delay every request.
_SWITCH_INTERVAL = 0.0005
# Objects that live as long as the server (modules, open decisions) are rarely searched for garbage:
# each such pause would delay all requests. Python's default is 700.
_ALLOCATIONS = 20_000


def serve(app: FastAPI, host: str, port: int) -> int:
    """Serve an app until SIGTERM or Ctrl-C; returns the exit code."""
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, 20, 20)
    # uvicorn raises the signal again at the end, which would end the process as if it were killed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        access_log=False,  # URLs contain names of experiments and units
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    server = uvicorn.Server(config)
    server.run()
    return 0 if server.started else 3
