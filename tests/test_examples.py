"""The examples run, and print what the documentation shows."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_checkout_pages_prints_the_picture_of_its_page(capsys):
    runpy.run_path(str(ROOT / "examples" / "checkout_pages.py"), run_name="__main__")
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.rstrip().splitlines())
    assert printed in (ROOT / "docs" / "how-to" / "worked-example.md").read_text()


@pytest.mark.slow
def test_the_shop_has_visitors_and_stops():
    command = [sys.executable, ROOT / "examples" / "shop" / "run.py", "--visitors", "20"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "the shop: http://127.0.0.1:" in done.stdout
    assert "Recommendation(" in done.stdout
