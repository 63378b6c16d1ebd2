"""What to run: cases, each with its arms and its policies."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from lowbid.environments import Environment
from lowbid.policies import Policy


@dataclasses.dataclass(frozen=True)
class Case:
    """One environment and the policies that are compared on it.

    Attributes
    ----------
    key : str
        A short name, also that of its files.
    title : str
        What the figure is called.
    environment : Environment
        The arms.
    policies : mapping
        The policies, by the names they have in tables and figures.
    marks : mapping
        Steps to mark in the figure, by what happens there.
    """

    key: str
    title: str
    environment: Environment
    policies: Mapping[str, Policy]
    marks: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Experiment:
    """Cases that are run alike.

    Attributes
    ----------
    title : str
        What the report is called.
    cases : tuple of Case
        What to run, one after another.
    horizon, runs, seed : int
        See `lowbid.simulate`.
    """

    title: str
    cases: tuple[Case, ...]
    horizon: int
    runs: int
    seed: int
