"""Search stored content: split it into passages, parse queries, and format hits."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from ctxkit.core.errors import DamagedContentError, NotStoredError
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import Store, open_as_utf8
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import Read

MIN_PASSAGE, MAX_PASSAGE = 2_048, 8_192
"""Size of a passage in bytes: it ends at the first newline after the minimum, or between words before the maximum."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Thai, Lao, Burmese, Khmer, kana, Han and Hangul: scripts written with few spaces or none."""
_TERM = re.compile(r'"([^"]*)"?|(\S+)')
_WORD = re.compile(r"\w+")
SHOWN_WIDTH = 200
"""Maximum number of characters of a line in a hit."""


class TextPassage(NamedTuple):
    """Position of a passage: ``size`` bytes from ``offset``, lines ``first`` to ``last`` (1-based)."""

    offset: int
    size: int
    first: int
    last: int


class PassageMatch(NamedTuple):
    """A passage that matches a query, and its score; a higher score is better."""

    ref: str
    passage: TextPassage
    score: float


class Hit(NamedTuple):
    """A matching passage, shown by its line with the most words of the query."""

    ref: str
    passage: TextPassage
    score: float
    line: int
    text: str


class SearchScope(NamedTuple):
    """What a search covers: the content of a session if there is one, and that of a project without another session.

    ``with_unknown`` adds content of no known project, such as that of ctxkit 0.1.0.
    """

    project: str
    session: str = ""
    with_unknown: bool = False

    def includes(self, label: Label) -> bool:
        """Return whether content with this label is searched."""
        if self.session and label.session:
            return label.session == self.session
        return self.project in label.project.split() or (self.with_unknown and not label.project)


class Index(Protocol):
    """Index of the words in passages of stored content."""

    def missing(self, refs: Collection[str]) -> list[str]:
        """Return the refs that are not completely indexed."""

    def add(self, ref: str, read: Read) -> Iterator[int]:
        """Index content, and yield the number of bytes of each step."""

    def search(self, expression: str, most: int) -> list[PassageMatch]:
        """Return the best passages for an FTS5 expression, including passages of removed content."""


class PassageStart(NamedTuple):
    """Start of a passage: the number of bytes and newlines before it."""

    offset: int = 0
    newlines: int = 0


def split_passages(read: Read, start: PassageStart, most: int) -> Iterator[tuple[TextPassage, str, PassageStart]]:
    """Yield passages from ``start`` with their text and the start of the next passage, up to ``most`` bytes."""
    at, newlines = start
    while at - start.offset < most and (data := read(at, MAX_PASSAGE)):
        piece = data[: _passage_end(data)]
        inside = piece.count(b"\n")
        last = newlines + inside + (not piece.endswith(b"\n"))
        passage = TextPassage(at, len(piece), newlines + 1, last)
        at, newlines = at + len(piece), newlines + inside
        yield passage, piece.decode("utf-8", "replace"), PassageStart(at, newlines)


def _passage_end(data: bytes) -> int:
    """Return the end of the passage at the beginning of ``data``; the end of ``data`` if it is shorter."""
    if len(data) < MAX_PASSAGE:
        newline = data.find(b"\n", MIN_PASSAGE)
        return newline + 1 if newline >= 0 else len(data)
    newline = data.find(b"\n", MIN_PASSAGE)
    if newline >= 0:
        return newline + 1
    newline = data.rfind(b"\n", 1)
    return newline + 1 if newline >= 0 else _word_boundary(data)


