"""What a briefing claims of its source: ranges, quotations, the end; read by rules of its own, not by ctxkit's core."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

ENTRY = re.compile(r"\s*- Lines? (\d+)(?:-(\d+))?: ")
DENSE = re.compile(r"\s*- \d+(?:/\d+)* (?!more\b)[^\W\d]")
"""Pattern of a row with several names, each behind its line."""
QUOTE = re.compile(r"\s*- (\d+): ")
BARE = re.compile(r"## Lines? (\d+)(?:-(\d+))?, verbatim(?: \(.*\))?")
AT = re.compile(r" at lines? (\d+)(?:-(\d+))?")
HINT = re.compile(r"--lines (\d+):(\d+)|sed -n '(\d+),(\d+)p'")
GAP = re.compile(r" \[\+(\d+) chars?\] ")
"""Pattern of the mark of characters that are left out in the middle of a quotation."""
CUT = re.compile(r" \[\+(\d+) chars?\]$")
MAX_BLOCK = 12
"""Largest number of lines that one entry quotes."""
EARLIER = "[the line begins earlier] "
ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
UNSEEN = re.compile(r"\\x(ad)|\\u(180e|200[b-d]|206[0-5]|feff|115f|1160|3164|ffa0)|\\U(000e0[0-9a-f]{3})")
"""What a map shows in place of a character that nobody sees."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f]")


@dataclass
class Claims:
    """Hold the claims of one briefing: ranges with where they stand, and quotations with their line."""

    ranges: list[tuple[int, int, str]] = field(default_factory=list)
    quotes: list[tuple[int, str]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def claims(text: str) -> Claims:
    """Read the claims off a briefing."""
    all_claims = Claims()
    rows = text.removesuffix("\n").split("\n")
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        bare = BARE.fullmatch(row)
        quoted = QUOTE.match(row)
        if bare:
            start, end = int(bare[1]), int(bare[2] or bare[1])
            all_claims.ranges.append((start, end, row))
            all_claims.quotes += zip(range(start, end + 1), rows[at : at + end - start + 1], strict=False)
            if at + end - start + 1 > len(rows):
                all_claims.broken.append(f"fewer lines below than it says: {row}")
            at += end - start + 1
        elif quoted:
            block = read_block(rows, at - 1)
            all_claims.quotes += block or [(int(quoted[1]), row[quoted.end() :])]
            at += max(len(block) - 1, 0)
        elif not DENSE.match(row):
            all_claims.ranges += _ranges(row, last=at == len(rows))
    return all_claims


def read_block(rows: Sequence[str], at: int) -> list[tuple[int, str]]:
    """Return the lines that `- N: ...` and the rows below it quote, none if it quotes a single line."""
    quote = QUOTE.match(rows[at])
    if not quote:
        return []
    label = rows[at][quote.end() :]
    margin = " " * (len(rows[at]) - len(rows[at].lstrip()) + 2)
    below = list(takewhile(lambda row: _continues(row, margin), rows[at + 1 : at + MAX_BLOCK]))
    listed = label.startswith("- ") or label.endswith(":")
    if not below or (below[0].startswith(f"{margin}- ") and not listed):
        return []
    return list(enumerate([label, *(row.removeprefix(margin) for row in below)], start=int(quote[1])))


def _continues(row: str, margin: str) -> bool:
    """Return whether a row goes on with a quotation, and is no entry with a place of its own."""
    return row.startswith(margin) and not any(pattern.match(row) for pattern in (ENTRY, DENSE, QUOTE))


def _ranges(row: str, *, last: bool) -> Iterator[tuple[int, int, str]]:
    """Yield the ranges that a line names, where the map itself speaks and no source is quoted."""
    entry = ENTRY.match(row)
    if entry:
        yield int(entry[1]), int(entry[2] or entry[1]), row
    for match in AT.finditer(row) if row.lstrip().startswith("- ") else ():
        yield int(match[1]), int(match[2] or match[1]), row
    for match in HINT.finditer(row) if last else ():
        start, end = (int(group) for group in match.groups() if group)
        yield start, end, row


def wrong(all_claims: Claims, lines: Sequence[str]) -> Iterator[str]:
    """Yield what is not true of the source's ``lines``."""
    yield from all_claims.broken
    total = max(len(lines), 1)
    for start, end, row in all_claims.ranges:
        if not 1 <= start <= end <= total:
            yield f"no range of {total} lines: {row[:160]!r}"
    for number, quoted in all_claims.quotes:
        if not 1 <= number <= len(lines):
            yield f"no line of {total}: {number}: {quoted[:120]!r}"
        elif not any(occurs(text, lines[number - 1]) for text in (quoted, unescape(quoted))):
            yield f"not on line {number}: {quoted[:120]!r}, but {lines[number - 1][:120]!r}"


def occurs(quoted: str, line: str) -> bool:
    """Tell whether a quotation stands in a line; marks say where it is cut, at its ends or in the middle."""
    text = quoted.removeprefix(EARLIER).strip()
    drawn = [CONTROL.sub("", part).strip() for part in ESCAPE.sub("", line).split("\r")]
    cut = CUT.search(text)
    if any(text in part for part in drawn):
        return True
    pieces = GAP.split(text[: cut.start()] if cut else text)
    rest = int(cut[1]) if cut else -1
    return (cut is not None or len(pieces) > 1) and any(_holds_pieces(part, pieces, rest) for part in drawn)


def _holds_pieces(line: str, pieces: Sequence[str], rest: int) -> bool:
    """Tell whether a line holds the texts, each so many characters behind the one before as the number between says.

    Behind the last one stand at least ``rest`` characters: of a value in a line, its own rest is told.
    """
    at = line.find(pieces[0])
    while at >= 0:
        place, is_match = at + len(pieces[0]), True
        for gap, text in zip(pieces[1::2], pieces[2::2], strict=True):
            place += int(gap)
            is_match = is_match and line.startswith(text, place)
            place += len(text)
        if is_match and rest <= len(line) - place:
            return True
        at = line.find(pieces[0], at + 1)
    return False


def unescape(text: str) -> str:
    """Return a map with the characters that nobody sees where their escapes stand."""
    return UNSEEN.sub(lambda match: chr(int(match[1] or match[2] or match[3], 16)), text)


def list_seen(line: str) -> str:
    """Return a line as a terminal shows it: no control sequences, only what was drawn last."""
    return CONTROL.sub("", ESCAPE.sub("", line).rstrip("\r").rpartition("\r")[2]).rstrip()


def draw(data: bytes) -> bytes:
    """Return content as maps read it: in UTF-8, what a terminal no longer shows blank; the lines keep their numbers."""
    from ctxkit.core.text.lines import decode, identify_encoding, lines_from_bytes
    from ctxkit.core.text.screen import read_drawn_lines

    encoding = identify_encoding(lines_from_bytes(data).read, len(data))
    text = decode(data, encoding).encode("utf-8", "replace") if encoding else data
    lines = lines_from_bytes(text)
    drawn = read_drawn_lines(lines.read, lines)
    return text if drawn is lines else drawn.read(0, drawn.size)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text as ``sed`` numbers them: only a newline ends one."""
    rows = text.split("\n")
    return rows[:-1] if rows and not rows[-1] else rows
