import builtins
import os
import sys

import pytest

WIDTH = 80


@pytest.fixture(autouse=True)
def _nothing_printed_is_wider_than_a_terminal(monkeypatch, tmp_path):
    """What commands print fits 80 columns; names of files and Markdown may be wider."""
    printed = builtins.print

    def checked(*values, file=None, **options):
        if os.environ.get("COLUMNS") == str(WIDTH) and file in (None, sys.stdout):
            for line in " ".join(map(str, values)).splitlines():
                assert len(line) <= WIDTH or os.sep in line or line.startswith("|"), line
        printed(*values, file=file, **options)

    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setattr(builtins, "print", checked)
