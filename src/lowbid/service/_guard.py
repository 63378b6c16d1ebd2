"""Who sends a request, and what they may do: keys, and sessions of the page."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.types import Scope

from lowbid.service._hashed_secrets import is_secret
from lowbid.service._keyring import Keyring
from lowbid.service._problems import ProblemError
from lowbid.service._sessions import begin_session, end_session, forgery_token
from lowbid.service.api_keys import ROLES, Key, Role
from lowbid.service.loopback import host_of, is_loopback
from lowbid.shared.stores import Store

Found = TypeVar("Found")

SESSION_COOKIE = "lowbid_session"
FORGERY_HEADER = "x-lowbid-token"
# A key revoked elsewhere, or a session ended there, is noticed within this many seconds.
KEYS_ARE_GOOD_FOR = 2.0
# An unfamiliar key is looked up at once, but not sooner than this after the last time: a flood of
# made-up keys must not cause one read of the store each.
_PAUSE = 0.2
_SAFE_METHODS = ("GET", "HEAD")
_KEY = "lowbid.key"  # where a request's scope has the key that it was sent with


@dataclass(frozen=True)
class Caller:
    """The sender of a request.

    Attributes
    ----------
    name : str
        Their name in the log.
    roles : tuple of str
        What they may do.
    experiments : tuple of str or None
        The only experiments they can see; None for all.
    """

    name: str
    roles: tuple[str, ...]
    experiments: tuple[str, ...] | None = None

    def sees(self, experiment: str) -> bool:
        """Whether an experiment is within the scope of their key."""
        return self.experiments is None or experiment in self.experiments


ANYBODY = Caller("anybody (no keys)", ROLES)


class Guard:
    """Finds out who sent a request, by its key or by the page's session.

    Parameters
    ----------
    store : Store
        Where the keys are; None to let anybody do anything.
    """

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._keyring = None if store is None else Keyring(store)
        self._turn = asyncio.Lock()  # one thread at a time uses the store

    @property
    def needs_keys(self) -> bool:
        """Whether requests need a key."""
        return self._keyring is not None

    def require_own_name(self, scope: Scope) -> None:
        """Refuse a request for another name than this machine's own, if there are no keys.

        Another site can have its name stand for this machine, and its pages are then allowed by
        browsers to do here what they like. They still send that name.
        """
        if self._keyring is None:
            hosts = [host_of(value) for name, value in scope["headers"] if name == b"host"]
            if not (hosts and all(map(is_loopback, hosts))):
                shown = " and ".join(repr(host[:100]) for host in hosts) or "no host"
                raise ProblemError(
                    421, "other-host",
                    f"the request is for {shown}, and this server has no keys, so that it answers "
                    "only for localhost, 127.0.0.1 and [::1]; use one of these, or start it "
                    "without --no-keys and send a key.",
                )  # fmt: skip

    async def admit(self, scope: Scope) -> None:
        """Find out who sends a request, for `caller`; a problem if it has no valid key."""
        keyring = self._keyring
        if keyring is None:
            _require_own_page(scope)
        else:
            key = _known_by_header(keyring, scope)
            scope[_KEY] = key or await self._key(HTTPConnection(scope))

    def require(self, request: HTTPConnection, role: Role, experiment: str | None = None) -> Caller:
        """The sender of this request, or a problem if they lack this role."""
        if self._keyring is None:
            return ANYBODY
        key: Key = request.scope[_KEY]
        if not key.may(role, experiment):
            raise _not_allowed(key, role, experiment)
        return Caller(key.name, key.roles, key.experiments)

    def caller(self, request: HTTPConnection) -> Caller:
        """The sender of this request, whatever their roles."""
        if self._keyring is None:
            return ANYBODY
        key: Key = request.scope[_KEY]
        return Caller(key.name, key.roles, key.experiments)

    async def sign_in(self, text: str) -> tuple[str, Key]:
        """The value of the session cookie for this key, or a problem."""
        if self._keyring is None:
            raise ProblemError(
                409, "no-keys", "this server needs no keys; leave the key out, and do not sign in."
            )
        key = await self._found(text)
        return await self._change(begin_session, key), key

    async def sign_out(self, cookie: str) -> None:
        """End a session, if it has not ended."""
        if self._keyring is not None:
            session = await self._looked_up(self._keyring.session, cookie)
            if session is not None:
                await self._change(end_session, session)

    async def _key(self, request: HTTPConnection) -> Key:
        header = request.headers.get("authorization", "")
        if header:
            scheme, _, text = header.partition(" ")
            return await self._found(text.strip() if scheme.lower() == "bearer" else "")
        cookie = request.cookies.get(SESSION_COOKIE)
        if cookie is None:
            raise ProblemError(
                401, "key-needed",
                "no key was sent; send one as `Authorization: Bearer lowbid_...`. `lowbid keys "
                "add` creates keys.",
                headers={"WWW-Authenticate": "Bearer"},
            )  # fmt: skip
        key = await self._key_of_session(cookie)
        if request.scope.get("method") not in _SAFE_METHODS:
            sent = request.headers.get(FORGERY_HEADER, "")
            if not hmac.compare_digest(sent.encode(), forgery_token(cookie).encode()):
                raise ProblemError(
                    403, "forgery-token-needed",
                    f"a change from the page needs its token in the header {FORGERY_HEADER}; load "
                    "the page again.",
                )  # fmt: skip
        return key

    async def _found(self, text: str) -> Key:
        """The key that was presented, or a problem."""
        assert self._keyring is not None
        key = await self._looked_up(self._keyring.find, text)
        if key is None:
            raise _unknown_key()
        return key

    async def _key_of_session(self, cookie: str) -> Key:
        assert self._keyring is not None
        session = await self._looked_up(self._keyring.session, cookie)
        key = None if session is None else self._keyring.key_of(session)
        if key is None:
            raise ProblemError(401, "session-over", "the session has ended; sign in again.")
        return key

    async def _looked_up(self, find: Callable[[str], Found | None], text: str) -> Found | None:
        """What a key or a cookie stands for; an unfamiliar one is looked up in the store."""
        await self._read(time.monotonic() - KEYS_ARE_GOOD_FOR)
        found = find(text)
        if found is None and is_secret(text):
            await self._read(time.monotonic())
            found = find(text)
        return found

    async def _read(self, since: float) -> None:
        """Read the keys and sessions, unless they were read since then."""
        keyring = self._keyring
        assert keyring is not None
        if keyring.read_at < since:
            async with self._turn:
                if keyring.read_at < since:  # nobody else read them meanwhile
                    await asyncio.sleep(max(0.0, _PAUSE - keyring.age))
                    await run_in_threadpool(keyring.refresh)

    async def _change(self, work: Callable[..., Found], *given: object) -> Found:
        """Change the sessions of the store, and know of it at once."""
        assert self._keyring is not None
        async with self._turn:
            done = await run_in_threadpool(work, self._store, *given)
            await run_in_threadpool(self._keyring.refresh)
        return done


def _require_own_page(scope: Scope) -> None:
    """Refuse changes that another site's page makes a browser send to a server without keys."""
    if scope["method"] not in _SAFE_METHODS and not _is_own_page(scope["headers"]):
        raise ProblemError(
            403, "other-site",
            "this request was sent by another site's page, and this server has no keys by which to "
            "allow that; start it without --no-keys and send a key.",
        )  # fmt: skip


