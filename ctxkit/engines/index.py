"""Index the words of stored content in SQLite's FTS5 when a search needs it.

The index contains no text, only the words of each passage, and can be deleted at any time.
"""

import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

from ctxkit.core.errors import InputOutputError, MissingDependencyError
from ctxkit.core.store.search import PassageMatch, PassageStart, TextPassage, separate_characters, split_passages
from ctxkit.core.text.lines import Read
from ctxkit.core.tools.search import DESCRIPTION_WEIGHT, NAME_WEIGHT, PARAMETER_WEIGHT, ToolText
from ctxkit.engines.database import Database

BATCH = 4 << 20
"""Bytes indexed per transaction (0.2 s), the maximum time that another search waits."""
NAME = "search.db"
"""File name in the cache directory."""
_TABLES = """
CREATE TABLE source (
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL, newlines INTEGER NOT NULL,
    whole INTEGER NOT NULL
);
CREATE TABLE passage (
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, offset INTEGER NOT NULL, size INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize="porter unicode61");
"""
_BEST = """
SELECT source.ref, passage.offset, passage.size, passage.first, passage.last, words.rank
FROM words JOIN passage ON passage.id = words.rowid JOIN source ON source.id = passage.source
WHERE words MATCH ? ORDER BY words.rank, passage.id DESC LIMIT ?
"""
Result = TypeVar("Result")


class FullTextIndex:
    """The words of stored content in a database below a directory; satisfies core.store.search.Index."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self.path = os.path.join(directory, NAME)
        self._database = Database(self.path, (_TABLES,), warn, "it is made again from what is stored")

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def missing(self, refs: Collection[str]) -> list[str]:
        """Return the refs that are not completely indexed."""
        complete_refs = self._write(lambda db: _find_complete(db, refs))
        return [ref for ref in refs if ref not in complete_refs]

    def add(self, ref: str, read: Read) -> Iterator[int]:
        """Index content, continuing an earlier search's work; yield the number of bytes of each step."""
        done = False
        while not done:
            size, done = self._write(lambda db: _index_batch(db, ref, read))
            yield size

    def search(self, expression: str, most: int) -> list[PassageMatch]:
        """Return the best passages for an FTS5 expression, including passages of removed content."""
        none: list[tuple[str, int, int, int, int, float]] = []
        rows = self._database.read(lambda db: db.execute(_BEST, (expression, most)).fetchall(), none)
        return [PassageMatch(ref, TextPassage(*place), -rank) for ref, *place, rank in rows]

    def _write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            return self._database.write(work)
        except InputOutputError as error:
            if "fts5" not in str(error):
                raise
            what = "this Python's SQLite has no FTS5, which a search needs"
            raise MissingDependencyError(what, hint="ctxkit cache get REF --grep RE works without it") from None


def _find_complete(db: sqlite3.Connection, refs: Collection[str]) -> set[str]:
    """Return the completely indexed refs; first clear an index that is mostly of removed content.

    FTS5 without the text cannot remove single passages.
    """
    known = dict(db.execute("SELECT ref, whole FROM source").fetchall())
    if 2 * len(known.keys() - set(refs)) <= len(known):
        return {ref for ref, whole in known.items() if whole}
    db.execute("DELETE FROM source")
    db.execute("DELETE FROM passage")
    db.execute("INSERT INTO words (words) VALUES ('delete-all')")
    return set()


def _index_batch(db: sqlite3.Connection, ref: str, read: Read) -> tuple[int, bool]:
    """Index the next bytes of content; return their number, and whether the end was reached."""
    db.execute("INSERT OR IGNORE INTO source (ref, bytes, newlines, whole) VALUES (?, 0, 0, 0)", (ref,))
    source, *start = db.execute("SELECT id, bytes, newlines FROM source WHERE ref = ?", (ref,)).fetchone()
    at = PassageStart(*start)
    for passage, text, following in split_passages(read, at, BATCH):
        columns = "INSERT INTO passage (source, offset, size, first, last) VALUES (?, ?, ?, ?, ?)"
        row = db.execute(columns, (source, *passage)).lastrowid
        db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, separate_characters(text)))
        at = following
    size = at.offset - start[0]
    whole = size < BATCH
    db.execute("UPDATE source SET bytes = ?, newlines = ?, whole = ? WHERE id = ?", (*at, whole, source))
    return size, whole


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
