"""The form of a line: its indentation and its key, or its first words without numbers."""

from collections.abc import Sequence
from functools import lru_cache

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.escapes import strip_escapes

WIDEST = 400
"""Maximum number of characters of a line that are read."""
MAX_WORDS = 4
"""Maximum number of first words that distinguish lines without a key."""
KEY = compile_lazily(
    r"(?:[-*+|] )?(\(?(?:\d[\w-]{0,30}\.)?[A-Za-z_][\w.()/#%@+:\\,\[\]-]{0,60}?(?: \(?[\w.()/#%@+-]{1,30}){0,5}?)"
    r"[ \t]{0,40}(:(?=\s|$)|=>|=(?!=))[ \t]*(.*)"
)
"""Pattern of a key, its separator and its value."""
DIGITS = compile_lazily(r"(?<!\S)[^\s\d]*+\d\S*+")
NAMED = compile_lazily(r"(?![0-9a-fA-F]+\W*\Z)[^\W\d_]{2}")
"""Pattern of a word with digits that begins as a name, and is not hexadecimal."""
NUMBER = compile_lazily(r"\d[\d.]*")
HEX_BYTES = compile_lazily(r"[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2})+:?$")
PERMISSIONS = compile_lazily(r"(?=\S*-)[-dlbcps]?(?:[-r][-w][-xsStTp]{1,2}){1,3}[+.@]?")
"""Pattern of the permissions of a file or of a mapping in memory."""
RULER = compile_lazily(r"([-=*_#~+.]{1,2}?)\1{2,}\s*")
"""Pattern of a line that only separates: one or two characters, repeated."""
NUMBERED_RULER = compile_lazily(r"[-*=]{1,40}\[? ?(?:RECORD )?\d+(?:\. row)? ?\]?[-*=+]{1,200}")
"""Pattern of the line before a record that is printed with one column on a line."""


class LineForm(NamedTuple):
    """Hold the form of a line: its indentation, a text that lines alike share, and its key and value if it has them."""

    indent: int
    form: str
    key: str = ""
    value: str = ""

    @property
    def is_blank(self) -> bool:
        """Return whether the line is blank."""
        return not self.form

    @property
    def is_ruler(self) -> bool:
        """Return whether the line only separates."""
        return self.form == "---"


BLANK = LineForm(0, "")


def read_form(line: str) -> LineForm:
    """Return the form of a line."""
    if not line.isprintable():
        line = strip_escapes(line).expandtabs(8)
    text = line[:WIDEST].strip()
    if not text:
        return BLANK
    indent = len(line) - len(line.lstrip(" "))
    if text[0] in "-=*_#~+." and len(text) > 2 and RULER.fullmatch(text):
        return LineForm(indent, "---")
    if text[0] in "*-=" and NUMBERED_RULER.fullmatch(text):
        return LineForm(indent, "<*> row")
    match = KEY.match(text)
    if match is None or _is_encoded(match[1], match[2], match[3]):
        return LineForm(indent, f"{indent}~{mask_words(text)}")
    key = match[1]
    return LineForm(indent, f"{indent}{_mask_key(key)}{match[2]}", key, match[3].strip())


def _is_encoded(key: str, separator: str, value: str) -> bool:
    """Return whether what looks like a key is hexadecimal bytes, or the end of a line of base64."""
    if separator == ":":
        return HEX_BYTES.match(key) is not None
    return not value and (len(key) >= 20 or "+" in key or "/" in key) and " " not in key


def mask_words(text: str) -> str:
    """Return the first words of a text, each word with a digit and permissions masked."""
    words = text.split(maxsplit=MAX_WORDS)[:MAX_WORDS]
    return " ".join("<*>" if _is_variable(word) else word for word in words)


def _is_variable(word: str) -> bool:
    return any(char.isdigit() for char in word) or ("-" in word and PERMISSIONS.fullmatch(word) is not None)


@lru_cache(4_096)
def _mask_key(key: str) -> str:
    """Return a key with its numbers masked: ``MD5sum`` and ``SHA256`` are two keys, ``eth0`` and ``eth1`` are one."""
    return DIGITS.sub(lambda word: NUMBER.sub("<*>", word[0]) if NAMED.match(word[0]) else "<*>", key)


def read_forms(lines: Sequence[str]) -> list[LineForm]:
    """Return the forms of lines."""
    return [read_form(line) for line in lines]
