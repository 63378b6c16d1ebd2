"""Stores by their address; each kind is one file, imported on demand."""

from __future__ import annotations

from typing import Any

from lowbid._require import require_finite
from lowbid.errors import InvalidValueError
from lowbid.shared.stores._interface import Head as Head
from lowbid.shared.stores._interface import Row as Row
from lowbid.shared.stores._interface import Store as Store
from lowbid.shared.stores._interface import StoredBandit as StoredBandit
from lowbid.shared.stores._interface import Transaction as Transaction
from lowbid.shared.stores._patience import FIRST_PAUSE as FIRST_PAUSE
from lowbid.shared.stores._patience import LONGEST_PAUSE as LONGEST_PAUSE
from lowbid.shared.stores._patience import Patience as Patience
from lowbid.shared.stores._patience import patiently as patiently

# Seconds to wait for a store, unless the caller says otherwise.
PATIENCE = 10.0


def store_at(url: Any, patience: float = PATIENCE) -> Store:
    """The store at an address; a store object is returned as it is."""
    if isinstance(url, Store):
        return url
    require_finite("patience", patience, above=0.0, or_equal=True)
    scheme = url.partition(":")[0] if isinstance(url, str) and "\0" not in url else ""
    if scheme == "sqlite":
        from lowbid.shared.stores.sqlite import SQLiteStore

        return SQLiteStore(url, patience)
    if scheme in ("postgresql", "postgres"):
        from lowbid.shared.stores.postgresql import PostgreSQLStore

        return PostgreSQLStore(url, patience)
    shown = f"{url.partition(':')[0]}://..." if isinstance(url, str) and "://" in url else repr(url)
    raise InvalidValueError(  # the rest of the URL may be a password
        f"the store is {shown}; give a URL such as sqlite:///shop.db or "
        "postgresql://user@host/database."
    )
