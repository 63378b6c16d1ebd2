"""What a terminal can show: its width, its characters and its colours."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import Any

# Also the width of files and pipes: what fits here can be read anywhere.
_USUAL_WIDTH = 80
_CODES = {"red": "31", "green": "32", "yellow": "33", "bold": "1"}


def room() -> int:
    """The number of columns available."""
    return shutil.get_terminal_size((_USUAL_WIDTH, 24)).columns


def can_show(text: str, stream: Any) -> bool:
    """Whether a stream can encode all characters of a text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def filled(text: str, indent: int = 2) -> str:
    """A text in lines that fit; those after the first are indented."""
    return textwrap.fill(
        text, room(), subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    )


def coloured(text: str, colour: str, stream: Any = None) -> str:
    """A text in a colour, where the stream shows colours and nobody has declined them.

    NO_COLOR and FORCE_COLOR are obeyed, as by other programs.
    """
    return f"\033[{_CODES[colour]}m{text}\033[0m" if _shows_colours(stream or sys.stdout) else text


def _shows_colours(stream: Any) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return bool(stream.isatty()) and os.environ.get("TERM", "dumb") != "dumb"
