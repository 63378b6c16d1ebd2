"""Policies and arms by name, as they are written on the command line and in experiment files.

A policy is its class's name and its parameters, ``batch-ensemble:batches=log(0.3)``; arms are a
family and its numbers, ``gaussian:0.1,0.5,sd=2``. Capitals, hyphens and underscores in names do
not matter: ``RBSDA``, ``rbsda`` and ``rb-sda`` are the same.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lowbid import environments, policies, schedules
from lowbid.environments import Arms, Environment, RandomArms
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.policies import Constructor, Policy

_RANDOM = "random"
_SCHEDULES = {
    "log": schedules.Logarithmic,
    "fixed": schedules.Fixed,
    "anytime": schedules.Anytime,
    "high-probability": schedules.HighProbability,
}


def kebab(name: str) -> str:
    """A class's name as it is written on the command line.

    >>> kebab("BatchEnsemble"), kebab("UCB1"), kebab("MOSSAnytime")
    ('batch-ensemble', 'ucb1', 'moss-anytime')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def policy(name: str, parameters: Mapping[str, Any] | None = None) -> Policy:
    """A policy from its name and its parameters, which may be texts.

    >>> policy("batch-ensemble", {"batches": "log(0.3)", "growth": "redistribute"}).name
    "BatchEnsemble(batches=Logarithmic(c=0.3), growth='redistribute')"
    >>> policy("klucb.gaussian", {"sd": "0.5"}).name
    'KLUCB.gaussian(sd=0.5)'
    """
    known = _constructors()
    name = nearest("policy", name, known)
    return _make(name, known[name].make, known[name].parameters, parameters or {})


def _constructors() -> dict[str, Constructor]:
    """The ways to make a policy, by the names of the command line."""
    classes = [getattr(policies, each) for each in policies.__all__]
    return {
        kebab(name): constructor
        for cls in classes
        for name, constructor in cls.constructors().items()
    }


def arms(name: str, parameters: Mapping[str, Any]) -> Environment:
    """Arms from their family's name and its parameters.

    With ``random-`` before the family, `n_arms` new arms are drawn in each run.

    >>> arms("gaussian", {"mean": [0.1, 0.5], "sd": 2}).variances
    array([4., 4.])
    >>> arms("random-bernoulli", {"n_arms": 10})
    RandomArms(Bernoulli, n_arms=10, low=0, high=1)
    """
    random, family_name = _random(name)
    family = _family(family_name)
    if not random:
        return _make(kebab(family.__name__), family, _field_names(family), parameters)
    known = ["n_arms", "low", "high", *_field_names(family)[1:]]
    values = {nearest("parameter", key, known): value for key, value in parameters.items()}
    if "n_arms" not in values:
        raise InvalidValueError(f"{name} needs the number of arms, such as {name}:10.")
    return RandomArms(family, **{key: number(value) for key, value in values.items()})


def policy_of_text(text: str) -> Policy:
    """A policy from one text, ``name:parameter=value,parameter=value``."""
    name, _, rest = text.partition(":")
    return policy(name.strip(), parameters_of(text, rest))


def parameters_of(text: str, rest: str) -> dict[str, str]:
    """The parameters in the rest of a text, after its name."""
    parameters = {}
    for item in split(rest):
        key, equals, value = item.partition("=")
        if not equals:
            raise InvalidValueError(f"{text!r}: write {item!r} as parameter=value.")
        parameters[key.strip()] = value.strip()
    return parameters


def policies_of_text(text: str) -> list[Policy]:
    """Policies from a list in one text; an item with = belongs to the policy before it.

    >>> [each.name for each in policies_of_text("ucb1,batch-ensemble:batches=2,padding=1")]
    ['UCB1', 'BatchEnsemble(batches=2, padding=1)']
    """
    items: list[str] = []
    for item in split(text):
        if items and "=" in item and ":" not in item:
            items[-1] += f",{item}"
        else:
            items.append(item)
    return [policy_of_text(item) for item in items]


