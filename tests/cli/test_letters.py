import os
import subprocess
import sys

import pytest

from lowbid.cli._letters import in_ascii


@pytest.mark.parametrize(
    "command",
    [
        ["--help"],
        ["policies"],
        ["policies", "--citation"],
        pytest.param(["theory", "--no-page", "--quick"], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_ascii_terminals_are_written_to(command):
    done = subprocess.run(
        [sys.executable, "-m", "lowbid", *command],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
    )
    assert done.stderr == b""
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"?" not in done.stdout.replace(b"how?", b"")


def test_letters_become_what_they_mean():
    assert "".join(map(in_ascii, "μ ≤ √T, σ²/Δ ± é–█")) == "mu <= sqrtT, sigma^2/delta +- e-#"
