"""Tests mirror the package: each module of these folders has a namesake among the tests."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "lowbid"
# What a module is tested by, where that is not its namesake.
ELSEWHERE = {
    "environments/_wrapped.py": "environments/test_rewards.py",
    "policies/_batches.py": "policies/test_batch_ensemble.py",
    "testing/_behaviour.py": "testing/test_policies.py",
    "testing/_promises.py": "testing/test_policies.py",
}


@pytest.mark.parametrize(
    ("folder", "tests"),
    [
        ("policies", "policies"),
        ("environments", "environments"),
        ("theory", "theory"),
        ("testing", "testing"),
        ("_random", "random"),
        ("logs", "logs"),
    ],
)
def test_every_module_has_its_tests(folder, tests):
    missing = []
    for module in sorted((SOURCE / folder).glob("*.py")):
        name = f"{folder}/{module.name}"
        namesake = f"{tests}/test_{module.stem.lstrip('_')}.py"
        if module.name != "__init__.py" and not (TESTS / ELSEWHERE.get(name, namesake)).exists():
            missing.append(name)
    assert missing == []
