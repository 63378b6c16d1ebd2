"""A bandit as text: readable JSON that restores it to the last bit.

Numbers are written so that they read back exactly; infinite ones, which JSON lacks, as words. State
arrays omit what still has its initial value. A checksum reveals damage.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from lowbid._compile import When
from lowbid._version import __version__
from lowbid.errors import FileFormatError, StateError
from lowbid.online._core import Core
from lowbid.online._saved_policy import policy_from, policy_to
from lowbid.policies import Policy

_FORMAT = "lowbid-bandit"
_FORMAT_VERSION = 2


def encoded(core: Core) -> str:
    """The text of a bandit."""
    body = {
        "format": _FORMAT,
        "format_version": _FORMAT_VERSION,
        "lowbid": __version__,
        "policy": policy_to(core.policy),
        **core.to_data(),
    }
    return _layout({**body, "checksum": _checksum(body)})


def decoded(
    text: str | bytes, policy: Policy | None, where: str, compiled: When | None = None
) -> Core:
    """The bandit described by a text, or a clear error."""
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
        saved = body if version > 1 else _from_version_1(body, rule)
        return Core.from_data(rule, saved, compiled)
    except StateError as error:
        raise StateError(
            f"{where} is not a bandit that {rule.name} can have left: {error} Restore it from a "
            "copy, or start a new bandit."
        ) from error
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise FileFormatError(
            f"{where} is intact, but this lowbid ({__version__}) cannot restore {rule.name} from "
            f"it; lowbid {body.get('lowbid')} wrote it. Use that version, or start a new bandit."
        ) from error


def _from_version_1(body: dict[str, Any], policy: Policy) -> dict[str, Any]:
    """Convert format version 1 to the current one."""
    paused = zip(body["paused"], body["paused_states"], strict=True)
    return {
        **body,
        "feedback": _feedback_from_version_1(body["feedback"], policy),
        "paused": [{**arm, "capacity": body["capacity"], "state": state} for arm, state in paused],
    }


def _feedback_from_version_1(saved: dict[str, Any] | None, policy: Policy) -> dict[str, Any] | None:
    """Losses within the policy's range were passed to it unchanged, and the state has those."""
    if saved is None or saved["kind"] == "reward" or saved["range"] is None:
        return saved
    (low, high), (floor, ceiling) = saved["range"], policy.loss_range
    fits = policy.location_free or low >= policy.best_loss
    if fits and floor <= low and high <= ceiling:
        return {**saved, "shift": -0.0, "factor": 1.0, "origin": 0.0}
    return saved


def _checksum(body: dict[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _layout(value: Any, depth: int = 0) -> str:
    """JSON with one line per entry, two levels deep."""
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
