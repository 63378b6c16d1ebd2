import pytest

import lowbid
from lowbid.errors import InvalidValueError, StoreError, UnknownNameError


def test_what_differs_is_said(url):
    lowbid.open(url, "b", ["x", "y"], seed=1, window="1h", reward_range=(0, 1))
    with pytest.raises(InvalidValueError) as caught:
        lowbid.open(
            url,
            "b",
            ["x", "z"],
            lowbid.UCB1(),
            seed=2,
            window="2h",
            reward_range=(0, 5),
            sticky=True,
        )
    words = str(caught.value)
    for part in (
        f"bandit 'b' in {url} exists",
        "arms is ['x', 'y'], not ['x', 'z']",
        "policy is 'BatchLikelihood",
        "seed is 1, not 2",
        "window is '1h', not '2h'",
        "range is [0.0, 1.0], not [0.0, 5.0]",
        "sticky is False, not True",
    ):
        assert part in words


def test_what_agrees_is_opened(url):
    settings = {"seed": 1, "window": 3600, "reward_range": (0, 1), "policy": lowbid.UCB1()}
    bandit = lowbid.open(url, "b", ("x", "y"), **settings)
    lowbid.open(url, "b", ["y", "x"], **{**settings, "window": "60m"})
    bandit.add_arm("z")
    bandit.change(window="2h")
    for arms in (["x", "y"], ["x", "y", "z"]):
        for window in ("1h", "2h"):
            again = lowbid.open(url, "b", arms, **{**settings, "window": window})
            assert again.arms == ["x", "y", "z"]
            assert again.settings.window == 7200 * 10**6


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"arms": []}, "at least one"),
        ({"arms": 3, "seed": -1}, "seed"),
        ({"arms": 3, "policy": "UCB1"}, "policy"),
        ({"arms": 3, "kind": "money"}, "kind"),
        ({"arms": 3, "kind": "loss", "reward_range": (0, 1)}, "reward_range was given"),
        ({"arms": 3, "holdout": 1.0, "control": 0}, "holdout"),
        ({"arms": 3, "holdout": 0.1}, "control"),
        ({"arms": 3, "sticky": "always"}, "sticky"),
        ({"arms": 3, "expiry": 0}, "expiry"),
        ({"arms": 3, "policy": lowbid.BetaThompson(), "kind": "reward"}, "best possible reward"),
        ({"arms": 3, "reward_range": (0, 5e-324)}, "too close to 0"),
        ({"arms": 3, "actor": ""}, "actor"),
        ({"arms": 3, "patience": -1}, "patience"),
    ],
)
def test_a_bandit_that_cannot_be_made_is_not_made(url, settings, words):
    with pytest.raises(InvalidValueError, match=words):
        lowbid.open(url, "b", **settings)
    lowbid.open(url, "another", 2)
    assert [found.name for found in lowbid.stores.list(url)] == ["another"]


def test_a_bandit_that_is_not_there(url):
    lowbid.open(url, "checkout", 2)
    with pytest.raises(UnknownNameError, match=r"no bandit 'chekout'.*'checkout'.*arms="):
        lowbid.open(url, "chekout")


@pytest.mark.parametrize("name", ["", None, 7, "x" * 1000, "nul\0", "\ud800"])
def test_names_that_are_none(url, name):
    with pytest.raises(InvalidValueError, match="name is"):
        lowbid.open(url, name, 2)


@pytest.mark.parametrize("name", ["", None, 7, b"7", ["7"], "x" * 1000, "nul\0", "\ud800"])
def test_odd_names_delete_and_rename_nothing(url, name):
    lowbid.open(url, "7", 2)
    with pytest.raises(InvalidValueError, match="name is"):
        lowbid.stores.delete(url, name)
    with pytest.raises(InvalidValueError, match="name is"):
        lowbid.stores.rename(url, name, "8")
    with pytest.raises(InvalidValueError, match="new_name is"):
        lowbid.stores.rename(url, "7", name)
    assert [found.name for found in lowbid.stores.list(url)] == ["7"]


def test_a_store_that_is_not_there_is_not_made(url, tmp_path):
    calls = [
        lambda: lowbid.open(url, "b"),
        lambda: lowbid.stores.list(url),
        lambda: lowbid.stores.delete(url, "b"),
        lambda: lowbid.stores.rename(url, "b", "c"),
    ]
    for call in calls:
        with pytest.raises(StoreError, match="does not exist"):
            call()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "store",
    [
        "",
        "shop.db",
        "sqlite://shop.db",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///a\0",
        None,
        3,
    ],
)
def test_addresses_that_are_none(store):
    with pytest.raises(InvalidValueError, match="the store is"):
        lowbid.open(store, "b", 2)


def test_no_error_shows_a_password():
    with pytest.raises(InvalidValueError) as caught:
        lowbid.open("mysql://root:geheim@host/shop", "b", 2)
    assert "geheim" not in str(caught.value)


def test_a_policy_of_your_own_must_be_given(url):
    class Own(lowbid.UCB1):
        pass

    bandit = lowbid.open(url, "b", 2, Own())
    bandit.decide()
    with pytest.raises(lowbid.errors.LowbidError, match=r"Own.*policy=.*open"):
        lowbid.open(url, "b")
    assert lowbid.open(url, "b", policy=Own()).summary().decisions == 1
