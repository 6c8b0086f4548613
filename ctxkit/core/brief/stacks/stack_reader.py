"""A reader of stacks: threads with their frames, and reports of sanitizers and memory checkers."""

import re
from collections.abc import Callable

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.escapes import strip_escapes

_FOREIGN = compile_lazily(
    r"site-packages|dist-packages|lib/python\d|lib64/python\d|^<|[/\\]Lib[/\\]\w+\.py|node_modules|node:"
    r"|internal/|native code|"
    r"^(?:java|javax|jdk|sun|com\.sun|org\.junit|org\.springframework|org\.apache|org\.hibernate|org\.gradle"
    r"|kotlin|kotlinx|scala|akka|io\.netty|"
    r"reactor|com\.google\.common|groovy|clojure\.lang|System|Microsoft|Xunit|NUnit)\.|/usr/(?:local/)?(?:lib"
    r"|go|include|share)|/pkg/mod/|"
    r"^/rustc/|\.cargo/registry|^(?:std|core|alloc|rust_begin|__rust|runtime|main_thread)(?:::|\b)|/vendor/"
    r"|/gems/|\.\./sysdeps|\bcsu/|libasan|libc\.|libc_start|"
    r"^0x[\da-f]+ in (?:raise|abort|__GI|__libc|_start|malloc|free|operator (?:new|delete)|__interceptor"
    r"|__asan|std::)"
    r"|libsanitizer|sanitizer_common|(?:^|/)nptl/|sysdeps/|vg_replace|Native Method|\(in /"
    r"|\b(?:java|jdk)\.[\w.]{1,100}@"
    r"|/(?:threading|queue|selectors|socket|asyncio/\w+|concurrent/\w+/\w+|ctypes/__init__|multiprocessing/\w+)\.py|/csu/"
)
"""Pattern of frames in libraries, runtimes and test tools."""
_NUMBERED = compile_lazily(r"(?:\* )?(?:frame )?#\d+:? +(?:0x[\da-fA-F]+:? +)?(?:in +)?(?P<rest>\S.*)")
"""Pattern of gdb's, lldb's and the sanitizers' frames, and of those of systemd's core dumps."""
_AT = compile_lazily(r"(?:at|by) (?:0x[\dA-Fa-f]+: )?(?P<rest>\S.*)")
"""Pattern of the frames of Java, JavaScript and valgrind."""
_FILE = compile_lazily(r"File \"(?P<path>[^\"]*)\", line \d+ in (?P<name>.*)")
"""Pattern of the frames of Python's faulthandler."""
_SAMPLED = compile_lazily(r"(?P<name>[\w<>.]+) \((?P<path>[^():]+):\d+\)")
"""Pattern of the frames of py-spy."""
_KERNEL = compile_lazily(r"(?:\[<[\da-f]+>\] )?(?:\? )?(?P<name>[\w.]+)\+0x[\da-f]+/0x[\da-f]+(?: \[\w+\])?")
_PLACE = compile_lazily(r":\d+\b")
"""Pattern of a line number, which only frames with debug information have."""
GO_PLACE = compile_lazily(r"\t(?P<path>\S+\.(?:go|s)):\d+(?: \+0x[\da-f]+)?")
_GO_CALL = compile_lazily(r"(?:created by )?(?P<name>[\w./*()\[\]{}%-]+?)(?:\([^()]*\)| in goroutine \d+)?")


@dataclass(frozen=True, slots=True)
class CallFrame:
    """Hold the name of a called function, and whether the frame belongs to the program itself."""

    name: str
    own: bool


