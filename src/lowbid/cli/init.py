"""Write an experiment file to start from, with comments that explain every entry.

With --sweep, a sweep file: many policies, parameters, environments and horizons.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lowbid.cli._arguments import named_path
from lowbid.errors import InvalidValueError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "file",
        nargs="?",
        type=named_path,
        help="the file to write (default: experiment.toml or sweep.toml)",
    )
    parser.add_argument("--sweep", action="store_true", help="write a file for lowbid sweep")


def run(arguments: argparse.Namespace) -> int:
    """Write the file, unless there is one."""
    from lowbid.experiments.experiment_file import TEMPLATE
    from lowbid.experiments.sweeps import SWEEP_TEMPLATE

    command, text = ("sweep", SWEEP_TEMPLATE) if arguments.sweep else ("compare", TEMPLATE)
    path = arguments.file or Path("sweep.toml" if arguments.sweep else "experiment.toml")
    _write_new(path, text)
    print(f"Wrote {path}; run it with: lowbid {command} {path}")
    return 0


def _write_new(path: Path, text: str) -> None:
    """Write a new file, completely or not at all."""
    try:
        file = open(path, "x", encoding="utf-8")  # noqa: SIM115
    except FileExistsError as error:
        raise InvalidValueError(
            f"{path} already exists; name another file, or remove it."
        ) from error
    except OSError as error:
        raise _unwritten(path, error) from error
    try:
        with file:
            file.write(text)
    except BaseException as error:
        path.unlink(missing_ok=True)  # a partial file would be mistaken for a whole one
        if isinstance(error, OSError):
            raise _unwritten(path, error) from error
        raise


def _unwritten(path: Path, error: OSError) -> InvalidValueError:
    return InvalidValueError(f"{path} cannot be written ({error.strerror}); name another file.")
