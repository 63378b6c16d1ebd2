"""The examples run, and print what the documentation shows."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_checkout_pages_prints_the_picture_of_its_page(capsys):
    runpy.run_path(str(ROOT / "examples" / "checkout_pages.py"), run_name="__main__")
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.rstrip().splitlines())
    assert printed in (ROOT / "docs" / "how-to" / "worked-example.md").read_text()
