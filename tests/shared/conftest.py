import pytest

from lowbid.shared.stores.sqlite import SQLiteTransaction


class Clock:
    """The time of a store, in seconds, as a test sets it."""

    def __init__(self):
        self.seconds = 1_700_000_000.0

    def __call__(self, *_):
        return round(self.seconds * 1e6)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/shop.db"


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved."""
    clock = Clock()
    monkeypatch.setattr(SQLiteTransaction, "clock", clock.__call__)
    return clock


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def any_url(request):
    """The URL of an empty store of either kind."""
    names = {"sqlite": "url", "postgresql": "postgresql_url"}
    return request.getfixturevalue(names[request.param])
