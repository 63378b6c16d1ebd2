"""Check that a call with a known request id is the same call as before."""

from __future__ import annotations

import hashlib
from typing import Any

from lowbid.errors import InvalidValueError


def digest_of(*call: Any) -> str:
    """A short digest of the content of a call."""
    return hashlib.blake2b(repr(call).encode(), digest_size=8).hexdigest()


def require_same(request_id: str | None, found: dict[str, Any], digest: str) -> None:
    """Refuse a request id that was used for a call with other content."""
    if found["call"] != digest:
        raise reused(request_id)


def reused(request_id: str | None) -> InvalidValueError:
    """The error for a request id that was used for another call."""
    return InvalidValueError(
        f"request id {request_id!r} was used for another call; use one id per call."
    )
