"""Tables as text: for a terminal, and for Markdown."""

from __future__ import annotations

from lowbid.report._blocks import Table


def markdown(table: Table) -> str:
    """A table as Markdown."""
    left = {0, *table.text_columns}
    marks = ["---" if i in left else "---:" for i in range(len(table.head))]
    lines = [table.head, marks, *table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain(table: Table) -> str:
    """A table for a terminal."""
    columns = list(zip(*[table.head, *table.rows], strict=True))
    widths = [max(map(len, column)) for column in columns]
    left = {0, *table.text_columns}
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [table.head, *table.rows]
    )