_MEMORY = compile_lazily(
    r"(?:Invalid (?:read|write|free)|Conditional jump|Use of uninit|Syscall param|Source and dest"
    r"|Mismatched|Process terminating|[\d,]+ (?=.*bytes in ).* lost|Jump to).*"
)
"""Pattern of the line that valgrind prints before the frames of a fault."""
_REPEATED = compile_lazily(r"[\d,]+ errors in context [\d,]+ of [\d,]+:")
"""Pattern of the line above a fault that valgrind states again at its end."""
THREAD = compile_lazily(
    r"\"[^\"]{0,300}\" (?:#\d+|.*\b(?:prio|nid|tid)=).*"
    r"|(?:\* )?(?:Current t|T)hread (?:0x[\da-fA-F]+|\d+)(?: [(\[\"].*|:.*|)"
    r"|goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[[^\]]*\](?: \{.*\})?:"
    r"|(?:\* |  )thread #\d+.*|Stack trace of thread \d+:|TID \d+:|LWP \d+:|Call [Tt]race:|PID: \d+ .*COMMAND: .*"
)
"""Pattern of the line above the frames of a thread."""
_REPORT = compile_lazily(
    r"(?:ERROR|WARNING): \w*Sanitizer: .*|WARNING: DATA RACE|\S.*: runtime error: \S.*|(?:Ind|D)irect leak of .*"
    r"|(?:Possible data race|Thread #\d+: (?:lock order|Exiting|Attempt)).*"
)
"""Pattern of the first line of a report of a sanitizer."""
_LOCKED = compile_lazily(r"Found .*deadlock.*:")
_LOCKED_END = compile_lazily(r"Found \d+ deadlocks?\.")
PID = compile_lazily(r"(?:==\d+==|--\d+--|\*\*\d+\*\*) ?")
_STATE = compile_lazily(r"\s+java\.lang\.Thread\.State: (.*)")
_STATED = compile_lazily(r"\[([^\],]*)|\((idle|active[^()]{0,100})\)|\((\w[\w ]*)\)$")
_NUMBERS = compile_lazily(r"0x[\da-fA-F]+|\d+")
_MAX_FRAMES = 200
"""Maximum number of frames whose names are compared."""
_MAX_REPORT_LINES = 400
"""Maximum number of lines of a report."""
_INTRODUCTION = 3
"""Maximum number of lines between the heading of a report and its frames."""
_MAX_LINE_LENGTH = 600


