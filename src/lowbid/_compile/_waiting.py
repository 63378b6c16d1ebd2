"""What the compiler is currently compiling, for progress bars."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

_name = contextvars.ContextVar("name", default="")
_waiting: list[str] = []


@contextlib.contextmanager
def on_behalf_of(name: str) -> Iterator[None]:
    """Name what the compilations inside this block are for."""
    token = _name.set(name)
    try:
        yield
    finally:
        _name.reset(token)


@contextlib.contextmanager
def compiler_at_work() -> Iterator[None]:
    """Called by the compiler itself."""
    name = _name.get()
    _waiting.append(name)
    try:
        yield
    finally:
        _waiting.remove(name)


def waiting() -> list[str]:
    """The names of everything being compiled at this moment; empty if nothing is."""
    return list(dict.fromkeys(_waiting))
