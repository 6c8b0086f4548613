"""Hostile content: the memory and the processor time that every kind of map takes for it.

``python -m bench bounds`` makes every kind of map of every input, which takes more than an hour; with ``--quick`` it
makes the map of the kind that each is detected to be, and some of the others, in about two minutes.
"""

import bz2
import gc
import gzip
import io
import lzma
import os
import random
import resource
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.figure import Figure, mb
from bench.place import Place

SUITE = "bounds"
MEMORY = 400 << 20
"""Bytes that any command may hold of any input up to 100 MB."""
SECONDS = 1.0
"""Seconds that it may take for each megabyte."""
START = 0.3
"""Seconds that it may take for no content at all: imports, tables of words and signs."""
QUICK_SIZE = 128 << 10
"""Bytes of each input in a quick run."""
QUICK_SHARE = 8
"""Of so many kinds, one is tried with each input in a quick run; the next input has the next."""
KILLED_AFTER = 8
"""Seconds of processor time after which a run is killed."""
MB = 1 << 20
Made = Callable[[int], bytes]


def _fill(unit: str | bytes) -> Made:
    data = unit.encode() if isinstance(unit, str) else unit
    return lambda size: (data * (size // len(data) + 1))[:size]


def _write_lines(line: str) -> Made:
    return _fill(line + "\n")


def _nest(opened: str, closed: str, inner: str = "") -> Made:
    def make(size: int) -> bytes:
        depth = size // (len(opened) + len(closed))
        return (opened * depth + inner + closed * depth).encode()

    return make


def _keys_in_keys(size: int) -> bytes:
    text = "a"
    while len(text) < min(size, 200):
        text = f"{{{text}: 1}}"
    return (f"x: {text}\n" * (size // len(text) + 1)).encode()[:size]


def _indent(size: int) -> bytes:
    lines, depth = [], 0
    while size > 0:
        lines.append(f"{' ' * depth}a:")
        size -= depth + 3
        depth += 1
    return "\n".join(lines).encode()


def _aliases(size: int) -> bytes:
    levels = "".join(f"k{at}: &k{at} [{', '.join([f'*k{at - 1}'] * 9)}]\n" for at in range(1, 40))
    return ("k0: &k0 lol\n" + levels).encode()[:size]


def _entities(size: int) -> bytes:
    head = '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a0 "lol">\n'
    levels = "".join(f'<!ENTITY a{at} "{f"&a{at - 1};" * 10}">\n' for at in range(1, 40))
    return (head + levels + "]>\n<x>" + "&a39;" * (size // 5) + "</x>").encode()


def _wide_csv(size: int) -> bytes:
    row = ",".join(f"c{at}" for at in range(100_000))
    return (row + "\n" + ("1," * 99_999 + "1\n") * (size // 200_000 + 1)).encode()[: max(size, len(row))]


def _random(size: int) -> bytes:
    return random.Random(7).randbytes(size)


def _words(size: int) -> bytes:
    random_value = random.Random(7)
    return " ".join(f"{random_value.getrandbits(40):x}" for _ in range(size // 11)).encode()


def _tar(size: int) -> bytes:
    header = tarfile.TarInfo("zeros")
    header.size = 4 << 30
    return header.tobuf() + bytes(min(100 * MB, size * 100))


def _zip(size: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for at in range(max(size // 120, 1)):
            archive.writestr(f"{at}", b"")
    return buffer.getvalue()


def _unique(line: str) -> Made:
    def make(size: int) -> bytes:
        count = size // (len(line.format(0)) + 5)
        return "\n".join(line.format(at) for at in range(count)).encode()

    return make


INPUTS: dict[str, Made] = {
    **{
        f"one line of {unit!r}": _fill(unit)
        for unit in (
            "a", " ", "0", "(", "[", "{", '"', "'", "<", "-", "#", "|", ".", "=", ":", "/", "\\", "_", "a ", "a.",
            "a,", "a=", "1,", "é", "\u0301", "e\u0301", "/*", "<a ", "<!--", "<!---->", "](", "[a](", "- ", "> ", "**",
            "\x1b[31m", "a:b ", '{"a":1}', "\t", "a/", "--", "&amp;", "'''", '"""', "```", "$(", "0.", "@", "*", "~",
            "`",
        )
    },
    **{
        f"lines of {unit!r}": _write_lines(unit)
        for unit in (
            "", "a", " ", "(", "[", "{", '"', "'", "- ", "- - - a", "#", "# a", "|", "| a | b |", "> ", "1. a", "a:",
            "a: b", "a=b", "[a]", "a,b,c", "<a>", "</a>", "<a b='", "/* ", "=ab", "//", "{}", '{"a": 1}',
            "@@ -1 +1 @@", "diff --git a/a b/a", "--- a", "+a", "-a", "a.py:1: error: b", "a:1:a", "FAILED a::b",
            "ok 1 - a", "not ok 1 - a", "Traceback (most recent call last):", '  File "a.py", line 1, in a',
            "    at a (b.js:1:1)", "error: a", "2024-01-01 00:00:00 ERROR a",
            "commit 0123456789012345678901234567890123456789", "* a", "```", "'''", '"""', "def a(:", "class A {",
            "func a() {", "if (", "end", "begin", "---", "From a", "Content-Type: multipart/mixed; boundary=a", "--a",
            "drwxr-xr-x 2 a a 4096 Jan  1 00:00 a", ".SH A", "<testcase name='a'><failure>", "=== a ===", "----",
            "    a", "\ta", "{{a}}", "&a *a", "? a", "[[a]]", "\r", "\x00", "&&", "|-",
        )
    },
    "carriage returns only": _fill("\r"),
    "NULs only": _fill("\x00"),
    "random bytes": _random,
    "words without breaks": _words,
    "JSON lists in lists": _nest("[", "]"),
    "JSON objects in objects": _nest('{"a":', "}", "1"),
    "lists and objects": _nest('[{"a":', "}]", "1"),
    "JSON opened and not closed": _fill('{"a":[{"b":['),
    "a JSON list of numbers": lambda size: b"[" + _fill("1,")(size) + b"1]",
    "a JSON list of lists": lambda size: b"[" + _fill("[],")(size) + b"1]",
    "a JSON list of objects": lambda size: b"[" + _fill('{"a":{"b":[1]}},')(size) + b"1]",
    "a JSON object of keys": lambda size: b"{" + b",".join(b'"k%d":1' % at for at in range(size // 10)) + b"}",
    "JSON lines of unlike keys": lambda size: b"\n".join(b'{"k%d":{"k%d":1}}' % (at, at) for at in range(size // 22)),
    "two JSON lines": lambda size: (b'{"a":"' + _fill("a")(size // 2) + b'"}\n') * 2,
    "a JSON text": lambda size: b'"' + _fill("\\n")(size) + b'"',
    "XML in XML": _nest("<a>", "</a>"),
    "XML opened": _fill("<a>"),
    "XML entities": _entities,
    "an XML attribute": lambda size: b'<?xml version="1.0"?><a b="' + _fill("a")(size) + b'"/>',
    "an XML tag of attributes": lambda size: b"<a " + _fill('b="1" ')(size) + b"/>",
    "unlike XML tags": _unique("<t{0}/>"),
    "HTML in HTML": _nest("<div>", "</div>"),
    "HTML tables": _nest("<table><tr><td>", "</td></tr></table>"),
    "HTML headings": _fill("<h1>a</h1>\n"),
    "Markdown quotes": _nest("> ", "\n"),
    "Markdown lists": lambda size: b"\n".join(b" " * at + b"- a" for at in range(int((2 * size) ** 0.5))),
    "keys in keys": _keys_in_keys,
    "YAML deeper and deeper": _indent,
    "YAML aliases": _aliases,
    "YAML in brackets": _nest("a: [", "]"),
    "YAML quotes": _write_lines("a: '"),
    "YAML quotes in lists": _write_lines('- "\\"'),
    "unlike YAML keys": _unique("k{0}: {0}"),
    "TOML tables": _unique("[t{0}]\na = 1"),
    "TOML deep tables": lambda size: (b"[" + b".".join([b"a"] * 1000) + b"]\n") * (size // 2000 + 1),
    "INI keys": _unique("k{0} = {0}"),
    "100,000 columns": _wide_csv,
    "unlike lines": _unique("line {0} of it"),
    "unlike log lines": _unique("2024-01-01 00:00:00 INFO request {0} took {0} ms at host{0}"),
    "unlike paths": _unique("src/d{0}/f{0}.py"),
    "unlike test names": _unique("FAILED tests/test_{0}.py::test_{0} - AssertionError: {0}"),
    "unlike errors": _unique("src/f{0}.c:{0}:1: error: undefined x{0} [-Wx{0}]"),
    "unlike diffs": _unique("diff --git a/f{0} b/f{0}\n--- a/f{0}\n+++ b/f{0}\n@@ -1 +1 @@\n-a\n+b"),
    "unlike commits": _unique("commit {0:040x}\nAuthor: a{0} <a@b>\nDate: now\n\n    m{0}\n"),
    "unlike matches": _unique("f{0}.py:{0}:x = {0}"),
    "unlike functions": _unique("def f{0}(): pass"),
    "unlike headings": _unique("# h{0}\n\ntext {0}"),
    "unlike cases": _unique('<testcase name="t{0}"><failure message="m{0}"/></testcase>'),
    "unlike frames": _unique('Traceback (most recent call last):\n  File "f{0}.py", line {0}, in f{0}\nE{0}Error: {0}'),
    "nested code": _nest("{", "}"),
    "nested calls": _nest("f(", ")"),
    "nested functions": _nest("def f():\n ", ""),
    "nested ifs": _nest("if (a) {", "}"),
    "operators": _fill("a+"),
    "templates": _fill("a<"),
    "strings": _fill("'\\'"),
    "a tar of a large member": _tar,
    "a zip of many members": _zip,
    "bzip2 of zeros": lambda size: bz2.compress(_tar(size)),
    "gzip of zeros": lambda size: gzip.compress(_tar(size), 1),
    "xz of zeros": lambda size: lzma.compress(_tar(size), preset=0),
    "UTF-16": lambda size: ("\ufeff" + "a b\n" * (size // 8)).encode("utf-16"),
    "a PDF of pages": lambda size: b"%PDF-1.4\n" + _fill("/Type /Page /Count 1 ")(size),
    "ELF and noise": lambda size: b"\x7fELF\2\1\1" + _random(size),
    "PNG chunks": lambda size: b"\x89PNG\r\n\x1a\n" + _fill(b"\0\0\0\0tEXt\0\0\0\0")(size),
    "words in binary": lambda size: b"\0\0\0\0" * 200 + _fill(b"Abcdefgh\0\1\2\3")(size),
}
"""Content that is made to take more than it should, by what it is."""


LOADED = 130 << 20
"""Bytes that the interpreter, the modules and a vocabulary take before any content is read."""


class Run(NamedTuple):
    """Hold what a run took, as if by a process that had just begun; a status under zero is the signal that ended it."""

    seconds: float
    memory: int
    status: int


def run_forked(work: Callable[[], object]) -> Run:
    """Do some work in a child, which is killed when it takes far too much."""
    sys.stdout.flush()
    size, value = (int(pages) * resource.getpagesize() for pages in Path("/proc/self/statm").read_text().split()[:2])
    with warnings.catch_warnings():  # threads of libraries that wait for work are no danger to the child
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (KILLED_AFTER, KILLED_AFTER))
            resource.setrlimit(resource.RLIMIT_AS, (size + (3 << 30), size + (3 << 30)))
            work()
            os._exit(0)
        except MemoryError:
            os._exit(1)
        except BaseException:
            os._exit(2)
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    memory = LOADED + max(usage.ru_maxrss * 1024 - value, 0)
    return Run(seconds, memory, os.waitstatus_to_exitcode(status))


def kinds() -> list[str]:
    """Return the kinds of map."""
    from ctxkit.core.brief import kind_detection

    return [kind.NAME for kind in kind_detection.all_kinds()]


def mapper(data: bytes, forced: str) -> Callable[[], object]:
    """Return the work of making a map of some content, of a kind or of the kind that it is detected to be."""
    from ctxkit.app.services import engines
    from ctxkit.core.brief import brief_document
    from ctxkit.core.brief.briefing_frame import BriefingFrame
    from ctxkit.core.brief.document import InputDocument
    from ctxkit.core.text import lines
    from ctxkit.core.text.retrieval_hint import Hint
    from ctxkit.core.tokens.vocabulary import find_vocabulary

    value, count = lines.lines_from_bytes(data), engines.load_tokenizer(find_vocabulary("qwen3"))
    hint = Hint("ctxkit cache get {ref} --lines {start}:{end}", "content").with_location("0" * 12, "")
    frame = BriefingFrame("content", value.total, len(data), len(data) // 4, False, hint, "")
    document = InputDocument(value, value.read, count, 2_000, "", forced, engines.find_definitions)
    return lambda: brief_document(document, frame)


def too_much(run: Run, size: int) -> bool:
    """Tell whether a run took more than it may for content of a size."""
    return run.status != 0 or run.memory > MEMORY or run.seconds > START + SECONDS * size / MB


def figures(place: Place) -> Iterator[Figure]:
    """Yield how many maps take too much."""
    size = QUICK_SIZE if place.quick else MB
    prepare()
    count, messages = 0, []
    for at, name in enumerate(INPUTS):
        types = some_kinds(at) if place.quick else ["", *kinds()]
        count += len(types)
        for line in findings(name, size, types):
            messages.append(line)
            print(line, file=sys.stderr, flush=True)
    what = f"{count:,} maps of {len(INPUTS)} inputs of {mb(size)}"
    yield Figure(SUITE, what, f"{len(messages)} take too much", None, "0", not messages, notes=messages)


def prepare() -> None:
    """Load all that a map needs, so that no child has to."""
    mapper(b"a\n" * 9, "")()
    kinds()
    gc.freeze()


def some_kinds(at: int) -> list[str]:
    """Return the kinds of map to make in a quick run of the input at a place: as detected, and others in turn."""
    return ["", *kinds()[at % QUICK_SHARE :: QUICK_SHARE]]


def findings(name: str, size: int, types: list[str]) -> Iterator[str]:
    """Yield a line for each map of an input that takes too much."""
    data = INPUTS[name](size)
    for forced in types:
        run = run_forked(mapper(data, forced))
        if too_much(run, max(size, len(data))):
            took = f"{run.seconds:.2f} s, {mb(run.memory)}, status {run.status}"
            yield f"{name}, {mb(len(data))}, as {forced or 'detected'}: {took}"
