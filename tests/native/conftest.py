import pytest


@pytest.fixture(autouse=True)
def own_loops(monkeypatch):
    """Loops are compiled by our own compiler, which is not the default."""
    monkeypatch.setenv("LOWBID_LOOPS", "own")
