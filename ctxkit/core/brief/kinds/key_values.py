"""Flat keys and values, one pair on a line: kernel and server settings, environments, counters."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.detail_level import find_most_detail
from ctxkit.core.brief.document import HEAD_BYTES, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.shapes.pair_groups import (
    MANY,
    NOTHING,
    RANGE_LINES,
    PairGroup,
    find_key_mark,
    group_pairs,
    order_pairs,
)
from ctxkit.core.brief.shapes.pair_reader import Pair, PairReader, find_separator, read_pair
from ctxkit.core.text.measure import pluralize

NAME = "key_values"
TYPES: Sequence[str] = ()
LEAST = 20
"""Minimum number of pairs."""
FIRST = 10
"""Number of first lines of which one is a pair."""
LEAST_PAIRS = 0.9
"""Minimum share of the lines that are pairs."""
VALUE_WIDTH = 60
"""Maximum number of characters of a value."""
MAX_REPEATED, MAX_OTHERS = 8, 12
TOKENS_PER_GROUP = 40
"""Estimated tokens of the entry of a group; with more groups than fit, they become longer."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that nearly every line is a key with a value, and that few keys recur."""
    separator, lines = _read_separator(document)
    if not separator or len(lines) < LEAST or not any(read_pair(line, separator) for line in lines[:FIRST]):
        return 0.0
    dotted = sum("." in line.partition(separator)[0].strip() for line in lines) > 0.6 * len(lines)
    flat = sum(line[:1] in " \t" for line in lines) < 0.1 * len(lines)
    if separator == "=>" and flat and sum(line.rstrip()[-1] in ",;{[" for line in lines) < 0.1 * len(lines):
        return 0.92
    return 0.82 if dotted and flat else 0.7 if flat else 0.55


def _read_separator(document: InputDocument) -> tuple[str, list[str]]:
    """Return the separator of the first lines, and those that are not blank."""
    rows = document.head.split("\n")
    if document.lines.size > HEAD_BYTES and len(rows) > 1:
        rows.pop()
    lines = [line for line in rows if line.strip()]
    return ("" if "\0" in document.head else find_separator(lines, LEAST_PAIRS)), lines


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the groups of keys with as many values as fit, or None if too many lines are no pairs."""
    separator, _ = _read_separator(document)
    reader = PairReader(separator)
    reader.add_lines(document.lines.enumerate_lines())
    if not separator or reader.count < LEAST or reader.count < LEAST_PAIRS * (reader.count + reader.other_count):
        return None
    mark = find_key_mark(reader.pairs)
    groups = _choose_groups(reader.pairs, mark, document)
    ordered = order_pairs(reader, mark)
    fixed = (Section("", tuple(_summarize(reader, document))), *_make_extra_sections(reader))

    def build(number: int) -> Outline:
        return Outline(NAME, (*fixed, _make_group_section(groups, ordered[:number], mark, separator)))

    most = find_most_detail(build, len(ordered), document)
    return [build(most)]


def _choose_groups(pairs: Sequence[Pair], mark: str, document: InputDocument) -> list[PairGroup]:
    """Return groups that are few enough for the target."""
    width, least = RANGE_LINES, MANY
    groups = group_pairs(pairs, mark)
    while len(groups) * TOKENS_PER_GROUP > document.target and width < len(pairs):
        least *= 2
        width = max(width, least)
        groups = group_pairs(pairs, mark, width, least)
    return groups


def _summarize(reader: PairReader, document: InputDocument) -> Iterator[Entry]:
    signs = {" ": "in two columns", ":": "as `key: value`"}
    sign = signs.get(reader.separator, f"as `key {reader.separator} value`")
    nothing = sum(pair.value.lower() in NOTHING for pair in reader.pairs)
    note = f"; {nothing:,} are 0, empty or off" if reader.count == len(reader.pairs) and nothing else ""
    yield Entry(f"{pluralize(reader.count, 'key')} {sign}{note}", 1, document.lines.total)
    if reader.count > len(reader.pairs):
        start = reader.pairs[-1].line + 1
        yield Entry(f"{reader.count - len(reader.pairs):,} more keys, not grouped", start, document.lines.total)


def _make_extra_sections(reader: PairReader) -> Iterator[Section]:
    """Yield sections on keys that occur again with another value, and on lines that are no pairs."""
    places: dict[str, list[Pair]] = {}
    for pair in reader.pairs:
        places.setdefault(pair.key, []).append(pair)
    repeated = [pairs for pairs in places.values() if len(pairs) > 1]
    entries = tuple(
        Entry(f"{pairs[0].key}: {', '.join(f'{pair.value[:40]} ({pair.line})' for pair in pairs[:4])}", rank=2)
        for pairs in repeated[:MAX_REPEATED]
    )
    title = f"Keys that occur more than once ({len(repeated):,})"
    yield Section(title, entries, noun="keys")
    others = tuple(quote(number, text, rank=1) for number, text in reader.others[:MAX_OTHERS])
    yield Section(f"Lines without a key ({reader.other_count:,})", others, noun="lines")


def _make_group_section(groups: Sequence[PairGroup], shown: Sequence[Pair], mark: str, separator: str) -> Section:
    """Return a section with the groups by line, and the shown pairs in them."""
    lines = {pair.line for pair in shown}
    entries = tuple(
        Entry(_describe_group(group, lines, mark, separator), group.start, group.end, 3) for group in groups
    )
    return Section("Keys by prefix", entries, noun="groups")


def _describe_group(group: PairGroup, lines: set[int], mark: str, separator: str) -> str:
    head = f"{group.prefix}{mark}".strip() if group.prefix and ", " not in group.prefix else ""
    sign = {"=": " = ", " ": " "}.get(separator, f"{separator} ")
    parts = []
    if len(group.pairs) == 1:
        head = ""
    for pair in group.pairs:
        if pair.line in lines:
            key = pair.key.removeprefix(head)
            value = pair.value if len(pair.value) <= VALUE_WIDTH else f"{pair.value[:VALUE_WIDTH].rstrip()}..."
            parts.append(f"{key}{sign}{value}")
    if len(group.pairs) == 1 == len(parts):
        return parts[0]
    ends = "" if group.prefix else f"{group.pairs[0].key} to {group.pairs[-1].key}, "
    rest = len(group.pairs) - len(parts)
    count = f" ({ends}{len(group.pairs):,})" if rest else ""
    name = f"{head or group.prefix}{count}".strip()
    return f"{name}: {'; '.join(parts)}" if parts else name
