import numpy as np
import pytest

from lowbid._compile import interpreted
from lowbid.contextual import _triangle as triangle

SIZES = [1, 2, 3, 4, 5, 9, 30]


def some(d, seed=0):
    """A positive definite matrix, its packed triangle, and two vectors."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(d + 2, d))
    matrix = root.T @ root + 0.1 * np.eye(d)
    return matrix, matrix[np.triu_indices(d)].copy(), rng.normal(size=d), np.zeros(d)


def full(packed, d):
    matrix = np.zeros((d, d))
    matrix[np.triu_indices(d)] = packed
    return matrix + np.triu(matrix, 1).T


@pytest.mark.parametrize("d", SIZES)
def test_products_are_those_of_the_full_matrix(d):
    matrix, packed, x, room = some(d)
    assert triangle.form(packed, x, room) == pytest.approx(x @ matrix @ x)
    triangle.times(packed, x, room)
    assert room == pytest.approx(matrix @ x)
    triangle.add_square(packed, -0.25, x)
    assert full(packed, d) == pytest.approx(matrix - 0.25 * np.outer(x, x))
    assert triangle.dot(x, room) == pytest.approx(x @ room)


@pytest.mark.parametrize("d", SIZES)
def test_a_factor_solves_inverts_and_has_the_determinant(d):
    matrix, packed, x, room = some(d)
    assert triangle.factorise(packed, d, 1e-12) == pytest.approx(np.linalg.slogdet(matrix)[1])
    upper = np.triu(full(packed, d))
    assert upper.T @ upper == pytest.approx(matrix)
    solved = x.copy()
    length = triangle.solve_transposed(packed, solved)
    assert length == pytest.approx(x @ np.linalg.solve(matrix, x))
    assert upper.T @ solved == pytest.approx(x)
    triangle.invert(packed, d, room)
    assert full(packed, d) == pytest.approx(np.linalg.inv(matrix))


def test_a_matrix_that_rounding_made_singular_is_still_factorised():
    packed = np.array([1.0, 1.0, 1.0 - 1e-18])
    triangle.factorise(packed, 2, 1e-4)
    assert packed[2] == pytest.approx(1e-2)


@pytest.mark.parametrize("d", [1, 6, 13])
def test_compiled_and_uncompiled_agree_to_the_last_bit(d):
    def results():
        _, packed, x, room = some(d)
        found = [triangle.form(packed, x, room), triangle.factorise(packed, d, 1e-9)]
        triangle.invert(packed, d, room)
        triangle.times(packed, x, room)
        return [*found, *packed, *room]

    compiled = results()
    with interpreted():
        assert results() == compiled
