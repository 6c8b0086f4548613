"""The frame around an outline: a header with the source, and a hint on how to read a part."""

from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.brief.render import AddFrame, Rendering, render_outline
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.escapes import clean_map
from ctxkit.core.text.lines import LISTED
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.core.text.retrieval_hint import Hint, indent_hints
from ctxkit.core.tokens.vocabulary import Tokenizer

_SHORT_NAME = 40
"""Maximum number of characters of a name in a shortened frame."""
LONG_LINE = 1_000
"""Average number of bytes of a line from which parts are read by bytes, so that their number is of use."""
_UNREADABLE_LINE, _READ_BYTES = 20_000, 4_000
"""Average number of bytes of a line from which the hint names bytes, and the number of these."""


@dataclass(frozen=True, slots=True)
class BriefingFrame:
    """Hold the source of a briefing: name, lines, bytes, tokens (exact or not), and the hint to read parts.

    ``preface`` precedes everything, such as the exit status of a failed command. The header of a ``short`` frame
    leaves out the number of bytes, unless lines are long, and that of the quoted lines. ``encoding`` is what the
    content was transcoded from, "" for UTF-8.
    """

    name: str
    lines: int
    size: int
    tokens: int
    exact: bool
    hint: Hint
    preface: str = ""
    short: bool = False
    encoding: str = ""

    def shorten(self) -> "BriefingFrame":
        """Return the frame with a shorter header and hint, and a truncated name.

        A path keeps its end, a command its beginning.
        """
        name = self.name
        if len(name) > _SHORT_NAME:
            path = "/" in name and " " not in name
            name = f"...{name[3 - _SHORT_NAME :]}" if path else f"{name[: _SHORT_NAME - 3]}..."
        return replace(self, name=name, hint=self.hint.without_alternative(), short=True)

    def offer_focus(self) -> "BriefingFrame":
        """Return the frame of a map that leaves entries out, whose hint names --focus."""
        return replace(self, hint=self.hint.offer_focus())

    def wrap(self, outline: Outline, body: str, quoted: int) -> str:
        """Return ``body`` with header and hint; ``quoted`` is the number of source lines in it."""
        parts = [self._render_header(outline, quoted), indent_hints(clean_map(body)), self._render_hint(outline)]
        return clean_map("\n\n".join(part for part in parts if part)) + "\n"

    def render_one_line(self) -> str:
        """Return the shortest form on one line: name, size and location."""
        preface = f"{self.preface}; " if self.preface else ""
        where = f"ctxkit cache get {self.hint.ref}" if self.hint.ref else self.hint.path
        size = f"{pluralize(self.lines, 'line')}, {format_size(self.size)}"
        return clean_map(f"{preface}{self.name} ({size}){f': {where}' if where else ''}") + "\n"

    def _render_header(self, outline: Outline, quoted: int) -> str:
        kind_text = f", {outline.language or outline.kind}" if outline.kind != "text" else ""
        if self.encoding:
            kind_text += ", separated by NUL" if self.encoding == LISTED else f", decoded from {self.encoding}"
        about = "" if self.exact else "about "
        by_lines = self.short and self.size < LONG_LINE * self.lines
        bytes_text = "" if by_lines else f"{format_size(self.size)}, "
        size = f"{pluralize(self.lines, 'line')}, {bytes_text}{about}{pluralize(self.tokens, 'token')}"
        quoted_text = f"; {pluralize(quoted, 'line')} quoted" if quoted and not self.short else ""
        title = f"# {self.name} ({size}{kind_text}): a map, not the content{quoted_text}"
        return f"{self.preface}\n{title}" if self.preface else title

    def _render_hint(self, outline: Outline) -> str:
        """Return the hint with the outline's example, or with its longest range, cut to 120 lines.

        Lines that are too long to be read have a range of bytes.
        """
        placed = [entry for entry in _iter_top_entries(outline) if entry.start and not entry.verbatim]
        if self.size >= _UNREADABLE_LINE * max(self.lines, 1):
            if outline.path and placed:
                return self.hint.for_json_path(outline.path, placed[-1].start, placed[-1].end)
            return self.hint.for_bytes(1, min(_READ_BYTES, self.size))
        if outline.example:
            return self.hint.for_lines(*outline.example)
        ranges = [(entry.start, entry.end) for entry in placed if not entry.in_bytes]
        if placed and not ranges:
            return self._render_byte_hint(outline.path, placed[-1])
        start, end = max(ranges, key=lambda r: (min(r[1] - r[0], 119), -r[0]), default=(1, self.lines or 1))
        return self.hint.for_lines(start, min(end, start + 119))

    def _render_byte_hint(self, path: str, entry: Entry) -> str:
        """Return the hint with an entry's JSON path, if there is one, or with its bytes."""
        if path:
            return self.hint.for_json_path(path, entry.start, entry.end)
        return self.hint.for_bytes(entry.start, entry.end)


def _iter_top_entries(outline: Outline) -> Iterator[Entry]:
    return (entry for section in outline.sections for entry in section.entries)


RANGE_LINES = 120
"""Maximum number of lines in the range."""
_FEW_SHARE = 0.2
"""Share of lines that are not quoted up to which a range is not worth reading."""
_NEW_LINES, _NEW_SHARE = 10, 0.5
"""Minimum number and share of lines that are not quoted in a better range."""


def offer_unquoted_range(rendering: Rendering, add_frame: AddFrame, count: Tokenizer, target: int) -> Rendering:
    """Return the rendering with another range in its hint if the map quotes most lines of the present one.

    The new range is that of the entry with the lowest rank of whose lines the map quotes at most half.
    """
    outline = rendering.outline
    if outline.example is None:
        return rendering
    quoted = rendering.find_quoted_lines()
    if _is_worth_reading(outline.example, quoted, 0, _FEW_SHARE):
        return rendering
    ranges = (_cut_range(entry) for entry in sorted(_iter_ranges(outline), key=lambda entry: entry.rank))
    better = next((span for span in ranges if _is_worth_reading(span, quoted, _NEW_LINES, _NEW_SHARE)), None)
    if better is None:
        return rendering
    outline = replace(outline, example=better)
    text = render_outline(outline, add_frame, rendering.admitted)
    return replace(rendering, text=text, outline=outline) if count(text) <= target else rendering


def _is_worth_reading(span: tuple[int, int], quoted: Collection[int], lines: int, share: float) -> bool:
    """Return whether at least a number of lines of a range, and more than a share of them, are not quoted."""
    size = span[1] - span[0] + 1
    others = sum(number not in quoted for number in range(span[0], span[1] + 1))
    return others >= lines and others > share * size


def _cut_range(entry: Entry) -> tuple[int, int]:
    return entry.start, min(entry.end, entry.start + RANGE_LINES - 1)


def _iter_ranges(outline: Outline) -> Iterator[Entry]:
    """Yield the entries about several lines, those of a section before their children."""
    for section in outline.sections:
        if not section.bare:
            yield from _iter_entries(section.entries)


def _iter_entries(entries: Sequence[Entry]) -> Iterator[Entry]:
    for entry in entries:
        if entry.end > entry.start and not (entry.verbatim or entry.in_bytes):
            yield entry
        yield from _iter_entries(entry.children)
