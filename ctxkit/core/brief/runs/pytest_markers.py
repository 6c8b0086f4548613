"""Markers: lines of pytest's output that structure it, found among the output of tests."""

from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines

MAX_MARKERS = 60_000
"""Maximum number of markers kept of one log (a few hundred bytes each); after these, only FRAME_KINDS are kept."""
FRAME_KINDS = frozenset({"heading", "verdict", "banner"})
"""Kinds of markers that are kept beyond MAX_MARKERS."""
LINE_START = r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z )?(?:\x1b\[[\d;]*[mK])*+"
"""Pattern of prefixes of a pytest line: the timestamp of a CI service, and colours."""
MARKER = compile_lazily(
    rf"\n{LINE_START}(?:(?:=+|_+|-+|!+|\u2015+) |FAILED |FAIL |ERROR|SUBFAIL|INTERNALERROR>|"
    r"\d+(?:/\d+)? \w+|no tests |Fatal Python error|worker '|\[gw\d+\] |"
    r"ImportError while loading conftest|\S{0,200}pytest\S{0,200}: error|Results \(\d| {4,8}\d+ \w)[^\n]*"
)
"""Pattern of lines that may be markers; ``_classify_line`` decides."""
CI = compile_lazily(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ")
RULE = compile_lazily(r"([=_!\u2015-])\1* (.*\S) \1+")
COUNT = (
    r"\d+(?:/\d+)? (?:failed|passed|skipped|deselected|xfailed|xpassed|(?:pytest-)?warnings?|errors?|"
    r"rerun|retried|subtests? \w++|tests? collected|selected|snapshots? \w++)(?: \(\d+ deselected\))?"
)
SUMMARY_LINE = compile_lazily(
    rf"(?:=+ )?((?:no tests (?:ran|collected)|{COUNT})[^=]*? in "
    r"\d+(?:\.\d+)?(?:s| ?seconds?)?(?: \([^)]{0,200}\))?)(?: =+)?"
)
SUGAR_HEADING = compile_lazily(r"Results \(\d+(?:\.\d+)?s\):")
"""Pattern of the line of pytest-sugar above its counts, each of which has a line of its own."""
SUGAR_COUNT = compile_lazily(rf" +{COUNT}")
OUTCOME = compile_lazily(
    r"(\S[^:]*+(?::(?!:)[^:]*+)*+::.*?) (FAILED|ERROR)(?: +\(.{0,500}\))?(?: *\[ *\d+%\])?|"
    r"\[gw\d+\](?: \[ *\d+%\])? (FAILED|ERROR) (\S.*)"
)
NAMED_TEST = compile_lazily(r"(FAILED|FAIL|ERROR|SUBFAIL\w*)((?: ?(?:\[[^\]]*\]|\([^)]*\)))*+) +(\S.*)")
"""Pattern of a line of the short summary: the word, the message and the parameters of a subtest, and the rest."""
NOTE = compile_lazily(
    r"INTERNALERROR>|Fatal Python error|worker '\w+' crashed|\[gw\d+\] node down|"
    r"ImportError while loading conftest|\S{0,200}pytest\S{0,200}: error|ERROR: |FAIL Required"
)
"""Pattern of lines outside all sections that explain why a run failed."""
DASHED_HEADING = compile_lazily(r"coverage: |generated .* file: |benchmark")
"""Pattern of headings that plugins surround with dashes of any width."""


@dataclass(frozen=True, slots=True)
class Marker:
    """Hold a line that structures the log; ``kind`` is a name that ``_classify_line`` returns.

    ``width`` is that of a line with rules on both sides, or 0.
    """

    number: int
    kind: str
    text: str
    width: int = 0


def find_markers(lines: IndexedLines) -> tuple[list[Marker], range]:
    """Return the markers of a pytest log, and the line range of markers that exceeded the maximum."""
    markers: list[Marker] = []
    number, first, last = 1, 0, 0
    for block in lines.blocks():
        if len(markers) < MAX_MARKERS:
            markers += _find_markers("\n" + block, number)
        else:
            for marker in _find_markers("\n" + block, number):
                if marker.kind in FRAME_KINDS and len(markers) < 2 * MAX_MARKERS:
                    markers.append(marker)
                else:
                    first, last = first or marker.number, marker.number
        number += block.count("\n") + 1
    return markers, range(first, last + 1 if first else 0)


def _find_markers(block: str, number: int) -> Iterator[Marker]:
    """Yield the markers of a block that begins with a newline before line ``number``."""
    position, counts = 1, 0
    for start, text in _find_candidates(block):
        line = strip_decorations(text)
        kind, content = _classify_line(line)
        if kind or line[:1] == " ":
            number += block.count("\n", position, start)
            position = start
        if number == counts and SUGAR_COUNT.fullmatch(line):
            kind, content = "verdict", line
        if kind == "verdict" and line[0] in "R ":
            counts = number + 1
        if kind:
            yield Marker(number, kind, content, len(line) if line[:1] == line[1:2] == line[-1:] else 0)


def _find_candidates(block: str) -> list[tuple[int, str]]:
    """Return the lines of a block that may be markers, with the places where they begin."""
    rows = [(match.start() + 1, match[0][1:]) for match in MARKER.finditer(block)]
    if "::" in block and ("FAILED" in block or "ERROR" in block):
        return sorted({*rows, *_find_outcomes(block)})
    return rows


def _find_outcomes(block: str) -> Iterator[tuple[int, str]]:
    """Yield the -v lines of failed tests."""
    for word in (" FAILED", " ERROR", "FAILED\x1b", "ERROR\x1b"):
        at = block.find(word)
        while at >= 0:
            start, stop = block.rfind("\n", 0, at) + 1, block.find("\n", at)
            stop = len(block) if stop < 0 else stop
            if block.find("::", start, stop) >= 0:
                yield start, block[start:stop]
            at = block.find(word, stop)


def strip_decorations(text: str) -> str:
    """Return a line as pytest wrote it, without colours and the timestamp of a CI service."""
    text = strip_escapes(text) if not text.isprintable() else text
    match = CI.match(text)
    return (text[match.end() :] if match else text).rstrip()


def _classify_line(text: str) -> tuple[str, str]:
    """Return the kind of marker that a line is (empty for none) and its content."""
    if SUMMARY_LINE.fullmatch(text) or SUGAR_HEADING.fullmatch(text):
        return "verdict", text
    rule = RULE.fullmatch(text)
    if rule and _is_even(text):
        kind = {"=": "heading", "!": "banner", "-": "captured"}.get(text[0], "title")
        if kind == "captured" and not rule[2].startswith("Captured"):
            kind = "heading" if DASHED_HEADING.match(rule[2]) else ""
        return kind, rule[2]
    if NOTE.match(text):
        return "note", text
    if NAMED_TEST.fullmatch(text):
        return "named", text
    return ("outcome", text) if OUTCOME.fullmatch(text) else ("", "")


def _is_even(text: str) -> bool:
    """Return whether a line has equal rules on both sides, as pytest prints them, and text between them."""
    left = len(text) - len(text.lstrip(text[0]))
    right = len(text) - len(text.rstrip(text[0]))
    return right - left in (0, 1) and bool(text.strip(f" {text[0]}"))
