"""The input of a briefing: its lines, its name, and the services to count tokens and parse code."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.tokens.vocabulary import Tokenizer

HEAD_BYTES = 65_536
"""Number of bytes from the beginning that detection reads."""
_TRACEBACK_CHARACTERS = 400
"""Number of first characters in which a traceback begins."""
_TRACEBACK = compile_lazily(r"^[ \t|+]*(?:Exception Group )?Traceback \(most recent call last\):", re.MULTILINE)
"""Pattern of the first line of a traceback, also in the box of a group; not in a cell of CSV."""
TAIL_BYTES = 16_384
"""Number of bytes from the end that detection reads."""
ROOMY_TARGET = 700
"""Target in tokens from which a generic map has both commands of the hint; the second takes about 30 tokens."""


@dataclass(frozen=True, slots=True)
class Definition:
    """Hold the name and the line range of a definition in source code.

    ``kind`` is the language's term ("class", "function"). ``signature`` is its first lines joined into one line.
    ``doc`` is the first line of its docstring. ``depth`` is its nesting level, 0 at the top. ``fields`` are the fields
    of a type, or the values of an enumeration.
    """

    name: str
    kind: str
    start: int
    end: int
    depth: int
    signature: str
    doc: str = ""
    fields: tuple[str, ...] = ()


class MissingGrammar(tuple[Definition, ...]):
    """No definitions, because the grammar of the language is not installed; ``package`` contains it."""

    package: str

    @classmethod
    def of(cls, package: str) -> "MissingGrammar":
        """Return no definitions for lack of a package."""
        missing = cls()
        missing.package = package
        return missing


Parser = Callable[[bytes, str], "Sequence[Definition] | None"]
"""Return the definitions in source code of a language.

Return None if it cannot be parsed, and MissingGrammar if a package that is not installed would parse it.
"""


def parse_nothing(data: bytes, language: str) -> None:
    """Return None: this is the parser if no grammars are installed."""
    del data, language


@dataclass(frozen=True)
class InputDocument:
    """Hold a document with its name, its token target, and the functions to count tokens and parse code.

    ``target`` is the maximum size of the briefing in tokens. ``content_type`` is the value of --type, or empty.
    ``focus`` is the text that the caller is looking for. ``frame_tokens`` is the size of the shortest header and hint.
    """

    lines: IndexedLines
    read: Callable[[int, int], bytes]
    count: Tokenizer
    target: int
    name: str = ""
    content_type: str = ""
    parse: Parser = field(default=parse_nothing)
    focus: str = ""
    frame_tokens: int = 100

    @cached_property
    def head(self) -> str:
        """Return the first 64 KB as text."""
        return self.read(0, HEAD_BYTES).decode("utf-8", "replace")

    @cached_property
    def head_lines(self) -> list[str]:
        """Return the complete lines of the head, without a byte order mark and carriage returns."""
        return self.split_head(self.head.removeprefix("\ufeff").replace("\r", ""))

    def split_head(self, text: str) -> list[str]:
        """Return the lines of the head, of which ``text`` is a cleaned copy, without a last one that is cut off."""
        lines = text.split("\n")
        return lines[:-1] if self.lines.size > HEAD_BYTES and len(lines) > 1 else lines

    @property
    def begins_with_traceback(self) -> bool:
        """Return whether the first lines are those of a traceback, whose frames are neither rows nor records."""
        return _TRACEBACK.search(self.head, 0, _TRACEBACK_CHARACTERS) is not None

    @cached_property
    def tail(self) -> str:
        """Return the last 16 KB as text, from the first complete line."""
        start = max(self.lines.size - TAIL_BYTES, 0)
        data = self.read(start, TAIL_BYTES)
        if start and self.read(start - 1, 1) != b"\n":
            data = data[data.find(b"\n") + 1 :]
        return data.decode("utf-8", "replace")

    @property
    def suffix(self) -> str:
        """Return the extension of the name in lower case, without its dot."""
        base = self.name.rpartition("/")[2]
        return base.rpartition(".")[2].lower() if "." in base else ""


def count_matching(match: Callable[[str], re.Match[str] | None], lines: Iterable[str]) -> int:
    """Return how many lines match a pattern."""
    return sum(map(bool, map(match, lines)))


_WINDOWS = 8
"""Number of places that are read besides the head."""
_WINDOW_BYTES = 8_192
"""Number of bytes read at each place."""


def read_spread_lines(document: InputDocument) -> list[str]:
    """Return complete lines from the head, from places spread over the document, and from its end.

    A document up to twice as long as the head is read completely.
    """
    return [line for window in iter_windows(document) for line in window]


def iter_windows(document: InputDocument) -> Iterator[list[str]]:
    """Yield the complete lines of each sampled place, in order."""
    size = document.lines.size
    if size <= 2 * HEAD_BYTES:
        yield _split_lines(document.read(0, size))
        return
    yield _split_lines(_drop_last_line(document.read(0, HEAD_BYTES)))
    room = size - HEAD_BYTES - _WINDOW_BYTES
    for number in range(1, _WINDOWS + 1):
        data = document.read(HEAD_BYTES + room * number // _WINDOWS, _WINDOW_BYTES)
        data = data[data.find(b"\n") + 1 :] if b"\n" in data else b""
        yield _split_lines(data if number == _WINDOWS else _drop_last_line(data))


def _drop_last_line(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


def _split_lines(data: bytes) -> list[str]:
    if not data:
        return []
    text = data.decode("utf-8", "replace").removesuffix("\n")
    return [line.removesuffix("\r") for line in text.split("\n")]


class Clues(NamedTuple):
    """Hold what every document of a kind has.

    A document passes if its first 64 KB or last 16 KB contain one of ``words``. It also passes if it begins, after
    blanks, with one of ``first_characters``, has one of ``suffixes``, or is a file with one of ``names``, which are in
    small letters. ``unless_log`` excludes documents that are clearly logs. Without words and characters, every document
    passes.
    """

    words: Sequence[str] = ()
    first_characters: Sequence[str] = ()
    suffixes: Sequence[str] = ()
    unless_log: bool = False
    names: Sequence[str] = ()
