import pytest

from lowbid.cli import main


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])
def test_no_keys_is_for_loopback_addresses_only(tmp_path, capsys, host):
    store = f"sqlite:///{tmp_path}/shop.db"
    assert main(["serve", "--store", store, "--no-keys", "--host", host]) == 2
    assert "--no-keys" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_store_of_another_kind(capsys):
    assert main(["serve", "--store", "mysql://x"]) == 2
    assert "sqlite:///" in capsys.readouterr().err


def test_a_file_of_experiments_that_is_wrong(tmp_path, capsys):
    file = tmp_path / "shop.toml"
    file.write_text("[[experiment]]\nname = 'a'\narms = []\n")
    store = f"sqlite:///{tmp_path}/shop.db"
    assert main(["serve", "--store", store, "--experiments", str(file)]) == 2
    assert "line 3" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["0", "-1", "65536", "99999", "http"])
def test_a_port_that_is_none(tmp_path, capsys, port):
    store = f"sqlite:///{tmp_path}/shop.db"
    with pytest.raises(SystemExit) as stopped:
        main(["serve", "--store", store, f"--port={port}"])
    assert stopped.value.code == 2
    assert port in capsys.readouterr().err
