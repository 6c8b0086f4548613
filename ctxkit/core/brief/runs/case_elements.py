"""A reader of test cases in XML reports of Visual Studio (TRX), NUnit 2 and 3, and xUnit.net."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.parsers import expat

from ctxkit.core.brief.data.xml_tree import move_declaration_first

CASE_TAGS = frozenset(("UnitTestResult", "test-case", "test", "test-suite", "RunInfo"))
"""Elements that have a result."""
COUNT_TAGS = frozenset(("Counters", "ResultSummary", "test-run", "test-results", "assembly"))
"""Elements with the numbers of passed and failed tests."""
FAILED_RESULTS = frozenset(("failed", "fail", "failure", "error", "timeout", "aborted", "disconnected"))
"""Results of failures, in lower case."""
MESSAGE_TAGS, TRACE_TAGS = ("message", "text"), ("stacktrace", "stack-trace")
MAX_CASES = 20_000
"""Maximum number of failing cases that are kept."""
KEPT_LINES = 12
"""Maximum number of lines kept of a message, and of a trace."""


@dataclass(slots=True)
class CaseElement:
    """Hold a test or suite on lines ``start`` to ``end``: its attributes, message and trace by line."""

    tag: str
    attributes: dict[str, str]
    start: int
    end: int = 0
    before: int = 0
    message: dict[int, str] = field(default_factory=dict)
    trace: dict[int, str] = field(default_factory=dict)

    @property
    def is_failed(self) -> bool:
        """Return whether the test or suite failed."""
        return (self.attributes.get("outcome") or self.attributes.get("result", "")).lower() in FAILED_RESULTS

    @property
    def is_test(self) -> bool:
        """Return whether the element is a test, not a suite or information about the run."""
        return self.tag not in ("test-suite", "RunInfo")


class CaseReader:
    """Read a report; ``failed`` are its failing cases, ``counts`` the (line, attributes) of elements with counts.

    ``classes`` maps the test ids of TRX to class names. ``broken`` is the reason why reading ended early, or empty.
    """

    def __init__(self) -> None:
        self.failed: list[CaseElement] = []
        self.counts: list[tuple[int, dict[str, str]]] = []
        self.classes: dict[str, str] = {}
        self.total = 0
        self.cases_left_out = 0
        self.last = 0
        self.broken = ""
        self._open: list[CaseElement] = []
        self._names: list[str] = []
        self._unit = ""
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._handle_start
        self._parser.EndElementHandler = self._handle_end
        self._parser.CharacterDataHandler = self._handle_text

    def read(self, pieces: Iterable[bytes]) -> None:
        """Read bytes up to the end, or to the first error."""
        first, breaks, rest = True, 0, True
        try:
            for piece in pieces:
                breaks, rest = breaks + piece.count(b"\n"), not piece.endswith(b"\n")
                piece = piece.replace(b"\r", b" ")  # expat treats a lone carriage return as the end of a line
                self._parser.Parse(move_declaration_first(piece) if first else piece, False)
                first = False
            self._parser.Parse(b"", True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            code = getattr(error, "code", 0)
            self.broken = (expat.ErrorString(code) or "") if code else "it cannot be decoded"
        self.last = min(self._parser.CurrentLineNumber, max(breaks + rest, 1))  # expat counts a line after the last
        while self._open:
            self._close_case(self._open.pop(), self.last)

    def _handle_start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        self._names.append(name)
        line = self._parser.CurrentLineNumber
        if name in CASE_TAGS:
            self._open.append(CaseElement(name, attributes, line, before=len(self.failed) + self.cases_left_out))
            self.total += self._open[-1].is_test
        elif name in COUNT_TAGS:
            self.counts.append((line, attributes))
        elif name == "UnitTest":
            self._unit = attributes.get("id", "")
        elif name == "TestMethod" and self._unit and len(self.classes) < MAX_CASES:
            self.classes[self._unit] = attributes.get("className", "").partition(",")[0]

    def _handle_text(self, text: str) -> None:
        if not self._open or not self._names:
            return
        name = self._names[-1].lower()
        case = self._open[-1]
        lines = case.message if name in MESSAGE_TAGS else case.trace if name in TRACE_TAGS else None
        if lines is not None:
            line = self._parser.CurrentLineNumber
            # Text comes in pieces: a piece of blanks may stand between two words of a line.
            if line in lines or (len(lines) < KEPT_LINES and not text.isspace()):
                lines[line] = (lines.get(line, "") + text)[:400]

    def _handle_end(self, name: str) -> None:
        self._names.pop()
        if name.rpartition(":")[2] in CASE_TAGS and self._open:
            self._close_case(self._open.pop(), self._parser.CurrentLineNumber)

    def _close_case(self, case: CaseElement, end: int) -> None:
        """Keep a case if it failed; keep a failed suite only if no test in it failed."""
        case.end = end
        if not case.is_failed or (
            not case.is_test and (not case.message or len(self.failed) + self.cases_left_out > case.before)
        ):
            return
        if case.tag == "RunInfo" and all(text.rstrip().endswith("[FAIL]") for text in case.message.values()):
            return  # xUnit.net repeats there which tests failed
        if len(self.failed) < MAX_CASES:
            self.failed.append(case)
        else:
            self.cases_left_out += 1
