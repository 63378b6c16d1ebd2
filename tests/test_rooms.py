"""Private means private: no room imports an underscore module, or name, of another room."""

import ast
from pathlib import Path

import pytest

import lowbid

SOURCE = Path(lowbid.__file__).parent


def modules(folder=SOURCE):
    """The source of every module below a folder, by the module's name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = [folder.name, *path.relative_to(folder).with_suffix("").parts]
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imported(path):
    """The dotted names that a module imports: of modules, and of what is imported from them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def owners(name):
    """The packages that parts of a name are private to."""
    parts = name.split(".")
    for i, part in enumerate(parts):
        if part.startswith("_") and not part.startswith("__"):
            yield ".".join(parts[:i] if is_package(parts[:i]) else parts[: i - 1])


def is_package(parts):
    return SOURCE.parent.joinpath(*parts).is_dir()


def intrusions(found):
    """What modules import that is private to a package they are not in."""
    for module, path in found.items():
        for name in imported(path):
            rooms = list(owners(name)) if name.startswith("lowbid.") else []
            if not all(f"{module}.".startswith(f"{room}.") for room in rooms):
                yield module, name


def test_what_is_private_to_a_room_stays_there():
    assert list(intrusions(modules())) == []


@pytest.mark.parametrize(
    "line",
    [
        "from lowbid.policies._base import Policy",
        "from lowbid.policies import _base",
        "from lowbid.mdp.agents.psrl import _sample",
        "import lowbid.policies._base as base",
        "def later():\n    from lowbid._random._streams import mix",
    ],
)
def test_an_import_of_something_private_is_noticed(line, tmp_path):
    (tmp_path / "simulation.py").write_text(line)
    assert len(list(intrusions({"lowbid.simulation": tmp_path / "simulation.py"}))) == 1


@pytest.mark.parametrize(
    ("name", "private_to"),
    [
        ("lowbid.policies.Policy", []),
        ("lowbid._require.require", ["lowbid"]),
        ("lowbid._random._streams.mix", ["lowbid", "lowbid._random"]),
        ("lowbid.theory.theorem1._log", ["lowbid.theory"]),
    ],
)
def test_a_name_is_private_to_the_room_it_is_in(name, private_to):
    assert list(owners(name)) == private_to
