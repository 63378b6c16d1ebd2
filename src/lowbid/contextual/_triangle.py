"""Symmetric matrices as packed upper triangles: row i holds the columns i, ..., d - 1.

All loops add a multiple of one contiguous row to another. Such a loop has no order of sums to keep,
so the compiler works on several numbers at a time, and the result is the same to the last bit.
"""

from __future__ import annotations

import math

from lowbid._arrays import Floats
from lowbid._compile import kernel


@kernel
def packed(d: int) -> int:
    """The length of a packed triangle of d rows."""
    return d * (d + 1) // 2


@kernel
def add_multiple(target: Floats, factor: float, row: Floats) -> None:
    """Add a multiple of a row to another one."""
    for j in range(min(len(target), len(row))):
        target[j] += factor * row[j]


@kernel
def copy(target: Floats, row: Floats) -> None:
    """Overwrite a row with another one."""
    for j in range(min(len(target), len(row))):
        target[j] = row[j]


@kernel
def dot(x: Floats, y: Floats) -> float:
    """The sum of products, in four interleaved parts."""
    a = b = c = e = 0.0
    j, n = 0, len(x)
    while j + 4 <= n:
        a += x[j] * y[j]
        b += x[j + 1] * y[j + 1]
        c += x[j + 2] * y[j + 2]
        e += x[j + 3] * y[j + 3]
        j += 4
    while j < n:
        a += x[j] * y[j]
        j += 1
    return (a + b) + (c + e)


@kernel
def above(matrix: Floats, x: Floats, product: Floats) -> None:
    """The product of the transposed triangle, diagonal included, with x."""
    d, first = len(x), 0
    product[:] = 0.0
    for i in range(d):
        add_multiple(product[i:d], x[i], matrix[first : first + d - i])
        first += d - i


@kernel
def form(matrix: Floats, x: Floats, room: Floats) -> float:
    """The quadratic form of a matrix, x' M x."""
    d, first = len(x), 0
    above(matrix, x, room)
    total = 2.0 * dot(room, x)
    for i in range(d):
        total -= matrix[first] * x[i] * x[i]
        first += d - i
    return total


@kernel
def times(matrix: Floats, x: Floats, product: Floats) -> None:
    """The product of a matrix and x."""
    d, first = len(x), 0
    above(matrix, x, product)
    for i in range(d - 1):
        row = matrix[first + 1 : first + d - i]
        product[i] += dot(row, x[i + 1 : d])
        first += d - i


@kernel
def add_square(matrix: Floats, factor: float, x: Floats) -> None:
    """Add a multiple of x x' to a matrix."""
    d, first = len(x), 0
    for i in range(d):
        add_multiple(matrix[first : first + d - i], factor * x[i], x[i:d])
        first += d - i


@kernel
def factorise(matrix: Floats, d: int, least: float) -> float:
    """Replace M by its Cholesky factor U, with U' U = M; returns ln det M.

    No pivot is below `least`, which the smallest eigenvalue of M is known not to be.
    """
    first, log_det = 0, 0.0
    for i in range(d):
        pivot = math.sqrt(max(matrix[first], least))
        log_det += math.log(pivot)
        matrix[first] = pivot
        row = matrix[first : first + d - i]
        for j in range(1, d - i):
            row[j] /= pivot
        below = first + d - i
        for j in range(1, d - i):
            add_multiple(matrix[below : below + d - i - j], -row[j], row[j : d - i])
            below += d - i - j
        first += d - i
    return 2.0 * log_det


@kernel
def solve_transposed(factor: Floats, x: Floats) -> float:
    """Replace x by U'^-1 x; returns the square of its length, x' M^-1 x."""
    d, first, square = len(x), 0, 0.0
    for i in range(d):
        x[i] /= factor[first]
        square += x[i] * x[i]
        add_multiple(x[i + 1 : d], -x[i], factor[first + 1 : first + d - i])
        first += d - i
    return square


@kernel
def invert(factor: Floats, d: int, room: Floats) -> None:
    """Replace the Cholesky factor U of M by the inverse of M."""
    first = packed(d)
    for i in range(d - 1, -1, -1):  # rows of the inverse of U, from the last one up
        first -= d - i
        row = factor[first : first + d - i]
        for j in range(d - i):
            room[j] = row[j]
            row[j] = 0.0
        pivot = room[0]
        row[0] = 1.0
        below = first + d - i
        for j in range(1, d - i):
            add_multiple(row[j : d - i], -room[j], factor[below : below + d - i - j])
            below += d - i - j
        for j in range(d - i):
            row[j] /= pivot
    for k in range(d):  # the squares of its columns add up
        first = 0
        for i in range(k + 1):
            room[i] = factor[first + k - i]
            factor[first + k - i] = 0.0
            first += d - i
        first = 0
        for i in range(k + 1):
            add_multiple(factor[first : first + k - i + 1], room[i], room[i : k + 1])
            first += d - i
