"""Policies and arms by name, as written on the command line and in experiment files.

A policy is written as its class name and parameters, ``batch-ensemble:batches=log(0.3)``; arms are
a family and its numbers, ``gaussian:0.1,0.5,sd=2``. A wrapper goes before a policy, with a plus:
``clipped+batch-ensemble:baseline=minimum``. Capitals, hyphens and underscores in names do
not matter: ``RBSDA``, ``rbsda`` and ``rb-sda`` are the same. A prefix to the family says that new
arms are drawn in each run (``random-``), or that they change (``switching-``, ``drifting-``).
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lowbid import environments, policies, schedules
from lowbid._require import invalid
from lowbid.environments import (
    Arms,
    Drifting,
    Environment,
    GivenMeans,
    Path,
    RandomArms,
    RandomWalk,
    Switching,
    Wave,
)
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.policies import Constructor, Policy

_RANDOM, _SWITCHING, _DRIFTING = _WORDS = ("random", "switching", "drifting")
# The parameters of each path of drifting arms; the first one identifies the path.
_PATHS = {"walk": ("low", "high"), "amplitude": ("period", "phase"), "path": ()}
_SCHEDULES = {
    "log": schedules.Logarithmic,
    "fixed": schedules.Fixed,
    "anytime": schedules.Anytime,
    "high-probability": schedules.HighProbability,
}


def kebab(name: str) -> str:
    """A class name as written on the command line.

    >>> kebab("BatchEnsemble"), kebab("UCB1"), kebab("MOSSAnytime")
    ('batch-ensemble', 'ucb1', 'moss-anytime')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def policy(name: str, parameters: Mapping[str, Any] | None = None) -> Policy:
    """A policy from its name and its parameters, which may be strings.

    >>> policy("batch-ensemble", {"batches": "log(0.3)", "growth": "redistribute"}).name
    "BatchEnsemble(batches=Logarithmic(c=0.3), growth='redistribute')"
    >>> policy("klucb.gaussian", {"sd": "0.5"}).name
    'KLUCB.gaussian(sd=0.5)'
    >>> policy("coin-flips+batch-ensemble", {"batches": 2, "scale": "5"}).name
    'CoinFlips(policy=BatchEnsemble(batches=2), scale=5)'
    """
    known, given = _constructors(), dict(parameters or {})
    *wrappers, name = [nearest("policy", each, known) for each in name.split("+")]
    parameters_of_wrappers = [_wrapper_parameters(each) for each in wrappers]
    own = [{key: given.pop(key) for key in keys if key in given} for keys in parameters_of_wrappers]
    made = _make(name, known[name].make, known[name].parameters, given)
    for each, values in zip(reversed(wrappers), reversed(own), strict=True):
        made = _make(each, functools.partial(known[each].make, made), [*values], values)
    return made


def _wrapper_parameters(name: str) -> tuple[str, ...]:
    """The parameters of a policy around another one, without that other one."""
    first, *others = (*_constructors()[name].parameters, "")
    if first != "policy":
        raise InvalidValueError(
            f"{name} is no wrapper; before a + goes one of those that change losses for another "
            "policy, as in clipped+batch-ensemble."
        )
    return tuple(others[:-1])


@functools.cache
def _constructors() -> dict[str, Constructor]:
    """The ways to construct a policy, by command-line name."""
    classes = [getattr(policies, each) for each in policies.__all__]
    return {
        kebab(name): constructor
        for cls in classes
        for name, constructor in cls.constructors().items()
    }


def arms(name: str, parameters: Mapping[str, Any]) -> Environment:
    """Arms from their family's name and its parameters.

    With ``random-`` before the family, `n_arms` new arms are drawn in each run. With
    ``switching-`` the first parameter has one row per environment, and `after` or `chance` says
    when they change. With ``drifting-`` the means move: in a random walk (`walk` is the standard
    deviation of a step, `low` and `high` are its walls), in waves (`amplitude`, `period`, `phase`)
    or along a `path`, with one row of means per step.

    >>> arms("gaussian", {"mean": [0.1, 0.5], "sd": 2}).variances
    array([4., 4.])
    >>> arms("random-bernoulli", {"n_arms": 10})
    RandomArms(Bernoulli, n_arms=10, low=0, high=1)
    >>> arms("switching-bernoulli", {"mean": [[0.1, 0.5], [0.5, 0.1]], "after": [1000]})
    Switching([Bernoulli(mean=[0.1, 0.5]), Bernoulli(mean=[0.5, 0.1])], after=[1000])
    >>> arms("drifting-bernoulli", {"mean": [0.1, 0.5], "walk": 0.01})
    Drifting(Bernoulli(mean=[0.1, 0.5]), RandomWalk(sd=0.01, low=0.0, high=1.0))
    """
    word, family_name = _word(name)
    family = _family(family_name)
    if word == _SWITCHING:
        return _switching(name, family, parameters)
    if word == _DRIFTING:
        return _drifting(family, parameters)
    if not word:
        return _make(kebab(family.__name__), family, _field_names(family), parameters)
    known = ["n_arms", "low", "high", *_field_names(family)[1:]]
    values = {nearest("parameter", key, known): value for key, value in parameters.items()}
    if "n_arms" not in values:
        raise InvalidValueError(
            f"{name} needs the number of arms: n_arms = 10 in a file, {name}:10 on the command "
            "line."
        )
    return RandomArms(family, **{key: number(value) for key, value in values.items()})


