"""The lines outside the tables of a text: the first and the last ones, errors, and runs below a title."""

from collections import deque

from ctxkit.core.brief.generic.forms import is_title
from ctxkit.core.brief.grids.layout import is_ruler
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.severity import is_error_line

_MAX_FIRST, _MAX_LATEST, MAX_RUNS = 200, 12, 200
"""Maximum numbers of stored first lines, of stored last lines and errors, and of stored runs."""


@dataclass(slots=True)
class OutsideRun:
    """Hold the lines of a run between tables, and its first line that is not a ruler."""

    start: int
    end: int
    text: str = ""

    @property
    def line_count(self) -> int:
        """Return the number of lines."""
        return self.end - self.start + 1


class OutsideLines:
    """Collect the lines outside tables; a title begins a run, and so does the first line after a table.

    A line that begins with ``#`` may be a title or a remark, and begins no run.
    """

    def __init__(self) -> None:
        self.first: list[tuple[int, str]] = []
        self.latest: deque[tuple[int, str]] = deque(maxlen=_MAX_LATEST)
        self.errors: list[tuple[int, str]] = []
        self.runs: list[OutsideRun] = []
        self.count = 0
        self._open: OutsideRun | None = None

    def add_line(self, number: int, text: str) -> None:
        """Add the next line that is not blank."""
        self.count += 1
        ruler = is_ruler(text)
        self._extend_run(number, text, is_ruler=ruler)
        if ruler:
            return
        self.latest.append((number, text))
        if len(self.errors) < _MAX_LATEST and is_error_line(text):
            self.errors.append((number, text))
        if len(self.first) < _MAX_FIRST:
            self.first.append((number, text))

    def end_run(self) -> None:
        """End the run of lines where a table begins."""
        self._open = None

    def _extend_run(self, number: int, text: str, *, is_ruler: bool) -> None:
        run = self._open
        if run is None or (run.text and text[:1] != "#" and is_title(text)):
            run = self._open = OutsideRun(number, number)
            if len(self.runs) < MAX_RUNS:
                self.runs.append(run)
        run.end = number
        if not run.text and not is_ruler:
            run.text = text
