"""Tests mirror the package: each module of these folders has a namesake among the tests."""

from pathlib import Path

import pytest

import lowbid
import mirror

SOURCE = Path(lowbid.__file__).parent


@pytest.mark.parametrize(
    "folder",
    [
        "policies",
        "contextual",
        "environments",
        "theory",
        "shared",
        "shared/stores",
        "simulation",
        "online",
        "testing",
        "_evidence",
        "_random",
        "_compile",
        "logs",
        "offline",
        "adapters",
    ],
)
def test_every_module_has_its_tests(folder):
    modules = [f"{folder}/{each.name}" for each in sorted((SOURCE / folder).glob("*.py"))]
    tested = [each for each in modules if not each.endswith("__init__.py")]
    assert [each for each in tested if not mirror.test_of(each).exists()] == []


def test_no_module_is_named_that_is_gone():
    assert [each for each in mirror.ELSEWHERE if not (SOURCE / each).exists()] == []
