import pytest

from lowbid.cli import main


@pytest.fixture
def store(tmp_path):
    return f"sqlite:///{tmp_path}/shop.db"


def test_keys_are_made_listed_and_revoked(store, capsys):
    assert main(["keys", "add", "--store", store, "--name", "ada", "--role", "admin"]) == 0
    key = capsys.readouterr().out.strip()
    assert key.startswith("lowbid_")
    assert main(["keys", "list", "--store", store]) == 0
    listed = capsys.readouterr().out
    assert "ada" in listed
    assert key.rpartition("_")[2] not in listed
    assert main(["keys", "revoke", "--store", store, "--name", "ada"]) == 0
    assert main(["keys", "revoke", "--store", store, "--name", "ada"]) == 2
    assert "there are none" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["add", "--role", "read"], "--name"),
        (["add", "--name", "x"], "roles"),
        (["add", "--name", "\n", "--role", "read"], "name"),
    ],
)
def test_what_is_wrong_is_said(store, capsys, words, says):
    assert main(["keys", *words, "--store", store]) == 2
    assert says in capsys.readouterr().err


def test_the_store_may_stand_in_the_environment(store, capsys, monkeypatch):
    monkeypatch.setenv("LOWBID_STORE", store)
    assert main(["keys", "add", "--name", "ada", "--role", "read"]) == 0
    assert capsys.readouterr().out.startswith("lowbid_")
