"""A reader of flat keys and values, one pair on a line."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ctxkit.core.brief.shapes.line_forms import KEY, WIDEST
from ctxkit.core.text.ansi import strip_escapes

MAX_PAIRS = 20_000
"""Maximum number of pairs that are kept; further ones are only counted."""
MAX_OTHERS = 40
"""Maximum number of lines without a pair that are kept."""
MOST_PARTS = 0.5
"""Minimum share of the lines that are pairs, if the others continue values."""
COLUMNS = re.compile(r"([A-Za-z_][\w.-]{1,80})(\s+)(\S.*)")
"""Pattern of a key and a value without a sign between them."""
NO_KEY = re.compile(r"[/\\]|:\d|^[A-Z]$")
"""Pattern of what stands before a colon without being a key: a path, a place, a level of one letter."""
COMMENT = re.compile(r"[#;]|//")
HEADING = re.compile(r"\[[^\]=]{1,80}\]$")


class Pair(NamedTuple):
    """Hold a key and its value with their line."""

    key: str
    value: str
    line: int


@dataclass(slots=True)
class PairReader:
    """Read pairs whose keys end at ``separator``: a sign, or a blank for columns."""

    separator: str
    pairs: list[Pair] = field(default_factory=list)
    count: int = 0
    values: Counter[str] = field(default_factory=Counter)
    others: list[tuple[int, str]] = field(default_factory=list)
    other_count: int = 0

    def add_lines(self, lines: Iterable[tuple[int, str]]) -> None:
        """Read numbered lines."""
        for number, line in lines:
            pair = read_pair(line, self.separator)
            if pair:
                self._add_pair(pair, number)
            elif line.strip() and not _is_apart(line.strip()):
                self._add_other(line, number)

    def _add_other(self, line: str, number: int) -> None:
        """Count a line without a pair; an indented line continues the value above."""
        if self.count and line[0] in " \t":
            return
        self.other_count += 1
        if len(self.others) < MAX_OTHERS:
            self.others.append((number, line))

    def _add_pair(self, pair: tuple[str, str], number: int) -> None:
        self.count += 1
        if len(self.pairs) < MAX_PAIRS:
            self.pairs.append(Pair(pair[0], pair[1][:WIDEST], number))
            self.values[pair[1][:WIDEST]] += 1


def read_pair(line: str, separator: str) -> tuple[str, str] | None:
    """Return the key and the value of a line, or None."""
    if not line.isprintable():
        line = strip_escapes(line).expandtabs(8)
    text = line[:WIDEST].strip()
    if separator == " " and line.endswith(" ") and text.isidentifier():
        return text, ""
    match = (COLUMNS if separator == " " else KEY).match(text)
    if match is None or (separator != " " and match[2] != separator):
        return None
    if separator == ":" and NO_KEY.search(match[1]):
        return None
    return match[1], match[3].strip()


def _is_apart(text: str) -> bool:
    """Return whether a line is a comment or a heading."""
    return COMMENT.match(text) is not None or HEADING.match(text) is not None


def find_separator(lines: Sequence[str], least: float) -> str:
    """Return the separator of most lines if at least a share of ``least`` has it, or an empty string."""
    rows = [line for line in lines if line.strip() and not _is_apart(line.strip())]
    for separator in ("=", ":", "=>", " "):
        pairs = [read_pair(line, separator) for line in rows]
        whole = [pair for pair in pairs if pair]
        others = sum(pair is None and line[0] not in " \t" for line, pair in zip(rows, pairs, strict=True))
        enough = len(whole) >= least * (len(whole) + others) and len(whole) >= MOST_PARTS * len(rows)
        if whole and enough and _are_distinct(whole, separator):
            return separator
    return ""


def _are_distinct(pairs: Sequence[tuple[str, str]], separator: str) -> bool:
    """Return whether most keys occur once; without a sign, whether they also look like keys."""
    keys = {key for key, _ in pairs}
    again = sum(f" {separator} " in value for _, value in pairs) if separator in "=:" else 0
    if len(keys) < 0.8 * len(pairs) or again > 0.3 * len(pairs):
        return False
    if separator != " ":
        return True
    formal = sum("_" in key or "." in key for key in keys)
    short = sum(value.count(" ") < 2 for _, value in pairs)
    return formal > 0.6 * len(keys) and short > 0.9 * len(pairs) and len(keys) > 0.95 * len(pairs)
