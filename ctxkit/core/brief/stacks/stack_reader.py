"""A reader of stacks: threads with their frames, and reports of sanitizers and memory checkers."""

from collections.abc import Callable

from ctxkit.core.brief.stacks.frame_parser import CallFrame, parse_call_frame
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.escapes import strip_escapes

MEMORY = compile_lazily(
    r"(?:Invalid (?:read|write|free)|Conditional jump|Use of uninit|Syscall param|Source and dest"
    r"|Mismatched|Process terminating|[\d,]+ (?=.*bytes in ).* lost|Jump to).*"
)
"""Pattern of the line that valgrind prints before the frames of a fault."""
THREAD = compile_lazily(
    r"\"[^\"]{0,300}\" (?:#\d+|.*\b(?:prio|nid|tid)=).*"
    r"|(?:\* )?(?:Current t|T)hread (?:0x[\da-fA-F]+|\d+)(?: [(\[\"].*|:.*|)"
    r"|goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[[^\]]*\](?: \{.*\})?:"
    r"|(?:\* |  )thread #\d+.*|Stack trace of thread \d+:|TID \d+:|LWP \d+:|Call [Tt]race:|PID: \d+ .*COMMAND: .*"
)
"""Pattern of the line above the frames of a thread."""
REPORT = compile_lazily(
    r"(?:ERROR|WARNING): \w*Sanitizer: .*|WARNING: DATA RACE|\S.*: runtime error: \S.*|(?:Ind|D)irect leak of .*"
    r"|(?:Possible data race|Thread #\d+: (?:lock order|Exiting|Attempt)).*"
)
"""Pattern of the first line of a report of a sanitizer."""
LOCKED = compile_lazily(r"Found .*deadlock.*:")
LOCKED_END = compile_lazily(r"Found \d+ deadlocks?\.")
PID = compile_lazily(r"(?:==\d+==|--\d+--|\*\*\d+\*\*) ?")
STATE = compile_lazily(r"\s+java\.lang\.Thread\.State: (.*)")
STATED = compile_lazily(r"\[([^\],]*)|\((idle|active[^()]{0,100})\)|\((\w[\w ]*)\)$")
NUMBERS = compile_lazily(r"0x[\da-fA-F]+|\d+")
MAX_FRAMES = 200
"""Maximum number of frames whose names are compared."""
MAX_REPORT_LINES = 400
"""Maximum number of lines of a report."""
INTRODUCTION = 3
"""Maximum number of lines between the heading of a report and its frames."""
MAX_LINE_LENGTH = 600


@dataclass(slots=True)
class Stack:
    """Hold the frames below a heading on lines ``start`` to ``end``.

    ``kind`` is thread, report or deadlock. ``top`` is the first frame, ``own`` the first one of the program itself,
    each with its line number. ``summary`` is the last line of a sanitizer's report.
    """

    kind: str
    start: int
    end: int
    title: str
    state: str = ""
    names: list[str] = field(default_factory=list)
    top: tuple[int, str] | None = None
    own: tuple[int, str] | None = None
    summary: tuple[int, str] | None = None
    frames: int = 0

    def add_frame(self, frame: CallFrame, number: int, text: str) -> None:
        """Count a frame."""
        self.frames += 1
        if len(self.names) < MAX_FRAMES and not (self.kind == "report" and self.own):
            self.names.append(frame.name)
        self.top = self.top or (number, text)
        if frame.own and self.own is None:
            self.own = (number, text)

    @property
    def key(self) -> tuple[str, ...]:
        """Return what stacks of the same group have in common: the state, and the names of the frames."""
        if self.kind == "report":
            place = NUMBERS.sub("0", self.own[1].partition(" in ")[2] or self.own[1]) if self.own else ""
            return (self.kind, NUMBERS.sub("0", self.title), *(() if self.own else self.names), place)
        return (self.kind, self.state, *self.names)


class StackReader:
    """Read lines in order and pass each complete stack to ``emit``."""

    def __init__(self, emit: Callable[[Stack], None]) -> None:
        self._emit = emit
        self._open: Stack | None = None
        self._before = ""
        self._blanks = 0

    def read_line(self, number: int, raw: str) -> None:
        """Read one line."""
        text = raw[:MAX_LINE_LENGTH]
        text = strip_escapes(text) if "\x1b" in text else text
        text = PID.sub("", text, count=1) if text[:2] in ("==", "--", "**") else text
        if not text.strip():
            self._blanks += 1
            self._before = ""
            if self._open and not self._spans_blanks(self._open):
                self.finish()
            return
        if not self._continue_stack(text, number):
            self.finish()
            self._begin_stack(text, number)
        self._before, self._blanks = text, 0

    def finish(self) -> None:
        """Emit the open stack."""
        stack, self._open = self._open, None
        if stack and (stack.frames or stack.kind != "thread" or stack.state):
            self._emit(stack)

    def _spans_blanks(self, stack: Stack) -> bool:
        """Return whether a stack may contain blank lines, as the reports of sanitizers do."""
        return stack.kind == "deadlock" or (stack.kind == "report" and "Sanitizer" in stack.title)

    def _begin_stack(self, text: str, number: int) -> None:
        kind = _find_stack_kind(text)
        if not kind:
            return
        self._open = Stack(kind, number, number, text)
        stated = STATED.search(text) if kind == "thread" and text[0] != '"' else None
        if stated:
            self._open.state = next((group for group in stated.groups() if group), "")
            self._open.state = "" if self._open.state.startswith(("most recent", "Thread", "LWP")) else self._open.state

    def _continue_stack(self, text: str, number: int) -> bool:
        """Add a line to the open stack, or return False if it does not belong to it."""
        stack = self._open
        if stack is None:
            return False
        if stack.kind == "deadlock":
            ended = LOCKED_END.fullmatch(text) is not None
            return self._extend_stack(stack, number, closes=ended or number - stack.start > MAX_REPORT_LINES)
        if _find_stack_kind(text):
            return False
        if text.startswith("SUMMARY: ") and stack.kind == "report":
            stack.summary = (number, text)
            return self._extend_stack(stack, number, closes=True)
        frame = parse_call_frame(text, self._before)
        if frame:
            stack.add_frame(frame, number, text)
        elif not self._belongs_to(stack, text, number):
            return False
        return self._extend_stack(stack, number)

    def _belongs_to(self, stack: Stack, text: str, number: int) -> bool:
        """Return whether a line without a frame belongs to the stack: a state, a local variable, a Go function."""
        state = STATE.fullmatch(text) if stack.kind == "thread" and not stack.frames else None
        if state:
            stack.state = state[1]
        if text[0] in " \t" or state:
            return True
        if stack.kind == "report" and not stack.frames and number - stack.start <= INTRODUCTION:
            return True
        if "Sanitizer" in stack.title and stack.kind == "report":
            return not text.startswith("=====") and number - stack.start <= MAX_REPORT_LINES
        return text.startswith(("created by ", "No locals", "No symbol")) or (text[-1] == ")" and "(" in text)

    def _extend_stack(self, stack: Stack, number: int, *, closes: bool = False) -> bool:
        stack.end = number
        if closes:
            self.finish()
        return True


def _find_stack_kind(text: str) -> str:
    """Return the kind of the stack that a line begins, or an empty string."""
    first = text[0]
    if first in '"*CTgSLP ' and THREAD.fullmatch(text):
        return "thread"
    if first == "F" and LOCKED.fullmatch(text):
        return "deadlock"
    if REPORT.fullmatch(text) or MEMORY.fullmatch(text):
        return "report"
    return ""
