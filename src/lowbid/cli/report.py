"""Rebuild the figures and the page of a folder from its data, without running anything."""

from __future__ import annotations

import argparse

from lowbid.cli._arguments import named_path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder", type=named_path, help="a folder written by lowbid compare or reproduce"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the page."""
    from lowbid.experiments import Folder, write_up

    folder = Folder(arguments.folder)
    write_up(folder)
    print(f"The report is {folder.page_file}.")
    return 0
