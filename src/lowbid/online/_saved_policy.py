"""A policy as plain data: the name of its class, and its parameters."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from lowbid import policies
from lowbid.errors import FileFormatError, InvalidValueError, UnknownNameError
from lowbid.policies import Policy, schedules


def policy_to(policy: Policy) -> dict[str, Any]:
    """The policy as JSON has it; code is named, not kept."""
    return {"class": type(policy).__qualname__, "identity": policy.identity, **_fields(policy)}


def policy_from(saved: dict[str, Any], given: Policy | None) -> Policy:
    """The policy that was saved; or the one given, if it is the same."""
    if given is not None:
        if given.identity != saved["identity"]:
            raise InvalidValueError(
                f"the policy given is {given.identity}, but {saved['identity']} was saved; give "
                "that one."
            )
        return given
    try:
        if saved["class"] not in policies.__all__:
            raise UnknownNameError(f"{saved['class']} is not one of lowbid's policies")
        return _object(policies, saved["class"], saved["parameters"])
    except (UnknownNameError, KeyError, TypeError, InvalidValueError) as error:
        raise FileFormatError(
            f"the policy {saved['identity']} cannot be made from what was saved ({error}): code is "
            "not kept. Give it again: Bandit.load(path, policy=...)."
        ) from error


def _fields(value: Any) -> dict[str, Any]:
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    return {"parameters": {field.name: _value_to(getattr(value, field.name)) for field in fields}}


def _value_to(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, schedules.Schedule) and type(value).__module__ == schedules.__name__:
        return {"schedule": type(value).__name__, **_fields(value)}
    if isinstance(value, Policy):
        return {"policy": type(value).__name__, **_fields(value)}
    if isinstance(value, tuple | list):
        return [_value_to(item) for item in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else {"number": repr(value)}
    if value is None or isinstance(value, bool | int | str):
        return value
    return {"code": getattr(value, "__qualname__", type(value).__qualname__)}


def _value_from(saved: Any) -> Any:
    if isinstance(saved, list):
        return tuple(_value_from(item) for item in saved)
    if not isinstance(saved, dict):
        return saved
    if "number" in saved:
        return float(saved["number"])
    if "schedule" in saved:
        return _object(schedules, saved["schedule"], saved["parameters"])
    if saved.get("policy") in policies.__all__:
        return _object(policies, saved["policy"], saved["parameters"])
    raise UnknownNameError(f"{saved.get('code') or saved.get('policy')} is code")


def _object(module: Any, name: str, parameters: dict[str, Any]) -> Any:
    values = {field: _value_from(value) for field, value in parameters.items()}
    return getattr(module, name)(**values)
