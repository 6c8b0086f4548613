"""Patterns of traceback lines in many languages (headers, messages, causes), and a parser of stack frames."""

import re
from dataclasses import dataclass

LINKS = re.compile(
    r"[ |]*(?:The above exception was the direct cause of|During handling of the above exception, another)"
)
"""Pattern of the line between two chained tracebacks in Python."""
RULER = re.compile(r"[ |]*\+[-+]+(?: (?:\d+|\.\.\.) -+)?$")
"""Pattern of the line between the exceptions of a group."""
RUBY = re.compile(r"\S+:\d+:in (?=.*: ).* \(\S{1,300}\)")
PANIC = re.compile(r"thread '.*' (?:\(\d+\) )?panicked at (?P<path>\S+):\d+:\d+:")
"""Pattern of the line before the message of a Rust panic, with its place."""
HEADER = re.compile(r"(?P<bar>[ |+]*)(?:Exception Group )?Traceback \(most recent call (?:last|first)\):")
FILE = re.compile(r"[ |]*File \"(?P<path>[^\"]+)\", line \d+(?:, in .*)?")
AT = re.compile(
    r"\s+at (?:async |new )?(?P<name>\S.*?)(?: ?\((?P<where>[^()]*)\)"
    r"| in (?P<in>\S.*:line \d+))?(?: ~?\[[^\]]*\])?|\s+at (?P<place>\S+:\d+:\d+)"
)
MORE = re.compile(
    r"\s*\.\.\. \d+ (?:more|common frames omitted)|\s+--- End of .*---|\s+\[Previous line repeated .*|[ |]+[~^][ ~^]*"
    r"|\s+\.{3}.*lines matching.*"
)
GO = re.compile(r"\t(?P<path>\S+\.(?:go|s)):\d+(?: \+0x[\da-f]+)?")
CALL = re.compile(
    r"(?:created by )?(?=[\w./*\[\]{}%-]++\()[^\n]*\)|created by \S+.*|goroutine \d+ .*:"
    r"|\[originating from goroutine .*|\t?panic: .*|\[signal .*\]"
)
RUST = re.compile(r"\s+\d+: +(?:0x[\da-f]+ - )?(?P<name>\S.*)")
FROM = re.compile(r"\s++(?:\d+: )?from (?P<path>\S.*):\d+:in .*")
NUMBERED = re.compile(r"\s*#\d+ +(?P<rest>\S.*)")
VALGRIND = re.compile(r"^(?:==\d+==|--\d+--) ?")
BY = re.compile(r"\s+(?:at|by) 0x[\dA-F]+: (?P<rest>.*)")
STARTS = re.compile(
    r"panic: .*|fatal error: (?:all goroutines|concurrent map|runtime|stack overflow|out of memory|sync: "
    r"|unexpected signal|found bad).*|"
    r"thread '[^']*' (?:\(\d+\) )?(?:panicked at|has overflowed).*|goroutine \d+ \[.*\]:|WARNING: DATA RACE"
    r"|SIG\w+: .*|"
    r"(?:PHP )?Fatal error: +Uncaught .*|PHP Warning: +Uncaught .*|Exception in thread .*|Unhandled [Ee]xception.*|"
    r"(?:==\d+==)?ERROR: \w*Sanitizer: .*|.*: runtime error: .*|Program (?:received signal"
    r"|terminated with signal) .*|"
    r"Thread \d+ .* received signal .*|Fatal Python error: .*|\S+:\d+:in (?=.*: ).* \(\S{1,300}\)|\[BUG\] .*"
    r"|# A fatal error has been detected .*|"
    r"\*\*\* .* (?:detected|terminated).*|terminate called .*|Uncaught .*"
    r"|(?:.*: line \d+: +\d+ )?(?:Segmentation fault|Bus error|Illegal instruction)\b.*"
    r"|.*: line \d+: +\d+ Aborted\b.*|Aborted(?:!|\s{0,4}\(.*)?"
)
"""Pattern of a line that begins a crash report."""
MEMORY = re.compile(
    r"(?:Invalid (?:read|write|free)|Conditional jump|Use of uninit|Syscall param|Source and dest"
    r"|Mismatched|Process terminating|[\d,]+ (?=.*bytes in ).* lost|Jump to).*"
)
"""Pattern of the line that valgrind prints before the frames of a fault."""
CAUSE = re.compile(
    r"\s*(?:Caused by|Suppressed|Cause \d+|Wrapped by): ?.*|Next \S+: .*"
    r"|\s*(?:\[cause\]|\[errors\]): .*|\s*---> .*|\s*Caused by:$"
)
MESSAGE = re.compile(
    r"(?:Uncaught |Unhandled |\w+: )?(?:[\w.$/\\]{0,300}(?:Error|Exception|Warning|Exit|Interrupt|Failure|Fault"
    r"|Throwable|Panic|Timeout|Group|Iteration)\w{0,60}"
    r"|[a-z_]\w*(?:\.\w+)*\.[A-Z]\w*|AssertionError \[\w+\])(?: \[\w+\])?(?:: .*|$| \(.*)"
)
"""Pattern of an exception with its message, as most languages print it."""
TAILS = re.compile(
    r"SUMMARY: \w+Sanitizer.*|(?:==\d+== )?ERROR SUMMARY: .*|exit status \d+|note: (?:run with|Some details).*"
    r"|\s+thrown in .* on line \d+|"
    r"stack backtrace:|Stack trace:|Node\.js v\d.*|#\d+ \{main\}|\[Inferior .*|==\d+==ABORTING|note: .*"
    r"|\s*\(core dumped\)|(?:READ|WRITE) of size .*|0x[\da-f]+ is located .*|(?:previously )?(?:allocated"
    r"|freed) by .*|error: process didn't exit.*"
)
FOREIGN = re.compile(
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
)
"""Pattern of frames in libraries, runtimes and test tools."""
NEAR = 3
"""Maximum number of lines after a message up to a link to the next exception."""
SPAN = 3
"""Maximum number of lines of a message before the frames."""


@dataclass(slots=True)
class StackFrame:
    """Hold a frame: its line number, its text, and whether it belongs to a library."""

    number: int
    text: str
    foreign: bool


def parse_frame(text: str, number: int) -> StackFrame | None:
    """Return the frame that a line prints, or None."""
    match = FILE.fullmatch(text)
    if match:
        return StackFrame(number, text, FOREIGN.search(match["path"]) is not None)
    stripped = text.lstrip()
    if stripped.startswith(("at ", "by ")):
        by = BY.fullmatch(text)
        if by:
            return StackFrame(number, text, re.search(r"\(\w[\w.+-]*:\d+\)", by["rest"]) is None)
        at = AT.fullmatch(text)
        if at:
            where = next((at[key] for key in ("where", "in", "place") if at[key]), "")
            foreign = any(FOREIGN.search(name) for name in (at["name"] or "", where) if name)
            return StackFrame(number, text, foreign)
        return None
    for pattern in (GO, FROM):
        match = pattern.fullmatch(text)
        if match:
            return StackFrame(number, text, FOREIGN.search(match["path"]) is not None)
    match = NUMBERED.fullmatch(text) if stripped[0] == "#" else None
    if match:
        rest = match["rest"]
        return StackFrame(number, text, FOREIGN.search(rest) is not None or not re.search(r"[\w)]:\d+|\(\d+\)", rest))
    match = RUST.fullmatch(text)
    return StackFrame(number, text, True) if match else None
