"""Open a fleet, or create it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.shared.fleet._bandit import FleetBandit
from lowbid.shared.fleet._settings import FLEET_FORMAT, FleetSettings, read_fleet, write_fleet
from lowbid.shared.fleet._totals import require_totals
from lowbid.shared.stores import Store, Transaction, patiently


def open_fleet(
    store: Store,
    name: str,
    given: Mapping[str, Any],
    exchange: Any,
    journal: str | os.PathLike[str] | None,
) -> FleetBandit:
    """Open a fleet in a store, or create it if it does not exist and `given` has arms."""
    key, settings = patiently(store, lambda: _found_or_made(store, name, given, exchange))
    settings.require_agreement(given, exchange, f"{name!r} in {store.address}")
    policy = settings.policy(given.get("policy"))
    return FleetBandit(store, key, name, settings, policy, journal)


def _found_or_made(
    store: Store, name: str, given: Mapping[str, Any], exchange: Any
) -> tuple[int, FleetSettings]:
    with store.transaction(write="arms" in given) as transaction:
        found = transaction.find(name)
        if found is None:
            if "arms" not in given:
                raise UnknownNameError(
                    f"there is no fleet {name!r} in {store.address}; to create it, give its arms: "
                    'lowbid.open(url, name, arms=[...], kind="reward", exchange="1s").'
                )
            return _make(transaction, name, given, exchange)
        if found.format != FLEET_FORMAT:
            raise InvalidValueError(
                f"bandit {name!r} in {store.address} was created without exchange: all its "
                "decisions are in one order. Open it without exchange, or choose another name."
            )
        return found.key, read_fleet(transaction, found.key)


def _make(
    transaction: Transaction, name: str, given: Mapping[str, Any], exchange: Any
) -> tuple[int, FleetSettings]:
    settings = FleetSettings.of(given, exchange)
    policy = settings.policy(given.get("policy"))
    require_totals(policy, len(settings.arms), settings.settings.horizon)
    key = transaction.create(name, FLEET_FORMAT, transaction.clock())
    if key is None:  # another process was faster
        key = transaction.find(name).key  # type: ignore[union-attr]
        return key, read_fleet(transaction, key)
    write_fleet(transaction, key, settings)
    return key, settings
