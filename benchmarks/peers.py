"""Other bandit libraries, each in a virtual environment of its own, made on first use."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / ".peers"
SERVER = Path(__file__).resolve().parent / "tasks" / "serve.py"


@dataclass(frozen=True)
class Library:
    """What to install, and what a user imports; nothing is installed for lowbid itself.

    `alone` is installed without its declared dependencies.
    """

    imports: str
    requirements: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


LIBRARIES = {
    "lowbid": Library("import lowbid"),
    "river": Library("from river import bandit", ("river",)),
    "mabwiser": Library("from mabwiser.mab import MAB, LearningPolicy", ("mabwiser",)),
    "mabby": Library("import mabby", ("mabby",)),
    # The last version on PyPI is of 2020, and wants the NumPy and SciPy of before their renaming.
    "SMPyBandits": Library(
        "from SMPyBandits.Policies import UCB; from SMPyBandits.Environment import Evaluator",
        ("SMPyBandits==0.9.7", "numpy<2", "scipy<1.14", "setuptools<80"),
    ),
}
# Libraries whose numbers are compared, and not their speed.
REFERENCES = {
    # It asks for PyTorch, gigabytes that its estimators on arrays do not use.
    "obp": Library(
        "import obp",
        ("numpy<2", "pandas<2.3", "scikit-learn<1.6", "scipy<1.14"),
        ("obp==0.4.1",),
    ),
    # Beside lowbid, with the oldest NumPy that it takes and the SciPy of before the renaming.
    "SMPyBandits in lowbid": Library(
        "import SMPyBandits",
        ("numpy>=2,<2.2", "scipy<1.14", "numba>=0.61", "matplotlib", "seaborn", "scikit-learn"),
        ("SMPyBandits==0.9.7",),
    ),
}
# rlberry 0.6 does not start with later versions of these; without Numba it plans in plain Python.
_RLBERRY = ("rlberry==0.6.0", "gymnasium==0.29.1", "numpy==1.26.4")
MDP_LIBRARIES = {
    "rlberry": Library("import rlberry", _RLBERRY),
    "rlberry with numba": Library("import rlberry", (*_RLBERRY, "numba==0.61.2")),
    "bsuite": Library("import bsuite", ("bsuite==0.3.6", "numpy==1.26.4")),
}


class NotInstalledError(Exception):
    """A library could not be installed or started; the message says why."""


def python_of(name: str) -> Path:
    """The interpreter of a library's environment."""
    library = {**LIBRARIES, **REFERENCES, **MDP_LIBRARIES}[name]
    if not library.requirements:
        return Path(sys.executable)
    home = FOLDER / name.replace(" ", "-")
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (home / "ready").exists():
        venv.create(home, with_pip=True, clear=True)
        _install(python, *library.requirements)
        if library.alone:
            _install(python, "--no-deps", *library.alone)
        (home / "ready").touch()
    return python


def _install(python: Path, *what: str) -> None:
    command = [python, "-m", "pip", "install", "-q", *what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotInstalledError((done.stderr.strip().splitlines() or ["no reason given"])[-1])


class Server:
    """A process that has imported a library, and answers requests for measurements."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.process = subprocess.Popen(
            [python_of(name), SERVER, name.partition(" ")[0]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.about = self._answer()

    def ask(self, **question: Any) -> Any:
        """Send a question, and wait for the answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        line = self.process.stdout.readline()
        if not line:
            said = self.process.stderr.read().strip().splitlines() or ["no reason given"]
            raise NotInstalledError(said[-1])
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self.process.communicate()
