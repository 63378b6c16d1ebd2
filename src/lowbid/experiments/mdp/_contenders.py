"""The rules that are compared: readings of the paper, and rivals with many constants."""

from __future__ import annotations

from typing import NamedTuple

from lowbid import mdp

# The families of rivals; each is shown with its published constants and with its best ones.
OURS = "batches"
PAIRS, GLOBAL, STATES, EPISODES = "pairs", "global", "states", "episodes"
READINGS = (PAIRS, GLOBAL, STATES, EPISODES)


class Contender(NamedTuple):
    """A rule under its name on the page.

    Attributes
    ----------
    rule : Rule
        The rule.
    family : str
        The family of rivals it belongs to; `OURS` for batches that bid.
    published : bool
        Whether its constants are those of its reference.
    """

    rule: mdp.Rule
    family: str
    published: bool = False


def reading(name: str, batches: int, padding: float = 1.0) -> str:
    """The display name of a reading."""
    return f"{name}, l = {batches}, p = {padding:g}"


def one_batch(padding: float) -> str:
    """The display name of padding without batches."""
    return f"one batch, p = {padding:g}"


def _ours() -> dict[str, Contender]:
    rule = mdp.BatchEnsembleValueIteration
    sizes = [(2, 0.5), (2, 1.0), (2, 2.0), (4, 1.0), (4, 2.0)]
    found: dict[str, mdp.Rule] = {one_batch(p): mdp.PaddedCounts(p) for p in (0.5, 1.0, 2.0)}
    found |= {reading(PAIRS, n, p): rule(n, p) for n, p in sizes}
    found |= {
        reading(name, batches): rule(batches, reading=name)  # type: ignore[arg-type]
        for batches in (2, 4)
        for name in READINGS[1:]
    }
    found["VIBE, 2nd lowest of 4"] = mdp.VIBE()
    found["batch Q-learning, l = 2"] = mdp.BatchQLearning()
    return {name: Contender(each, OURS) for name, each in found.items()}


_RIVALS: dict[str, dict[str, tuple[mdp.Rule, bool]]] = {
    "PSRL": {
        "PSRL, precision 1": (mdp.PSRL(), True),
        "PSRL, precision 10": (mdp.PSRL(precision=10.0), False),
        "PSRL, precision 100": (mdp.PSRL(precision=100.0), False),
    },
    "RLSVI": {
        "RLSVI, variance 1": (mdp.RLSVI(variance=1.0), True),
        "RLSVI, variance 0.1": (mdp.RLSVI(variance=0.1), False),
        "RLSVI, variance 0.01": (mdp.RLSVI(variance=0.01), False),
    },
    "RLSVI by Russo": {
        "RLSVI by Russo, c = 1": (mdp.RussoRLSVI(), True),
        "RLSVI by Russo, c = 1e-4": (mdp.RussoRLSVI(1e-4), False),
        "RLSVI by Russo, c = 1e-6": (mdp.RussoRLSVI(1e-6), False),
    },
    "ensemble RLSVI": {
        "ensemble RLSVI, variance 1": (mdp.EnsembleRLSVI(variance=1.0), True),
        "ensemble RLSVI, variance 0.1": (mdp.EnsembleRLSVI(variance=0.1), False),
        "ensemble RLSVI, variance 0.01": (mdp.EnsembleRLSVI(variance=0.01), False),
    },
    "LSVI-PHE": {
        "LSVI-PHE, variance 1": (mdp.LSVIPHE(variance=1.0), False),
        "LSVI-PHE, variance 0.1": (mdp.LSVIPHE(), False),
        "LSVI-PHE, variance 0.01": (mdp.LSVIPHE(variance=0.01), False),
    },
    "UCBVI": {
        "UCBVI-CH": (mdp.UCBVI("hoeffding", scale=1.0), True),
        "UCBVI-BF": (mdp.UCBVI(scale=1.0), True),
        "UCBVI-BF, c = 0.01": (mdp.UCBVI(scale=0.01), False),
        "UCBVI-BF, c = 0.001": (mdp.UCBVI(scale=0.001), False),
    },
    "EQO": {
        "EQO, c = 1": (mdp.EQO(), False),
        "EQO, c = 0.1": (mdp.EQO(0.1), False),
        "EQO, c = 0.01": (mdp.EQO(0.01), False),
    },
    "UCB-Q": {
        "UCB-Q, Hoeffding, c = 1": (mdp.UCBQ(scale=1.0), True),
        "UCB-Q, Hoeffding, c = 0.01": (mdp.UCBQ(scale=0.01), False),
        "UCB-Q, Bernstein, c = 1": (mdp.UCBQ("bernstein", scale=1.0), True),
        "UCB-Q, Bernstein, c = 0.001": (mdp.UCBQ("bernstein", scale=0.001), False),
    },
    "Q-learning": {
        "Q-learning, epsilon 0.1": (mdp.QLearning(), True),
        "optimistic Q-learning": (mdp.QLearning(epsilon=0.0, optimistic=True), False),
        "Double Q-learning": (mdp.DoubleQLearning(), True),
        "EBQL, 10 members": (mdp.EBQL(), True),
        "certainty equivalence": (mdp.CertaintyEquivalence(), True),
    },
}
RIVALS = tuple(_RIVALS)

CONTENDERS = _ours() | {
    name: Contender(rule, family, published)
    for family, rules in _RIVALS.items()
    for name, (rule, published) in rules.items()
}
DEFAULT = reading(PAIRS, 2)
_QUICK = (one_batch(1.0), DEFAULT, *(reading(name, 2) for name in READINGS[1:]))


def quick_contenders() -> dict[str, Contender]:
    """The readings with two batches, one batch, and one rule of each family of rivals."""
    firsts = {each.family: name for name, each in reversed(CONTENDERS.items())}
    names = [*_QUICK, *(firsts[family] for family in RIVALS)]
    return {name: CONTENDERS[name] for name in names}
