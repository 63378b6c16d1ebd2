import pytest

import lowbid
from lowbid.errors import UnknownNameError


@pytest.mark.parametrize("number", [0, 6, True, "1", None, [1]])
def test_there_are_five_tests(number):
    with pytest.raises(UnknownNameError, match="give 1, 2, 3, 4 or 5"):
        lowbid.paper_test(number)
    assert [lowbid.paper_test(each).n_arms for each in (1, 2, 3, 4, 5)] == [5, 10, 10, 10, 10]
