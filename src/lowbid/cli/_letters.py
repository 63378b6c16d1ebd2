"""Substitutes for characters that a terminal's encoding lacks."""

from __future__ import annotations

import codecs
import sys
import unicodedata

_NAME = "lowbid-letters"
_IN_OTHERS = {
    "–": "-",
    "—": "-",
    "−": "-",
    "±": "+-",
    "·": "*",
    "×": "x",
    "√": "sqrt",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "∞": "inf",
    "→": "->",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "Σ": "sum",
    "█": "#",
    "░": ".",
}


def write_whatever_the_terminal() -> None:
    """Let output substitute characters that its encoding lacks, instead of failing."""
    codecs.register_error(_NAME, _replace)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_NAME)


def _replace(error: UnicodeError) -> tuple[str, int]:
    """The substitute for characters that cannot be encoded, and where to continue."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(map(in_ascii, letters)), error.end


def in_ascii(letter: str) -> str:
    """A character in ASCII.

    >>> [in_ascii(letter) for letter in "é≤μ²☃"]
    ['e', '<=', 'mu', '^2', '?']
    """
    if letter in _IN_OTHERS:
        return _IN_OTHERS[letter]
    name = unicodedata.name(letter, "")
    if name.startswith("GREEK"):
        return name.rsplit(" ", 1)[-1].lower()
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return f"^{plain}" if "SUPERSCRIPT" in name else plain or "?"
