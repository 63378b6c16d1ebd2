"""Play every rule in every environment; each result has its own file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from lowbid import mdp
from lowbid._compile import Kernel
from lowbid.experiments._claim_folder import claimed
from lowbid.experiments._on_file import on_file
from lowbid.experiments.mdp._contenders import Contender
from lowbid.experiments.mdp._places import Place
from lowbid.experiments.names import kebab
from lowbid.simulation import Result

Trials = Mapping[tuple[str, str], Result]  # by environment and rule


class Trial(NamedTuple):
    """One rule in one environment."""

    key: str
    place: Place
    name: str
    contender: Contender
    runs: int
    seed: int

    def play(self, model: mdp.Tabular, workers: int | None) -> Result:
        """Simulate the rule in the environment."""
        return mdp.simulate(
            {self.name: self.contender.rule},
            model,
            self.place.episodes,
            self.runs,
            self.seed,
            workers=workers,
            progress=f"{self.key}, {self.name}",
        )

    def file_name(self, model: mdp.Tabular) -> str:
        """A name that changes with everything the result depends on."""
        rule = self.contender.rule
        parts = [
            rule.identity,
            repr(model.describe()),
            f"{self.place.episodes} {self.runs} {self.seed}",
            *(each.digest for each in rule.functions if isinstance(each, Kernel)),
        ]
        digest = hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
        return f"{kebab(self.key)}-{digest}.npz"


def trials(
    places: Mapping[str, Place], contenders: Mapping[str, Contender], runs: int, seed: int = 0
) -> list[Trial]:
    """All rules in all environments, one environment after the other."""
    return [
        Trial(key, place, name, contender, runs, seed)
        for key, place in places.items()
        for name, contender in contenders.items()
    ]


def play(
    todo: list[Trial],
    folder: Path,
    workers: int | None = None,
    say: Callable[[str], None] = print,
) -> dict[tuple[str, str], Result]:
    """The result of every trial; those already in the folder are read, not played."""
    outcomes = {}
    with claimed(folder):
        (folder / "data").mkdir(parents=True, exist_ok=True)
        model, last = None, ""
        for number, trial in enumerate(todo, start=1):
            if model is None or trial.key != last:
                model, last = trial.place.make(), trial.key
            path = folder / "data" / trial.file_name(model)
            result = on_file(path)
            if result is None:
                result = trial.play(model, workers)
                result.save(path)
                regret = result.regret[0, :, -1].mean()
                say(f"{number}/{len(todo)}  {trial.key}: {trial.name} {regret:,.1f}")
            outcomes[trial.key, trial.name] = result
    return outcomes