def _word_boundary(data: bytes) -> int:
    """Return an offset near the end of ``data`` that splits neither a word nor a character."""
    for at in range(len(data) - 1, len(data) // 2, -1):
        byte = data[at]
        if byte < 0x80 and not (chr(byte).isalnum() or byte == 0x5F):
            return at + 1
    for at in range(len(data) - 1, len(data) - 4, -1):
        if data[at] & 0xC0 != 0x80:
            return at
    return len(data)


def separate_characters(text: str) -> str:
    """Return text with each character of a script without spaces as a separate word."""
    return text if text.isascii() else _UNSPACED.sub(r" \g<0> ", text)


def parse_terms(query: str) -> list[str]:
    """Return the terms of a query, each as a phrase in the syntax of SQLite's FTS5.

    A term is a word or several words in double quotes; ``word*`` matches any word with this prefix. Punctuation inside
    a term separates its words. Terms without a letter or digit are dropped.
    """
    terms = []
    for phrase, word in _TERM.findall(query):
        text = separate_characters((phrase or word).replace('"', " "))
        if _WORD.search(text):
            terms.append(f'"{text.rstrip("*")}"' + ("*" if word.endswith("*") else ""))
    return terms


def parse_words(query: str) -> list[str]:
    """Return the words of a query in lower case."""
    return list(dict.fromkeys(_WORD.findall(separate_characters(query).lower())))


def find_best_line(lines: Sequence[str], words: Sequence[str]) -> int:
    """Return the index of the line that contains the most words, the first of equals."""
    stems = [word if len(word) < 5 else word[:-2] for word in words]

    def count_words(line: str) -> int:
        """Return how many words of the query a line contains."""
        low = line.lower()
        return sum((word in low) + (stem in low) for word, stem in zip(words, stems, strict=True))

    return max(range(len(lines)), key=lambda at: (count_words(lines[at]), -at))


def excerpt_line(line: str, words: Sequence[str]) -> str:
    """Return a line for output; shorten a long line to the part around the first of the words."""
    text = strip_escapes(line).strip()
    if len(text) <= SHOWN_WIDTH:
        return text
    low = text.lower()
    offsets = [at for at in (low.find(word) for word in words) if at >= 0]
    start = max(min(offsets, default=0) - SHOWN_WIDTH // 4, 0)
    end = start + SHOWN_WIDTH
    return ("... " if start else "") + text[start:end].strip() + (" ..." if end < len(text) else "")


def index_missing(index: Index, store: Store, refs: Collection[str]) -> Iterator[int]:
    """Index the stored content that is not indexed yet, and yield the number of bytes of each step."""
    for ref in index.missing(refs):
        with suppress(NotStoredError, DamagedContentError):  # removed meanwhile, or set aside
            yield from index.add(ref, open_as_utf8(store.open(ref, quietly=True))[0])


def find_hits(index: Index, store: Store, refs: Collection[str], query: str, limit: int) -> tuple[list[Hit], bool]:
    """Return the best passages of ``refs``, and whether they contain only some terms of the query.

    Return passages that contain any term only if no passage contains every term.
    """
    terms, words = parse_terms(query), parse_words(query)
    matches = _find_passages(index, " AND ".join(terms), refs, limit)
    is_partial = not matches and len(terms) > 1
    if is_partial:
        matches = _find_passages(index, " OR ".join(terms), refs, limit)
    shown_hits = [hit for place in matches if (hit := _make_hit(store, place, words))]
    return shown_hits, bool(is_partial and shown_hits)


def _find_passages(index: Index, expression: str, refs: Collection[str], limit: int) -> list[PassageMatch]:
    """Return the best passages of ``refs``; repeat with a higher limit if other refs take up the results."""
    most = limit
    while True:
        matches = index.search(expression, most)
        ref_matches = [place for place in matches if place.ref in refs]
        if len(ref_matches) >= limit or len(matches) < most:
            return ref_matches[:limit]
        most *= 10


def _make_hit(store: Store, match: PassageMatch, words: Sequence[str]) -> Hit | None:
    """Return a passage as a hit, or None if its content was removed meanwhile or is damaged."""
    try:
        read, _ = open_as_utf8(store.open(match.ref))
    except (NotStoredError, DamagedContentError):
        return None
    lines = read(match.passage.offset, match.passage.size).decode("utf-8", "replace").split("\n")
    at = find_best_line(lines, words)
    return Hit(*match, match.passage.first + at, excerpt_line(lines[at], words))


def group_by_ref(search_hits: Iterable[Hit]) -> dict[str, list[Hit]]:
    """Return hits by ref, the best content first; the hits of each ref are sorted by line, without duplicates."""
    groups: dict[str, dict[int, Hit]] = {}
    for hit in search_hits:
        groups.setdefault(hit.ref, {}).setdefault(hit.line, hit)
    return {ref: [group[line] for line in sorted(group)] for ref, group in groups.items()}
