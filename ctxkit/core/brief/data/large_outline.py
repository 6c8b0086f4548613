"""Outlines of JSON text that is too large to read as a whole."""

from collections.abc import Iterator

from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.brief.data.large_json import LargeJson
from ctxkit.core.brief.data.literals import decode_surrogates, format_step, quote_string
from ctxkit.core.brief.data.shape_learner import ShapeLearner
from ctxkit.core.brief.document import HEAD_BYTES, TAIL_BYTES, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.json_index import JsonIndex, LargeValue
from ctxkit.core.text.json_indexer import JsonCursor, build_json_index
from ctxkit.core.text.limits import LEVELS
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError
from ctxkit.core.text.quantity import pluralize

LIST_LEVELS, LIST_SHARE = 4, 10
"""Maximum level of a long list, and the inverse of the minimum share of the text that it takes."""
BLANKS = b" \t\r\n"


class LargeReading:
    """Hold the index and the shape of a document, whose JSON is from byte ``before`` to byte ``after``.

    Raise JsonTooDeepError.
    """

    def __init__(self, document: InputDocument, start: int, *, window: int = 0, large: int = 0, step: int = 0) -> None:
        self.before = start
        self._read = document.lines.read
        size = document.lines.size
        learner = ShapeLearner(self._read)
        cursor = JsonCursor(self._read, size, start, window=window, large=large)
        self.index: JsonIndex = build_json_index(cursor, size, start, learner, step=step)
        self.root: LargeValue = self.index.root
        self.after = self.root.end
        if self.root.count > 1:
            learner = ShapeLearner(self._read, has_rows=True)
            learner.learn_again(self.root)
        self.shape = learner.shape
        self.tree = LargeJson(document.lines, self.root)


def build_large_outlines(
    document: InputDocument,
    kind: str,
    start: int,
    by_bytes: bool,
    *,
    only_lists: bool = False,
    window: int = 0,
    large: int = 0,
    step: int = 0,
) -> list[Outline] | None:
    """Return outlines of the JSON from byte ``start``, or None if little of it can be read.

    With ``only_lists``, also return None if it has no long list. Sizes other than the usual ones are for tests.
    """
    try:
        reading = LargeReading(document, start, window=window, large=large, step=step)
    except JsonTooDeepError:
        text = f"more than {LEVELS:,} levels of arrays and objects: too deep to be mapped further"
        return [Outline(kind, (Section("", (Entry(text),)),))]
    broken = reading.index.broken
    if not reading.root.count or (broken and broken.position * 4 < document.lines.size):
        return None
    if only_lists and not _has_long_list(reading.root, document.lines.size):
        return None
    summary = list(_summarize(reading, document, by_bytes))
    chart = DataOutliner(reading.tree, reading.tree.documents(), (), by_bytes=by_bytes, root=reading.shape)
    return chart.build_outlines(kind, summary, document.target)


def _has_long_list(root: LargeValue, size: int) -> bool:
    """Return whether an array at the top, or inside a few objects, takes a good part of the text."""
    level = list(root.large.values())
    for _ in range(LIST_LEVELS):
        if any(value.kind == "[" and (value.end - value.start) * LIST_SHARE >= size for value in level):
            return True
        level = [inner for value in level if value.kind == "{" for inner in value.large.values()]
    return False


def _summarize(reading: LargeReading, document: InputDocument, by_bytes: bool) -> Iterator[Entry]:
    total = document.lines.total
    yield from _describe_surroundings(reading, document)
    if reading.root.count > 1:
        yield Entry(f"{pluralize(reading.root.count, 'JSON document')}, one after the other: the rows")
    if by_bytes:
        on = "on one line" if total == 1 else f"on {total:,} long lines"
        yield Entry(f"The JSON is {on}; bytes are counted from 1")
    first = reading.root.large.get(0)
    if reading.root.count == 1 and first and first.duplicates:
        yield _name_duplicate_keys(first.duplicates)
    if reading.index.broken:
        yield _describe_error(reading, reading.index.broken, document, by_bytes)


def _name_duplicate_keys(duplicates: tuple[str, ...]) -> Entry:
    some = ", ".join(quote_string(key, 40) for key in duplicates[:6])
    more = f", +{len(duplicates) - 6:,} more" if len(duplicates) > 6 else ""
    return Entry(f"keys that stand there more than once (each counts here): {some}{more}")


def _describe_error(reading: LargeReading, broken: InvalidJsonError, document: InputDocument, by_bytes: bool) -> Entry:
    line = min(reading.tree.line(broken.position), document.lines.total)
    path = "".join(f"[{step}]" if isinstance(step, int) else format_step(step) for step in reading.index.path)
    inside = f" inside {path}" if path else ""
    rest = "; nothing after it is in this map" if broken.reason != "it ends too early" else ""
    rows = () if by_bytes else (quote(line, decode_surrogates(document.lines.at(line))),)
    return Entry(f"BROKEN at byte {broken.position + 1}{inside}: {broken.reason}{rest}", line, line, children=rows)


def _describe_surroundings(reading: LargeReading, document: InputDocument) -> Iterator[Entry]:
    """Yield entries on the lines before and after the JSON, each with its first line quoted."""
    lines, size = document.lines, document.lines.size
    before = lines.read(0, reading.before).removeprefix(b"\xef\xbb\xbf")
    if before.strip(BLANKS):
        yield _describe_side("before", 1, reading.tree.line(len(before.rstrip(BLANKS))), document)
    after = min(reading.after, size)
    if lines.read(after, HEAD_BYTES).strip(BLANKS):
        tail = max(size - TAIL_BYTES, after)
        last = tail + len(lines.read(tail, size - tail).rstrip(BLANKS))
        yield _describe_side("after", reading.tree.line(after), reading.tree.line(max(last - 1, after)), document)


def _describe_side(side: str, first: int, last: int, document: InputDocument) -> Entry:
    last = min(last, document.lines.total)
    quotes = (quote(first, document.lines.at(first)),) if document.lines.total > 1 else ()
    return Entry(f"{side} the JSON, not part of it", first, last, children=quotes)
