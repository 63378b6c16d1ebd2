"""The reference: a page for each part of the public API, and one for each policy.

What is public is read from the package (`lowbid.__all__` and the `__all__` of its parts), so a new
name has its place without a line here.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import standard_problem

import lowbid
from lowbid import policies

FOLDER = "reference"
# Parts with a page, in the order of the navigation, and what they are called there; the other
# public modules follow by name.
TITLES = {
    "online": "Bandit",
    "shared": "Shared bandits",
    "stores": "Stores",
    "client": "HTTP client",
    "service": "HTTP service",
    "logs": "Logs",
    "offline": "Offline evaluation",
    "simulation": "Simulation",
    "policies": "Policies",
    "environments": "Environments",
    "schedules": "Schedules",
    "mdp": "MDPs",
    "mdp.deep": "Deep agents",
    "theory": "Theory",
    "experiments.sweeps": "Sweeps",
    "validation": "Validation",
    "adapters": "Adapters",
    "testing": "Conformance kits",
    "kernels": "Kernels",
    "random": "Random numbers",
    "errors": "Errors",
}
# Where to go on from a part's page; from the others, to the tutorial.
NEXT = {
    "online": "[choose and learn](../how-to/choose-and-learn.md) with a bandit of your own",
    "shared": "[share a bandit between processes](../how-to/share-between-processes.md)",
    "stores": "[share a bandit between processes](../how-to/share-between-processes.md)",
    "client": "[serve decisions over HTTP](../how-to/serve-decisions.md)",
    "service": "[serve decisions over HTTP](../how-to/serve-decisions.md)",
    "logs": "[learn from a log](../how-to/learn-from-a-log.md)",
    "offline": "[ask what would have happened](../what-if.md) under another policy",
    "simulation": "[read the intervals](../reading-the-intervals.md) of a simulation",
    "policies": "[choose a policy](../which-policy.md)",
    "environments": "[try policies on your numbers](../which-policy.md#try-it-on-your-numbers)",
    "schedules": "[how many batches to use](../batch-ensemble.md)",
    "mdp": "[episodes](../mdp.md), with rules and environments to compare",
    "mdp.deep": "[deep agents](../mdp-deep.md) on DeepSea and in Gymnasium",
    "theory": "[what the paper says, what we found](../the-paper.md)",
    "experiments.sweeps": "[run a sweep](../sweeps.md)",
    "validation": "[validation against published results](../validation.md)",
    "adapters": "[use a policy in river](../coming-from/river.md), or one of river here",
    "testing": "[write a policy of your own](../your-own-policy.md), and test it with these kits",
    "kernels": "[write a policy of your own](../your-own-policy.md)",
    "random": "[write a policy of your own](../your-own-policy.md)",
    "errors": "[units and signs](../how-to/units-and-signs.md), and which outcomes are refused",
}
TUTORIAL = "[the tutorial](../tutorial.md)"
# Public names of the policies' module beside the policies.
OTHERS = ("Policy", "About", "Kernels", "Constructor", "citation")
# Members that come from a base class are shown where the class is used through them.
INHERITED = {"Bandit", "SharedBandit"}


def parts() -> dict[str, str]:
    """The public modules by name, with the titles of their pages."""
    public = [name for name in lowbid.__all__ if inspect.ismodule(getattr(lowbid, name))]
    names = [*TITLES, *(name for name in public if name not in TITLES)]
    return {name: TITLES.get(name, name.capitalize()) for name in names}


def pages() -> dict[str, str]:
    """Every page of the reference, by its path under docs/."""
    made = {f"{FOLDER}/index.md": _with_next(_index(), TUTORIAL)}
    for name, title in parts().items():
        page = SPECIAL.get(name, _page)(name, title)
        made[f"{FOLDER}/{name}.md"] = _with_next(page, NEXT.get(name, TUTORIAL))
    for name in policies.__all__:
        made[_path(name)] = _with_next(_policy(name), _after(name))
    return made


def navigation() -> list[Any]:
    """The lines of the navigation."""
    lines: list[Any] = []
    for name, title in parts().items():
        if name != "policies":
            lines.append({title: f"{FOLDER}/{name}.md"})
            continue
        each = [{policy: _path(policy)} for policy in sorted(policies.__all__, key=str.lower)]
        lines.append({title: [f"{FOLDER}/{name}.md", *each]})
    return [{"API": [f"{FOLDER}/index.md", *lines]}]


def page_of(path: str) -> str | None:
    """The page on what a file of the package defines, if it is a policy's."""
    if path.startswith("src/lowbid/policies/"):
        module = Path(path).stem
        for name in policies.__all__:
            if getattr(policies, name).__module__.endswith(f".{module}"):
                return _path(name)
    return None


def public_paths() -> dict[str, str]:
    """Where the reference shows each public name, for links; names that are not unique are out."""
    paths: dict[str, list[str]] = {}
    for part in parts():
        module = _module(part)
        names = [*OTHERS, *policies.__all__] if part == "policies" else _public_names(module)
        for path in adapters() if part == "adapters" else ():
            paths.setdefault(path.rpartition(".")[2], []).append(path)
        for name in names:
            if not inspect.ismodule(getattr(module, name)):
                paths.setdefault(name, []).append(f"{module.__name__}.{name}")
    return {name: found[0] for name, found in paths.items() if len(found) == 1}


