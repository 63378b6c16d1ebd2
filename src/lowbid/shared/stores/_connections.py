"""Connections that are closed when no longer needed, and only by the process that opened them."""

from __future__ import annotations

import contextlib
import os
import weakref
from typing import Any

# Connections inherited from the parent of a forked process. They are never closed here: the parent
# is still using them.
_ABANDONED: list[Any] = []


def close_with(owner: object, connection: Any) -> None:
    """Close a connection when its owner is gone, or at the end of the process."""
    weakref.finalize(owner, _let_go, connection, os.getpid())


def abandon(connection: Any) -> None:
    """Keep a connection inherited from the parent process from being closed."""
    _ABANDONED.append(connection)


def _let_go(connection: Any, process: int) -> None:
    if os.getpid() == process:
        with contextlib.suppress(Exception):  # it may be closed, or broken
            connection.close()
    else:
        abandon(connection)
