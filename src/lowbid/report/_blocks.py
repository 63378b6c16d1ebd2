"""The parts of a page: sections of blocks, as plain data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Literal

from lowbid.report._chart import Chart
from lowbid.report._sweep_view import SweepView

Kind = Literal["good", "bad", "open", "none"]


@dataclasses.dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclasses.dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclasses.dataclass(frozen=True)
class Code:
    """Lines of code."""

    text: str


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows of cells; the first cell of a row is its name.

    Attributes
    ----------
    head : sequence of str
        The titles of the columns.
    rows : sequence of sequences of str
        The cells.
    text_columns : set of int
        The columns of text, which are aligned on the left.
    spare : sequence of str
        Titles of columns that a narrow terminal leaves out, in this order.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: frozenset[int] = frozenset()
    spare: Sequence[str] = ()


@dataclasses.dataclass(frozen=True)
class Facts:
    """A list of names and their values."""

    facts: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class ClaimEvidence:
    """One piece of evidence: what was measured, the outcome, and what it says."""

    text: str
    outcome: str
    kind: Kind


@dataclasses.dataclass(frozen=True)
class ClaimItem:
    """A claim and its verdict.

    Attributes
    ----------
    says : str
        The claim.
    place : str
        The part of the paper or of the experiment that it belongs to.
    verdict : str
        The verdict, in a word or two.
    kind : str
        The kind of verdict, which determines its colour.
    reading : str
        How the claim was made precise.
    evidence : sequence of ClaimEvidence
        The evidence that decided it.
    notes : sequence of str
        Further remarks.
    """

    says: str
    place: str
    verdict: str
    kind: Kind
    reading: str
    evidence: Sequence[ClaimEvidence]
    notes: Sequence[str] = ()


@dataclasses.dataclass(frozen=True)
class ClaimList:
    """A list of claims, with a count of each verdict."""

    claims: Sequence[ClaimItem]


@dataclasses.dataclass(frozen=True)
class Picture:
    """A drawing, for light pages and for dark ones.

    Attributes
    ----------
    key : str
        A short name.
    caption : str
        A description in a sentence or two.
    light, dark : str
        SVG with a transparent background.
    """

    key: str
    caption: str
    light: str
    dark: str


@dataclasses.dataclass(frozen=True)
class Pictures:
    """Pictures side by side, as many as there is room for."""

    pictures: Sequence[Picture]


Block = Text | Heading | Code | Table | Facts | ClaimList | Chart | Pictures | SweepView


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the page with an entry in the menu."""

    title: str
    blocks: Sequence[Block]


@dataclasses.dataclass(frozen=True)
class Page:
    """A report: a title, a short introduction, and sections."""

    title: str
    lead: str
    sections: Sequence[Section]
