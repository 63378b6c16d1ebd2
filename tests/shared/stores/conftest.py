import pytest


class Monotonic:
    """A clock in place of `time`, which a test moves."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock by which patience is measured."""
    clock = Monotonic()
    monkeypatch.setattr("lowbid.shared.stores._patience.time", clock)
    return clock
