"""Serve decisions over HTTP: API, API docs and dashboard on one port.

    lowbid keys add --store sqlite:///shop.db --name shop --role decide
    lowbid serve --store sqlite:///shop.db

Servers on one store make the choices of one bandit. SIGTERM finishes accepted requests first.
"""

from __future__ import annotations

import argparse
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
    return serve(app, arguments.host, arguments.port)


def _port(text: str) -> int:
    number = whole(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; give one from 1 to 65535.")
    return number
