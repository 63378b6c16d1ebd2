import math

from lowbid.policies._logs import log_of


def test_logarithms_are_those_of_math_looked_up_or_not():
    for number in (1, 2, 3, 4094, 4095, 4096, 4097, 10**15):
        assert log_of(number) == math.log(number)
    assert log_of(0) == -math.inf
