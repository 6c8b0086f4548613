"""Rows of SQL dumps: the values of INSERT statements and of COPY blocks."""

import re
from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily

VALUE = compile_lazily(
    r"[ \t\n]*(?:[A-Za-z_]\w{0,15} ?)?'((?:[^'\\]|''|\\.)*+)'(?:::[\w. \[\]]+)?[ \t\n]*"
    r"|[ \t\n]*([^,()'\"\n]*+(?:\((?:[^()'\n]|'(?:[^'\\]|''|\\.)*+')*+\))?[^,()'\n]*+)",
    re.DOTALL,
)
"""Pattern of a value: a string with its prefix and type, or a number, a word, a call."""
MAX_ROW_VALUES = 500
"""Maximum number of values of a row that are read."""


def split_rows(text: str, at: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Yield the place and the values of each parenthesized row from ``at``, up to the first text that is no row."""
    while True:
        while at < len(text) and text[at] in " \t\n,":
            at += 1
        if at >= len(text) or text[at] != "(":
            return
        start = at
        values, at = _read_row(text, at + 1)
        if at < 0:
            return
        yield start, values


def _read_row(text: str, at: int) -> tuple[list[str], int]:
    """Return the values after an opening parenthesis and the place after the closing one, or -1 if it is missing."""
    values: list[str] = []
    while len(values) < MAX_ROW_VALUES:
        match = VALUE.match(text, at)
        if match is None:
            break
        values.append(clean_value(match))
        at = match.end()
        if at >= len(text) or text[at] not in ",)":
            break
        at += 1
        if text[at - 1] == ")":
            return values, at
    return values, -1


def clean_value(match: "re.Match[str]") -> str:
    """Return a value without its quotes; NULL is an empty cell."""
    if match[1] is not None:
        return match[1].replace("''", "'")
    bare = match[2].strip()
    return "" if bare.upper() == "NULL" else bare


def is_inside_string(text: str) -> bool:
    """Return whether a string is still open at the end of a piece of SQL."""
    if text.count("'") % 2 == 0 and "\\" not in text:
        return False
    return (text.count("'") - len(re.findall(r"\\'", text.replace("\\\\", "")))) % 2 == 1
