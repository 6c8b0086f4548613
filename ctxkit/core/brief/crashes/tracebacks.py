"""Tracebacks, panics and crash reports in any output: where each is, its messages in order, its frames."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ctxkit.core.brief.builds.closings import bare
from ctxkit.core.brief.crashes.stacks import (
    BY,
    CALL,
    CAUSE,
    FILE,
    FOREIGN,
    HEADER,
    LINKS,
    MEMORY,
    MESSAGE,
    MORE,
    NEAR,
    PANIC,
    RUBY,
    RULER,
    SPAN,
    STARTS,
    TAILS,
    VALGRIND,
    Frame,
    frame_of,
)


@dataclass(slots=True)
class Part:
    """Hold one exception of a chain: the line of its message, its frames counted, the innermost own one."""

    number: int = 0
    text: str = ""
    frames: int = 0
    own: Frame | None = None
    nearest: Frame | None = None

    def add(self, frame: Frame, *, last: bool) -> None:
        """Count a frame; ``last`` says that the innermost one is the last, as in Python."""
        self.frames += 1
        if last or self.nearest is None:
            self.nearest = frame
        if not frame.foreign and (last or self.own is None):
            self.own = frame


@dataclass(slots=True)
class Trace:
    """Hold a traceback with all that is chained to it: lines ``start`` to ``end``."""

    start: int
    end: int
    parts: list[Part] = field(default_factory=list)
    python: bool = False
    key: int = 0

    @property
    def frames(self) -> int:
        """Return how many frames are printed."""
        return sum(part.frames for part in self.parts)

    @property
    def final(self) -> Part:
        """Return what reached the top: in Python the last exception, elsewhere the first."""
        said = [part for part in self.parts if part.number] or self.parts
        return said[-1 if self.python else 0]

    @property
    def root(self) -> Part:
        """Return what began it: in Python the first exception of the chain, elsewhere the last cause."""
        said = [part for part in self.parts if part.number] or self.parts
        return said[0 if self.python else -1]


class Reader:
    """Read lines in order and give each traceback to ``take``."""

    def __init__(self, take: Callable[[Trace], None]) -> None:
        self._take = take
        self._open: Trace | None = None
        self._bar = 0
        self._waits = False
        self._blanks = 0
        self._before: list[tuple[int, str]] = []
        self._linked = False

    def line(self, number: int, raw: str) -> None:
        """Read one line."""
        text = bare(raw)
        text = VALGRIND.sub("", text) if text.startswith(("==", "--")) else text
        if not text.strip(" |"):
            self._blanks += 1
            if self._open is None:
                self._before = self._before[-1:] if self._blanks < 2 else []
            return
        if self._open is not None and not self._continues(text, number):
            self.end()
        if self._open is None:
            self._begins(text, number)
        self._blanks = 0
        if self._open is None:
            self._before = [*self._before[1 - SPAN :], (number, text)]

    def end(self) -> None:
        """Give what is open."""
        trace, self._open = self._open, None
        self._before = []
        if trace and (trace.frames or (trace.parts and STARTS.fullmatch(trace.parts[0].text))):
            self._take(trace)

    def _begins(self, text: str, number: int) -> None:
        """Open a traceback where a line begins one."""
        header = HEADER.fullmatch(text) if "Traceback" in text else None
        if header:
            self._open = Trace(number, number, [Part()], python=True)
            self._bar, self._waits = len(header["bar"]), True
        elif text[0] in " \t#":
            self._framed(text, number)
        elif MEMORY.fullmatch(text) or STARTS.fullmatch(text):
            self._open = Trace(number, number, [Part(number, text)])
            self._waits = False

    def _framed(self, text: str, number: int) -> None:
        """Open a traceback at its first frame, with the message that stands before it."""
        frame = frame_of(text, number)
        if frame is None:
            return
        if FILE.fullmatch(text):
            self._open = Trace(number, number, [Part()], python=True)
            self._bar, self._waits = 0, True
            self._open.parts[0].add(frame, last=True)
            return
        said = next(((n, row) for n, row in reversed(self._before) if MESSAGE.match(row)), None)
        if said is None and not text.lstrip().startswith(("at ", "#0")):
            return
        if said is None and not re.match(r"[^:(]*[:(].*\d", text):
            return
        self._open = Trace(said[0] if said else number, number, [Part(*said) if said else Part()])
        self._open.parts[0].add(frame, last=False)
        self._waits = False

    def _continues(self, text: str, number: int) -> bool:
        """Take a line into the open traceback; return False when it does not belong."""
        trace = self._open
        if trace is None:
            return False
        if trace.python:
            return self._python(trace, text, number)
        part = trace.parts[-1]
        if CAUSE.fullmatch(text) or (RUBY.fullmatch(text) and RUBY.fullmatch(trace.parts[0].text)):
            trace.parts.append(Part(number, text))
        elif text[0] in " \t#" or BY.fullmatch(text):
            frame = frame_of(text, number)
            if frame is not None:
                part.add(frame, last=False)
            elif not (text[0] in " \t" or TAILS.fullmatch(text)):
                return False
        elif TAILS.fullmatch(text) or MORE.fullmatch(text):
            pass
        elif number == trace.start + 1 and (panic := PANIC.fullmatch(part.text)):
            part.own = Frame(part.number, part.text, FOREIGN.search(panic["path"]) is not None)
            part.number, part.text = number, text
        elif CALL.fullmatch(text) or (
            part.frames == 0 and number - trace.start <= SPAN and not self._blanks and not MESSAGE.match(text)
        ):
            pass
        elif not part.frames and MESSAGE.match(text) and number - trace.end <= NEAR:
            part.number, part.text = number, text
        else:
            return (
                STARTS.fullmatch(text) is not None
                and text.startswith(("goroutine", "panic"))
                and self._extended(trace, number)
            )
        return self._extended(trace, number)

    def _extended(self, trace: Trace, number: int) -> bool:
        trace.end = number
        return True

    def _python(self, trace: Trace, text: str, number: int) -> bool:
        """Take a line into a traceback of Python."""
        header = HEADER.fullmatch(text) if "Traceback" in text else None
        if header and (not self._waits or self._blanks or trace.end == number - 1):
            if not self._waits and not self._linked and not (header["bar"] and self._bar):
                return False
            trace.parts.append(Part())
            self._bar, self._waits, self._linked = len(header["bar"]), True, False
        elif LINKS.match(text):
            self._linked = True
        elif RULER.match(text):
            pass
        elif not self._waits:
            if not (text[0] in " |+" and "|" in text[:12] and self._bar):
                return False
        elif FILE.fullmatch(text):
            frame = frame_of(text, number)
            if frame:
                trace.parts[-1].add(frame, last=True)
        elif (_margin(text) <= self._bar and not self._blanks) or (
            MESSAGE.match(text.lstrip(" |")) and _margin(text) <= self._bar
        ):
            if not trace.parts[-1].frames and not MESSAGE.match(text.lstrip(" |")):
                return False
            trace.parts[-1].number, trace.parts[-1].text = number, text
            self._waits = self._linked = False
        elif self._blanks and _margin(text) == 0:
            return False
        return self._extended(trace, number)


def _margin(text: str) -> int:
    return len(text) - len(text.lstrip(" |"))
