import importlib.util
import linecache

import pytest

from lowbid._compile import _source
from lowbid._compile._values import UnsupportedError

TEXT = """
def first(x):
    return x + 1


def second(x):
    def inner(y):
        return x + y
    return inner
"""


def test_a_source_that_has_changed_is_not_taken(tmp_path):
    file = tmp_path / "changing.py"
    file.write_text(TEXT)
    specification = importlib.util.spec_from_file_location("changing", file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert _source.source_of(module.first).name == "first"
    with pytest.raises(UnsupportedError, match="x of the function around it"):
        _source.source_of(module.second(1))
    for changed in ("x - 1", "x + 2"):  # another instruction, another constant
        file.write_text(TEXT.replace("x + 1", changed) + "\n" * len(changed))
        linecache.cache.pop(str(file), None)
        _source._functions_in.cache_clear()
        with pytest.raises(UnsupportedError, match="has changed since it was imported"):
            _source.source_of(module.first)


def test_functions_without_a_source_are_not_taken():
    space = {}
    exec("def made(x):\n    return x\n", space)
    with pytest.raises(UnsupportedError, match="was not found"):
        _source.source_of(space["made"])
