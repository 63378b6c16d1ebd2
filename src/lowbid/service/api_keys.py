"""Keys: who may do what. The store keeps salted hashes; a key itself is shown once."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from lowbid._require import invalid
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.service._hashed_secrets import HashedSecret, new_secret, recorded
from lowbid.shared.stores import Store, Transaction

Role = Literal["decide", "read", "admin"]
ROLES: tuple[Role, ...] = ("decide", "read", "admin")

_SPACE = "keys"


@dataclass(frozen=True, kw_only=True)
class Key(HashedSecret):
    """A key as the store records it.

    Attributes
    ----------
    name : str
        Its owner; every change made with it is logged under this name.
    roles : tuple of str
        "decide" to make decisions and report outcomes, "read" to look, "admin" for both and for
        changes.
    experiments : tuple of str or None
        The only experiments that it gives access to; None for all.
    created : float
        When it was created, in seconds since 1970.
    revoked : float or None
        When it was revoked.
    """

    name: str
    roles: tuple[str, ...]
    experiments: tuple[str, ...] | None
    created: float
    revoked: float | None = None

    def may(self, role: Role, experiment: str | None) -> bool:
        """Whether it gives access in this role; `experiment` is None for all of them."""
        if role not in self.roles and "admin" not in self.roles:
            return False
        return self.experiments is None or experiment in self.experiments


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
        raise invalid("name", name, "give printable text of 1 to 100 characters.")
    scope = None if experiments is None else tuple(experiments) or None
    fields = {"name": name, "roles": roles, "experiments": scope, "created": time.time()}
    text, key = new_secret(Key, **fields)
    with store.transaction(write=True) as transaction:
        if any(other.name == name and other.revoked is None for other in read_keys(transaction)):
            raise InvalidValueError(
                f"there is already a key named {name!r}; revoke it first, or choose another name."
            )
        transaction.put_document(_SPACE, key.id, key.to_text())
    return text


def list_keys(store: Store) -> list[Key]:
    """All keys ever created, oldest first."""
    with store.transaction(write=False) as transaction:
        return read_keys(transaction)


def revoke_key(store: Store, name: str) -> Key:
    """Revoke a key; `name` is its name or its id."""
    with store.transaction(write=True) as transaction:
        keys = [key for key in read_keys(transaction) if key.revoked is None]
        found = next((key for key in keys if name in (key.name, key.id)), None)
        if found is None:
            names = ", ".join(repr(key.name) for key in keys)
            raise UnknownNameError(
                f"there is no key {name!r} to revoke; there are {names or 'none'}."
            )
        revoked = replace(found, revoked=time.time())
        transaction.put_document(_SPACE, revoked.id, revoked.to_text())
    return revoked


def read_keys(transaction: Transaction) -> list[Key]:
    """All keys ever created, oldest first."""
    found = [recorded(Key, body) for body in transaction.documents(_SPACE).values()]
    return sorted(found, key=lambda key: key.created)
