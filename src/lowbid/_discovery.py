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


def class_in(package: str, stem: str) -> type:
    """The class of a module, which is imported."""
    module = importlib.import_module(f"{package}.{stem}")
    for name, value in vars(module).items():
        if name.lower() == stem.replace("_", "") and isinstance(value, type):
            return value
    raise ImportError(
        f"{package}.{stem} has no class of its name; give the class the name of its file, with "
        "capitals instead of underscores, or let the file's name begin with _."
    )


def classes_in(package: str, modules: dict[str, str]) -> dict[str, type]:
    """The classes of all modules, by name."""
    classes = [class_in(package, stem) for stem in modules.values()]
    return {each.__name__: each for each in classes}
