"""Write an experiment file to start from, with a comment on everything in it."""

from __future__ import annotations

import argparse
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "file", nargs="?", type=Path, default=Path("experiment.toml"), help="what to write"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the file, unless there is one."""
    from lowbid.errors import InvalidValueError
    from lowbid.experiments._experiment_file import TEMPLATE

    try:
        with open(arguments.file, "x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except FileExistsError as error:
        raise InvalidValueError(
            f"{arguments.file} is there already; name another file, or take it away."
        ) from error
    except OSError as error:
        raise InvalidValueError(
            f"{arguments.file} cannot be written ({error.strerror}); name another file."
        ) from error
    print(f"Wrote {arguments.file}; run it with: lowbid compare {arguments.file}")
    return 0
