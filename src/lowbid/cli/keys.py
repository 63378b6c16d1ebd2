"""Create, list and revoke the keys of a service.

    lowbid keys add --store sqlite:///shop.db --name shop --role decide
    lowbid keys list --store sqlite:///shop.db
    lowbid keys revoke --store sqlite:///shop.db --name dashboard

A key is shown once, when it is created; the store keeps a salted hash of it.
"""

from __future__ import annotations

import argparse
import datetime
from typing import TYPE_CHECKING

from lowbid._text_table import text_table
from lowbid.cli._arguments import add_store_argument

if TYPE_CHECKING:
    from lowbid.service.api_keys import Key


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("action", choices=("add", "list", "revoke"))
    add_store_argument(parser)
    parser.add_argument("--name", help="the key's owner; changes are logged under this name")
    parser.add_argument(
        "--role",
        action="append",
        default=[],
        choices=("decide", "read", "admin"),
        help="what it may do: decide (and report outcomes), read, or admin (everything); may be "
        "given more than once",
    )
    parser.add_argument(
        "--experiment",
        action="append",
        metavar="NAME",
        help="restrict the key to this experiment; may be given more than once",
    )


def run(arguments: argparse.Namespace) -> int:
    """Create, list or revoke keys."""
    from lowbid.errors import InvalidValueError
    from lowbid.service.api_keys import list_keys, make_key, revoke_key
    from lowbid.shared.stores import store_at

    store = store_at(arguments.store)
    if arguments.action == "list":
        print(_table(list_keys(store)))
        return 0
    if arguments.name is None:
        raise InvalidValueError(f"lowbid keys {arguments.action} needs --name.")
    if arguments.action == "revoke":
        key = revoke_key(store, arguments.name)
        print(f"revoked {key.name} ({key.id}); servers notice within 2 seconds")
        return 0
    print(make_key(store, arguments.name, arguments.role, arguments.experiment))
    return 0


def _table(keys: list[Key]) -> str:
    rows = []
    for key in keys:
        scope = "all" if key.experiments is None else ", ".join(key.experiments)
        rows.append(
            (key.name, key.id, ", ".join(key.roles), scope, _day(key.created), _day(key.revoked))
        )
    head = ("name", "id", "roles", "experiments", "created (UTC)", "revoked")
    return text_table(head, rows, text_columns=range(len(head)))


def _day(time: float | None) -> str:
    if time is None:
        return ""
    return datetime.datetime.fromtimestamp(time, datetime.UTC).strftime("%Y-%m-%d %H:%M")
