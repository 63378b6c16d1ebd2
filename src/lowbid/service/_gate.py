"""The checks that every request passes before a route sees it, and the timing of its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lowbid.errors import LowbidError
from lowbid.service._guard import Guard
from lowbid.service._metrics import Metrics
from lowbid.service._problems import ProblemError, library_problem, response
from lowbid.service._service_limits import Limits

BODY = "lowbid.body"  # where a request's scope has its body

# Browsers load nothing from other sites, and do not show the page inside another one.
_HEADERS = [
    (b"content-security-policy",
     b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
     b"frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]  # fmt: skip


class Gate:
    """Check the key, receive the whole body, and record how long the answer took.

    Without a key, only public addresses are answered, and no body is received.

    Parameters
    ----------
    public : iterable of (str, str)
        The methods and addresses that need no key.
    """

    def __init__(
        self,
        app: ASGIApp,
        guard: Guard,
        limits: Limits,
        metrics: Metrics,
        public: Iterable[tuple[str, str]],
    ) -> None:
        self._app, self._guard, self._limits, self._metrics = app, guard, limits, metrics
        self._public = frozenset(public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] += _HEADERS
            await send(message)

        try:
            await self._pass(scope, receive, noting)
        finally:
            # Never the address itself: there are too many of them for a label.
            path = getattr(scope.get("route"), "path", "other")
            self._metrics.answered(path, status, time.perf_counter() - began)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._guard.require_own_name(scope)
            if (scope["method"], scope["path"]) not in self._public:
                await self._guard.admit(scope)
            if scope["method"] not in ("GET", "HEAD"):
                body = await self._body(scope, receive)
                if body is None:  # the client disconnected
                    return
                scope[BODY], receive = body, _received(body, receive)
        except ProblemError as problem:
            await response(problem)(scope, receive, send)
            return
        except LowbidError as error:  # the keys cannot be read
            await response(library_problem(error))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The body, or a problem: too large, too slow, or not JSON."""
        limits = self._limits
        try:
            async with asyncio.timeout(limits.body_seconds):
                body = await _whole(scope, receive, limits.body_bytes)
        except TimeoutError:
            detail = f"the body did not arrive within {limits.body_seconds:g} s; send it again."
            raise ProblemError(408, "slow-body", detail, headers={"Connection": "close"}) from None
        if body and not _is_json(scope):
            raise ProblemError(
                415, "unsupported-media-type",
                "the body's type is not JSON; send it as JSON, with the header "
                "`Content-Type: application/json`.",
            )  # fmt: skip
        return body


async def _whole(scope: Scope, receive: Receive, most: int) -> bytes | None:
    """A body as soon as all of it has arrived; None if the client disconnected."""
    if (_declared_size(scope) or 0) > most:
        raise _too_large(most)
    message = await receive()
    parts: list[bytes] = [message.get("body", b"")]
    size = len(parts[0])
    while message.get("more_body", False) and size <= most:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
    if size > most:
        raise _too_large(most)
    return None if message["type"] == "http.disconnect" else b"".join(parts)


def _too_large(most: int) -> ProblemError:
    # The rest of the body is not read, so the connection cannot be used again.
    headers = {"Connection": "close"}
    detail = f"the body may have at most {most:,} bytes; send less."
    return ProblemError(413, "body-too-large", detail, headers=headers)


def _received(body: bytes, receive: Receive) -> Receive:
    """Hand over a body that has arrived, and then whatever the client sends next."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _is_json(scope: Scope) -> bool:
    value = _header(scope, b"content-type")
    if value == b"application/json":
        return True
    kind = (value or b"").partition(b";")[0].strip().lower()
    return kind.startswith(b"application/") and kind.endswith((b"/json", b"+json"))


def _declared_size(scope: Scope) -> int | None:
    value = _header(scope, b"content-length")
    return int(value) if value is not None and value.isdigit() else None


def _header(scope: Scope, wanted: bytes) -> bytes | None:
    for name, value in scope["headers"]:
        if name == wanted:
            return bytes(value)
    return None
