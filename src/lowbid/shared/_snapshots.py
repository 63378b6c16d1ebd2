"""A replica as bytes, so that a bandit with a long log opens quickly."""

from __future__ import annotations

import hashlib
import json
import zlib

from lowbid.errors import InvalidValueError, LowbidError, StateError
from lowbid.policies import Policy
from lowbid.shared._replica import Replica

_FORMAT = b"lowbid-snapshot-1\n"
_DIGEST = 16  # bytes


def snapshot_of(replica: Replica) -> bytes:
    """A replica, packed."""
    packed = zlib.compress(json.dumps(replica.to_data(), allow_nan=False).encode(), level=1)
    return _FORMAT + hashlib.blake2b(packed, digest_size=_DIGEST).digest() + packed


def replica_of(snapshot: bytes, given: Policy | None) -> Replica | None:
    """The replica in a snapshot; None if it is damaged or from another version.

    The replica is then rebuilt from the events.
    """
    start = len(_FORMAT) + _DIGEST
    digest, packed = snapshot[len(_FORMAT) : start], snapshot[start:]
    if not snapshot.startswith(_FORMAT):
        return None
    if hashlib.blake2b(packed, digest_size=_DIGEST).digest() != digest:
        return None
    try:
        saved = json.loads(zlib.decompress(packed))
        return Replica.from_data(saved, given)
    except (StateError, InvalidValueError):
        return None
    except LowbidError:
        raise  # a policy that must be given
    except (zlib.error, LookupError, TypeError, ValueError, AttributeError):
        return None
    except (OverflowError, RecursionError, MemoryError):
        return None
