"""Classes that are found by their files, so that no list has to name them.

A public module of a room has one class of its own name, in any case and without underscores: UCB1
in ucb1.py, KLUCBPlus in kl_ucb_plus.py.
"""

from __future__ import annotations

import importlib
import os


def modules_in(folder: str) -> dict[str, str]:
    """The names of the public modules in a folder, by these names without underscores."""
    stems = [file.removesuffix(".py") for file in os.listdir(folder) if file.endswith(".py")]
    return {stem.replace("_", ""): stem for stem in sorted(stems) if not stem.startswith("_")}


def classes_in(package: str, modules: dict[str, str]) -> dict[str, type]:
    """The classes of all modules, by name; imports them."""
    found = {}
    for plain, stem in modules.items():
        module = importlib.import_module(f"{package}.{stem}")
        names = [name for name in vars(module) if name.lower() == plain]
        if not names:
            raise ImportError(
                f"{package}.{stem} has no class of its name; give the class the name of its file, "
                "with capitals instead of underscores, or let the file's name begin with _."
            )
        found[names[0]] = vars(module)[names[0]]
    return found
