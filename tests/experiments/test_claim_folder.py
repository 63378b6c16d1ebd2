import pytest

from lowbid.errors import InvalidValueError
from lowbid.experiments._claim_folder import claimed


def test_a_folder_is_claimed_by_one_at_a_time(tmp_path):
    with claimed(tmp_path), pytest.raises(InvalidValueError, match="in use"), claimed(tmp_path):
        pass
    with claimed(tmp_path):
        pass
