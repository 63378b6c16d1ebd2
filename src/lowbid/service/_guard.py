"""Who sends a request, and what they may do: keys, and sessions of the page."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.types import Scope

from lowbid.service._keys import ROLES, Key, Keyring, Role, shared_secret
from lowbid.service._problems import ProblemError
from lowbid.shared.stores import Store

SESSION_COOKIE = "lowbid_session"
FORGERY_HEADER = "x-lowbid-token"
SESSION_SECONDS = 12 * 3600
# A key revoked elsewhere is noticed within this many seconds, a new one sooner. The second number
# keeps a flood of made-up keys from causing one read of the store each.
KEYS_ARE_GOOD_FOR = 2.0
UNKNOWN_KEYS_ARE_GOOD_FOR = 0.2
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
        self._keyring = None if store is None else Keyring(store)
        self._secret = b"" if store is None else shared_secret(store, "sessions")
        self._reading = asyncio.Lock()

    @property
    def needs_keys(self) -> bool:
        """Whether requests need a key."""
        return self._keyring is not None

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
        return self._session(key, int(time.time()) + SESSION_SECONDS, secrets.token_hex(8)), key

    def token(self, session: str) -> str:
        """The token that the page sends along with changes, so that no other page can make them."""
        return hmac.new(self._secret, f"forgery:{session}".encode(), hashlib.sha256).hexdigest()

    async def _key(self, request: HTTPConnection) -> Key:
        header = request.headers.get("authorization", "")
        if header:
            scheme, _, text = header.partition(" ")
            return await self._found(text.strip() if scheme.lower() == "bearer" else "")
        session = request.cookies.get(SESSION_COOKIE)
        if session is None:
            raise ProblemError(
                401, "key-needed",
                "no key was sent; send one as `Authorization: Bearer lowbid_...`. `lowbid keys "
                "add` creates keys.",
                headers={"WWW-Authenticate": "Bearer"},
            )  # fmt: skip
        key = self._key_of_session(await self._fresh(KEYS_ARE_GOOD_FOR), session)
        if request.scope.get("method") not in _SAFE_METHODS:
            sent = request.headers.get(FORGERY_HEADER, "")
            if not hmac.compare_digest(sent.encode(), self.token(session).encode()):
                raise ProblemError(
                    403, "forgery-token-needed",
                    f"a change from the page needs its token in the header {FORGERY_HEADER}; load "
                    "the page again.",
                )  # fmt: skip
        return key

    async def _found(self, text: str) -> Key:
        """The key that was presented, or a problem; an unfamiliar one is looked up in the store."""
        for age in (KEYS_ARE_GOOD_FOR, UNKNOWN_KEYS_ARE_GOOD_FOR):
            key = (await self._fresh(age)).find(text)
            if key is not None:
                return key
        raise _unknown_key()

    async def _fresh(self, age: float) -> Keyring:
        """The keys, read again if they are older than this."""
        keyring = self._keyring
        assert keyring is not None
        if keyring.age > age:
            async with self._reading:
                if keyring.age > age:
                    await run_in_threadpool(keyring.refresh)
        return keyring

    def _session(self, key: Key, until: int, nonce: str) -> str:
        text = f"{key.id}.{until}.{nonce}"
        return f"{text}.{hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()}"

    def _key_of_session(self, keyring: Keyring, session: str) -> Key:
        identity, until, nonce = [*session.split("."), "", "", ""][:3]
        key = keyring.by_id(identity)
        if key is not None and until.isascii() and until.isdigit() and len(until) < 16:
            expected = self._session(key, int(until), nonce)
            signed = hmac.compare_digest(expected.encode(), session.encode())
            if signed and time.time() < int(until):
                return key
        raise ProblemError(401, "session-over", "the session has ended; sign in again.")


def _require_own_page(scope: Scope) -> None:
    """Refuse changes that another site's page makes a browser send to a server without keys."""
    if scope["method"] not in _SAFE_METHODS:
        for name, value in scope["headers"]:
            if name == b"sec-fetch-site" and value not in (b"same-origin", b"none"):
                raise ProblemError(
                    403, "other-site",
                    "this request was sent by another site's page, and this server has no keys by "
                    "which to allow that; start it without --no-keys and send a key.",
                )  # fmt: skip


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


_DEEDS: dict[Role, str] = {
    "decide": "make decisions or report outcomes",
    "read": "look at experiments",
    "admin": "change experiments",
}


def _not_allowed(key: Key, role: Role, experiment: str | None) -> ProblemError:
    if role not in key.roles and "admin" not in key.roles:
        return ProblemError(
            403, "not-allowed",
            f"the key {key.name!r} may not {_DEEDS[role]}; use one with the role {role!r}, which "
            "`lowbid keys add` creates.",
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
