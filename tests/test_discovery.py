import importlib
import inspect
from pathlib import Path

import pytest

import lowbid
from lowbid import contextual, environments, mdp, policies
from lowbid._discovery import classes_in, modules_in

HEAD = """\
# What was found by its file, for type checkers; written by tests/test_discovery.py.
# ruff: noqa
# fmt: off"""


ROOMS = [policies, contextual, environments, mdp.agents, mdp.environments]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_type_checkers_know_every_class(room):
    classes = [getattr(room, name) for name in room.__all__]
    lines = [f"from {cls.__module__} import {cls.__name__} as {cls.__name__}" for cls in classes]
    wanted = "\n".join([HEAD, *lines, f"__all__ = {room.__all__}", ""])
    stub = Path(room.__file__).with_name("_registry.py")
    if not stub.exists() or stub.read_text() != wanted:
        stub.write_text(wanted)
        pytest.fail(f"{stub} was out of date and is written now: add it to your commit")


def test_a_policy_is_looked_up_once(monkeypatch):
    found = policies.UCB1, lowbid.UCB1
    monkeypatch.delattr(policies, "__getattr__")
    monkeypatch.delattr(lowbid, "__getattr__")
    assert found == (policies.UCB1, lowbid.UCB1)


def test_a_file_of_its_own_is_all_that_a_class_needs(tmp_path, monkeypatch):
    files = {"__init__": "", "_parts": "", "kl_new": "class State: ...\nclass KLNew: ..."}
    (tmp_path / "some_room").mkdir()
    for name, text in files.items():
        (tmp_path / "some_room" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    modules = modules_in(tmp_path / "some_room")
    assert modules == {"klnew": "kl_new"}
    assert list(classes_in("some_room", modules)) == ["KLNew"]


def test_a_file_without_a_class_of_its_name_is_named(tmp_path, monkeypatch):
    (tmp_path / "other_room").mkdir()
    (tmp_path / "other_room" / "ucb.py").write_text("class UCB9: ...")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=r"other_room\.ucb has no class of its name"):
        classes_in("other_room", modules_in(tmp_path / "other_room"))


def test_a_policy_is_not_taken_for_its_module():
    with pytest.raises(AttributeError, match="no attribute 'ucb1tuned'"):
        policies.ucb1tuned  # noqa: B018
    assert inspect.ismodule(importlib.import_module("lowbid.policies.clipped"))
    assert inspect.ismodule(policies.clipped)
