"""State in and out: to the last bit, whole or not at all."""

import base64
import functools
import json
import zlib

import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble, schedules
from lowbid.errors import FileFormatError, LowbidError, StateError
from lowbid.online import _saved
from online_play import go_on, used
from variants import VARIANTS, quick_by_default

ALL = [
    *VARIANTS,
    BatchEnsemble(batches=schedules.HighProbability(0.1), baseline="minimum"),
    BatchEnsemble(batches=schedules.Logarithmic(1.5), growth="redistribute", warmup=1),
]


@pytest.fixture
def slow_ones_compiled(policy, monkeypatch):
    """Rules that go through all losses at each step take too long uncompiled."""
    if type(policy).__name__ in ("BDS", "GIRO", "NPTS", "RDS", "WRSDA"):
        monkeypatch.setenv("LOWBID_COMPILED", "now")


@pytest.mark.usefixtures("slow_ones_compiled")
@pytest.mark.parametrize("policy", quick_by_default(ALL))
def test_a_restored_bandit_goes_on_as_the_original_would_have(policy, tmp_path):
    bandit = used(policy)
    bandit.save(tmp_path / "bandit.json")
    twin = Bandit.load(tmp_path / "bandit.json")
    assert twin.policy == policy
    assert twin.to_json() == bandit.to_json()
    assert go_on(twin) == go_on(bandit)
    assert twin.to_json() == bandit.to_json()


def test_the_text_is_strict_json_that_a_person_can_read():
    bandit = used(lowbid.UCB1(), steps=2)  # widths of arms not yet played are infinite

    def refuse(word):
        raise AssertionError(word)

    text = bandit.to_json()
    body = json.loads(text, parse_constant=refuse)
    assert body["arms"][3]["name"] == 4
    assert [arm["count"] for arm in body["arms"]] == [float(x) for x in bandit.counts().values()]
    assert max(len(line) for line in text.splitlines()) < 400


@pytest.mark.parametrize("state", [[], {}, [[1.0]]])
def test_a_whole_text_of_another_layout_is_not_called_damaged(state):
    body = json.loads(used().to_json())
    del body["checksum"]
    body["state"] = state
    text = json.dumps({**body, "checksum": _saved._checksum(body)})
    with pytest.raises(FileFormatError, match=r"is intact, but .* wrote it"):
        Bandit.from_json(text)


def test_every_kind_of_damage_is_refused(tmp_path):
    text = used(steps=40).to_json()
    path = tmp_path / "bandit.json"
    for cut in range(0, len(text), 97):
        path.write_text(text[:cut])
        with pytest.raises(FileFormatError, match="damaged"):
            Bandit.load(path)
    for at in range(0, len(text), 41):
        if text[at].isdigit():
            other = text[:at] + str(9 - int(text[at])) + text[at + 1 :]
            if json.loads(other) == json.loads(text):
                continue  # the last digit of a float may not matter
            with pytest.raises(FileFormatError):
                Bandit.from_json(other)
    for number in ("1e999", "NaN", "-Infinity"):
        for field in ('"capacity": 1024', '"format_version": 1'):
            with pytest.raises(FileFormatError, match="damaged"):
                Bandit.from_json(text.replace(field, f"{field.split(':')[0]}: {number}"))
    for other in ["[]", "3", "{}", "\x00", text + "x", text.replace("lowbid-bandit", "bandit")]:
        with pytest.raises(FileFormatError):
            Bandit.from_json(other)
    with pytest.raises(FileFormatError, match="Upgrade"):
        Bandit.from_json(text.replace('"format_version": 1', '"format_version": 2'))
    with pytest.raises(FileNotFoundError):
        Bandit.load(tmp_path / "nowhere.json")


@pytest.mark.usefixtures("slow_ones_compiled")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("policy", quick_by_default(ALL))
def test_an_arm_that_is_paused_while_room_is_made_is_kept(policy, when):
    """1,300 steps: more than there is room for at first."""
    bandit = used(policy, steps=60)
    bandit.pause_arm("b")
    if when == "before":
        bandit = Bandit.from_json(bandit.to_json())
    for step in range(1300):
        bandit.update(bandit.select(), loss=(0.3 + 0.1 * step) % 1.0)
    twin = Bandit.from_json(bandit.to_json())
    assert twin.to_json() == bandit.to_json()
    for each in (bandit, twin):
        each.update("b", loss=0.25)
        each.resume_arm("b")
    assert go_on(twin, 40) == go_on(bandit, 40)
    assert twin.to_json() == bandit.to_json()


def with_changes(*path, value, policy=None):
    """The text of a used bandit, with another value somewhere and a checksum that fits."""
    body = json.loads(used(policy).to_json())
    del body["checksum"]
    functools.reduce(lambda part, name: part[name], path[:-1], body)[path[-1]] = value
    return json.dumps({**body, "checksum": _saved._checksum(body)})


