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
_FORMAT_VERSION = 1


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
        return Core.from_data(rule, body, compiled)
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
