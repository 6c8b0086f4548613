"""A reader of tracebacks, panics and crash reports in any output: line ranges, messages and frames."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ctxkit.core.brief.builds.closing_lines import clean_build_line
from ctxkit.core.brief.crashes.stack_frames import (
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
    StackFrame,
    parse_frame,
)


@dataclass(slots=True)
class ChainedException:
    """Hold one exception of a chain: its message line, its number of frames, and the innermost project frame."""

    number: int = 0
    text: str = ""
    frames: int = 0
    own: StackFrame | None = None
    nearest: StackFrame | None = None

    def add_frame(self, frame: StackFrame, *, last: bool) -> None:
        """Count a frame; ``last`` means that the innermost frame is printed last, as in Python."""
        self.frames += 1
        if last or self.nearest is None:
            self.nearest = frame
        if not frame.foreign and (last or self.own is None):
            self.own = frame


@dataclass(slots=True)
class Trace:
    """Hold a traceback with its chained exceptions, on lines ``start`` to ``end``."""

    start: int
    end: int
    exceptions: list[ChainedException] = field(default_factory=list)
    python: bool = False
    key: int = 0

    @property
    def frame_count(self) -> int:
        """Return the number of printed frames."""
        return sum(exception.frames for exception in self.exceptions)

    @property
    def final_exception(self) -> ChainedException:
        """Return the exception that reached the top level: in Python the last exception, elsewhere the first."""
        candidates = [exception for exception in self.exceptions if exception.number] or self.exceptions
        return candidates[-1 if self.python else 0]

    @property
    def root_exception(self) -> ChainedException:
        """Return the root cause: in Python the first exception of the chain, elsewhere the last cause."""
        candidates = [exception for exception in self.exceptions if exception.number] or self.exceptions
        return candidates[0 if self.python else -1]


class TracebackReader:
    """Read lines in order and pass each complete traceback to ``emit``."""

    def __init__(self, emit: Callable[[Trace], None]) -> None:
        self._emit = emit
        self._open: Trace | None = None
        self._bar = 0
        self._expects_message = False
        self._blanks = 0
        self._before: list[tuple[int, str]] = []
        self._linked = False

    def read_line(self, number: int, raw: str) -> None:
        """Read one line."""
        text = clean_build_line(raw)
        text = VALGRIND.sub("", text) if text.startswith(("==", "--")) else text
        if not text.strip(" |"):
            self._blanks += 1
            if self._open is None:
                self._before = self._before[-1:] if self._blanks < 2 else []
            return
        if self._open is not None and not self._continue_trace(text, number):
            self.finish()
        if self._open is None:
            self._begin_trace(text, number)
        self._blanks = 0
        if self._open is None:
            self._before = [*self._before[1 - SPAN :], (number, text)]

    def finish(self) -> None:
        """Emit the open traceback."""
        trace, self._open = self._open, None
        self._before = []
        if trace and (trace.frame_count or (trace.exceptions and STARTS.fullmatch(trace.exceptions[0].text))):
            self._emit(trace)

    def _begin_trace(self, text: str, number: int) -> None:
        """Open a traceback if the line begins one."""
        header = HEADER.fullmatch(text) if "Traceback" in text else None
        if header:
            self._open = Trace(number, number, [ChainedException()], python=True)
            self._bar, self._expects_message = len(header["bar"]), True
        elif text[0] in " \t#":
            self._begin_at_frame(text, number)
        elif MEMORY.fullmatch(text) or STARTS.fullmatch(text):
            self._open = Trace(number, number, [ChainedException(number, text)])
            self._expects_message = False

    def _begin_at_frame(self, text: str, number: int) -> None:
        """Open a traceback at its first frame, with the message before it."""
        frame = parse_frame(text, number)
        if frame is None:
            return
        if FILE.fullmatch(text):
            self._open = Trace(number, number, [ChainedException()], python=True)
            self._bar, self._expects_message = 0, True
            self._open.exceptions[0].add_frame(frame, last=True)
            return
        message = next(((n, row) for n, row in reversed(self._before) if MESSAGE.match(row)), None)
        if message is None and not text.lstrip().startswith(("at ", "#0")):
            return
        if message is None and not re.match(r"[^:(]*[:(].*\d", text):
            return
        self._open = Trace(
            message[0] if message else number, number, [ChainedException(*message) if message else ChainedException()]
        )
        self._open.exceptions[0].add_frame(frame, last=False)
        self._expects_message = False

    def _continue_trace(self, text: str, number: int) -> bool:
        """Add a line to the open traceback, or return False if it does not belong to it."""
        trace = self._open
        if trace is None:
            return False
        if trace.python:
            return self._continue_python(trace, text, number)
        exception = trace.exceptions[-1]
        if CAUSE.fullmatch(text) or (RUBY.fullmatch(text) and RUBY.fullmatch(trace.exceptions[0].text)):
            trace.exceptions.append(ChainedException(number, text))
        elif text[0] in " \t#" or BY.fullmatch(text):
            frame = parse_frame(text, number)
            if frame is not None:
                exception.add_frame(frame, last=False)
            elif not (text[0] in " \t" or TAILS.fullmatch(text)):
                return False
        elif TAILS.fullmatch(text) or MORE.fullmatch(text):
            pass
        elif number == trace.start + 1 and (panic := PANIC.fullmatch(exception.text)):
            exception.own = StackFrame(exception.number, exception.text, FOREIGN.search(panic["path"]) is not None)
            exception.number, exception.text = number, text
        elif CALL.fullmatch(text) or (
            exception.frames == 0 and number - trace.start <= SPAN and not self._blanks and not MESSAGE.match(text)
        ):
            pass
        elif not exception.frames and MESSAGE.match(text) and number - trace.end <= NEAR:
            exception.number, exception.text = number, text
        else:
            return (
                STARTS.fullmatch(text) is not None
                and text.startswith(("goroutine", "panic"))
                and self._extend_trace(trace, number)
            )
        return self._extend_trace(trace, number)

    def _extend_trace(self, trace: Trace, number: int) -> bool:
        trace.end = number
        return True

    def _continue_python(self, trace: Trace, text: str, number: int) -> bool:
        """Add a line to a Python traceback, or return False if it does not belong to it."""
        header = HEADER.fullmatch(text) if "Traceback" in text else None
        if header and (not self._expects_message or self._blanks or trace.end == number - 1):
            if not self._expects_message and not self._linked and not (header["bar"] and self._bar):
                return False
            trace.exceptions.append(ChainedException())
            self._bar, self._expects_message, self._linked = len(header["bar"]), True, False
        elif LINKS.match(text):
            self._linked = True
        elif RULER.match(text):
            pass
        elif not self._expects_message:
            if not (text[0] in " |+" and "|" in text[:12] and self._bar):
                return False
        elif FILE.fullmatch(text):
            frame = parse_frame(text, number)
            if frame:
                trace.exceptions[-1].add_frame(frame, last=True)
        elif (_count_margin(text) <= self._bar and not self._blanks) or (
            MESSAGE.match(text.lstrip(" |")) and _count_margin(text) <= self._bar
        ):
            if not trace.exceptions[-1].frames and not MESSAGE.match(text.lstrip(" |")):
                return False
            trace.exceptions[-1].number, trace.exceptions[-1].text = number, text
            self._expects_message = self._linked = False
        elif self._blanks and _count_margin(text) == 0:
            return False
        return self._extend_trace(trace, number)


def _count_margin(text: str) -> int:
    return len(text) - len(text.lstrip(" |"))
