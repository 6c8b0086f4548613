"""What a map is made from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.tokens.tokenizer import Tokenizer

HEAD_BYTES = 65_536
"""Bytes from the beginning that detection looks at."""
TAIL_BYTES = 16_384
"""Bytes from the end that detection looks at."""


@dataclass(frozen=True, slots=True)
class Definition:
    """Name a definition in source code and the lines it stands on.

    ``kind`` is what the language calls it ("class", "function"), ``signature`` its first lines
    folded into one, ``doc`` the first line of its docstring, ``depth`` 0 at the top level.
    """

    name: str
    kind: str
    start: int
    end: int
    depth: int
    signature: str
    doc: str = ""


Parser = Callable[[bytes, str], "Sequence[Definition] | None"]
"""Return the definitions in source code of a language, or None when it cannot be parsed as that."""


def parse_nothing(data: bytes, language: str) -> None:
    """Parse nothing: the Parser of a place without grammars."""
    del data, language


@dataclass(frozen=True)
class InputDocument:
    """Give a map what it may look at: lines, name, and the means to count and to parse.

    ``target`` is the size in tokens that the map may take, ``content_type`` the kind or language
    the user named with --type, empty for none; ``focus`` what the caller is looking for.
    """

    lines: IndexedLines
    read: Callable[[int, int], bytes]
    count: Tokenizer
    target: int
    name: str = ""
    content_type: str = ""
    parse: Parser = field(default=parse_nothing)
    focus: str = ""

    @cached_property
    def head(self) -> str:
        """Return the first 64 KB as text."""
        return self.read(0, HEAD_BYTES).decode("utf-8", "replace")

    @cached_property
    def tail(self) -> str:
        """Return the last 16 KB as text, from the first line on that is whole, where there is one."""
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
