import os
import subprocess
import sys

import pytest

from lowbid.cli import main


def test_init_does_not_overwrite(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text("precious")
    assert main(["init", str(file)]) == 2
    assert file.read_text() == "precious"


def test_a_full_disk_leaves_nothing(tmp_path):
    """Files may not grow beyond 100 bytes, as on a disk that is nearly full."""
    resource = pytest.importorskip("resource", reason="needs the limits of POSIX")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = subprocess.run(
        [sys.executable, "-m", "lowbid", "init", "mine.toml"],
        cwd=tmp_path,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("lowbid: mine.toml cannot be written")
    assert list(tmp_path.iterdir()) == []
