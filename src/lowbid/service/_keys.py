"""Keys: who may do what. The store keeps salted hashes; a key itself is shown once."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from lowbid.errors import FileFormatError, InvalidValueError, UnknownNameError
from lowbid.shared.stores import Store, Transaction

Role = Literal["decide", "read", "admin"]
ROLES: tuple[Role, ...] = ("decide", "read", "admin")

_SPACE = "keys"
_SHAPE = re.compile(r"lowbid_([0-9a-f]{12})_([0-9A-Za-z_-]{43})")


@dataclass(frozen=True)
class Key:
    """A key as the store records it.

    Attributes
    ----------
    id : str
        The part of the key that is not secret.
    name : str
        Its owner; every change made with it is logged under this name.
    roles : tuple of str
        "decide" to make decisions and report outcomes, "read" to look, "admin" for both and for
        changes.
    experiments : tuple of str or None
        The only experiments that it gives access to; None for all.
    salt, digest : str
        The salt and the hash that a presented key is compared with.
    created : float
        When it was created, in seconds since 1970.
    revoked : float or None
        When it was revoked.
    """

    id: str
    name: str
    roles: tuple[str, ...]
    experiments: tuple[str, ...] | None
    salt: str
    digest: str
    created: float
    revoked: float | None = None

    def may(self, role: Role, experiment: str | None) -> bool:
        """Whether it gives access in this role; `experiment` is None for all of them."""
        if role not in self.roles and "admin" not in self.roles:
            return False
        return self.experiments is None or experiment in self.experiments

    def fits(self, secret: str) -> bool:
        """Whether this is its secret, compared in constant time."""
        return hmac.compare_digest(_digest(self.salt, secret), self.digest)


def make_key(
    store: Store, name: str, roles: Iterable[str], experiments: Iterable[str] | None = None
) -> str:
    """Create a key and store its hash; return the key, which cannot be recovered later."""
    roles = tuple(dict.fromkeys(roles))
    unknown = [role for role in roles if role not in ROLES]
    if unknown or not roles:
        raise InvalidValueError(
            f"roles are {', '.join(map(repr, roles)) or 'missing'}; give one or more of "
            f"{', '.join(ROLES)}."
        )
    if not (isinstance(name, str) and 0 < len(name.strip()) <= 100 and name.isprintable()):
        raise InvalidValueError(f"name is {name!r}; give printable text of 1 to 100 characters.")
    identity, secret, salt = secrets.token_hex(6), secrets.token_urlsafe(32), secrets.token_hex(16)
    scope = None if experiments is None else tuple(experiments)
    key = Key(identity, name, roles, scope or None, salt, _digest(salt, secret), time.time())
    with store.transaction(write=True) as transaction:
        if any(other.name == name and other.revoked is None for other in _all(transaction)):
            raise InvalidValueError(
                f"there is already a key named {name!r}; revoke it first, or choose another name."
            )
        transaction.put_document(_SPACE, key.id, json.dumps(asdict(key)))
    return f"lowbid_{identity}_{secret}"


def list_keys(store: Store) -> list[Key]:
    """All keys ever created, oldest first."""
    with store.transaction(write=False) as transaction:
        return _all(transaction)


def revoke_key(store: Store, name: str) -> Key:
    """Revoke a key; `name` is its name or its id."""
    with store.transaction(write=True) as transaction:
        keys = [key for key in _all(transaction) if key.revoked is None]
        found = next((key for key in keys if name in (key.name, key.id)), None)
        if found is None:
            names = ", ".join(repr(key.name) for key in keys)
            raise UnknownNameError(
                f"there is no key {name!r} to revoke; there are {names or 'none'}."
            )
        revoked = replace(found, revoked=time.time())
        transaction.put_document(_SPACE, revoked.id, json.dumps(asdict(revoked)))
    return revoked


class Keyring:
    """The valid keys of a store, as of the last time they were read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys: dict[str, Key] = {}
        self._read_at = -float("inf")

    @property
    def age(self) -> float:
        """How many seconds ago they were read."""
        return time.monotonic() - self._read_at

    def refresh(self) -> None:
        """Read the keys again."""
        began = time.monotonic()
        self._keys = {key.id: key for key in list_keys(self._store) if key.revoked is None}
        self._read_at = began

    def find(self, text: str) -> Key | None:
        """The valid key with this text, if there is one."""
        match = _SHAPE.fullmatch(text)
        key = None if match is None else self._keys.get(match[1])
        if match is None or key is None or not key.fits(match[2]):
            return None
        return key

    def by_id(self, identity: str) -> Key | None:
        """A valid key, by its id."""
        return self._keys.get(identity)


def shared_secret(store: Store, name: str) -> bytes:
    """A secret that all servers on a store share, created when first needed."""
    with store.transaction(write=True) as transaction:
        found = transaction.documents("secrets").get(name)
        if found is None:
            found = secrets.token_hex(32)
            transaction.put_document("secrets", name, found)
    return bytes.fromhex(found)


def _digest(salt: str, secret: str) -> str:
    # The secret has 256 random bits: it cannot be guessed, so a slow hash would add nothing.
    return hashlib.blake2b(secret.encode(), salt=bytes.fromhex(salt), digest_size=32).hexdigest()


def _all(transaction: Transaction) -> list[Key]:
    found = [_read(body) for body in transaction.documents(_SPACE).values()]
    return sorted(found, key=lambda key: key.created)


def _read(body: str) -> Key:
    try:
        saved: dict[str, Any] = json.loads(body)
        saved["roles"] = tuple(saved["roles"])
        if saved["experiments"] is not None:
            saved["experiments"] = tuple(saved["experiments"])
        return Key(**saved)
    except (ValueError, TypeError, KeyError) as error:
        raise FileFormatError("a key in the store is damaged; create new keys.") from error
