"""A parser of stack frames in any format: the function's name, and whether it belongs to the program itself."""

import re

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

FOREIGN = compile_lazily(
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
NUMBERED = compile_lazily(r"(?:\* )?(?:frame )?#\d+:? +(?:0x[\da-fA-F]+:? +)?(?:in +)?(?P<rest>\S.*)")
"""Pattern of gdb's, lldb's and the sanitizers' frames, and of those of systemd's core dumps."""
AT = compile_lazily(r"(?:at|by) (?:0x[\dA-Fa-f]+: )?(?P<rest>\S.*)")
"""Pattern of the frames of Java, JavaScript and valgrind."""
FILE = compile_lazily(r"File \"(?P<path>[^\"]*)\", line \d+ in (?P<name>.*)")
"""Pattern of the frames of Python's faulthandler."""
SAMPLED = compile_lazily(r"(?P<name>[\w<>.]+) \((?P<path>[^():]+):\d+\)")
"""Pattern of the frames of py-spy."""
KERNEL = compile_lazily(r"(?:\[<[\da-f]+>\] )?(?:\? )?(?P<name>[\w.]+)\+0x[\da-f]+/0x[\da-f]+(?: \[\w+\])?")
PLACE = compile_lazily(r":\d+\b")
"""Pattern of a line number, which only frames with debug information have."""
GO_PLACE = compile_lazily(r"\t(?P<path>\S+\.(?:go|s)):\d+(?: \+0x[\da-f]+)?")
GO_CALL = compile_lazily(r"(?:created by )?(?P<name>[\w./*()\[\]{}%-]+?)(?:\([^()]*\)| in goroutine \d+)?")


@dataclass(frozen=True, slots=True)
class CallFrame:
    """Hold the name of a called function, and whether the frame belongs to the program itself."""

    name: str
    own: bool


def parse_call_frame(text: str, before: str = "") -> CallFrame | None:
    """Return the frame on a line, or None; ``before`` is the line above, which holds the name in Go."""
    if text[:1] == "\t":
        match = GO_PLACE.fullmatch(text)
        if match:
            call = GO_CALL.fullmatch(before)
            return CallFrame(call["name"] if call else "", not _is_foreign(match["path"]))
    bared = text.strip()
    if not bared:
        return None
    if bared[0] in "#*f":
        match = NUMBERED.fullmatch(bared)
        return _make_frame(match["rest"]) if match else None
    if text[0] not in " \t":
        return None
    if bared.startswith(("at ", "by ")):
        match = AT.fullmatch(bared)
        return _make_frame(match["rest"]) if match else None
    if bared[0] == "F":
        match = FILE.fullmatch(bared)
        if match:
            return CallFrame(match["name"], not _is_foreign(match["path"]))
    return _parse_sampled(bared)


def _parse_sampled(bared: str) -> CallFrame | None:
    if bared[-1] == ")":
        match = SAMPLED.fullmatch(bared)
        return CallFrame(match["name"], not _is_foreign(match["path"])) if match else None
    match = KERNEL.fullmatch(bared) if "+0x" in bared else None
    return CallFrame(match["name"], own=False) if match else None


def _make_frame(rest: str) -> CallFrame:
    """Return the frame of a function followed by its arguments and its place."""
    own = PLACE.search(rest) is not None and not any(_is_foreign(part) for part in rest.split(" ", 3))
    return CallFrame(re.split(r"[(\s]", rest, maxsplit=1)[0], own)


def _is_foreign(text: str) -> bool:
    return FOREIGN.search(text) is not None
