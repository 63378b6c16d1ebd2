"""Connections that are closed when nobody needs them, and only in the process that opened them."""

from __future__ import annotations

import contextlib
import os
import weakref
from typing import Any

# Connections of the process that this one was forked from. They are never closed here: that would
# touch what the parent is using.
_ABANDONED: list[Any] = []


def close_with(owner: object, connection: Any) -> None:
    """Close a connection when its owner is gone, or at the end of the process."""
    weakref.finalize(owner, _let_go, connection, os.getpid())


def abandon(connection: Any) -> None:
    """Keep a connection of the process that this one was forked from from being closed."""
    _ABANDONED.append(connection)


def _let_go(connection: Any, process: int) -> None:
    if os.getpid() == process:
        with contextlib.suppress(Exception):  # it may be closed, or broken
            connection.close()
    else:
        abandon(connection)
