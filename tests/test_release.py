"""Version, changelog, citation and the package's description agree."""

import re
import tomllib
from pathlib import Path

import lowbid

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
WORKFLOW = (ROOT / ".github" / "workflows" / "gate.yml").read_text(encoding="utf-8")


def test_the_citation_is_of_this_version():
    assert re.search(r"^version: (.+)$", CITATION, re.MULTILINE)[1] == lowbid.__version__


def test_the_newest_changes_are_those_of_this_version():
    """A development version has its changes under "Unreleased", a release under its number."""
    newest = re.search(r"^## (.+)$", CHANGELOG, re.MULTILINE)[1]
    if ".dev" in lowbid.__version__:
        assert newest == "Unreleased"
    else:
        assert newest.split()[0] == lowbid.__version__


def test_the_citation_of_the_library_is_that_of_its_algorithm():
    entry = lowbid.citation(lowbid.BatchEnsemble())
    for key, field in (("volume", "volume"), ("issue", "number"), ("year", "year")):
        number = re.search(rf"^  {key}: (\d+)$", CITATION, re.MULTILINE)[1]
        assert f"{field} = {{{number}}}" in entry
    pages = re.search(r"^  start: (\d+)\n  end: (\d+)$", CITATION, re.MULTILINE)
    assert f"pages = {{{pages[1]}--{pages[2]}}}" in entry


def test_every_python_that_is_named_is_tested():
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert re.search(r"python: \[(.*)\]", WORKFLOW)[1] == ", ".join(f'"{each}"' for each in named)
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_the_licence_is_the_same_everywhere():
    assert PROJECT["license"] == "MIT"
    assert "license: MIT" in CITATION
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")
