import pytest

import lowbid
from lowbid.shared import Decide, answering

ODD = ["'; DROP TABLE lowbid_events; --", "%s %% ? $1", "ж" * 512, "\U0001f600", " ", "a\nb", "#0"]


@pytest.mark.parametrize("bad", ["", "x" * 513, "a\0b", "\ud800", 7, b"x", 1.5])
@pytest.mark.parametrize("what", ["unit", "request_id"])
def test_keys_that_cannot_be_kept_are_refused(what, bad):
    with pytest.raises(lowbid.errors.InvalidValueError, match=what):
        Decide(**{what: bad})


def test_what_has_no_value_for_each_decision_is_refused():
    with pytest.raises(lowbid.errors.InvalidValueError, match="2 arms or decisions, but 1 rewards"):
        answering(["a-1", "a-2"], rewards=[1.0])
    with pytest.raises(lowbid.errors.InvalidValueError, match="nothing was given"):
        answering(["a-1"])
    with pytest.raises(lowbid.errors.InvalidValueError, match="both"):
        answering(["a-1"], losses=[1.0], rewards=[1.0])


@pytest.mark.parametrize("bad", ["a/b", "/", ".", ".."])
def test_names_that_no_address_can_have_are_refused(url, bad):
    with pytest.raises(lowbid.errors.InvalidValueError, match=r"^name is .* without a slash"):
        lowbid.open(url, bad, ["x", "y"])
    lowbid.open(url, "b", ["x", "y"])
    with pytest.raises(lowbid.errors.InvalidValueError, match=r"^new_name is .* without a slash"):
        lowbid.stores.rename(url, "b", bad)


def test_odd_names_are_kept_as_they_are(any_url):
    for name in ODD:
        with lowbid.open(any_url, name, arms=ODD, sticky=True, reward_range=(0, 1)) as bandit:
            decision = bandit.decide(unit=name, request_id=name)
            assert decision.arm in ODD
            assert bandit.update(decision, reward=1.0) is None
        with lowbid.open(any_url, name) as again:
            assert again.decide(unit=name, request_id=name) == decision
            assert again.decide(unit=name).arm == decision.arm
            assert sum(again.counts().values()) == 1
    assert {bandit.name for bandit in lowbid.stores.list(any_url)} == set(ODD)