def _switching(name: str, family: type[Arms], parameters: Mapping[str, Any]) -> Switching:
    """Arms that switch between environments, one per row of the first parameter."""
    fields = _field_names(family)
    known = [*fields, "after", "chance"]
    values = {nearest("parameter", key, known): number(value) for key, value in parameters.items()}
    when = {key: values.pop(key) for key in ("after", "chance") if key in values}
    rows = values.get(fields[0])
    if not (isinstance(rows, list) and len(rows) > 1 and all(isinstance(r, list) for r in rows)):
        raise invalid(
            fields[0],
            rows,
            f"{name} needs a list of numbers for each of the environments that it switches "
            f"between: {fields[0]} = [[0.1, 0.5], [0.5, 0.1]] in a file, {name}:0.1,0.5/0.5,0.1 "
            "on the command line.",
        )
    for key, value in values.items():
        if isinstance(value, list) and len(value) != len(rows):
            raise invalid(key, value, f"give one entry for each of the {len(rows)} environments.")
    phases = [
        {key: value[i] if isinstance(value, list) else value for key, value in values.items()}
        for i in range(len(rows))
    ]
    return Switching([_call(kebab(family.__name__), family, [], phase) for phase in phases], **when)


def _drifting(family: type[Arms], parameters: Mapping[str, Any]) -> Drifting:
    """Arms whose means move along the path that the parameters name."""
    moving = [*_PATHS, *(name for names in _PATHS.values() for name in names)]
    fields = [field for field in _field_names(family) if field not in moving]
    values = {
        nearest("parameter", key, [*fields, *moving]): number(value)
        for key, value in parameters.items()
    }
    kinds = [kind for kind in _PATHS if kind in values]
    if len(kinds) != 1:
        raise InvalidValueError(
            "drifting arms need one of walk (the standard deviation of a random walk's steps), "
            "amplitude (of waves, with a period) and path (one row of means per step)."
        )
    rest = {key: values.pop(key) for key in list(values) if key in moving}
    start = values.get(fields[0])
    if kinds[0] == "path" and start is None and isinstance(rest["path"], list) and rest["path"]:
        values[fields[0]] = rest["path"][0]
    return Drifting(_call(kebab(family.__name__), family, [], values), _path(kinds[0], rest))


def _path(kind: str, values: dict[str, Any]) -> Path:
    """A path from its own parameters, and no others."""
    given = values.pop(kind)
    for name in values:
        if name not in _PATHS[kind]:
            message = f"{name!r} does not go with {kind}; leave out one of them."
            raise InvalidValueError(message, field=name, value=values[name])
    make = {"walk": RandomWalk, "amplitude": Wave, "path": GivenMeans}[kind]
    return _call(kind, make, [given], values)


def policy_of_text(text: str) -> Policy:
    """Parse a policy, ``name:parameter=value,parameter=value``."""
    name, _, rest = text.partition(":")
    return policy(name.strip(), parameters_of(text, rest))


def parameters_of(text: str, rest: str) -> dict[str, str]:
    """The parameters that follow the name."""
    parameters = {}
    for item in split(rest):
        key, equals, value = item.partition("=")
        if not equals:
            raise InvalidValueError(f"{text!r}: write {item!r} as parameter=value.")
        parameters[key.strip()] = value.strip()
    return parameters


