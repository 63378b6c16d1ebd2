import importlib
import subprocess
import sys

import pytest

import lowbid


def test_every_public_name_is_there():
    names = lowbid.__all__
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(lowbid, name) is not None
    assert {"BatchEnsemble", "Bernoulli", "Bandit", "simulate", "Result"} <= set(dir(lowbid))


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'UBC1'"):
        getattr(importlib.import_module("lowbid"), "UBC" + "1")


def test_importing_the_package_imports_neither_numpy_nor_the_compiler():
    script = "import sys, lowbid; print(any(m in sys.modules for m in ('numpy', 'llvmlite')))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_python_m_is_the_command():
    ours = subprocess.run(
        [sys.executable, "-m", "lowbid", "--version"], capture_output=True, text=True, check=True
    )
    assert ours.stdout.strip() == f"lowbid {lowbid.__version__}"
