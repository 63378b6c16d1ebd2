import pytest

from lowbid._functions import rebind


def test_a_kernel_is_made_of_a_function():
    with pytest.raises(TypeError, match="plain function"):
        rebind(len, {})
