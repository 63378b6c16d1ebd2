"""Arithmetic: IEEE's on floats, and Python's on whole numbers, in 64 bits."""

from __future__ import annotations

import ast

from lowbid._compile._code import Code
from lowbid._compile._values import FLOAT, INT, TRUTH, WORD, Number, UnsupportedError, real, whole

_FLOATS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_WHOLES = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or",
           ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "ashr"}  # fmt: skip
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
EXACT_INDICES = (ast.Add, ast.Sub, ast.Mult)
_KEEP_NATURAL = (ast.BitAnd, ast.BitOr, ast.RShift, ast.FloorDiv, ast.Mod)
_FLOATS_REFUSED = {
    ast.Pow: "a power of floats may differ between Python and the processor; write x * x, or "
    "math.exp(y * math.log(x))",
    ast.FloorDiv: "floats are divided by //; write math.floor(x / y)",
}
_NO_BITS = "a float has no bits to combine; convert it with np.int64(x), or use x.view(np.int64)"
_STEP = 2**10  # a number that grows by at most this much at a time never overflows 64 bits


def binary(
    code: Code, operator: type[ast.operator], left: Number, right: Number, is_index: bool = False
) -> Number:
    """The result of an operation on two numbers.

    An index is assumed not to wrap around, since it would then be outside its array.
    """
    if operator is ast.Pow and left.kind == FLOAT and None not in (left.literal, right.literal):
        return real(left.literal**right.literal)
    if left.kind == right.kind == TRUTH:
        if operator not in _BITS:  # Python's True + True is 2, NumPy's is True
            text = ast.unparse(ast.BinOp(ast.Name("x"), operator(), ast.Name("y")))
            raise UnsupportedError(
                f"{text} of two Booleans differs between Python and NumPy; convert them with int()"
            )
        return Number(TRUTH, code.let(f"{_WHOLES[operator]} i1 {left.text}, {right.text}"))
    if TRUTH in (left.kind, right.kind):
        left, right = (code.cast(n, INT) if n.kind == TRUTH else n for n in (left, right))
    left, right = code.alike(left, right)
    if operator is ast.Div:
        left, right = code.cast(left, FLOAT), code.cast(right, FLOAT)
    if left.kind == FLOAT:
        if operator is ast.Mod:
            return _remainder(code, left, right)
        if operator not in _FLOATS:
            raise UnsupportedError(_FLOATS_REFUSED.get(operator, _NO_BITS))
        how = _FLOATS[operator]
        return Number(FLOAT, code.let(f"{how} double {left.text}, {right.text}"))
    exact = is_index and operator in EXACT_INDICES
    keeps = operator in _KEEP_NATURAL or (operator is ast.Add and _is_step(left, right))
    keeps = keeps or (exact and operator is not ast.Sub)
    natural = left.natural and right.natural and keeps
    if operator in (ast.FloorDiv, ast.Mod):
        return _divided(code, operator, left, right, natural)
    if operator not in _WHOLES:
        raise UnsupportedError("whole numbers cannot be raised to a power; write x * x, or a loop")
    if left.kind == INT and left.literal is not None and right.literal is not None:
        if operator is ast.Add:
            return whole(left.literal + right.literal)
        if operator is ast.Mult:
            return whole(left.literal * right.literal)
        if operator is ast.Sub:
            return whole(left.literal - right.literal)
    how = "lshr" if operator is ast.RShift and left.kind == WORD else _WHOLES[operator]
    if operator in (ast.LShift, ast.RShift) and not 0 <= _known(right) < 64:
        return _shifted(code, how, left, right)
    text = code.let(f"{how}{' nsw' if exact else ''} i64 {left.text}, {right.text}")
    return Number(left.kind, text, natural=natural)


