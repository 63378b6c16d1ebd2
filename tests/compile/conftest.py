import pytest


@pytest.fixture(autouse=True)
def own_loops(monkeypatch):
    """Loops are compiled by our own compiler, whatever the environment says."""
    monkeypatch.delenv("LOWBID_LOOPS", raising=False)
