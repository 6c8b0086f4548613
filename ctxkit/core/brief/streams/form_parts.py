"""Streams of different known forms, such as a table and then JSON."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.streams.forms import Form, find_forms
from ctxkit.core.brief.streams.stream_parts import Stream, StreamPart, make_part_document
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.escapes import strip_escapes

MAX_BYTES = 8 << 20
"""Maximum size in bytes of a text that is searched for forms."""
MAX_PARTS = 40
MAX_DIVIDED = 12
"""Maximum number of parts of a stream that are searched for forms."""
LARGE_GAP = 20
"""Minimum number of lines of other text that makes one form a part."""
TITLE_WIDTH = 80


def find_form_parts(document: InputDocument) -> Stream | None:
    """Return the forms of a text and what is between them, if at least two parts are large and different."""
    if document.lines.size > MAX_BYTES:
        return None
    rows = [strip_escapes(row) if "\x1b" in row else row for row in document.lines.texts()]
    if any(row.startswith(("```", "~~~")) for row in rows):
        return None  # a document that quotes forms
    forms = list(find_forms(rows))
    if not forms or not _are_evident(forms, len(rows)):
        return None
    parts = list(_make_parts(forms, rows))
    return Stream(parts, "parts", 0.91) if 1 < len(parts) <= MAX_PARTS else None


def divide_parts(document: InputDocument, stream: Stream) -> Stream:
    """Return a stream in which parts that consist of different known forms are divided."""
    if len(stream.parts) > MAX_DIVIDED:
        return stream
    parts = [piece for part in stream.parts for piece in _divide_part(document, part)]
    return replace(stream, parts=parts, noun=stream.noun if len(parts) == len(stream.parts) else "parts")


def _divide_part(document: InputDocument, part: StreamPart) -> Iterator[StreamPart]:
    """Yield a part, or its forms and what is between them; the first keeps the title."""
    inner = None if part.numbers else find_form_parts(make_part_document(document, part, 0))
    if inner is None:
        yield part
        return
    first, *others = inner.parts
    yield replace(part, end=part.find_number(first.end))
    for piece in others:
        start, end, line = map(part.find_number, (piece.start, piece.end, piece.title_line))
        yield replace(piece, start=start, end=end, title_line=line)


def _are_evident(forms: Sequence[Form], total: int) -> bool:
    """Return whether two forms are large and different, or one is large beside much other text."""
    large = [form for form in forms if form.end - form.start >= total * 0.03]
    covered = sum(form.end - form.start for form in forms)
    if not large or covered < total * 0.3:
        return False
    return len({form.name for form in large}) > 1 or (len(large) == 1 and total - covered >= LARGE_GAP)


def _make_parts(forms: Sequence[Form], rows: Sequence[str]) -> Iterator[StreamPart]:
    """Yield a part for each form, and for each gap between them that is not blank."""
    at = 0
    for form in forms:
        yield from _make_part(rows, at, form.start)
        yield from _make_part(rows, form.start, form.end)
        at = form.end
    yield from _make_part(rows, at, len(rows))


def _make_part(rows: Sequence[str], start: int, end: int) -> Iterator[StreamPart]:
    """Yield a part that is called like its first row with letters or digits, unless all rows are blank."""
    while start < end and not rows[start].strip():
        start += 1
    if start < end:
        at = next((at for at in range(start, end) if any(map(str.isalnum, rows[at]))), start)
        yield StreamPart(start + 1, end, rows[at].strip()[:TITLE_WIDTH], title_line=at + 1)
