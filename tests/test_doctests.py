"""Run the examples in every docstring of the package."""

import contextlib
import doctest
import importlib
import pkgutil

import pytest

import lowbid
from lowbid._compile import interpreted

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(lowbid.__path__, "lowbid.")
    if not module.name.endswith("__main__")
)
# Small examples of many rules: compiling takes longer than they do, and the bits are the same.
UNCOMPILED = ("lowbid.mdp", "lowbid.testing._agents")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in(name):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    with interpreted() if name.startswith(UNCOMPILED) else contextlib.nullcontext():
        failed, _ = doctest.testmod(importlib.import_module(name), optionflags=options)
    assert failed == 0, "the output above shows what was expected"


def test_examples_are_found():
    """A kernel's examples, a class's, and a function's: nothing hides them from doctest."""
    finder = doctest.DocTestFinder()
    found = finder.find(importlib.import_module("lowbid.policies.ucb1"))
    assert any(test.examples for test in found)