MADE = {"word": "x", "words": {"x": 1}}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            ("state", "race", "leader"),
            [1_000_000],
            r"race\.leader\[0\] is 1000000; allowed .* -1 to 3",
        ),
        (("state", "race", "leader"), [4], r"race\.leader\[0\] is 4; allowed"),
        (("state", "race", "leader"), [0.5], r"race\.leader is \[0\.5\]; allowed"),
        (("state", "race", "counts"), [-1.0], r"race\.counts\[0\] is -1\.0; allowed"),
        (("state", "race", "counts"), ["nan"], r"race\.counts\[0\] is nan; allowed"),
        (("state", "batches", "rows"), [[1.0]], r"rows has the shape \(1, 1\); allowed"),
        (("step",), 2**62, r"step is 4611686018427387904; give at most 2049"),
        (("step",), 0, r"step is 0"),
        (("step",), "7", r"step is '7'"),
        (("capacity",), 2**62, r"capacity is 4611686018427387904; give at most"),
        (("horizon",), -1, r"horizon is -1"),
        (("stream",), [], r"stream has 0 words"),
        (("stream",), ["0x1", "0x2"], r"stream has the shape"),
        (("stream",), ["0x1ffffffffffffffff"], r"stream is"),
        (("arms",), [], r"the number of arms is 0"),
        (("arms", 1, "name"), "a", r"arm 'a' is listed twice"),
        (("arms", 1, "name"), None, r"an arm is None"),
        (("expiry",), "7", r"expiry is '7'"),
        (("feedback", "kind"), "x", r"kind is 'x'; choose one of 'loss', 'reward'"),
        (("feedback", "range"), [1, 1], r"range is \[1, 1\]; give two finite numbers"),
        (("feedback", "factor"), "x", r"factor is 'x'"),
        (("decisions", "word"), "x", r"word is 'x'"),
        (("decisions", "word"), [], r"word is \[\]"),
        (("decisions", "words"), {"x": None}, r"word is "),
        (("decisions",), {"word": "x", "words": {"x": -1}, "open": []}, r"under 'x' is -1"),
        (("decisions",), {**MADE, "open": [["x-2", "a", 1]]}, r"decision is 'x-2'"),
        (("decisions",), {**MADE, "open": [["x-1", "a", "1"]]}, r"decision 'x-1' is '1'"),
        (("decisions",), {**MADE, "open": [["x-1", "z", 1]]}, r"for 'z'; there is no such arm"),
    ],
)
def test_a_state_that_cannot_have_been_is_refused_and_named(path, value, message):
    with pytest.raises(StateError, match=message):
        Bandit.from_json(with_changes(*path, value=value))


def leaves(value, path=()):
    """The paths of everything in a saved bandit but its policy's state, which others mutate."""
    yield path
    if isinstance(value, dict | list):
        for name in value if isinstance(value, dict) else range(len(value)):
            if name not in ("state", "checksum", "format", "policy"):
                yield from leaves(value[name], (*path, name))


HOSTILE = [None, True, -1, -3.5, 7, 2**70, 1e300, -1e300, "nan", "inf", "x\0", [], {}, [[1]]]


def look_at(bandit):
    """All that a bandit says of itself."""
    for view in ("means", "counts", "intervals", "recommend", "explain", "pending", "to_json"):
        str(getattr(bandit, view)())


def play_and_look(bandit):
    look_at(bandit)
    kind = "loss" if bandit.explain().kind == "loss" else "reward"
    for _ in range(3):
        bandit.update(bandit.decide(), **{kind: 0.5})
    if "c" in bandit.paused:
        bandit.resume_arm("c")
    look_at(bandit)


def in_use():
    """A bandit with everything that a file can hold."""
    bandit = Bandit(["a", "b", "c", "d"], lowbid.UCB1(), reward_range=(0, 1), seed=3, horizon=900)
    for step in range(30):
        bandit.update(bandit.decide(), reward=step % 7 / 7)
    bandit.pause_arm("c")
    bandit.remove_arm("d")
    bandit.decide()
    return bandit


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_mutated_bandit_is_refused_or_plays_on():
    text = in_use().to_json()
    refused, faults = 0, []
    for path in list(leaves(json.loads(text)))[1:]:
        for value in HOSTILE:
            body = json.loads(text)
            del body["checksum"]
            functools.reduce(lambda part, name: part[name], path[:-1], body)[path[-1]] = value
            other = json.dumps({**body, "checksum": _saved._checksum(body)})
            try:
                bandit = Bandit.from_json(other, compiled="now")  # verdicts take long uncompiled
            except LowbidError:
                refused += 1
                continue
            try:
                play_and_look(bandit)
            except Exception as error:
                faults.append(f"{path} = {value!r}: {error!r}")
    assert not faults, "\n".join(faults)
    assert refused > 200


def test_a_state_that_does_not_fit_into_memory_is_refused():
    text = with_changes("capacity", value=2**40, policy=lowbid.NPTS())
    with pytest.raises(StateError, match="does not fit into this machine's memory"):
        Bandit.from_json(text)


def many_arms():
    bandit = Bandit(12_000, lowbid.Greedy(), seed=1, compiled="never")
    for step in range(40):
        bandit.update(bandit.select(), loss=step % 7 / 7)
    return bandit


def test_states_of_very_many_arms_are_packed_and_restored_to_the_last_bit():
    bandit = many_arms()
    text = bandit.to_json()
    assert len(text) < 200_000
    twin = Bandit.from_json(text)
    assert twin.to_json() == text
    assert twin.means() == bandit.means()
    assert [twin.select() for _ in range(5)] == [bandit.select() for _ in range(5)]


@pytest.mark.parametrize(
    "change",
    [
        {"packed": base64.b64encode(zlib.compress(bytes(10**7))).decode()},
        {"packed": "?"},
        {"packed": "AAAA"},
        {"packed": 7},
        {"shape": [12_001]},
        {"shape": [-1]},
        {"shape": ["x"]},
        {"shape": []},
        {"dtype": "<i8"},
        {"dtype": "O"},
    ],
)
def test_a_packed_array_that_is_not_what_it_says_is_refused(change):
    body = json.loads(many_arms().to_json())
    del body["checksum"]
    body["state"]["moments"]["counts"] |= change
    text = json.dumps({**body, "checksum": _saved._checksum(body)})
    with pytest.raises(StateError, match=r"moments\.counts is not an array that was packed here"):
        Bandit.from_json(text)
