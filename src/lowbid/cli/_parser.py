"""The parser of commands: help that fits the terminal, and suggestions for what was mistyped."""

from __future__ import annotations

import argparse
import difflib
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from lowbid._terminal import coloured, room

_SIMILAR = 0.5  # of the letters, at least


class Formatter(argparse.HelpFormatter):
    """Help in lines that fit: paragraphs are filled, indented lines are kept."""

    def __init__(self, prog: str, **given: Any) -> None:
        super().__init__(prog, max_help_position=24, width=min(room(), 100) - 2, **given)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = []
        for paragraph in text.strip().split("\n\n"):
            kept = paragraph if paragraph.startswith("  ") else textwrap.fill(paragraph, width)
            paragraphs.append(kept)
        return "\n\n".join(paragraphs)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line: what was given, what was probably meant."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": Formatter, "allow_abbrev": False, **given})

    def error(self, message: str) -> NoReturn:
        """Print the error and where to find help; exit with 2."""
        name = coloured("lowbid:", "red", sys.stderr)
        ending = "" if message.endswith((".", "?")) else "."
        lines = textwrap.wrap(message + ending, room() - len("lowbid: "), break_on_hyphens=False)
        lines.append(f"Help: {self.prog} --help")
        self.exit(2, f"{name} " + "\n        ".join(lines) + "\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse an unknown option where its command is known."""
        found, unknown = super().parse_known_args(args, namespace)
        options = [word for word in unknown if word.startswith("-")]
        if options:
            option = options[0].partition("=")[0]
            self.error(f"unknown option {option}{_meant(option, self._option_string_actions)}")
        if unknown:
            self.error(f"unexpected argument {unknown[0]!r}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        names = [str(choice) for choice in action.choices]
        hint = _meant(str(value), names) or f"; choose from {', '.join(names)}"
        if isinstance(action, argparse._SubParsersAction):
            self.error(f"unknown command {value!r}{hint}")
        what = "/".join(action.option_strings) or action.dest
        self.error(f"{what} is {value!r}{hint}")


def _meant(given: str, names: Iterable[str]) -> str:
    """The name that was probably meant, as the end of a sentence; empty if none is similar."""
    close: Sequence[str] = difflib.get_close_matches(given, list(names), n=1, cutoff=_SIMILAR)
    return f"; did you mean {close[0]}?" if close else ""
