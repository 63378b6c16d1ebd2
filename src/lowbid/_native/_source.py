"""The source of a function, as a tree: read once per file, and checked against what runs.

And what can be seen in such a tree at a glance.
"""

from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Iterator, Sequence

from lowbid._native._values import UnsupportedError

_ALLOCATING = ("zeros", "empty", "full", "ones", "array", "arange", "copy")


@functools.cache
def _functions_in(filename: str) -> dict[int, tuple[ast.FunctionDef, bytes]]:
    """All functions of a file and their bytecode, by the line on which they begin."""
    text = "".join(linecache.getlines(filename))
    try:
        tree, code = ast.parse(text), compile(text, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise UnsupportedError(f"{filename} cannot be read: {error}") from None
    codes = {each.co_firstlineno: each.co_code for each in _codes(code)}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found[line] = node, codes.get(line, b"")
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def source_of(function: types.FunctionType) -> ast.FunctionDef:
    """The definition of a function; refused if the file has changed since it was imported."""
    code = function.__code__
    node, says = _functions_in(code.co_filename).get(code.co_firstlineno, (None, b""))
    if node is None or node.name != code.co_name:
        raise UnsupportedError(f"the source of {function.__qualname__} is not to be found")
    if code.co_freevars or says != code.co_code:
        raise UnsupportedError(f"{function.__qualname__} is not what its source says")
    return node


def stored_names(node: ast.AST) -> set[str]:
    """The names that are assigned somewhere in a part of a function."""
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def has_break(nodes: Sequence[ast.stmt]) -> bool:
    """Whether a loop can be left by a break of its own, not by one of a loop inside it."""
    for node in nodes:
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, ast.If) and (has_break(node.body) or has_break(node.orelse)):
            return True
    return False


def takes_memory(node: ast.AST, function: types.FunctionType) -> bool:
    """Whether a part of a function makes arrays, or calls a kernel that does."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            if isinstance(each.func, ast.Attribute) and each.func.attr in _ALLOCATING:
                return True
            name = each.func.id if isinstance(each.func, ast.Name) else ""
            if getattr(function.__globals__.get(name), "allocates", False):
                return True
    return False
