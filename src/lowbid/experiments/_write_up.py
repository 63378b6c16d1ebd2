"""The page of a folder, whatever kind of experiment it holds."""

from __future__ import annotations

from lowbid.errors import FileFormatError
from lowbid.experiments import _comparison, paper
from lowbid.experiments._folder import Folder


def write_up(folder: Folder) -> None:
    """Make the figures and the page from the folder's data."""
    contents = folder.read()
    kinds = {_comparison.KIND: _comparison.write_up, paper.KIND: paper.write_up}
    make = kinds.get(str(contents["kind"]))
    if make is None:
        raise FileFormatError(
            f"{folder.path} holds an experiment of the kind {contents['kind']!r}, which this "
            "lowbid does not know; upgrade it."
        )
    if not folder.finished(contents):
        raise FileFormatError(f"{folder.path} holds no finished results; run the experiment again.")
    make(folder, contents)
