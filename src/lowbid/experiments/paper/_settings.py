"""Details that the paper leaves open, each as a named setting with a default.

The first choice of a setting is the default: the one that fits the paper's text best. The report
shows the results of the other choices.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from lowbid.errors import InvalidValueError
from lowbid.experiments.names import nearest


@dataclasses.dataclass(frozen=True)
class Choice:
    """One answer to a setting's question.

    Attributes
    ----------
    key, text : str
        The text to type, and its meaning.
    most_runs : int or None
        The largest feasible number of runs, if smaller than for the other choices.
    """

    key: str
    text: str
    most_runs: int | None = None


@dataclasses.dataclass(frozen=True)
class Setting:
    """A detail that the paper's text leaves open."""

    key: str
    question: str
    why: str
    choices: tuple[Choice, ...]

    @property
    def default(self) -> str:
        """The choice made if none is given."""
        return self.choices[0].key

    def choice(self, key: str) -> Choice:
        """One of the choices, by its key."""
        return next(choice for choice in self.choices if choice.key == key)


SETTINGS = (
    Setting(
        "schedule",
        "How many batches does the ensemble have at step t?",
        "The text gives no constant for its experiments; it says that the number grows after about "
        "800 steps. floor(0.3 log t) grows from 1 to 2 at step 786. floor(0.6 log t) grows there "
        "too, from 3 to 4. The theorem's 8 log t comes to 61 batches at step 2000.",
        (
            Choice("0.3log", "floor(0.3 log t), at least 1"),
            Choice("0.6log", "floor(0.6 log t), at least 1"),
            Choice("log", "floor(log t), at least 1"),
            Choice("8log", "ceil(8 log t), the theorem's"),
        ),
    ),
    Setting(
        "ties",
        "Which arm of several does the ensemble play when their indices are equal?",
        "The text does not say. The first arm is the best one in tests 1 and 2, so that playing "
        "the first can help there, and nowhere else.",
        (Choice("random", "one of them at random"), Choice("first", "the first of them")),
    ),
    Setting(
        "exponential",
        "Is the random number of test 5 an exponential arm's mean or its rate?",
        "The text calls it a scale and says that the mean is one over it. With rates, means of "
        "1/U have no expectation, and a few runs decide the average.",
        (Choice("mean", "its mean"), Choice("rate", "its rate, so the mean is one over it")),
    ),
    Setting(
        "beta",
        "Which beta arms does the sixth test have?",
        "The published version has beta arms in place of the exponential ones. Their parameters "
        "are not known to us, so these are ours.",
        (
            Choice("a-uniform", "Beta(a, 1) with a uniform on [0, 1]"),
            Choice("b-large", "Beta(a, 5) with a uniform on [0, 5]"),
        ),
    ),
    Setting(
        "ucb",
        "How wide is UCB's interval?",
        "The text gives no constant; the first is the textbook's for losses in [0, 1]. For "
        "Gaussian arms of variance 1 it is also what UCB-KL does.",
        (
            Choice("textbook", "sqrt(2 log t / n)"),
            Choice("tight", "sqrt(log t / (2 n)), half as wide"),
        ),
    ),
    Setting(
        "ucbv",
        "Which constants does UCB-V have?",
        "The text gives none. The first are usual in code, the second are those of a proof, and "
        "the third are tighter than any proof allows.",
        (
            Choice("usual", "zeta = 1, c = 1"),
            Choice("proof", "zeta = 1.2, c = 1"),
            Choice("tight", "zeta = 1, c = 1/3"),
        ),
    ),
    Setting(
        "kl",
        "How fast does UCB-KL's exploration grow?",
        "The text does not say: log t is usual in practice, the other is in the proofs.",
        (Choice("log", "log t"), Choice("loglog", "log t + 3 log log t")),
    ),
    Setting(
        "kl-gaussian",
        "Which divergence does UCB-KL use for Gaussian arms?",
        "The text does not say. With the known variance of 1, UCB-KL and the textbook's UCB are "
        "one and the same rule, though the paper's figure shows two curves.",
        (
            Choice("known", "the Gaussian one, variance 1 known"),
            Choice("unknown", "the Gaussian one, variance unknown"),
        ),
    ),
    Setting(
        "kl-exponential",
        "Which divergence does UCB-KL use for exponential arms?",
        "The text does not say.",
        (
            Choice("exponential", "the exponential one"),
            Choice("gaussian", "the Gaussian one, variance 1"),
        ),
    ),
    Setting(
        "mars",
        "Which confidence level does MARS have?",
        "The text does not say, but its O(T^2) running time fits one subset per step: "
        "delta = 1/T. The authors of MARS use 1/1000 in their experiments at the same horizon.",
        (
            Choice("1/T", "delta = 1/T: T subsets"),
            Choice("1/1000", "delta = 1/1000: 1000 subsets"),
            Choice("1/T^2", "delta = 1/T^2: T^2 subsets", most_runs=4),
        ),
    ),
)

Chosen = dict[str, str]


def defaults() -> Chosen:
    """The default choice of every setting."""
    return {setting.key: setting.default for setting in SETTINGS}


def choose(texts: Iterable[str]) -> Chosen:
    """The settings, changed by strings such as ``ties=first``.

    >>> choose(["ties=first"])["ties"]
    'first'
    """
    chosen = defaults()
    by_key = {setting.key: setting for setting in SETTINGS}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidValueError(f"{text!r} is not a setting; write it as setting=choice.")
        setting = by_key[nearest("setting", name, by_key)]
        known = [choice.key for choice in setting.choices]
        chosen[setting.key] = nearest(f"choice of {setting.key}", value, known)
    return chosen
