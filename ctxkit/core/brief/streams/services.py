"""Streams whose lines carry the name of a service before a bar, as ``docker compose logs`` prints them."""

from collections.abc import Sequence
from itertools import pairwise

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.samples import read_spread_lines
from ctxkit.core.brief.streams.stream_parts import Stream, StreamPart, select_lines
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes

PREFIX = compile_lazily(r"(?P<name>[A-Za-z][\w.-]{0,60}) *\| ?")
"""Pattern of the name of a service, and the bar after it."""
MAX_SERVICES = 60
MAX_BYTES = 32 << 20
"""Maximum size in bytes of a stream that is taken apart."""
FEW_SERVICES = 3
"""Number of services up to which each may happen to have one successor."""
SHARE = 0.9
"""Minimum share of lines with a prefix."""


def find_services(document: InputDocument) -> Stream | None:
    """Return a part for each service, and a part for the lines of no service, or None."""
    if " |" not in document.head or document.lines.size > MAX_BYTES or not _are_prefixed(read_spread_lines(document)):
        return None
    rows_by_name: dict[str, list[tuple[int, str]]] = {}
    for number, line in document.lines.enumerate_lines():
        name, text = split_prefix(line)
        rows_by_name.setdefault(name, []).append((number, text))
    if len(rows_by_name) > MAX_SERVICES:
        return None
    names = [name for name in rows_by_name if name]
    parts: list[StreamPart] = [select_lines(rows_by_name[name], name) for name in names]
    if rows_by_name.get(""):
        parts.append(select_lines(rows_by_name[""], "lines of no service"))
    return Stream(parts, "services", 0.97, "" in rows_by_name)


def split_prefix(line: str) -> tuple[str, str]:
    """Return the name of the service and the text after the bar; the name is empty if the line has no prefix."""
    bare = strip_escapes(line) if "\x1b" in line else line
    match = PREFIX.match(bare)
    return (match["name"], bare[match.end() :]) if match else ("", bare)


def _are_prefixed(lines: Sequence[str]) -> bool:
    """Return whether most lines have a prefix of the same width, and names alternate."""
    full = [line for line in lines if line.strip()]
    pairs = [(PREFIX.match(strip_escapes(line) if "\x1b" in line else line)) for line in full]
    matches = [match for match in pairs if match]
    if len(matches) < max(SHARE * len(full), 6):
        return False
    names = [match["name"] for match in matches]
    bars = [match.end("name") + match[0][len(match["name"]) :].index("|") for match in matches]
    if len({line.count("|") for line in full}) == 1 and full[0].count("|") > 1:
        return False  # rows of a table
    changes = [pair for pair in pairwise(names) if pair[0] != pair[1]]
    if len(set(names)) > FEW_SERVICES and len(set(changes)) * 4 <= len(set(names)) * 5:
        return False  # fields of records: each name has one successor, but for the ends of records
    return 2 <= len(set(names)) <= min(MAX_SERVICES, len(full) / 3) and len(set(bars)) <= 3 and len(changes) >= 2
