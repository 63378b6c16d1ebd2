"""Write an experiment file to start from, with a comment on everything in it."""

from __future__ import annotations

import argparse
from pathlib import Path

from lowbid.cli._arguments import named_path
from lowbid.errors import InvalidValueError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "file", nargs="?", type=named_path, default=Path("experiment.toml"), help="what to write"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the file, unless there is one."""
    from lowbid.experiments._experiment_file import TEMPLATE

    try:
        file = open(arguments.file, "x", encoding="utf-8")  # noqa: SIM115
    except FileExistsError as error:
        raise InvalidValueError(
            f"{arguments.file} is there already; name another file, or take it away."
        ) from error
    except OSError as error:
        raise _unwritten(arguments.file, error) from error
    try:
        with file:
            file.write(TEMPLATE)
    except BaseException as error:
        arguments.file.unlink(missing_ok=True)  # a part of it would be mistaken for the whole
        if isinstance(error, OSError):
            raise _unwritten(arguments.file, error) from error
        raise
    print(f"Wrote {arguments.file}; run it with: lowbid compare {arguments.file}")
    return 0


def _unwritten(path: Path, error: OSError) -> InvalidValueError:
    return InvalidValueError(f"{path} cannot be written ({error.strerror}); name another file.")