def _with_next(page: str, step: str) -> str:
    return f"{page.rstrip()}\n\n{_as_one_word(page)}**Next:** {step}.\n"


def _as_one_word(page: str) -> str:
    """The names on a page as search finds no others: it splits BetaThompson, not betathompson."""
    names = re.findall(r"^::: \S*?(\w*[a-z][A-Z]\w*)$", page, re.MULTILINE)
    return f"<p hidden>{' '.join(name.lower() for name in names)}</p>\n\n" if names else ""


def _after(policy: str) -> str:
    """Where to go on from a policy's page: to where it is compared with others."""
    if getattr(policies, policy).variants()[0].about.family == "forgetting":
        return f"[compare {policy} with others](../../changing-arms.md) on arms that change"
    if policy == "BatchEnsemble":
        return "[how Batch Ensemble works](../../batch-ensemble.md), and how many batches to use"
    return f"[compare {policy} with the others](../../league.md) in the league"


def _path(policy: str) -> str:
    return f"{FOLDER}/policies/{policy}.md"


def _index() -> str:
    lines = [
        "# API reference",
        "",
        "The whole public API, from its docstrings. `import lowbid` provides `Bandit`, `open`, "
        "`Client`, `simulate`, `read_log`, `evaluate`, `replay`, policies and environments; "
        "the rest is in modules such as `lowbid.schedules`.",
        "",
        "| part | what is in it |",
        "| --- | --- |",
    ]
    for name, title in parts().items():
        about = (_module(name).__doc__ or "").strip().splitlines()[0]
        lines.append(f"| [{title}]({name}.md) | {about} |")
    return "\n".join(lines)


def _page(name: str, title: str) -> str:
    module = _module(name)
    lines = [f"# {title}", "", *_introduction(module)]
    for public in _main_ones_first(module, _public_names(module)):
        lines += _entry(module, public)
    return "\n".join(lines)


def _main_ones_first(module: ModuleType, names: list[str]) -> list[str]:
    """Names that `import lowbid` provides come first, and functions before classes."""
    main = [name for name in names if name in lowbid.__all__]
    if len(main) == len(names):
        return names
    main.sort(key=lambda name: inspect.isclass(getattr(module, name)))
    return [*main, *(name for name in names if name not in main)]


def _introduction(module: ModuleType) -> list[str]:
    return [inspect.cleandoc(module.__doc__ or ""), ""]


def _entry(module: ModuleType, name: str) -> list[str]:
    """A name; for a module within a module, all that it defines."""
    if not inspect.ismodule(getattr(module, name)):
        inherited = ["    options:", "      inherited_members: true"] if name in INHERITED else []
        return [f"::: {module.__name__}.{name}", *inherited, ""]
    inner = getattr(module, name)
    lines = [f"## {inner.__name__}", "", *_introduction(inner)]
    for public in _public_names(inner):
        lines += [f"::: {inner.__name__}.{public}", "    options:", "      heading_level: 3", ""]
    return lines


def adapters() -> list[str]:
    """The paths of all adapters. Their modules are not imported: each needs its library."""
    folder = Path(_module("adapters").__path__[0])
    return [
        f"lowbid.adapters.{file.stem}.{node.name}"
        for file in sorted(folder.glob("[!_]*.py"))
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def _page_of_adapters(name: str, title: str) -> str:
    entries = [f"::: {path}\n" for path in adapters()]
    return "\n".join([f"# {title}", "", *_introduction(_module(name)), *entries])


def _page_of_policies(_name: str, _title: str) -> str:
    regret = {name: standard_problem.final_regret(name) for name in policies.__all__}
    lines = ["# Policies", "", *_introduction(policies)]
    lines += [
        f"Each policy's page has its picture on one standard problem. {standard_problem.CAPTION}"
    ]
    lines += ["", "| policy | family | must know | regret |", "| --- | --- | --- | ---: |"]
    for name in sorted(policies.__all__, key=lambda name: (regret[name], name)):
        about = getattr(policies, name).variants()[0].about
        row = (f"[{name}](policies/{name}.md)", about.family, about.needs, f"{regret[name]:.0f}")
        lines.append(f"| {' | '.join(row)} |")
    lines += ["", standard_problem.NOTE]
    lines += ["", *(f"::: lowbid.policies.{name}\n" for name in OTHERS)]
    return "\n".join(lines)


def _policy(name: str) -> str:
    about = getattr(policies, name).variants()[0].about
    return "\n".join(
        [
            f"# {name}",
            "",
            standard_problem.figure(name),
            "",
            f"| family | {about.family} |",
            "| --- | --- |",
            f"| must know | {about.needs} |",
            f"| time per step | {about.time} |",
            f"| memory | {about.memory} |",
            f"| guarantee | {about.guarantee} |",
            f"| pending decisions | {about.pending} |",
            "",
            f"::: lowbid.policies.{name}",
        ]
    )


SPECIAL = {"policies": _page_of_policies, "adapters": _page_of_adapters}


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"lowbid.{name}")


def _public_names(module: ModuleType) -> list[str]:
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and (inspect.isclass(value) or inspect.isfunction(value))
    ]
