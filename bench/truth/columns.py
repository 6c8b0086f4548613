"""Columns that a map claims: most cells below their names hold something."""

import re

from bench.truth.source_text import SourceText
from bench.truth.statements import Statement

COLUMNS = re.compile(r"^[\d,]+ rows?(?: \([^)]*\))?, \d+ columns?: (?P<names>.+)$")
LEAST_FILLED = 0.55
"""Minimum share of the cells of a table that are not empty."""


def check_columns(statement: Statement, source: SourceText) -> str:
    """Return why `N rows, M columns: NAME, NAME` is not so: too few cells below the names hold something."""
    match = COLUMNS.match(statement.text)
    if not match:
        return ""
    names = [name for name in match["names"].split(", ") if name]
    header = source.visible_lines[statement.start - 2] if statement.start > 1 else ""
    shouted = len(names) > 2 and header == header.upper()
    starts = [header.find(name.rstrip(".")) for name in names]
    if len(names) < 2 or shouted or "+" in names[-1] or -1 in starts[1:]:
        return ""
    rows = [row for row in source.visible_lines[statement.start - 1 : statement.end] if re.search(r"\w", row)]
    apart = r" {2,}|\t+" if any(" " in name for name in names) else r"\s+"
    ends = [*starts[1:], 10_000]
    filled = 0
    for row in rows:
        cells = sum(bool(row[max(start, 0) : end].strip()) for start, end in zip(starts, ends, strict=True))
        filled += len(names) if len(re.split(apart, row.strip())) >= len(names) else cells
    share = filled / max(len(rows) * len(names), 1)
    return f"{share:.0%} of the cells hold something" if share < LEAST_FILLED else ""
