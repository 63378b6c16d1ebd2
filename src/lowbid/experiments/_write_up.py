"""The page of a folder, whatever kind of experiment it holds."""

from __future__ import annotations

from lowbid.errors import FileFormatError
from lowbid.experiments import _comparison
from lowbid.experiments._folder import Folder
from lowbid.experiments.paper import _report


def write_up(folder: Folder) -> None:
    """Make the figures and the page from what the folder holds."""
    contents = folder.read()
    kinds = {_comparison.KIND: _comparison.write_up, _report.KIND: _report.write_up}
    if contents.get("kind") not in kinds:
        raise FileFormatError(
            f"{folder.path} holds an experiment of the kind {contents.get('kind')!r}, which this "
            "lowbid does not know; upgrade it."
        )
    kinds[contents["kind"]](folder, contents)
