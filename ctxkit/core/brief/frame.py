"""What stands around a map: whose map it is above, and how to read a part below."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ctxkit.core.brief.outline import Entry, Outline, without_controls
from ctxkit.core.hint import Hint
from ctxkit.core.measure import plural, size_of

SHORT = 40
"""Characters of a name that a lean frame shows."""


@dataclass(frozen=True, slots=True)
class Frame:
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

    def lean(self) -> "Frame":
        """Return the frame with a hint that names one way in only, and a long name cut.

        Of a path the end tells most, of a command its beginning.
        """
        name = self.name
        if len(name) > SHORT:
            path = "/" in name and " " not in name
            name = f"...{name[3 - SHORT :]}" if path else f"{name[: SHORT - 3]}..."
        return replace(self, name=name, hint=self.hint.lean())

    def around(self, outline: Outline, body: str, quoted: int) -> str:
        """Return ``body`` with header and hint; ``quoted`` lines of the source stand in it."""
        parts = [self._header(outline, quoted), body, self._hint(outline)]
        return _without_controls("\n\n".join(part for part in parts if part)) + "\n"

    def envelope(self) -> str:
        """Return the shortest way to say it, on one line: what, how large, where."""
        preface = f"{self.preface}; " if self.preface else ""
        where = f"ctxkit cache get {self.hint.ref}" if self.hint.ref else self.hint.path
        size = f"{plural(self.lines, 'line')}, {size_of(self.size)}"
        return _without_controls(f"{preface}{self.name} ({size}): {where}") + "\n"

    def _header(self, outline: Outline, quoted: int) -> str:
        what = f", {outline.language or outline.kind}" if outline.kind != "text" else ""
        about = "" if self.exact else "about "
        size = f"{plural(self.lines, 'line')}, {size_of(self.size)}, {about}{plural(self.tokens, 'token')}"
        shown = f"; {plural(quoted, 'line')} quoted" if quoted else ""
        title = f"# {self.name} ({size}{what}): a map, not the content{shown}"
        return f"{self.preface}\n{title}" if self.preface else title

    def _hint(self, outline: Outline) -> str:
        """Return the hint with the range a reader wants first: the longest at the top level, of at most 120 lines."""
        if outline.example:
            return self.hint.line(*outline.example)
        placed = [entry for entry in _tops(outline) if entry.start and not entry.verbatim]
        ranges = [(entry.start, entry.end) for entry in placed if not entry.octets]
        if not ranges and placed and outline.path:
            return self.hint.member(outline.path, placed[-1].start, placed[-1].end)
        if not ranges and placed:
            return self.hint.octets(placed[-1].start, placed[-1].end)
        start, end = max(ranges, key=lambda r: (min(r[1] - r[0], 119), -r[0]), default=(1, self.lines or 1))
        return self.hint.line(start, min(end, start + 119))


def _without_controls(text: str) -> str:
    """Return a map as it is where every kind keeps control characters out, else without them."""
    return text if text.replace("\n", "").isprintable() else without_controls(text)


def _tops(outline: Outline) -> Iterator[Entry]:
    return (entry for section in outline.sections for entry in section.entries)
