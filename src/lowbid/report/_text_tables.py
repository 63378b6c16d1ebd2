"""Tables as text: for a terminal, and for Markdown."""

from __future__ import annotations

from lowbid._text_table import text_table
from lowbid.report._blocks import Table


def markdown(table: Table) -> str:
    """A table as Markdown."""
    left = {0, *table.text_columns}
    marks = ["---" if i in left else "---:" for i in range(len(table.head))]
    lines = [table.head, marks, *table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain(table: Table) -> str:
    """A table for a terminal."""
    return text_table(table.head, table.rows, table.text_columns, table.spare)
