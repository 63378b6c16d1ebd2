"""Mistakes made from the syntax tree of a module: one small change at one place each.

Operators and comparisons become others, numbers one more, conditions their opposite, ranges one
shorter; calls, assignments to parts of something, errors and jumps are left out. Texts, annotations
and what stands in a decorator stay: a change there is none of behaviour.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

SWAPS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
NO_BEHAVIOUR = ("annotation", "returns", "decorator_list", "type_params")


@dataclass(frozen=True)
class Change:
    """Bytes of a file from a place on, and what to put there."""

    start: int
    old: str
    new: str
    line: int


class Source:
    """A module's text, addressed as the syntax tree addresses it: by lines and bytes."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.lines = [0]
        for line in text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def begin(self, node: ast.AST) -> int:
        return self.lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self.lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def change(self, start: int, end: int, new: str) -> Change:
        line = self.text.count(b"\n", 0, start) + 1
        return Change(start, self.text[start:end].decode(), new, line)

    def whole(self, node: ast.AST, form: str) -> Change:
        """The node in another form, in which {} stands for its text."""
        start, end = self.begin(node), self.end(node)
        return self.change(start, end, form.format(self.text[start:end].decode()))

    def between(self, left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Change]:
        """Another operator between two nodes, if there is one to take its place."""
        if type(operator) not in SWAPS:
            return
        old, new = SWAPS[type(operator)]
        place = self.text.find(old.encode(), self.end(left), self.begin(right))
        if place >= 0:
            yield self.change(place, place + len(old), new)


def changes(text: bytes) -> list[Change]:
    """All mistakes of a module, in the order of their places."""
    source = Source(text)
    found = {change for node in behaving(ast.parse(text)) for change in of_node(source, node)}
    return sorted(found, key=lambda each: (each.start, each.old, each.new))


def behaving(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, without what only describes."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in NO_BEHAVIOUR:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from behaving(child)


def of_node(source: Source, node: ast.AST) -> Iterator[Change]:
    """The mistakes at one node, without those of the nodes in it."""
    match node:
        case ast.BinOp(left, operator, right):
            yield from source.between(left, right, operator)
        case ast.AugAssign(target, operator, value):
            yield from source.between(target, value, operator)
            yield source.whole(node, "pass")
        case ast.Compare(left, operators, others):
            for a, operator, b in zip([left, *others], operators, others, strict=False):
                yield from source.between(a, b, operator)
        case ast.BoolOp(operator, values):
            for a, b in itertools.pairwise(values):
                yield from source.between(a, b, operator)
        case ast.UnaryOp(ast.Not() | ast.USub() as operator):
            length = len("not" if isinstance(operator, ast.Not) else "-")
            yield source.change(source.begin(node), source.begin(node) + length, "")
        case ast.Constant(bool() | int() | float()):
            yield source.whole(node, another(node.value))
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield source.whole(test, "(not ({}))")
        case ast.Call(ast.Name("range"), [*_, stop]) if len(node.args) < 3:
            yield source.whole(stop, "({}) - 1")
        case ast.Expr(ast.Call()) | ast.Assign([ast.Subscript() | ast.Attribute()]):
            yield source.whole(node, "pass")
        case ast.Raise() | ast.Break() | ast.Continue():
            yield source.whole(node, "pass")


def another(value: complex) -> str:
    """Another number of the same kind."""
    if isinstance(value, bool):
        return str(not value)
    return f"({value + 1})" if isinstance(value, int) else f"({value * 2 or 1.0})"
