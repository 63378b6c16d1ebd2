"""BibTeX entries of the policies that were run."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from importlib import resources

from lowbid.errors import InvalidValueError
from lowbid.policies._base import Policy

_ACCENTS = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "^": "\u0302", "~": "\u0303"}


def citation(*policies: Policy | type[Policy] | Iterable[Policy | type[Policy]]) -> str:
    r"""The BibTeX entries of policies, each once.

    Parameters
    ----------
    *policies : Policy, type, or several of them
        The policies that were run: objects or classes.

    Returns
    -------
    str
        The entries, with an empty line between them.

    Examples
    --------
    >>> import lowbid
    >>> print(lowbid.citation(lowbid.UCB1(), lowbid.UCBTuned()))
    @article{auer2002finite,
      title = {Finite-time analysis of the multiarmed bandit problem},
      author = {Auer, Peter and Cesa-Bianchi, Nicol{\`o} and Fischer, Paul},
      journal = {Machine Learning},
      volume = {47},
      year = {2002},
    }
    """
    entries = [entry for policy in _all(policies) for entry in entries_of(policy)]
    return "\n\n".join(dict.fromkeys(entries))


def _all(policies: Iterable[object]) -> Iterable[Policy]:
    for policy in policies:
        if isinstance(policy, Policy):
            yield policy
        elif isinstance(policy, type) and issubclass(policy, Policy):
            yield from policy.variants()
        elif isinstance(policy, Iterable) and not isinstance(policy, str):
            yield from _all(policy)
        else:
            raise InvalidValueError(
                f"{policy!r} is not a policy; give an object such as UCB1(), a class such as "
                "UCB1, or a list of them."
            )


def entries_of(policy: Policy) -> list[str]:
    """The BibTeX entries of a policy."""
    cite = policy.about.cite
    return _entries_in(cite) if cite.startswith("@") else [_known()[key] for key in cite.split(",")]


@functools.cache
def _known() -> dict[str, str]:
    """The entries of references.bib by their keys."""
    text = (resources.files("lowbid") / "references.bib").read_text(encoding="utf-8")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in _entries_in(text)}


def _entries_in(text: str) -> list[str]:
    return [entry.strip() for entry in re.split(r"\n(?=@)", text)]


def reference(policy: Policy) -> str:
    r"""The authors and the year of a policy's last entry, in short.

    >>> import lowbid
    >>> reference(lowbid.UCB1()), reference(lowbid.IMED.bernoulli())
    ('Auer, Cesa-Bianchi, Fischer 2002', 'Honda, Takemura 2015')
    """
    entry = entries_of(policy)[-1]
    authors = re.search(r"author\s*=\s*{(.*?)},\s*\n", entry, re.DOTALL)
    year = re.search(r"year\s*=\s*{(\d+)}", entry)
    if authors is None or year is None:
        return ""
    names = [name.partition(",")[0].strip() for name in re.split(r"\s+and\s+", authors[1])]
    shown = ", ".join(names) if len(names) <= 3 else f"{names[0]} and others"
    return f"{_without_tex(shown)} {year[1]}"


def _without_tex(text: str) -> str:
    accented = re.sub(r"{\\(.){?(\w)}?}", lambda found: found[2] + _ACCENTS.get(found[1], ""), text)
    return unicodedata.normalize("NFC", re.sub(r"[{}\\]", "", accented))
