import threading

import pytest

from lowbid.errors import InvalidValueError
from lowbid.experiments._claim_folder import claimed, waited_for


def test_a_folder_is_claimed_by_one_at_a_time(tmp_path):
    with claimed(tmp_path), pytest.raises(InvalidValueError, match="in use"), claimed(tmp_path):
        pass
    with claimed(tmp_path):
        pass


def test_one_can_wait_for_another_to_leave_a_folder(tmp_path):
    entered = threading.Event()

    def enter():
        with waited_for(tmp_path):
            entered.set()

    with waited_for(tmp_path):
        waiting = threading.Thread(target=enter)
        waiting.start()
        assert not entered.wait(0.2)
    waiting.join(timeout=60)
    assert entered.is_set()
