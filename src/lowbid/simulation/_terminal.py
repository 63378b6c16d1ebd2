"""What a terminal can show: its width and its characters."""

from __future__ import annotations

import shutil
from typing import Any

# The width if unknown, as in a file: wide enough for every table.
_NO_TERMINAL = 500


def room() -> int:
    """The number of columns available."""
    return shutil.get_terminal_size((_NO_TERMINAL, 24)).columns


def can_show(text: str, stream: Any) -> bool:
    """Whether a stream can encode all characters of a text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
