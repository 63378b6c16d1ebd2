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


def test_ci_installs_versions_that_the_project_allows():
    """Each named version is one number, and all that the project asks for directly are there."""
    pinned = dict(line.split("==") for line in (ROOT / "requirements-ci.txt").read_text().split())
    names = {re.sub(r"[-_.]+", "-", name).lower() for name in pinned}
    lists = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    direct = {re.match(r"[\w-]+", each)[0].lower() for asked in lists for each in asked}
    assert direct - {"lowbid"} <= names


def test_a_tag_publishes_only_the_version_that_it_names():
    """The workflow reads the version from the file by a pattern; it must find it there."""
    publish = (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    assert r"""s/^__version__ = "\(.*\)"$/\1/p' src/lowbid/_version.py""" in publish
    version = Path(lowbid.__file__).with_name("_version.py").read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(.*)"$', version, re.MULTILINE) == [lowbid.__version__]
