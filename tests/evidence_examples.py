"""Values whose evidence was computed by hand."""

import numpy as np

from lowbid._evidence import COLUMNS, add_value


def pattern(n, ones, of):
    """Zeros and ones, evenly spread."""
    return [float(i * ones % of < ones) for i in range(n)]


A, B, C = pattern(1000, 11, 20), pattern(1000, 1, 2), pattern(200, 2, 5)
Z = [0.0] * 50
D = [0.6 + 0.05 * (i % 5 - 2) for i in range(400)]
E = [x - 0.03 for x in D]
F = [10.0 + (7 * i % 11 - 5) for i in range(500)]
G = [9.5 + (7 * i % 11 - 5) for i in range(300)]
H = [50.0 * (i % 10 == 3) for i in range(2000)]
I = [50.0 * (i % 7 == 3) for i in range(2000)]  # noqa: E741


def bounded_row(values, low=0.0, width=1.0):
    """The sums of values from a declared range."""
    row = np.zeros(COLUMNS)
    for value in values:
        add_value(row, value, low, width)
    return row


def unbounded_row(values):
    """The sums of values of which no range is known."""
    return bounded_row(values, width=0.0)
