"""What stands around a map: whose map it is above, and how to read a part below."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.store.hint import Hint
from ctxkit.core.text.ansi import strip_controls
from ctxkit.core.text.measure import format_size, pluralize

SHORT_NAME = 40
"""Characters of a name that a lean frame shows."""


@dataclass(frozen=True, slots=True)
class BriefingFrame:
    """Know the source of a map: name, lines, bytes, tokens (exact or not), and the way back in.

    ``preface`` comes before everything, such as the exit status of a failed command.
    """

    name: str
    lines: int
    size: int
    tokens: int
    exact: bool
    hint: Hint
    preface: str = ""

    def shorten(self) -> "BriefingFrame":
        """Return the frame with a hint that names one way in only, and a long name cut.

        Of a path the end tells most, of a command its beginning.
        """
        name = self.name
        if len(name) > SHORT_NAME:
            path = "/" in name and " " not in name
            name = f"...{name[3 - SHORT_NAME :]}" if path else f"{name[: SHORT_NAME - 3]}..."
        return replace(self, name=name, hint=self.hint.without_alternative())

    def wrap(self, outline: Outline, body: str, quoted: int) -> str:
        """Return ``body`` with header and hint; ``quoted`` lines of the source stand in it."""
        parts = [self._render_header(outline, quoted), body, self._render_hint(outline)]
        return _remove_controls("\n\n".join(part for part in parts if part)) + "\n"

    def render_one_line(self) -> str:
        """Return the shortest way to say it, on one line: what, how large, where."""
        preface = f"{self.preface}; " if self.preface else ""
        where = f"ctxkit cache get {self.hint.ref}" if self.hint.ref else self.hint.path
        size = f"{pluralize(self.lines, 'line')}, {format_size(self.size)}"
        return _remove_controls(f"{preface}{self.name} ({size}): {where}") + "\n"

    def _render_header(self, outline: Outline, quoted: int) -> str:
        kind_text = f", {outline.language or outline.kind}" if outline.kind != "text" else ""
        about = "" if self.exact else "about "
        size = f"{pluralize(self.lines, 'line')}, {format_size(self.size)}, {about}{pluralize(self.tokens, 'token')}"
        quoted_text = f"; {pluralize(quoted, 'line')} quoted" if quoted else ""
        title = f"# {self.name} ({size}{kind_text}): a map, not the content{quoted_text}"
        return f"{self.preface}\n{title}" if self.preface else title

    def _render_hint(self, outline: Outline) -> str:
        """Return the hint with the range a reader wants first: the longest at the top level, of at most 120 lines."""
        if outline.example:
            return self.hint.for_lines(*outline.example)
        placed = [entry for entry in _iter_top_entries(outline) if entry.start and not entry.verbatim]
        ranges = [(entry.start, entry.end) for entry in placed if not entry.in_bytes]
        if not ranges and placed and outline.path:
            return self.hint.for_json_path(outline.path, placed[-1].start, placed[-1].end)
        if not ranges and placed:
            return self.hint.for_bytes(placed[-1].start, placed[-1].end)
        start, end = max(ranges, key=lambda r: (min(r[1] - r[0], 119), -r[0]), default=(1, self.lines or 1))
        return self.hint.for_lines(start, min(end, start + 119))


def _remove_controls(text: str) -> str:
    """Return a map as it is where every kind keeps control characters out, else without them."""
    return text if text.replace("\n", "").isprintable() else strip_controls(text)


def _iter_top_entries(outline: Outline) -> Iterator[Entry]:
    return (entry for section in outline.sections for entry in section.entries)
