"""Open a bandit in a store or create it; list, rename and delete bandits."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable
from typing import Any, overload

from lowbid._require import require
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.online import Arm, Kind
from lowbid.policies import Policy
from lowbid.shared._agreement import require_agreement
from lowbid.shared._bandit_settings import read_settings
from lowbid.shared._clocks import Clock, time_by
from lowbid.shared._durations import Duration
from lowbid.shared._events import LOG_FORMAT, Created, logged
from lowbid.shared._identifiers import read_bandit_name, read_name
from lowbid.shared._replica import Replica
from lowbid.shared._shared_bandit import SharedBandit
from lowbid.shared._shared_log import SharedLog
from lowbid.shared.fleet import FLEET_FORMAT, FleetBandit, open_fleet
from lowbid.shared.stores import PATIENCE, Store, StoredBandit, Transaction, patiently, store_at


@overload
def open(
    store: str | Store,
    name: str,
    arms: int | Iterable[Arm] | None = ...,
    policy: Policy | None = ...,
    seed: int | None = ...,
    horizon: int | None = ...,
    *,
    loss_range: tuple[float, float] | None = ...,
    reward_range: tuple[float, float] | None = ...,
    kind: Kind | None = ...,
    expiry: int | None = ...,
    window: Duration | None = ...,
    if_silent: float | None = ...,
    sticky: bool | Duration | None = ...,
    holdout: float | None = ...,
    control: Arm | None = ...,
    patience: float = ...,
    actor: str | None = ...,
    clock: Callable[[], float] | None = ...,
    exchange: None = ...,
) -> SharedBandit: ...
@overload
def open(
    store: str | Store,
    name: str,
    arms: int | Iterable[Arm] | None = ...,
    policy: Policy | None = ...,
    seed: int | None = ...,
    horizon: int | None = ...,
    *,
    exchange: Duration,
    journal: str | os.PathLike[str] | None = ...,
    loss_range: tuple[float, float] | None = ...,
    reward_range: tuple[float, float] | None = ...,
    kind: Kind | None = ...,
    expiry: int | None = ...,
    holdout: float | None = ...,
    control: Arm | None = ...,
    patience: float = ...,
) -> FleetBandit: ...
def open(
    store: str | Store,
    name: str,
    arms: int | Iterable[Arm] | None = None,
    policy: Policy | None = None,
    seed: int | None = None,
    horizon: int | None = None,
    *,
    loss_range: tuple[float, float] | None = None,
    reward_range: tuple[float, float] | None = None,
    kind: Kind | None = None,
    expiry: int | None = None,
    window: Duration | None = None,
    if_silent: float | None = None,
    sticky: bool | Duration | None = None,
    holdout: float | None = None,
    control: Arm | None = None,
    patience: float = PATIENCE,
    actor: str | None = None,
    clock: Callable[[], float] | None = None,
    exchange: Duration | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> SharedBandit | FleetBandit:
    """Open a bandit that several processes share, or create it if it does not exist.

    If it exists, the settings given must match those it has.

    Parameters
    ----------
    store : str
        The store's URL: ``sqlite:///path`` for the processes of one machine, or
        ``postgresql://user@host/database`` for many.
    name : str
        The bandit's name in the store.
    arms, policy, seed, horizon, loss_range, reward_range, expiry
        As for `Bandit`. All but `arms` may be omitted for a new bandit, and all for an existing
        one, unless its policy is your own code.
    kind : {"loss", "reward"}, optional
        Whether losses or rewards are measured, if no range says so; `if_silent` needs to know.
    window : duration, optional
        How long to wait for an outcome: "90s", "15m", "1h", "30d" or a number of seconds. The
        outcome of a decision counts when its window ends, however early it was reported.
    if_silent : float, optional
        The value to record if no outcome arrives by then. Without it, the decision is forgotten.
    sticky : bool or duration, optional
        Whether a unit keeps the arm it was first given, or for how long.
    holdout : float, optional
        The fraction of units that always get the control arm and from which the policy does not
        learn; see `SharedBandit.lift`. Bandits with the same seed hold out the same units.
    control : str or int, optional
        The arm that they get, even while it is paused.
    patience : float
        Seconds to wait for a store that is locked or unavailable before raising an error.
    actor : str, optional
        Who creates the bandit, for its log.
    clock : function, optional
        For tests: returns the time in seconds since 1970, in place of the store's clock. All
        processes that have the bandit open need the same.
    exchange : duration, optional
        Open a fleet: each process decides in memory, and exchanges what it has learned with the
        others this often, such as "1s". See `FleetBandit`.
    journal : str or path, optional
        With `exchange`: a local file that keeps outcomes until they are exchanged, so that a
        killed process loses none. Each process needs its own.

    Examples
    --------
    >>> import lowbid, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/shop.db"
    >>> bandit = lowbid.open(url, "checkout", arms=["blue", "green"], reward_range=(0, 1))
    >>> decision = bandit.decide(request_id="visit-4711")
    >>> bandit.update(decision, reward=1.0)
    >>> bandit.decide(request_id="visit-4711") == decision  # in any process, at any time
    True
    >>> bandit.close(); folder.cleanup()
    """
    given = {
        "arms": arms,
        "policy": policy,
        "seed": seed,
        "horizon": horizon,
        "loss_range": loss_range,
        "reward_range": reward_range,
        "kind": kind,
        "expiry": expiry,
        "window": window,
        "if_silent": if_silent,
        "sticky": sticky,
        "holdout": holdout,
        "control": control,
    }
    given = {what: value for what, value in given.items() if value is not None}
    if "arms" in given and not isinstance(arms, int | list):
        given["arms"] = arms = list(arms)  # type: ignore[arg-type]
    name, at = read_bandit_name(name), store_at(store, patience)
    actor = None if actor is None else read_name(actor, "actor")
    if journal is not None:
        require(exchange is not None, "journal was given without exchange; give both.")
    if clock is not None:
        require(callable(clock), f"clock is {clock!r}; give a function without arguments.")
        require(exchange is None, "both clock and exchange were given; a fleet has no clock.")
    if exchange is not None:
        given |= {} if actor is None else {"actor": actor}  # which it refuses
        return open_fleet(at, name, given, exchange, journal)
    key = patiently(at, lambda: _found_or_made(at, name, given, actor, clock))
    log = SharedLog(at, key, name, policy, clock)
    replica = patiently(at, log.opened)
    require_agreement(given, replica, f"{name!r} in {at.address}")
    return SharedBandit(log)


def _found_or_made(
    store: Store, name: str, given: dict[str, Any], actor: str | None, clock: Clock
) -> int:
    """The key of a bandit, which is created with the given settings if it does not exist."""
    if "arms" in given:
        with store.transaction(write=True) as transaction:
            if transaction.find(name) is None:
                _make(transaction, name, given, actor, clock)
            return _require_log(transaction, name, store).key
    with store.transaction(write=False) as transaction:
        return _require_log(transaction, name, store).key


def _make(
    transaction: Transaction, name: str, given: dict[str, Any], actor: str | None, clock: Clock
) -> None:
    """Create a bandit, unless another process creates it first."""
    settings, now = read_settings(given), time_by(clock, transaction.clock())
    created = Created(settings.to_data(), secrets.token_hex(4), actor)
    Replica(created, 1, now, given.get("policy"))  # refuses settings that could not be opened later
    key = transaction.create(name, LOG_FORMAT, now)
    if key is not None:
        transaction.append(key, [logged(1, now, created, secrets.token_hex(8))])


def _require_log(transaction: Transaction, name: str, store: Store) -> StoredBandit:
    found = _require(transaction, name, store)
    if found.format == FLEET_FORMAT:
        raise InvalidValueError(
            f"bandit {name!r} in {store.address} is a fleet, whose processes exchange totals and "
            f'keep no log; open it as one: lowbid.open(url, {name!r}, exchange="1s").'
        )
    return found


def list_bandits(url: str | Store) -> list[StoredBandit]:
    """The bandits of a store, in order of name."""
    store = store_at(url)
    try:
        return patiently(store, lambda: _bandits(store))
    finally:
        store.close()


def _bandits(store: Store) -> list[StoredBandit]:
    with store.transaction(write=False) as transaction:
        return transaction.bandits()


def delete_bandit(url: str | Store, name: str) -> None:
    """Remove a bandit and its log for good. Processes that have it open get an error."""
    name, store = read_name(name), store_at(url)
    try:
        patiently(store, lambda: _require_there(store, name))
        with store.transaction(write=True) as transaction:
            key = _require(transaction, name, store).key
            transaction.lock(key)
            transaction.delete(key)
    finally:
        store.close()


def rename_bandit(url: str | Store, name: str, new_name: str) -> None:
    """Give a bandit another name. Processes that have it open keep using it."""
    name, new_name = read_name(name), read_bandit_name(new_name, "new_name")
    store = store_at(url)
    try:
        patiently(store, lambda: _require_there(store, name))
        with store.transaction(write=True) as transaction:
            key = _require(transaction, name, store).key
            transaction.lock(key)
            if transaction.find(new_name) is not None:
                raise InvalidValueError(
                    f"there is already a bandit {new_name!r} in {store.address}; choose another "
                    "name."
                )
            transaction.rename(key, new_name)
    finally:
        store.close()


def _require_there(store: Store, name: str) -> None:
    """Refuse to change a bandit that does not exist, without making a store for it."""
    with store.transaction(write=False) as transaction:
        _require(transaction, name, store)


def _require(transaction: Transaction, name: str, store: Store) -> StoredBandit:
    found = transaction.find(name)
    if found is not None:
        return found
    names = [bandit.name for bandit in transaction.bandits()]
    there = f"there are {', '.join(map(repr, names[:10]))}" if names else "there is none yet"
    raise UnknownNameError(
        f"there is no bandit {name!r} in {store.address} ({there}); to create it, give its arms: "
        "lowbid.open(url, name, arms=[...])."
    )
