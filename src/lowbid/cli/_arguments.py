"""Arguments and messages that several commands share."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowbid.experiments import Folder


def add_simulation_arguments(parser: argparse.ArgumentParser, out: str) -> None:
    """Add the arguments common to all commands that run simulations."""
    parser.add_argument("--horizon", type=whole, help="number of steps per run")
    parser.add_argument("--runs", type=whole, help="number of independent runs")
    parser.add_argument("--seed", type=whole, help="random seed (default: 0)")
    parser.add_argument("--workers", type=whole, help="number of threads (default: one per core)")
    parser.add_argument("--bounds", action="store_true", help="draw proven bounds on the regret")
    parser.add_argument(
        "--out", type=named_path, default=Path(out), help=f"output folder (default: {out})"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue where the same command was stopped, and keep the results in the folder",
    )


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Add the store, which may contain a password and can be given outside the command line."""
    known = os.environ.get("LOWBID_STORE")
    parser.add_argument(
        "--store",
        required=known is None,
        default=known,
        help="sqlite:///shop.db or postgresql://... (default: the variable LOWBID_STORE)",
    )


def named_path(text: str) -> Path:
    """The name of a file or a folder; an empty name would mean the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty; write . for the current folder.")
    return Path(text)


def whole(text: str) -> int:
    """A whole number, however it is written: 1000000, 1_000_000 or 1e6."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        number = 0.5
    if not number.is_integer():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number; write 1000 or 1e3.")
    return int(number)


def command_line(command: str, arguments: argparse.Namespace) -> str:
    """The command that reproduces this result: the arguments that were given."""
    words = ["lowbid", command]
    for name, value in vars(arguments).items():
        if name in ("run", "workers", "resume") or value in (None, False):
            continue
        words += _words(name, value)
    return shlex.join(words)


def _words(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if name == "file":
        return [str(value)]
    if name == "settings":
        return list(value)
    if value is True:
        return [option]
    if isinstance(value, list):
        return [word for each in value for word in (option, str(each))]
    return [option, str(value)]


def stopped(folder: Folder, command: str) -> int:
    """Acknowledge Ctrl-C, and write up the finished results; returns the exit code."""
    from lowbid.experiments import write_up

    print("\nlowbid: stopped", file=sys.stderr)
    if not folder.started or not folder.finished(folder.read()):
        print("lowbid: nothing was finished yet.", file=sys.stderr)
        return 130
    print("lowbid: writing up the finished results ...", file=sys.stderr)
    write_up(folder)
    print(
        f"lowbid: the finished results are in {folder.path}. Continue with: {command} --resume",
        file=sys.stderr,
    )
    return 130
