import os
import secrets
import urllib.parse

import pytest
from hypothesis import settings

import postgresql_server

# The first example of a test may have to wait for the compiler.
settings.register_profile("lowbid", deadline=None)
settings.load_profile("lowbid")

# Bandits run uncompiled unless a test says otherwise: most tests make few decisions, and their
# choices are the same (tests/policies/test_registry.py compares them for all policies).
os.environ.setdefault("LOWBID_COMPILED", "never")


@pytest.fixture(scope="session")
def postgresql():
    """The URL of a PostgreSQL server."""
    reason = postgresql_server.reason_for_none()
    if reason and os.environ.get(postgresql_server.REQUIRED):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    with postgresql_server.server() as url:
        yield url


@pytest.fixture
def postgresql_url(postgresql):
    """The URL of an empty database."""
    import psycopg

    name = f"lowbid_{secrets.token_hex(6)}"
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    parts = urllib.parse.urlsplit(postgresql)
    yield urllib.parse.urlunsplit(parts._replace(path=f"/{name}"))
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