def policies_of_text(text: str) -> list[Policy]:
    """Parse a comma-separated list of policies; an item with = belongs to the policy before it.

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
    """Parse arms: a family, and numbers for its first parameter or for named ones.

    >>> arms_of_text("bernoulli:0.1,0.12").means
    array([0.1 , 0.12])
    >>> arms_of_text("beta:1,2,b=3,4").means
    array([0.25      , 0.33333333])
    >>> arms_of_text("switching-gaussian:0,1/1,0,sd=1/2,after=500")
    Switching([Gaussian(mean=[0., 1.], sd=[1., 1.]), Gaussian(mean=[1., 0.], sd=[2., 2.])],
    after=[500])
    """
    name, _, rest = text.partition(":")
    name = name.strip()
    word, family_name = _word(name)
    random = word == _RANDOM
    key = "n_arms" if random else _field_names(_family(family_name))[0]
    values: dict[str, list[str]] = {}
    for item in split(rest):
        left, equals, right = item.partition("=")
        if equals:
            key = left.strip()
        values.setdefault(key, []).append((right if equals else left).strip())
    if not values:
        example = f"{name}:10" if random else f"{name}:0.1,0.2"
        raise InvalidValueError(f"{text!r} has no numbers; give at least one, such as {example}.")
    if word:
        return arms(name, {key: _rows(many) for key, many in values.items()})
    return arms(name, {key: many[0] if len(many) == 1 else many for key, many in values.items()})


def nearest(what: str, name: str, known: Iterable[str]) -> str:
    """The known name that matches, or an error that suggests the nearest ones."""
    plain = {_plain(each): each for each in known}
    if _plain(name) in plain:
        return plain[_plain(name)]
    longer = [each for each in plain if _plain(name) and each.startswith(_plain(name))]
    near = longer[:5] or difflib.get_close_matches(_plain(name), plain, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(plain[each] for each in near)}?" if near else ""
    every = f"known names are {', '.join(sorted(plain.values()))}."
    message = f"unknown {what} {name!r}; {hint or every}"
    raise UnknownNameError(message, field=what, value=name)


def number(value: Any) -> Any:
    """The value of a string: a number, a schedule, True, False, None, or the string itself.

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
    """The items of a comma-separated list, ignoring commas within parentheses."""
    return [item.strip() for item in re.split(r",(?![^(]*\))", text) if item.strip()]


def make(name: str, cls: type[Any], parameters: Mapping[str, Any]) -> Any:
    """An object of a class, from parameters that may be strings."""
    return _make(name, cls, _field_names(cls), parameters)


def _make(
    name: str, make: Callable[..., Any], known: Iterable[str], parameters: Mapping[str, Any]
) -> Any:
    if parameters and not known:
        (first, value), *_ = parameters.items()
        message = f"{name} has no parameters; {first!r} was given."
        raise InvalidValueError(message, field=first, value=value)
    values = {
        nearest(f"parameter of {name}", key, known): _value(key, value)
        for key, value in parameters.items()
    }
    return _call(name, make, [], values)


def _value(key: str, value: Any) -> Any:
    """The value of a parameter's string; errors name the parameter."""
    try:
        return number(value)
    except (InvalidValueError, UnknownNameError) as error:
        raise type(error)(f"{key} is {value!r}: {error}", field=key, value=value) from error


def _call(name: str, make: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    try:
        return make(*positional, **named)
    except TypeError as error:
        fields = _field_names(make)
        needed = ", ".join(fields) or "no parameters"
        if len(positional) > len(fields):
            given = ", ".join(map(str, positional))
            raise InvalidValueError(
                f"{name} takes {needed} and no more; {given} is given."
            ) from error
        form = f" in a file, {name}:" + ",".join(f"{field}=..." for field in fields)
        where = f": {fields[0]} = ...{form} on the command line" if fields else ""
        raise InvalidValueError(f"{name} takes {needed}; name each of them{where}.") from error


def _word(name: str) -> tuple[str, str]:
    """The prefix of a family's name, and the name without it."""
    plain = _plain(name)
    word = next((each for each in _WORDS if plain.startswith(each)), "")
    return word, plain.removeprefix(word)


def _rows(items: list[str]) -> Any:
    """Numbers in rows separated by slashes: one number, a list, or a list of lists.

    >>> _rows(["0.1"]), _rows(["0.1", "0.5"]), _rows(["1", "2/3", "4"]), _rows(["1/2"])
    ('0.1', ['0.1', '0.5'], [['1', '2'], ['3', '4']], ['1', '2'])
    """
    rows = [row.split(",") for row in ",".join(items).split("/")]
    shortened = [row[0] if len(row) == 1 else row for row in rows]
    return shortened[0] if len(rows) == 1 else shortened


def _family(name: str) -> type[Arms]:
    families = {kebab(each): family for each, family in _families().items() if _is_numbers(family)}
    return families[nearest("family", name, families)]


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
