"""Other bandit libraries, each in a virtual environment of its own, made on first use."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / ".peers"

REQUIREMENTS = {
    "river": ["river"],
    "mabwiser": ["mabwiser"],
    "SMPyBandits": ["SMPyBandits==0.9.7", "numpy<2", "scipy<1.14", "setuptools<80"],
}


class NotInstalledError(Exception):
    """A peer that could not be installed; says why."""


def python_of(peer: str) -> Path:
    """The interpreter of a peer's environment."""
    home = FOLDER / peer
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (home / "ready").exists():
        venv.create(home, with_pip=True, clear=True)
        command = [python, "-m", "pip", "install", "-q", *REQUIREMENTS[peer]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotInstalledError(done.stderr.strip().splitlines()[-1])
        (home / "ready").touch()
    return python


def run(peer: str, code: str) -> str:
    """What a piece of code prints in a peer's environment."""
    done = subprocess.run(
        [python_of(peer), "-c", code], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise NotInstalledError((done.stderr.strip().splitlines() or ["no reason given"])[-1])
    return done.stdout
