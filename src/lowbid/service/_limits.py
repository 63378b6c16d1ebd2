"""How much one client may ask for, so that it does not stop the others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lowbid.service._problems import ProblemError, response


@dataclass(frozen=True)
class Limits:
    """The limits of a service.

    Attributes
    ----------
    body_bytes : int
        The size of a request's body.
    body_seconds : float
        How long a body may take to arrive.
    arms : int
        How many arms an experiment may have.
    decisions : int
        How many decisions one request may make.
    outcomes : int
        How many outcomes one request may report.
    open_decisions : int
        How many decisions of an experiment may wait for their outcomes.
    """

    body_bytes: int = 2_000_000
    body_seconds: float = 20.0
    arms: int = 10_000
    decisions: int = 1_000
    outcomes: int = 10_000
    open_decisions: int = 1_000_000


class BodyLimits:
    """Receive a body whole before anybody works on it, or refuse it: too large, or too slow."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await self._whole(scope, receive)
        except TimeoutError:
            seconds = f"{self._limits.body_seconds:g} s"
            detail = f"the body did not arrive within {seconds}; send it again."
            await response(ProblemError(408, "slow-body", detail))(scope, receive, send)
        except ProblemError as problem:
            await response(problem)(scope, receive, send)
        else:
            if body is not None:  # else the client is gone
                await self._app(scope, _received(body, receive), send)

    async def _whole(self, scope: Scope, receive: Receive) -> bytes | None:
        if (_declared_size(scope) or 0) > self._limits.body_bytes:
            raise self._too_large()
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size, more = size + len(parts[-1]), message.get("more_body", False)
            if size > self._limits.body_bytes:
                raise self._too_large()
        return b"".join(parts)

    def _too_large(self) -> ProblemError:
        most = self._limits.body_bytes
        # The rest of the body is not read, so the connection cannot be used again.
        headers = {"Connection": "close"}
        detail = f"the body may have {most:,} bytes; send less."
        return ProblemError(413, "body-too-large", detail, headers=headers)


def _received(body: bytes, receive: Receive) -> Receive:
    """Hand over a body that has arrived; after it, what comes next from the client."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


class SecurityHeaders:
    """Tell browsers to load nothing from elsewhere, and to show the page in no other one."""

    HEADERS = (
        (b"content-security-policy",
         b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
         b"frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cache-control", b"no-store"),
    )  # fmt: skip

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.HEADERS]
            await send(message)

        await self._app(scope, receive, with_headers)


def _declared_size(scope: Scope) -> int | None:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else None
    return None
