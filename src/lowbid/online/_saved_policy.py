"""A policy as plain data: the name of its class, and its parameters."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import numpy as np

from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.policies import Policy


def policy_to(policy: Policy) -> dict[str, Any]:
    """The policy as plain data; code outside lowbid is named, not stored."""
    return {"identity": policy.identity, **_value_to(policy)}


def policy_from(saved: dict[str, Any], given: Policy | None) -> Policy:
    """The policy that was saved; or the one given, if it is the same."""
    if given is not None:
        if not isinstance(given, Policy) or given.identity != saved["identity"]:
            raise InvalidValueError(
                f"the policy given is {getattr(given, 'identity', given)!r}, but "
                f"{saved['identity']!r} was saved; give that one."
            )
        return given
    try:
        policy = _value_from({name: saved[name] for name in saved if name != "identity"})
    except (LookupError, AttributeError, ImportError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"the policy {saved['identity']} cannot be made from what was saved: {error}. Give "
            "that policy again, as policy=..., where you load or open the bandit."
        ) from error
    if not isinstance(policy, Policy):
        raise FileFormatError(f"{saved['identity']} is not a policy.")
    return policy


def _value_to(value: Any) -> Any:
    """Plain data for a parameter; for an object of lowbid's, its class and parameters."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple | list):
        return [_value_to(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return {"number": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    cls = type(value)
    name = f"{cls.__module__}:{cls.__qualname__}"
    if not dataclasses.is_dataclass(value) or not _is_ours(cls.__module__):
        return {"code": getattr(value, "__qualname__", name)}
    parameters = {
        field.name: _value_to(getattr(value, field.name)) for field in dataclasses.fields(value)
    }
    return {"class": name, "parameters": parameters}


def _value_from(saved: Any) -> Any:
    if isinstance(saved, list):
        return tuple(_value_from(item) for item in saved)
    if not isinstance(saved, dict):
        return saved
    if "number" in saved:
        return float(saved["number"])
    if "code" in saved:
        raise LookupError(f"{saved['code']} is your own code, which is not stored")
    module, _, name = saved["class"].partition(":")
    if not _is_ours(module):
        raise LookupError(f"{saved['class']} is not a part of lowbid")
    cls: Any = getattr(importlib.import_module(module), name)
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise LookupError(f"{saved['class']} is not a policy or a part of one")
    return cls(**{field: _value_from(value) for field, value in saved["parameters"].items()})


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "lowbid"
