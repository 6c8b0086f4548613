"""JSON lines: the shape of the rows, their anomalies, and a few sample rows."""

from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.data import json_logs
from ctxkit.core.brief.data.anomalies import find_anomalies, find_outlying_numbers
from ctxkit.core.brief.data.columns import NumberColumn
from ctxkit.core.brief.data.data_outliner import DataContent, PartsIndex, build_data_outlines
from ctxkit.core.brief.data.literals import decode_surrogates
from ctxkit.core.brief.data.shape import STORED_VALUES, DataShape, ShapeBudget
from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, quote
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import SCAN, InvalidJsonError, JsonTooDeepError, decode_value
from ctxkit.core.text.quantity import format_size, pluralize

NAME = "jsonl"
TYPES: Sequence[str] = ("ndjson",)
CLUES = Clues((), ("{", "[", "\x1e"), ("jsonl", "ndjson"))
WHOLE = 64 << 20
"""Maximum size in bytes at which every row is read; of larger documents, only a regular sample of blocks is read."""
MAX_BAD_LINES = 20_000
"""Number of excess invalid lines after which reading stops."""
LONGEST = 8 << 20
"""Maximum length in bytes of a row that is read."""


class RowCollector:
    """Collect the shape of the rows and the lines that are not valid JSON."""

    def __init__(self) -> None:
        self.shape = DataShape(True, budget=ShapeBudget(STORED_VALUES))
        self.read = 0
        self.blank = 0
        self.skipped = 0
        self.bad: list[tuple[int, str]] = []
        self.wrong = 0
        self.sizes = NumberColumn(1)

    def add_lines(self, first: int, lines: Sequence[str]) -> None:
        """Add consecutive lines; ``first`` is the number of the first line."""
        values: list[JsonValue] = []
        numbers: list[int] = []
        sizes: list[int] = []
        for number, line in enumerate(lines, first):
            try:
                value, end = SCAN(line, 0)
            except (ValueError, StopIteration, RecursionError):
                end = -1
            if end != len(line):
                value = self._retry_line(number, line)
                if value is ...:
                    if self.wrong > self.read + len(values) + MAX_BAD_LINES:
                        break
                    continue
            values.append(value)
            numbers.append(number)
            sizes.append(len(line))
        if values:
            self.read += len(values)
            self.shape.add(values, numbers)
            self.sizes.add(sizes, numbers)

    def _retry_line(self, number: int, line: str) -> JsonValue:
        """Parse a line without surrounding blanks and marks; return ``...`` and count the line if it is blank or
        invalid.
        """
        bare = line.strip("\ufeff \t\r\x1e")
        if not bare:
            self.blank += 1
            return ...
        try:
            value, end = decode_value(bare, 0)
        except (InvalidJsonError, JsonTooDeepError):
            end = -1
        if end == len(bare):
            return value
        self.wrong += 1
        if len(self.bad) < 20:
            self.bad.append((number, "" if self.bad else line))
        return ...


def sniff(document: InputDocument) -> float:
    """Return the confidence that most of the first lines that are not blank are JSON values."""
    named = document.suffix in ("jsonl", "ndjson")
    lines = _read_sample(document)
    if len(lines) < 2 and document.lines.total > 1:
        return _score_by_starts(document, named)
    good = sum(_is_row(line) for line in lines)
    if len(lines) < 2:
        return 0.9 if named and good else 0.0
    if good < 2 or good < len(lines) * 0.8:
        return 0.6 if named and good else 0.0
    return 0.95


def _read_sample(document: InputDocument) -> list[str]:
    """Return the first lines that are not blank, without a last one that is cut off."""
    lines = [line for line in document.head.removeprefix("\ufeff").split("\n")[:200] if line.strip()]
    return lines[:-1] if document.lines.size > len(document.head) and len(lines) > 1 else lines


def _score_by_starts(document: InputDocument, named: bool) -> float:
    """Return the confidence for rows longer than the head, from the beginnings of the first two lines."""
    second = document.read(document.lines.span(2, 2)[0], 1)
    opens = document.head.lstrip("\ufeff \t").startswith(("{", "["))
    if not opens or second not in (b"{", b"["):
        return 0.0
    return 0.95 if named or _has_row_end(document) else 0.0


def _has_row_end(document: InputDocument) -> bool:
    end = document.lines.span(1, 1)[1]
    return document.read(max(end - 8, 0), min(end, 8)).rstrip().endswith((b"}", b"]"))


