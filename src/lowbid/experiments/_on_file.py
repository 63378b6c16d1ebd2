"""Results left by an earlier run of the same command."""

from __future__ import annotations

from pathlib import Path

from lowbid.errors import FileFormatError
from lowbid.simulation import Result


def on_file(path: Path) -> Result | None:
    """A complete saved result, or None."""
    if not path.exists():
        return None
    try:
        return Result.load(path)
    except FileFormatError:
        return None
