"""The frame around an outline: a header with the source, and a hint on how to read a part."""

from collections.abc import Iterator

from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.encodings import LISTED
from ctxkit.core.text.escapes import clean_map
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.core.text.retrieval_hint import Hint, indent_hints

SHORT_NAME = 40
"""Maximum number of characters of a name in a shortened frame."""
LONG_LINE = 1_000
"""Average number of bytes of a line from which parts are read by bytes, so that their number is of use."""
UNREADABLE_LINE, READ_BYTES = 20_000, 4_000
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
        if len(name) > SHORT_NAME:
            path = "/" in name and " " not in name
            name = f"...{name[3 - SHORT_NAME :]}" if path else f"{name[: SHORT_NAME - 3]}..."
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
        is_readable = self.size < UNREADABLE_LINE * max(self.lines, 1)
        if outline.example and is_readable:
            return self.hint.for_lines(*outline.example)
        placed = [entry for entry in _iter_top_entries(outline) if entry.start and not entry.verbatim]
        ranges = [(entry.start, entry.end) for entry in placed if is_readable and not entry.in_bytes]
        if not is_readable and not (outline.path and placed):
            return self.hint.for_bytes(1, min(READ_BYTES, self.size))
        if not ranges and placed and outline.path:
            return self.hint.for_json_path(outline.path, placed[-1].start, placed[-1].end)
        if not ranges and placed:
            return self.hint.for_bytes(placed[-1].start, placed[-1].end)
        start, end = max(ranges, key=lambda r: (min(r[1] - r[0], 119), -r[0]), default=(1, self.lines or 1))
        return self.hint.for_lines(start, min(end, start + 119))


def _iter_top_entries(outline: Outline) -> Iterator[Entry]:
    return (entry for section in outline.sections for entry in section.entries)
