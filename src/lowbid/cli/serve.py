"""Serve decisions over HTTP: API, API docs and dashboard on one port.

    lowbid keys add --store sqlite:///shop.db --name shop --role decide
    lowbid serve --store sqlite:///shop.db

Servers on one store make the choices of one bandit. SIGTERM finishes accepted requests first.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lowbid.cli._arguments import add_store_argument, named_path, whole
from lowbid.errors import InvalidValueError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_store_argument(parser)
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=_port, default=8080, help="port to listen on (default: 8080)"
    )
    parser.add_argument(
        "--experiments", type=named_path, metavar="FILE", help="a TOML file with experiments"
    )
    parser.add_argument(
        "--no-keys", action="store_true", help="require no keys; for loopback addresses only"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped."""
    from lowbid.service import create_app
    from lowbid.service.experiments_file import make_experiments
    from lowbid.service.loopback import is_loopback
    from lowbid.service.server import serve

    if arguments.no_keys and not is_loopback(arguments.host):
        raise InvalidValueError(
            f"--no-keys lets anybody do anything, and {arguments.host} can be reached from "
            "other machines; serve on 127.0.0.1, or create keys with `lowbid keys add`."
        )
    app = create_app(arguments.store, keys=not arguments.no_keys)
    if arguments.experiments is not None:
        make_experiments(Path(arguments.experiments), app.state.experiments)
    if not arguments.no_keys:
        _name_the_first_key(arguments.store)
    return serve(app, arguments.host, arguments.port)


def _name_the_first_key(address: str) -> None:
    """Without any key nobody can use the service: say how to create one."""
    from lowbid.service.api_keys import list_keys
    from lowbid.shared.stores import store_at

    if not any(key.revoked is None for key in list_keys(store_at(address))):
        shown = address if address.startswith("sqlite:") else "URL"  # it may hold a password
        print("lowbid: there are no keys yet. Create one, and sign in with it:", file=sys.stderr)
        print(f"  lowbid keys add --store {shown} --name me --role admin", file=sys.stderr)


def _port(text: str) -> int:
    number = whole(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; give one from 1 to 65535.")
    return number
