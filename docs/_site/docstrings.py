"""Turn the markup of numpydoc docstrings into what the site shows.

Formulas become MathML, which browsers draw by themselves; references become a numbered list; public
names in backticks become links to their place in the reference.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import griffe
from latex2mathml.converter import convert

sys.path.insert(0, str(Path(__file__).parent))

api_pages = importlib.import_module("api_pages")

DISPLAYED = re.compile(r"^\.\. math::(?P<formula>.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
INLINE = re.compile(r":math:`(?P<formula>[^`]+)`")
ENTRY = re.compile(r"^\.\. \[(?P<number>\d+)\] (?P<text>.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
MENTION = re.compile(r"\[(?P<number>\d+)\]_")
NAME = re.compile(r"(?<![`\[\w])`(?P<name>\w+)`(?![`\]])")


class Numpydoc(griffe.Extension):
    """Rewrites every docstring before it is parsed."""

    def __init__(self) -> None:
        self.links = api_pages.public_paths()

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = self.rewritten(inspect.cleandoc(obj.docstring.value), obj.name)

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Hide `bare`, which takes values given without a name so as to refuse them."""
        if any(parameter.name == "bare" for parameter in func.parameters):
            del func.parameters["bare"]

    def rewritten(self, text: str, own_name: str) -> str:
        """The docstring as Markdown."""
        text = DISPLAYED.sub(lambda found: _displayed(found["formula"]), text)
        text = INLINE.sub(lambda found: convert(found["formula"]), text)
        text = ENTRY.sub(_entry, text)
        text = MENTION.sub(r"<sup>\\[\g<number>\\]</sup>", text)
        lines = text.split("\n")
        return "\n".join(line if ">>>" in line else self._linked(line, own_name) for line in lines)

    def _linked(self, line: str, own_name: str) -> str:
        def link(found: re.Match[str]) -> str:
            path = self.links.get(found["name"])
            known = path is not None and found["name"] != own_name
            return f"[`{found['name']}`][{path}]" if known else found[0]

        return NAME.sub(link, line)


def _displayed(formula: str) -> str:
    mathml = convert(" ".join(formula.split()), display="block")
    return f'<div class="formula">{mathml}</div>\n'


def _entry(found: re.Match[str]) -> str:
    text = textwrap.fill(" ".join(found["text"].split()), 10_000)
    return f"{found['number']}. {text}"
