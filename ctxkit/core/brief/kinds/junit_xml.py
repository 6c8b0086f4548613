"""JUnit XML reports: the counts of the suites, and the failing cases with their places and messages."""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, clean_line
from ctxkit.core.brief.runs.failures import FIRST, NUMBERS, SAME, VARIANT, FailedTest, FailureDetail
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.report import Report, ReportContent, quote_summaries
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import LONGEST_LINE

NAME = "junit xml"
TYPES: Sequence[str] = ("junit_xml", "junit")
CLUES = Clues(("<testsuite", "</testsuite", "</testcase>"))
TAG = compile_lazily(
    rb"<(/?)(testsuites|testsuite|testcase|failure|error|skipped)\b((?:[^<>\"']|\"[^\"]*\"|'[^']*')*?)(/?)>|<(!\[CDATA\[|!--)"
)
ATTRIBUTE = compile_lazily(r"(?<![\w.:-])([\w.:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
WIDE_LINE = 4_000
"""Length in bytes of a line above which cases are placed by bytes."""
MOST = 20_000
"""Maximum number of failing cases that are kept."""
MAX_TAG_BYTES = 65_536
"""Maximum length of a tag in bytes."""
TEXT = 2_000
"""Number of bytes that are read from the text of a failure."""


@dataclass(slots=True)
class JunitCase:
    """Hold a failing case: its byte and line ranges, its attributes, and its failure."""

    attributes: dict[str, str]
    start: int
    line: int
    end: int = 0
    last_line: int = 0
    outcome: str = ""
    message: str = ""
    failure_line: int = 0
    tag_offset: int = 0
    text_offset: int = 0


@dataclass(slots=True)
class Suite:
    """Hold the tag and the line of a suite."""

    attributes: dict[str, str]
    tag: str
    line: int
    depth: int


class JunitScanner:
    """Scan the tags of a report once and collect the failing cases and the suites.

    ``cut_case_end`` is the last line of a failing case whose beginning is missing, or 0.
    """

    def __init__(self) -> None:
        self.cases: list[JunitCase] = []
        self.suites: list[Suite] = []
        self.left = 0
        self.ended = False
        self.cut_case_end = 0
        self.total = 0
        self._open: JunitCase | None = None
        self._depth = 0

    def handle_tag(self, match: "re.Match[bytes]", offset: int, line: int) -> None:
        """Process a tag; ``offset`` is its byte offset in the report, ``line`` its line number."""
        name = (match[2] or b"").decode()
        if match[1]:
            self._handle_end_tag(name, offset + len(match[0]), line)
            return
        text = match[3].decode("utf-8", "replace")
        if name in ("testsuites", "testsuite"):
            if len(self.suites) < MOST:
                self.suites.append(
                    Suite(_parse_attributes(text), strip_escapes(_decode_first_line(match[0])), line, self._depth)
                )
            self._depth += not match[4]
        elif name == "testcase":
            self.total += 1
            self._open = None if match[4] else JunitCase(_parse_attributes(text), offset, line)
        elif name in ("failure", "error") and self._open and not self._open.outcome:
            self._open.outcome, self._open.message = name, _parse_attributes(text).get("message", "")
            self._open.failure_line = line
            self._open.tag_offset, self._open.text_offset = offset, offset + len(match[0])

    def _handle_end_tag(self, name: str, end: int, line: int) -> None:
        if name == "testcase" and self._open:
            self.close_case(end, line)
        elif name in ("failure", "error") and not (self._open or self.total or self.suites):
            self.cut_case_end = line
        elif name in ("testsuites", "testsuite"):
            self._depth -= 1
            self.ended = self._depth <= 0

    def close_case(self, end: int, line: int) -> None:
        """End the open case, and keep it if it failed."""
        case, self._open = self._open, None
        if case and case.outcome:
            case.end, case.last_line = end, line
            if len(self.cases) < MOST:
                self.cases.append(case)
            else:
                self.left += 1


def _decode_first_line(tag: bytes) -> str:
    return tag.decode("utf-8", "replace").split("\n")[0]


def _parse_attributes(text: str) -> dict[str, str]:
    return {name: unescape(quoted or two) for name, quoted, two in ATTRIBUTE.findall(text)}


def _scan_report(document: InputDocument) -> JunitScanner:
    """Scan the report block by block; a tag at the end of a block is scanned with the next block."""
    scanner, left, offset, line, hidden = JunitScanner(), b"", 0, 1, b""
    for piece in document.lines.raw(1, document.lines.total):
        data = left + piece
        position, counted = 0, 0
        while position < len(data):
            if hidden:
                at = data.find(hidden, position)
                if at < 0:
                    break
                position, hidden = at + len(hidden), b""
            match = TAG.search(data, position)
            if match is None:
                break
            line += data.count(b"\n", counted, match.start())
            counted = match.start()
            if match[5]:
                hidden = b"]]>" if match[5].startswith(b"![") else b"-->"
            else:
                scanner.handle_tag(match, offset + match.start(), line)
            position = match.end()
        keep = min(len(data) - position, 2 if hidden else MAX_TAG_BYTES)
        cut = len(data) - keep
        if not hidden:
            tag = data.rfind(b"<", max(position, cut))
            cut = tag if tag >= 0 else len(data)
        line += data.count(b"\n", counted, cut) if cut > counted else -data.count(b"\n", cut, counted)
        left, offset = data[cut:], offset + cut
    scanner.close_case(offset + len(left), document.lines.total)
    return scanner


def _quote_suites(scanner: JunitScanner) -> Iterator[Entry]:
    """Yield the tags of the suites with counts; of nested suites, only those with failures."""
    marks = [Marker(suite.line, "verdict", suite.tag) for suite in _list_notable_suites(scanner)]
    yield from quote_summaries(marks, closed=True)
    if scanner.cut_case_end:
        yield Entry("the end of a failing case that begins above this log", 1, scanner.cut_case_end)
    if not scanner.suites:
        yield Entry("no beginning of the report in this log: nothing says how many tests there were")
    if not scanner.ended:
        yield Entry("no end of the report in this log")
    if scanner.total and not scanner.cases and not scanner.cut_case_end:
        yield Entry(f"none of the {scanner.total:,} test cases here is marked as failed")
    if not (scanner.total or scanner.cut_case_end):
        yield Entry("no test case in this report")


def _list_notable_suites(scanner: JunitScanner) -> list[Suite]:
    """Return the outer suites, the first suite if they have no counts, and the nested ones with failures."""
    outer = [suite for suite in scanner.suites if not suite.depth]
    inner = [suite for suite in scanner.suites if suite.depth and _has_failures(suite)]
    first = [] if any("tests" in suite.attributes for suite in outer) else scanner.suites[:1]
    return list({id(suite): suite for suite in (*outer, *first, *inner[:20])}.values())


def _has_failures(suite: Suite) -> bool:
    return any(suite.attributes.get(key, "0") not in ("0", "") for key in ("failures", "errors"))


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the suite counts and failing cases, or None if the report has neither suites nor cases."""
    scanner = _scan_report(document)
    if not (scanner.suites or scanner.total or scanner.cut_case_end):
        return None
    seen: dict[str, tuple[str, int]] = {}
    most = max(document.target // 4, 8)
    broken = [_make_failure(document, case, seen if at < most else None) for at, case in enumerate(scanner.cases)]
    left = (
        [Entry(f"{scanner.left:,} more failing cases", document.lines.total, document.lines.total, 1)]
        if scanner.left
        else []
    )
    return Report(document, ReportContent(NAME, list(_quote_suites(scanner)), broken, remaining=left)).build_outlines()


def _make_failure(document: InputDocument, case: JunitCase, seen: dict[str, tuple[str, int]] | None) -> FailedTest:
    """Return a failing case with its lines, or with its bytes if the line is too long to quote.

    ``seen`` are the messages of the cases before it; without it, the case has no message.
    """
    group = case.attributes.get("classname") or case.attributes.get("file") or ""
    name = case.attributes.get("name", "")
    if "&quot;" in name:  # node escapes twice
        name = unescape(name)
    failure = FailedTest(
        f"{group} {name}".strip(), case.line, case.last_line, group, name, is_error=case.outcome == "error"
    )
    start, stop = document.lines.span(case.line, case.line)
    if stop - start > WIDE_LINE:
        place = f" (bytes {case.start}-{case.end})"
        failure.name, failure.short_name = failure.name + place, failure.short_name + place
    if seen is None:
        return failure
    raw = document.read(max(case.start, 0), min(max(case.end - case.start, 0), LONGEST_LINE))
    for step, (number, text) in enumerate(_iter_message_lines(case, raw)):
        entry = Entry(clean_line(text, 240), number, number, verbatim=True)
        rank = VARIANT + 2 + step
        if not step:
            failure.message = number
            rank = _rank_message(failure, text, seen)
        failure.details.append(FailureDetail(min(rank, 8), step, entry))
    return failure


def _rank_message(failure: FailedTest, text: str, seen: dict[str, tuple[str, int]]) -> int:
    masked = NUMBERS.sub("0", text)
    first, number = seen.setdefault(masked, (text, failure.message))
    if number == failure.message:
        return FIRST
    failure.similar_line, failure.is_identical = number, first == text
    return SAME if failure.is_identical else VARIANT


def _iter_message_lines(case: JunitCase, raw: bytes) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a failure: the beginning of its message, then the lines of its text."""
    at = max(case.text_offset - case.start, 0)
    body = raw[at : at + TEXT].partition(b"</" + case.outcome.encode())[0].decode("utf-8", "replace")
    tag = raw[max(case.tag_offset - case.start, 0) : at].decode("utf-8", "replace")
    message = re.search(r"message\s*=\s*(?:\"([^\"]*)|'([^']*))", tag)
    message_text = (message[1] or message[2] or "") if message else ""
    first_line = case.failure_line
    if message_text.strip():
        yield first_line, message_text.split("\n")[0][:400]
    number = case.failure_line + tag.count("\n")
    for text in body.removeprefix("<![CDATA[").split("\n")[:12]:
        if text.strip() and text.strip() not in message_text:
            yield number, text[:400].removesuffix("]]>")
        number += 1


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text is XML whose root element is a test suite."""
    head = document.head[:4_000].lstrip("\ufeff \r\n\t")
    if re.match(r"(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<testsuites?[\s>]", head, re.DOTALL):
        return 0.97
    tail = document.tail.rstrip()[-2_000:]
    cut = tail.endswith(("</testsuites>", "</testsuite>")) and re.search(r"</testcase>|<testcase\s", document.tail)
    return 0.9 if cut and not head.startswith("<?xml") else 0.0
