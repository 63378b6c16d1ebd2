"""Rewrite what the documentation says about the policies: python docs/tables.py, or make tables.

The table of docs/policies.md, and the number of policies in the README.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from lowbid import policies
from lowbid.cli import main

ROOT = Path(__file__).resolve().parent.parent


def table() -> str:
    """What `lowbid policies --markdown` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main(["policies", "--markdown"])
    return printed.getvalue().strip()


def write() -> None:
    """Write both pages."""
    page = ROOT / "docs" / "policies.md"
    text = re.sub(
        r"\| name \|.*\|\n", lambda _: f"{table()}\n", page.read_text("utf-8"), flags=re.DOTALL
    )
    page.write_text(text, encoding="utf-8")
    readme = ROOT / "README.md"
    number = f"**{len(policies.__all__)} policies**"
    text = re.sub(r"\*\*\d+ policies\*\*", number, readme.read_text(encoding="utf-8"))
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
