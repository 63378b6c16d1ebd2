import subprocess
import sys

import pytest

INTERRUPTED = """
import sys, runpy

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt

sys.modules.pop({name!r}, None)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["lowbid", "compare", "--arms", "bernoulli:0.1,0.5", "--horizon", "5", "--runs", "1"]
runpy.run_module("lowbid", run_name="__main__")
"""


@pytest.mark.parametrize(
    "name",
    ["argparse", "lowbid.cli", "lowbid.cli.compare", "lowbid.experiments", "numpy", "llvmlite"],
)
def test_ctrl_c_during_an_import_is_answered_in_words(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(name=name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stderr.strip().splitlines()[0] == "lowbid: stopped"
    assert "Traceback" not in done.stderr
    assert done.returncode == 130
