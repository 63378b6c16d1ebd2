"""The page on the architecture: its picture, and the ways of calls, as they are."""

import asyncio
import importlib
import re
import sys
import threading
from pathlib import Path

import pytest

import lowbid

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rooms():
    sys.path.insert(0, str(ROOT / "docs" / "_site"))
    try:
        yield importlib.import_module("rooms")
    finally:
        sys.path.pop(0)


def test_the_picture_is_that_of_the_imports(rooms):
    if not rooms.PICTURE.exists() or rooms.PICTURE.read_text(encoding="utf-8") != rooms.picture():
        rooms.PICTURE.write_text(rooms.picture(), encoding="utf-8")
        pytest.fail("docs/images/rooms.svg was out of date and is drawn now: add it to your commit")


def test_every_folder_is_a_room(rooms):
    folders = {each.parent.name for each in (ROOT / "src" / "lowbid").glob("*/__init__.py")}
    assert folders == {each for each in rooms.ROOMS if (rooms.SOURCE / each).is_dir()}


def test_lines_that_follow_from_others_are_left_out(rooms):
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert rooms.direct(graph) == {"a": {"b"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert rooms.rows(rooms.direct(graph)) == [["a"], ["b", "d"], ["c"]]


def way_of(what):
    """The functions that the page names for a kind of call."""
    text = PAGE.partition(f"**{what}**: ")[2].partition(".\n")[0].partition(", and on")[0]
    text = text.partition("machine code")[0]
    return re.findall(r"`([\w.]+)`", text)


def functions_called(play):
    """The names of the package's functions that a call runs, by when each is first called."""
    seen = {}

    def note(frame, event, argument):
        if event == "call" and str(frame.f_globals.get("__name__")).startswith("lowbid."):
            seen.setdefault(frame.f_code.co_qualname)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        play()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(seen)


def assert_way(what, play):
    named, called = way_of(what), functions_called(play)
    assert len(named) > 1
    assert [each for each in called if each in named] == named


def test_a_simulation():
    arms, policy = lowbid.Bernoulli([0.1, 0.5]), lowbid.UCB1()
    assert_way("A simulation", lambda: lowbid.simulate(policy, arms, 20, 2, workers=1))


def test_a_bandit():
    bandit = lowbid.Bandit(2, lowbid.UCB1(), compiled="now")
    bandit.update(bandit.select(), loss=0.5)
    assert_way("An online choice", bandit.select)
    assert_way("An online update", lambda: bandit.update(0, loss=0.5))


def test_a_shared_bandit(tmp_path):
    with lowbid.open(f"sqlite:///{tmp_path}/shop.db", "checkout", arms=["blue", "green"]) as bandit:
        assert_way("A shared decision", bandit.decide)


def test_a_request(tmp_path):
    httpx = pytest.importorskip("httpx")
    service = pytest.importorskip("lowbid.service")
    from lowbid.service.api_keys import make_key
    from lowbid.shared.stores import store_at

    url = f"sqlite:///{tmp_path}/shop.db"
    lowbid.open(url, "checkout", arms=["blue", "green"]).close()
    store = store_at(url)
    key = make_key(store, "a key", ["decide"])
    store.close()
    app = service.create_app(url)
    headers = {"Authorization": f"Bearer {key}"}

    async def ask():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            path = "/v1/experiments/checkout/decisions"
            return await client.post(path, headers=headers, json={})

    def play():
        assert asyncio.run(ask()).status_code == 200

    assert_way("A decision over HTTP", play)
