"""A bandit as a text: JSON that a person can read and that restores it to the last bit.

Numbers are written so that they read back exactly; infinite ones, which JSON lacks, as words.
State arrays leave out what is still as it was at the start. A checksum tells damage.
"""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lowbid._version import __version__
from lowbid.errors import FileFormatError
from lowbid.online._decisions import Decisions
from lowbid.online._engine import Engine
from lowbid.online._feedback import Feedback, feedback_for
from lowbid.online._ledger import Ledger
from lowbid.online._roster import Roster
from lowbid.online._saved_policy import policy_from, policy_to
from lowbid.policies import Policy

if TYPE_CHECKING:
    from lowbid.online._parts import Parts

_FORMAT = "lowbid-bandit"
_FORMAT_VERSION = 1

B = TypeVar("B", bound="Parts")


def encoded(bandit: Parts) -> str:
    """The text of a bandit."""
    engine, roster, decisions = bandit._engine, bandit._roster, bandit._decisions
    body = {
        "format": _FORMAT,
        "format_version": _FORMAT_VERSION,
        "lowbid": __version__,
        "policy": policy_to(bandit.policy),
        "horizon": engine.horizon,
        "expiry": bandit.expiry,
        "feedback": _feedback_to(bandit._feedback),
        "step": engine.step,
        "capacity": engine.capacity,
        "stream": [f"{int(word):#018x}" for word in engine.stream],
        "arms": dict_rows(roster.names, roster.ledger),
        "paused": dict_rows(list(roster.shelf), list(roster.shelf.values())),
        "removed": sorted(roster.removed, key=repr),
        "decisions": {
            "word": decisions.word,
            "words": decisions.words,
            "open": [[identity, *found] for identity, found in decisions.open.items()],
        },
        "state": _state_to(engine.state, engine.empty(engine.n_arms)),
        "paused_states": [_state_to(state, engine.empty(1)) for state in engine.aside.values()],
    }
    return _layout({**body, "checksum": _checksum(body)})


def decoded(cls: type[B], text: str | bytes, policy: Policy | None, where: str) -> B:
    """The bandit of a text, or a clear error."""
    try:
        body = json.loads(text)
        if body["format"] != _FORMAT:
            raise _damaged(where)
        version = int(body["format_version"])
        intact = body.pop("checksum", None) == _checksum(body)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise _damaged(where) from error
    if version > _FORMAT_VERSION:
        raise FileFormatError(
            f"{where} has format version {version}; this lowbid ({__version__}) reads up to "
            f"{_FORMAT_VERSION}. Upgrade lowbid to read it."
        )
    if not intact:
        raise _damaged(where)
    rule = policy_from(body["policy"], policy)
    try:
        return _restored(cls, body, rule)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileFormatError(
            f"{where} is whole, but this lowbid ({__version__}) cannot make a {rule.name} of it, "
            f"written by lowbid {body.get('lowbid')}; read it there, or start a new bandit."
        ) from error


def _restored(cls: type[B], body: dict[str, Any], policy: Policy) -> B:
    bandit = cls.__new__(cls)
    bandit.policy, bandit.expiry = policy, body["expiry"]
    bandit._feedback = _feedback_from(policy, body["feedback"])
    names, ledger = _rows_from(body["arms"])
    engine = Engine(policy, len(names), 0, body["horizon"])
    engine.step, engine.capacity = int(body["step"]), int(body["capacity"])
    engine.stream[:] = [int(word, 16) for word in body["stream"]]
    engine.replace(_state_from(body["state"], engine.empty(len(names))), len(names))
    roster = Roster(names, engine, ledger)
    paused, rows = _rows_from(body["paused"])
    for name, row, state in zip(paused, rows, body["paused_states"], strict=True):
        roster.shelf[name] = row.copy()
        engine.aside[name] = _state_from(state, engine.empty(1))
    roster.removed = set(body["removed"])
    decisions = Decisions()
    decisions.word, decisions.words = body["decisions"]["word"], dict(body["decisions"]["words"])
    decisions.open = {identity: (arm, step) for identity, arm, step in body["decisions"]["open"]}
    bandit._engine, bandit._roster, bandit._decisions = engine, roster, decisions
    bandit._lock = threading.Lock()
    return bandit


def _feedback_to(feedback: Feedback | None) -> dict[str, Any] | None:
    if feedback is None:
        return None
    return {"kind": feedback.kind, "range": feedback.declared}


def _feedback_from(policy: Policy, saved: dict[str, Any] | None) -> Feedback | None:
    if saved is None:
        return None
    low_high = saved["range"]
    return feedback_for(policy, saved["kind"], None if low_high is None else tuple(low_high))


def dict_rows(names: list[Any], ledger: Any) -> list[dict[str, Any]]:
    """Each arm with its count and mean in front, where a reader looks for them."""
    return [
        {"name": name, "count": row[0], "mean": row[1], "more": row[2:]}
        for name, row in zip(names, (_numbers(row.tolist()) for row in ledger), strict=True)
    ]


def _rows_from(saved: list[dict[str, Any]]) -> tuple[list[Any], Ledger]:
    rows = [[row["count"], row["mean"], *row["more"]] for row in saved]
    return [row["name"] for row in saved], np.array(rows, dtype=np.float64).reshape(-1, 7)


def _state_to(state: Any, fresh: Any) -> dict[str, Any]:
    """A state's arrays by name, without the rows at their ends that are as at the start."""
    saved: dict[str, Any] = {}
    for name, value, start in zip(state._fields, state, fresh, strict=True):
        if isinstance(value, tuple):
            saved[name] = _state_to(value, start)
        else:
            changed = np.flatnonzero((value != start).any(axis=tuple(range(1, value.ndim))))
            rows = value[: changed[-1] + 1] if changed.size else value[:0]
            saved[name] = _numbers(rows.tolist())
    return saved


def _state_from(saved: dict[str, Any], fresh: Any) -> Any:
    if set(saved) != set(fresh._fields):
        raise ValueError("the state has other fields")
    for name, place in zip(fresh._fields, fresh, strict=True):
        if isinstance(place, tuple):
            _state_from(saved[name], place)
        elif saved[name]:
            rows = np.array(saved[name], dtype=place.dtype)  # reads the words for infinity too
            if rows.shape[1:] != place.shape[1:]:
                raise ValueError(f"{name} has another shape")
            place[: len(rows)] = rows
    return fresh


def _numbers(value: Any) -> Any:
    """Numbers as JSON has them: infinity and NaN as words, whole floats short."""
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, float) and not -np.inf < value < np.inf:
        return repr(value)
    return value


def _checksum(body: dict[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _layout(value: Any, depth: int = 0) -> str:
    """JSON with a line for each entry, two levels deep."""
    if depth < 2 and isinstance(value, dict) and value:
        entries = [f"{json.dumps(key)}: {_layout(item, depth + 1)}" for key, item in value.items()]
        ends = "{}"
    elif depth < 2 and isinstance(value, list) and value and isinstance(value[0], dict):
        entries = [_layout(item, 2) for item in value]
        ends = "[]"
    else:
        return json.dumps(value, allow_nan=False)
    pad = "  " * (depth + 1)
    inside = ",\n".join(pad + entry for entry in entries)
    return f"{ends[0]}\n{inside}\n{'  ' * depth}{ends[1]}"


def _damaged(where: str) -> FileFormatError:
    return FileFormatError(
        f"{where} is not a saved bandit of lowbid, or is damaged, cut short or edited; restore it "
        "from a copy, or start a new bandit."
    )