@dataclass(slots=True)
class Stack:
    """Hold the frames below a heading on lines ``start`` to ``end``.

    ``kind`` is thread, report or deadlock. ``top`` is the first frame, ``own`` the first one of the program itself,
    each with its line number. ``summary`` is the last line of a sanitizer's report.
    ``repeats`` means that the program says that it states the report again.
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
    repeats: bool = False

    def add_frame(self, frame: CallFrame, number: int, text: str) -> None:
        """Count a frame."""
        self.frames += 1
        if len(self.names) < _MAX_FRAMES and not (self.kind == "report" and self.own):
            self.names.append(frame.name)
        self.top = self.top or (number, text)
        if frame.own and self.own is None:
            self.own = (number, text)

    @property
    def key(self) -> tuple[str, ...]:
        """Return what stacks of the same group have in common: the state, and the names of the frames."""
        if self.kind == "report":
            place = _NUMBERS.sub("0", self.own[1].partition(" in ")[2] or self.own[1]) if self.own else ""
            return (self.kind, _NUMBERS.sub("0", self.title), *(() if self.own else self.names), place)
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
        text = raw[:_MAX_LINE_LENGTH]
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
        self._open = Stack(kind, number, number, text, repeats=_REPEATED.fullmatch(self._before) is not None)
        stated = _STATED.search(text) if kind == "thread" and text[0] != '"' else None
        if stated:
            self._open.state = next((group for group in stated.groups() if group), "")
            self._open.state = "" if self._open.state.startswith(("most recent", "Thread", "LWP")) else self._open.state

    def _continue_stack(self, text: str, number: int) -> bool:
        """Add a line to the open stack, or return False if it does not belong to it."""
        stack = self._open
        if stack is None:
            return False
        if stack.kind == "deadlock":
            ended = _LOCKED_END.fullmatch(text) is not None
            return self._extend_stack(stack, number, closes=ended or number - stack.start > _MAX_REPORT_LINES)
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
        if stack.kind == "thread" and not stack.frames and (state := _STATE.fullmatch(text)):
            stack.state = state[1]
            return True
        if text[0] in " \t":
            return True
        if stack.kind == "report":
            if not stack.frames and number - stack.start <= _INTRODUCTION:
                return True
            if "Sanitizer" in stack.title:
                return not text.startswith("=====") and number - stack.start <= _MAX_REPORT_LINES
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
    if first == "F" and _LOCKED.fullmatch(text):
        return "deadlock"
    if _REPORT.fullmatch(text) or _MEMORY.fullmatch(text):
        return "report"
    return ""


def parse_call_frame(text: str, before: str = "") -> CallFrame | None:
    """Return the frame on a line, or None; ``before`` is the line above, which holds the name in Go."""
    if text[:1] == "\t":
        match = GO_PLACE.fullmatch(text)
        if match:
            call = _GO_CALL.fullmatch(before)
            return CallFrame(call["name"] if call else "", not _is_foreign(match["path"]))
    bared = text.strip()
    if not bared:
        return None
    if bared[0] in "#*f":
        match = _NUMBERED.fullmatch(bared)
        return _make_frame(match["rest"]) if match else None
    if text[0] not in " \t":
        return None
    if bared.startswith(("at ", "by ")):
        match = _AT.fullmatch(bared)
        return _make_frame(match["rest"]) if match else None
    if bared[0] == "F":
        match = _FILE.fullmatch(bared)
        if match:
            return CallFrame(match["name"], not _is_foreign(match["path"]))
    return _parse_sampled(bared)


def _parse_sampled(bared: str) -> CallFrame | None:
    if bared[-1] == ")":
        match = _SAMPLED.fullmatch(bared)
        return CallFrame(match["name"], not _is_foreign(match["path"])) if match else None
    match = _KERNEL.fullmatch(bared) if "+0x" in bared else None
    return CallFrame(match["name"], own=False) if match else None


def _make_frame(rest: str) -> CallFrame:
    """Return the frame of a function followed by its arguments and its place."""
    own = _PLACE.search(rest) is not None and not any(_is_foreign(part) for part in rest.split(" ", 3))
    return CallFrame(re.split(r"[(\s]", rest, maxsplit=1)[0], own)


def _is_foreign(text: str) -> bool:
    return _FOREIGN.search(text) is not None


_NOTABLE = compile_lazily(
    r"Fatal Python error: .*|.* received signal .*|Program terminated with .*|Core was generated by .*|fatal error: .*"
    r"|panic: .*|SUMMARY: .*|ERROR SUMMARY: .*|\w+Sanitizer: reported .*|Process terminating .*|\[signal .*"
    r"|Found \d+ .*(?:deadlock|race).*|.*(?:Segmentation fault|\(core dumped\)).*|.* lost: [1-9].*|exit status \d+"
    r"|Aborted.*|(?:SEVERE|FATAL|CRITICAL)\b.*|\*\*\* .* \*\*\*.*|terminate called .*|  what\(\): .*"
)
"""Pattern of lines that state what happened; they are quoted, each form with its count."""
_PARTS = (
    *("Fatal", "signal", "Program", "Core", "fatal", "panic", "SUMMARY", "Sanitizer: rep", "Process", "Found "),
    *(
        "fault", "core dumped", "lost: ", "exit status", "Aborted", "SEVERE", "FATAL", "CRITICAL", "*** ",
        "terminate", "what()",
    ),
)
"""Parts of notable lines: a cheap check before the pattern."""
_MAX_GROUPS = 2_000
"""Maximum number of groups; later stacks of other groups are only counted."""
_MAX_SPANS = 20_000
"""Maximum number of stacks whose lines are stored."""
_MAX_NOTES = 60
"""Maximum number of forms of notable lines."""


@dataclass(slots=True)
class StackGroup:
    """Count the stacks with the same frames; ``spans`` are the line ranges of the first few."""

    first: Stack
    spans: list[tuple[int, int]]
    count: int = 1


@dataclass(slots=True)
class NotableLine:
    """Hold the first and the last line of a form, and the number of lines."""

    number: int
    text: str
    last: int
    last_text: str
    count: int = 1


@dataclass(slots=True)
class StackCollection:
    """Collect the stacks of a document; ``spans`` are the ranges of all stacks."""

    groups: dict[int, StackGroup] = field(default_factory=dict)
    notes: dict[str, NotableLine] = field(default_factory=dict)
    spans: list[tuple[int, int]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, stack: Stack) -> None:
        """Count another stack, unless it states again what stands above."""
        key = hash(stack.key)
        group = self.groups.get(key)
        if stack.repeats and group is not None and not group.first.repeats:
            return
        self.counts[stack.kind] = self.counts.get(stack.kind, 0) + 1
        if len(self.spans) < _MAX_SPANS:
            self.spans.append((stack.start, stack.end))
        else:
            self.spans[-1] = (self.spans[-1][0], stack.end)
        if group is None and len(self.groups) < _MAX_GROUPS:
            self.groups[key] = StackGroup(stack, [(stack.start, stack.end)])
        elif group is not None:
            group.count += 1
            if len(group.spans) <= _MAX_NOTES:
                group.spans.append((stack.start, stack.end))

    def add_note(self, number: int, text: str) -> None:
        """Count a notable line."""
        form = _NUMBERS.sub("0", text)
        note = self.notes.get(form)
        if note is not None:
            note.last, note.last_text, note.count = number, text, note.count + 1
        elif len(self.notes) < _MAX_NOTES:
            self.notes[form] = NotableLine(number, text, number, text)


def read_stacks(document: InputDocument) -> StackCollection:
    """Return the stacks of a whole document."""
    stacks = StackCollection()
    reader = StackReader(stacks.add)
    for number, text in document.lines.enumerate_lines():
        reader.read_line(number, text)
        if any(part in text for part in _PARTS):
            _read_note(stacks, number, text[:600])
    reader.finish()
    return stacks


def _read_note(stacks: StackCollection, number: int, text: str) -> None:
    plain = strip_escapes(text) if "\x1b" in text else text
    if _NOTABLE.fullmatch(PID.sub("", plain, count=1)):
        stacks.add_note(number, plain)
