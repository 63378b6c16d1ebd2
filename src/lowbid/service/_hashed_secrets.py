"""Secrets of which the store keeps a salted hash: those of keys and of the page's sessions."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from lowbid.errors import FileFormatError

Secret = TypeVar("Secret", bound="HashedSecret")

# An id, which is not secret, and 256 random bits.
_SHAPE = re.compile(r"lowbid_([0-9a-f]{12})_([0-9A-Za-z_-]{43})")


@dataclass(frozen=True, kw_only=True)
class HashedSecret:
    """A secret as the store records it.

    Attributes
    ----------
    id : str
        The part that is not secret, by which it is found.
    salt, digest : str
        The salt and the hash that a presented secret is compared with.
    """

    id: str
    salt: str
    digest: str

    def fits(self, secret: str) -> bool:
        """Whether this is the secret, compared in constant time."""
        return hmac.compare_digest(_digest(self.salt, secret), self.digest)

    def to_text(self) -> str:
        """The record, as `recorded` reads it."""
        return json.dumps(asdict(self))


def new_secret(kind: type[Secret], **fields: Any) -> tuple[str, Secret]:
    """A new secret as it is presented, and its record, with these further fields."""
    identity, secret, salt = secrets.token_hex(6), secrets.token_urlsafe(32), secrets.token_hex(16)
    record = kind(id=identity, salt=salt, digest=_digest(salt, secret), **fields)
    return f"lowbid_{identity}_{secret}", record


def is_secret(text: str) -> bool:
    """Whether a text looks like a secret."""
    return _SHAPE.fullmatch(text) is not None


def presented(known: dict[str, Secret], text: str) -> Secret | None:
    """The one of the known secrets that somebody presents, if any."""
    match = _SHAPE.fullmatch(text)
    found = None if match is None else known.get(match[1])
    return found if match is not None and found is not None and found.fits(match[2]) else None


def recorded(kind: type[Secret], body: str) -> Secret:
    """A record of the store."""
    try:
        saved: dict[str, Any] = json.loads(body)
        lists = {name: tuple(value) for name, value in saved.items() if isinstance(value, list)}
        return kind(**saved | lists)
    except (ValueError, TypeError, AttributeError) as error:
        raise FileFormatError(
            "a key or a session in the store is damaged; create new keys."
        ) from error


def _digest(salt: str, secret: str) -> str:
    # The secret has 256 random bits: it cannot be guessed, so a slow hash would add nothing.
    return hashlib.blake2b(secret.encode(), salt=bytes.fromhex(salt), digest_size=32).hexdigest()
