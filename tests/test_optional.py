"""What is not installed is named; what cannot be imported is not called missing."""

import sys

import pytest

from lowbid._optional import needing
from lowbid.errors import MissingPackageError
from lowbid.shared.stores._postgresql_connection import psycopg_module


def test_a_package_that_is_not_installed_is_named():
    with (
        pytest.raises(MissingPackageError, match="install it"),
        needing("no_such_one", "install it"),
    ):
        import no_such_one  # noqa: F401


@pytest.mark.parametrize(
    "error", [ImportError("partially initialized"), ModuleNotFoundError("another", name="another")]
)
def test_other_errors_pass(error):
    with pytest.raises(ImportError) as raised, needing("psycopg", "needs psycopg"):
        raise error
    assert raised.value is error


def test_an_import_that_was_interrupted_is_not_called_a_missing_package(monkeypatch, tmp_path):
    package = tmp_path / "psycopg"
    package.mkdir()
    (package / "__init__.py").write_text("from psycopg._half import connect\n")
    (package / "_half.py").write_text("")
    for name in [name for name in sys.modules if name.partition(".")[0] == "psycopg"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match="cannot import name") as raised:
        psycopg_module()
    assert not isinstance(raised.value, MissingPackageError)
