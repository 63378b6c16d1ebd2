"""The source of a function, as a tree: read once per file, and checked against the running code.

Also simple analyses of such a tree.
"""

from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Iterator, Sequence

from lowbid._compile._functions import describe
from lowbid._compile._values import UnsupportedError

_ALLOCATING = ("zeros", "empty", "full", "ones", "array", "arange", "copy")


@functools.cache
def _functions_in(filename: str) -> dict[int, tuple[ast.FunctionDef, str]]:
    """All functions of a file, with descriptions of their code, by the line where they begin."""
    text = "".join(linecache.getlines(filename))
    try:
        tree, code = ast.parse(text), compile(text, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise UnsupportedError(
            f"{filename} cannot be read ({error}); correct it, and restart Python"
        ) from None
    codes = {each.co_firstlineno: describe(each) for each in _codes(code)}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found[line] = node, codes.get(line, "")
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def source_of(function: types.FunctionType) -> ast.FunctionDef:
    """The definition of a function; refused if the file has changed since it was imported."""
    code = function.__code__
    node, says = _functions_in(code.co_filename).get(code.co_firstlineno, (None, ""))
    if node is None or node.name != code.co_name:
        raise UnsupportedError(
            f"the source of {function.__qualname__} was not found; define it by def, in a file or "
            "a notebook"
        )
    if code.co_freevars:
        raise UnsupportedError(
            f"{function.__qualname__} uses {', '.join(code.co_freevars)} of the function around "
            "it; define it at the top of a module, and pass them as arguments"
        )
    if says != describe(code):
        raise UnsupportedError(
            f"the file of {function.__qualname__} has changed since it was imported; restart Python"
        )
    return node


def location(function: types.FunctionType, node: ast.stmt | ast.expr) -> str:
    """The file and the line of a part of a function."""
    return f"{function.__code__.co_filename}, line {node.lineno}"


# What to write instead of what kernels cannot contain.
_INSTEAD = {
    ast.ListComp: "a list comprehension; fill an array of the state in a loop over range(...)",
    ast.GeneratorExp: "a generator; write a loop over range(...)",
    ast.SetComp: "a set; use an array of the state",
    ast.Set: "a set; use an array of the state",
    ast.DictComp: "a dictionary; use an array of the state",
    ast.Dict: "a dictionary; use an array of the state, or a named tuple",
    ast.JoinedStr: "a string; use numbers",
    ast.Lambda: "a lambda; define a function marked as @kernel",
    ast.FunctionDef: "a function in a function; define it outside, marked as @kernel",
    ast.ClassDef: "a class in a function; define it outside",
    ast.NamedExpr: "an assignment in an expression; assign on a line of its own",
    ast.Raise: "raise; check arguments where the policy is made, in __post_init__",
    ast.Assert: "assert; check arguments where the policy is made, in __post_init__",
    ast.Try: "try; nothing raises in compiled code",
    ast.With: "with; nothing in a kernel needs to be closed",
    ast.Delete: "del; a name that is not used again costs nothing",
    ast.Global: "global; write to an array of the state",
    ast.Nonlocal: "nonlocal; write to an array of the state",
    ast.Import: "an import; import at the top of the module",
    ast.ImportFrom: "an import; import at the top of the module",
    ast.Yield: "yield; write to an array of the state",
    ast.Match: "match; use if and elif",
    ast.YieldFrom: "yield; write to an array of the state",
    ast.Slice: "a range of indices here; write a loop over range(...)",
    ast.Starred: "an argument with a star; pass arguments one by one",
}


def refusal_of(node: ast.AST) -> str:
    """What is said of a part of the language that kernels cannot contain."""
    what = _INSTEAD.get(
        type(node), f'{type(node).__name__}; the page "Write a kernel" lists what they can'
    )
    return f"kernels cannot contain {what}"


def stored_names(node: ast.AST) -> set[str]:
    """The names that are assigned somewhere in a part of a function."""
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def names_kept(function: ast.FunctionDef, loop: ast.AST) -> set[str]:
    """The names that are assigned in a loop and also occur outside it, as arguments do."""
    inside, mine = {id(each) for each in ast.walk(loop)}, stored_names(loop)
    return mine & {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)} | {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and each.id in mine and id(each) not in inside
    }


def has_break(nodes: Sequence[ast.stmt]) -> bool:
    """Whether a loop has a break of its own, not only those of loops inside it."""
    for node in nodes:
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, ast.If) and (has_break(node.body) or has_break(node.orelse)):
            return True
    return False


def takes_memory(node: ast.AST, function: types.FunctionType) -> bool:
    """Whether a part of a function creates arrays, or calls a kernel that does."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            if isinstance(each.func, ast.Attribute) and each.func.attr in _ALLOCATING:
                return True
            name = each.func.id if isinstance(each.func, ast.Name) else ""
            if getattr(function.__globals__.get(name), "allocates", False):
                return True
    return False


def refuse_unsettled(function: types.FunctionType, node: ast.FunctionDef, names: set[str]) -> None:
    """Raise if one of a function's names may be read before it is assigned."""
    for name, line in unsettled_names(node.body).items():
        if name in names:
            reason = UnsupportedError(
                f"{name} may be used before it is assigned; assign it before the branch or the loop"
            )
            reason.locate(f"{function.__code__.co_filename}, line {line}")
            raise reason


def unsettled_names(body: Sequence[ast.stmt]) -> dict[str, int]:
    """The names that may be read before these statements have assigned them, with their lines."""
    unsettled: dict[str, int] = {}
    _follow(body, set(), unsettled)
    return unsettled


def _follow(body: Sequence[ast.stmt], settled: set[str], unsettled: dict[str, int]) -> bool:
    """Add the names that statements assign in any case; return whether the next one is reached."""
    for node in body:
        if isinstance(node, ast.If):
            _read(node.test, settled, unsettled)
            yes, no = set(settled), set(settled)
            ways = [(_follow(node.body, yes, unsettled), yes)]
            ways.append((_follow(node.orelse, no, unsettled), no))
            reached = [names for is_reached, names in ways if is_reached]
            if not reached:
                return False
            settled |= set.intersection(*reached)
        elif isinstance(node, ast.For | ast.While):
            _read(node.iter if isinstance(node, ast.For) else node.test, settled, unsettled)
            inside = set(settled)
            if isinstance(node, ast.For):
                inside |= stored_names(node.target)
            _follow(node.body, inside, unsettled)
        else:
            _read(node, settled, unsettled)
            if isinstance(node, ast.Return | ast.Break | ast.Continue):
                return False
            settled |= stored_names(node)
    return True


def _read(node: ast.AST, settled: set[str], unsettled: dict[str, int]) -> None:
    """Add the names that are read in a part of a function and are not settled."""
    changed = node.target if isinstance(node, ast.AugAssign) else None
    for each in ast.walk(node):
        if not isinstance(each, ast.Name) or each.id in settled:
            continue
        if isinstance(each.ctx, ast.Load) or each is changed:
            unsettled.setdefault(each.id, each.lineno)
