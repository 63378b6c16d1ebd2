"""Sessions of the page: what a browser has instead of the key that somebody signed in with."""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass

from lowbid.service._hashed_secrets import HashedSecret, new_secret, recorded
from lowbid.service.api_keys import Key
from lowbid.shared.stores import Store, Transaction

SESSION_SECONDS = 12 * 3600
# Each key may have this many; a further one ends the oldest. All of them are read every 2 seconds.
SESSIONS_PER_KEY = 100

_SPACE = "sessions"


@dataclass(frozen=True, kw_only=True)
class Session(HashedSecret):
    """A session as the store records it.

    Attributes
    ----------
    key : str
        The id of the key that somebody signed in with; the session ends with it.
    until : float
        When it ends, in seconds since 1970.
    """

    key: str
    until: float


def begin_session(store: Store, key: Key) -> str:
    """Begin a session and store its hash; return what its cookie holds."""
    text, session = new_secret(Session, key=key.id, until=time.time() + SESSION_SECONDS)
    with store.transaction(write=True) as transaction:
        there = [_read(body) for body in transaction.documents(_SPACE).values()]
        own = sorted((each for each in there if each.key == key.id), key=lambda each: each.until)
        over = {each.id for each in own[: max(0, len(own) + 1 - SESSIONS_PER_KEY)]}
        for each in there:
            if each.id in over or each.until <= time.time():
                transaction.drop_document(_SPACE, each.id)
        transaction.put_document(_SPACE, session.id, session.to_text())
    return text


def end_session(store: Store, session: Session) -> None:
    """Forget a session."""
    with store.transaction(write=True) as transaction:
        transaction.drop_document(_SPACE, session.id)


def read_sessions(transaction: Transaction) -> dict[str, Session]:
    """The sessions that have not ended, by id."""
    there = [_read(body) for body in transaction.documents(_SPACE).values()]
    return {each.id: each for each in there if time.time() < each.until}


def forgery_token(session: str) -> str:
    """The token that the page sends along with changes, so that no other page can make them.

    Parameters
    ----------
    session : str
        What the session's cookie holds: scripts cannot read it, and other sites neither.
    """
    return hmac.new(session.encode(), b"forgery", hashlib.sha256).hexdigest()


def _read(body: str) -> Session:
    return recorded(Session, body)