def _is_row(line: str) -> bool:
    bare = line.strip(" \t\r\x1e")
    if not bare.startswith(("{", "[")):
        return False
    try:
        return decode_value(bare, 0)[1] == len(bare)
    except (InvalidJsonError, JsonTooDeepError):
        return False


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the rows' shape and their anomalies, or None if few lines are rows.

    For JSON logs, return the same outlines as for plain logs.
    """
    return json_logs.build_json_log_outlines(document) or _outline_rows(document)


def _outline_rows(document: InputDocument) -> list[Outline] | None:
    rows = RowCollector()
    step = -(-document.lines.size // WHOLE)
    for turn, (first, lines) in enumerate(_iter_blocks(document, rows)):
        if turn % step == 0:
            rows.add_lines(first, lines)
        else:
            rows.skipped += len(lines)
        if rows.wrong > rows.read + MAX_BAD_LINES:
            return None
    if not rows.read or rows.wrong > rows.read:
        return None
    odd = [*_list_bad_lines(rows), *_list_oddities(rows)][: max(document.target // 20, 8)]
    parts = PartsIndex("Some rows as they stand, cut", "sample rows", _make_sampler(document))
    return build_data_outlines(NAME, DataContent(list(_summarize(rows)), odd, rows.shape, parts), document.target)


def _iter_blocks(document: InputDocument, rows: RowCollector) -> Iterator[tuple[int, list[str]]]:
    """Yield blocks of complete lines, each with the number of its first line; count lines that are
    too long as skipped.
    """
    left: list[bytes] = []
    carried_bytes, number = 0, 1
    for piece in document.lines.raw(1, document.lines.total):
        cut = piece.rfind(b"\n")
        if cut < 0:
            carried_bytes += len(piece)
            left = [*left, piece] if carried_bytes <= LONGEST else []
            continue
        block = b"".join([*left, piece[:cut]])
        if carried_bytes > LONGEST:
            rows.skipped += 1
            number += 1
            block = piece[piece.find(b"\n") + 1 : cut]
        if block or carried_bytes <= LONGEST:
            lines = block.decode("utf-8", "surrogateescape").split("\n")
            yield number, lines
            number += len(lines)
        left, carried_bytes = [piece[cut + 1 :]], len(piece) - cut - 1
    if carried_bytes > LONGEST:
        rows.skipped += 1
    elif carried_bytes:
        yield number, b"".join(left).decode("utf-8", "surrogateescape").split("\n")


def _summarize(rows: RowCollector) -> Iterator[Entry]:
    text = f"{pluralize(rows.read, 'row')}, one JSON value a line"
    if rows.wrong:
        text += f"; {pluralize(rows.wrong, 'line')} {'is' if rows.wrong == 1 else 'are'} no JSON"
    if rows.blank:
        text += f"; {pluralize(rows.blank, 'line')} blank"
    yield Entry(text)
    if rows.skipped:
        yield Entry(f"{pluralize(rows.skipped, 'further line')} not read: all counts are of the rows read")


def _list_bad_lines(rows: RowCollector) -> Iterator[Entry]:
    """Yield entries on invalid lines: the first is quoted, the others are listed by number."""
    if not rows.bad:
        return
    number, line = rows.bad[0]
    yield Entry(
        "not JSON, as it stands:", number, number, 1, children=(quote(number, decode_surrogates(line), rank=1),)
    )
    if len(rows.bad) > 1:
        numbers = ", ".join(str(number) for number, _ in rows.bad[1:])
        more = rows.wrong - len(rows.bad)
        yield Entry(f"not JSON either: lines {numbers}" + (f" and {more:,} more" if more else ""), rank=1)


def _list_oddities(rows: RowCollector) -> Iterator[Entry]:
    for oddity in find_anomalies(rows.shape):
        text = f"{oddity.node.path or 'the row'} {oddity.text}"
        if oddity.earlier is not None:
            text += f", first on line {oddity.earlier}"
        elif " in 1 of " not in text:
            text += " (first here)"
        yield Entry(text, oddity.row, oddity.row, 10)
    for size, number, _ in find_outlying_numbers(rows.sizes):
        if size > 2_000 and size >= rows.sizes.highest[0][0]:
            typical = format_size(rows.sizes.compute_quartiles()[1])
            yield Entry(f"the longest row, {format_size(size)}; half are under {typical}", number, number, 11)


def _make_sampler(document: InputDocument) -> Callable[[int], list[Entry]]:
    """Return a function that quotes a limited number of rows, spread over the document."""
    width = 300 if document.target >= 1_000 else 160

    def quote_samples(most: int) -> list[Entry]:
        """Quote at most ``most`` rows, or none if that is too few for a section."""
        if most < 4:
            return []
        total = document.lines.total
        count = max(min(most, 3 if most < 40 else 6, total), 1)
        numbers = sorted({1 + (total - 1) * place // max(count - 1, 1) for place in range(count)})
        rows = [(number, document.lines.at(number)) for number in numbers]
        return [quote(number, row, rank=40, width=width) for number, row in rows if row.strip()]

    return quote_samples