def arms_of_text(text: str) -> Environment:
    """Arms from one text: a family, and numbers for its first parameter or for named ones.

    >>> arms_of_text("bernoulli:0.1,0.12").means
    array([0.1 , 0.12])
    >>> arms_of_text("beta:1,2,b=3,4").means
    array([0.25      , 0.33333333])
    """
    name, _, rest = text.partition(":")
    name = name.strip()
    random, family_name = _random(name)
    key = "n_arms" if random else _field_names(_family(family_name))[0]
    values: dict[str, list[str]] = {}
    for item in split(rest):
        left, equals, right = item.partition("=")
        if equals:
            key = left.strip()
        values.setdefault(key, []).append((right if equals else left).strip())
    if not values:
        example = f"{name}:10" if random else f"{name}:0.1,0.2"
        raise InvalidValueError(f"{text!r} has no numbers; give some, such as {example}.")
    return arms(name, {key: many[0] if len(many) == 1 else many for key, many in values.items()})


def nearest(what: str, name: str, known: Iterable[str]) -> str:
    """The known name that is meant, or an error with the nearest ones."""
    plain = {_plain(each): each for each in known}
    if _plain(name) in plain:
        return plain[_plain(name)]
    longer = [each for each in plain if _plain(name) and each.startswith(_plain(name))]
    near = longer[:5] or difflib.get_close_matches(_plain(name), plain, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(plain[each] for each in near)}?" if near else ""
    every = f"known are {', '.join(sorted(plain.values()))}."
    raise UnknownNameError(f"no {what} is named {name!r}; {hint or every}")


def number(value: Any) -> Any:
    """What a text means: a number, a schedule, True, False, None, or the text itself.

    >>> number("12"), number("0.5"), number("log(0.3)"), number("none"), number("random")
    (12, 0.5, Logarithmic(c=0.3), None, 'random')
    """
    if isinstance(value, list | tuple):
        return [number(each) for each in value]
    if not isinstance(value, str):
        return value
    words = {"none": None, "true": True, "false": False}
    if value.lower() in words:
        return words[value.lower()]
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    called = re.fullmatch(r"([a-zA-Z-]+)\((.*)\)", value)
    if called:
        schedule = _SCHEDULES[nearest("schedule", called[1], _SCHEDULES)]
        return _call(value, schedule, [number(each) for each in split(called[2])], {})
    return value


def split(text: str) -> list[str]:
    """The items of a list with commas, but not at commas within parentheses."""
    return [item.strip() for item in re.split(r",(?![^(]*\))", text) if item.strip()]


def make(name: str, cls: type[Any], parameters: Mapping[str, Any]) -> Any:
    """An object of a class, from parameters that may be texts."""
    return _make(name, cls, _field_names(cls), parameters)


def _make(
    name: str, make: Callable[..., Any], known: Iterable[str], parameters: Mapping[str, Any]
) -> Any:
    if parameters and not known:
        raise InvalidValueError(f"{name} has no parameters; {next(iter(parameters))!r} was given.")
    values = {
        nearest(f"parameter of {name}", key, known): _value(key, value)
        for key, value in parameters.items()
    }
    return _call(name, make, [], values)


def _value(key: str, value: Any) -> Any:
    """What a parameter's text means; an error says whose text it is."""
    try:
        return number(value)
    except (InvalidValueError, UnknownNameError) as error:
        raise type(error)(f"{key} is {value!r}: {error}") from error


def _call(name: str, make: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    try:
        return make(*positional, **named)
    except TypeError as error:
        fields = _field_names(make)
        needed = ", ".join(fields) or "no parameters"
        form = f": {name}:" + ",".join(f"{field}=..." for field in fields) if fields else ""
        raise InvalidValueError(f"{name} takes {needed}; name each of them{form}.") from error


def _random(name: str) -> tuple[bool, str]:
    """Whether arms are to be drawn at random, and the name of their family."""
    plain = _plain(name)
    return plain.startswith(_RANDOM), plain.removeprefix(_RANDOM)


def _family(name: str) -> type[Arms]:
    families = {kebab(each): family for each, family in _families().items() if _is_numbers(family)}
    return families[nearest("family of arms", name, families)]


def _families() -> dict[str, type[Arms]]:
    found = {name: getattr(environments, name) for name in environments.__all__}
    return {
        name: each
        for name, each in found.items()
        if isinstance(each, type) and issubclass(each, Arms) and each is not Arms
    }


def _is_numbers(family: type) -> bool:
    return family.__name__ not in ("Contaminated", "Empirical", "Mixed", "Rewards")


def _field_names(make: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(make).parameters)


def _plain(name: str) -> str:
    return re.sub(r"[-_. ]", "", name).lower()
