"""Who waits for the compiler: for people who wait, too."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

_name = contextvars.ContextVar("name", default="")
_waiting: list[str] = []


@contextlib.contextmanager
def on_behalf_of(name: str) -> Iterator[None]:
    """Say for whom all is compiled that is compiled inside this block."""
    token = _name.set(name)
    try:
        yield
    finally:
        _name.reset(token)


@contextlib.contextmanager
def compiler_at_work() -> Iterator[None]:
    """What the compiler itself says."""
    name = _name.get()
    _waiting.append(name)
    try:
        yield
    finally:
        _waiting.remove(name)


def waiting() -> list[str]:
    """All for whom something is compiled at this moment; empty if nothing is."""
    return list(dict.fromkeys(_waiting))
