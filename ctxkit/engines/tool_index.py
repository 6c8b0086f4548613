"""Score tool definitions for a word by BM25, in an FTS5 table in memory."""

import sqlite3
from collections.abc import Sequence

from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.tools.search import DESCRIPTION_WEIGHT, NAME_WEIGHT, PARAMETER_WEIGHT, ToolText

_TABLE = 'CREATE VIRTUAL TABLE tool USING fts5(name, description, parameters, tokenize="porter unicode61")'
_ADD = "INSERT INTO tool (rowid, name, description, parameters) VALUES (?, ?, ?, ?)"
_SCORE = (
    f"SELECT rowid, bm25(tool, {NAME_WEIGHT}, {DESCRIPTION_WEIGHT}, {PARAMETER_WEIGHT}) FROM tool WHERE tool MATCH ?"
)


class ToolIndex:
    """The words of definitions, stemmed by Porter's algorithm."""

    def __init__(self, texts: Sequence[ToolText]) -> None:
        """Index definitions; raise MissingDependencyError if SQLite has no full-text search."""
        self._connection = sqlite3.connect(":memory:")
        try:
            self._connection.execute(_TABLE)
        except sqlite3.OperationalError as error:
            raise MissingDependencyError(f"full-text search is not available: {error}") from None
        self._connection.executemany(_ADD, ((at, *text) for at, text in enumerate(texts)))

    def close(self) -> None:
        """Close the table."""
        self._connection.close()

    def score(self, word: str) -> dict[int, float]:
        """Return the score of each definition that contains a word, by its index."""
        quoted = '"' + word.replace('"', '""').replace("\0", " ") + '"'
        return {rowid: -rank for rowid, rank in self._connection.execute(_SCORE, (quoted,))}