def _remainder(code: Code, left: Number, right: Number) -> Number:
    """Python's remainder of floats, which has the sign of the divisor."""
    rest = Number(FLOAT, code.let(f"frem double {left.text}, {right.text}"))
    none = code.compare("==", rest, real(0.0))
    apart = code.let(
        f"xor i1 {code.compare('<', rest, real(0.0)).text}, "
        f"{code.compare('<', right, real(0.0)).text}"
    )
    moved = Number(FLOAT, code.let(f"fadd double {rest.text}, {right.text}"))
    zero = code.let(f"call double @llvm.copysign.f64(double 0.0, double {right.text})")
    found = code.choose(Number(TRUTH, apart), moved, rest)
    return code.choose(none, Number(FLOAT, zero), found)


def _divided(
    code: Code, operator: type[ast.operator], left: Number, right: Number, natural: bool
) -> Number:
    """The quotient, rounded down, or the remainder; both are 0 if the divisor is."""
    if left.kind == WORD:
        raise UnsupportedError(
            "unsigned numbers cannot be divided; shift them, or convert them with np.int64(x)"
        )
    if right.literal is not None and right.literal <= 0:
        raise UnsupportedError(
            f"a whole number is divided by the constant {right.literal}; divide by a positive one"
        )
    by = right
    if right.literal is None:  # processors trap on division by 0, and of the lowest number by -1
        none, opposite = code.compare("==", right, whole(0)), code.compare("==", right, whole(-1))
        odd = Number(TRUTH, code.let(f"or i1 {none.text}, {opposite.text}"))
        by = code.choose(odd, whole(1), right)
    how = "sdiv" if operator is ast.FloorDiv else "srem"
    text = code.let(f"{how} i64 {left.text}, {by.text}")
    if not natural:
        text = _rounded_down(code, how, text, left, by)
    if right.literal is None:
        found = Number(INT, text)
        if how == "sdiv":
            found = code.choose(opposite, negative(code, left), found)
        text = code.choose(none, whole(0), found).text
    return Number(INT, text, natural=natural)


def _rounded_down(code: Code, how: str, text: str, left: Number, by: Number) -> str:
    """Python's result, from that of a processor, which rounds towards 0."""
    rest = text if how == "srem" else code.let(f"srem i64 {left.text}, {by.text}")
    signs = code.let(f"xor i64 {rest}, {by.text}")
    apart, some = code.let(f"icmp slt i64 {signs}, 0"), code.let(f"icmp ne i64 {rest}, 0")
    off = code.let(f"and i1 {apart}, {some}")
    if how == "srem":
        change = code.let(f"select i1 {off}, i64 {by.text}, i64 0")
        return code.let(f"add i64 {text}, {change}")
    change = code.let(f"zext i1 {off} to i64")
    return code.let(f"sub i64 {text}, {change}")


def _shifted(code: Code, how: str, left: Number, right: Number) -> Number:
    """A word, shifted by any number of places; by 64 or more, the result is 0."""
    if left.kind != WORD:
        raise UnsupportedError(
            "a whole number is shifted by an unknown number of places; shift by a constant from 0 "
            "to 63, or convert it with np.uint64(x)"
        )
    within = code.let(f"and i64 {right.text}, 63")
    found = Number(WORD, code.let(f"{how} i64 {left.text}, {within}"))
    few = code.compare("<", right, Number(WORD, "64"))
    return code.choose(few, found, Number(WORD, "0"))


def _is_step(left: Number, right: Number) -> bool:
    """Whether a term is so small that a sum cannot wrap around to a negative number."""
    return any(0 <= _known(number) <= _STEP for number in (left, right))


def _known(number: Number) -> int:
    """A whole number, or -1 if it is not known."""
    return -1 if number.literal is None else int(number.literal)


def negative(code: Code, number: Number) -> Number:
    """A number with its sign changed."""
    if number.kind == FLOAT:
        if number.literal is not None:
            return real(-number.literal)
        return Number(FLOAT, code.let(f"fneg double {number.text}"))
    if number.kind == INT and number.literal is not None:
        return whole(-number.literal)
    if number.kind == WORD:
        raise UnsupportedError("an unsigned number cannot be negated; convert it with np.int64(x)")
    number = code.cast(number, INT)
    return Number(INT, code.let(f"sub i64 0, {number.text}"))
