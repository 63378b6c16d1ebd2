import os
import secrets
import urllib.parse

import pytest
from hypothesis import settings

import postgresql_server
from lowbid._compile import Kernel, interpreted

# The first example of a test may have to wait for the compiler.
settings.register_profile("lowbid", deadline=None)
settings.load_profile("lowbid")

# Bandits run uncompiled unless a test says otherwise: most tests make few decisions, and their
# choices are the same (tests/policies/test_registry.py compares them for all policies).
os.environ.setdefault("LOWBID_COMPILED", "never")


def pytest_addoption(parser):
    parser.addoption(
        "--uncompiled", action="store_true", help="run kernels as plain Python, to see coverage"
    )


def pytest_configure(config):
    if config.getoption("--uncompiled"):
        interpreted().__enter__()  # until the process ends


@pytest.fixture(autouse=True)
def _everything_compiles(request, monkeypatch):
    """Fail where a kernel runs uncompiled because it cannot be compiled, unless a test asks."""
    if "caplog" not in request.fixturenames:

        def refuse(kernel, reason):
            raise AssertionError(f"{kernel!r} cannot be compiled: {reason}")

        monkeypatch.setattr(Kernel, "_stay_uncompiled", refuse)


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