def _is_own_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request is from this server's own page, or not from a page at all.

    Browsers say so in Sec-Fetch-Site; older ones send only the page's origin.
    """
    found: dict[bytes, set[bytes]] = {b"sec-fetch-site": set(), b"origin": set(), b"host": set()}
    for name, value in headers:
        if name in found:
            found[name].add(value.lower())
    sites, origins, hosts = found.values()
    if sites:
        return sites <= {b"same-origin", b"none"}
    return {origin.partition(b"://")[2] for origin in origins} <= hosts


def _known_by_header(keyring: Keyring, scope: Scope) -> Key | None:
    """The key of a request in the usual case: already known, and in the header."""
    if keyring.age <= KEYS_ARE_GOOD_FOR:
        for name, value in scope["headers"]:
            if name == b"authorization":
                found: bytes = value
                return (
                    keyring.find(found[7:].decode("latin-1"))
                    if found[:7].lower() == b"bearer "
                    else None
                )
    return None


_PERMISSIONS: dict[Role, str] = {
    "decide": "make decisions or report outcomes",
    "read": "look at experiments",
    "admin": "change experiments",
}


def _not_allowed(key: Key, role: Role, experiment: str | None) -> ProblemError:
    if role not in key.roles and "admin" not in key.roles:
        return ProblemError(
            403, "not-allowed",
            f"the key {key.name!r} may not {_PERMISSIONS[role]}; use one with the role {role!r}, "
            "which `lowbid keys add` creates.",
        )  # fmt: skip
    what = "all experiments" if experiment is None else f"experiment {experiment!r}"
    return ProblemError(
        403, "not-allowed",
        f"the key {key.name!r} is only for {', '.join(key.experiments or ())}, not for {what}.",
    )  # fmt: skip


def _unknown_key() -> ProblemError:
    return ProblemError(
        401, "unknown-key", "the key is not known, or was revoked; use another one.",
        headers={"WWW-Authenticate": "Bearer"},
    )  # fmt: skip
