"""A line reader for the output of compilers, linters and build tools: findings, closing lines, steps, other lines."""

from collections.abc import Callable, Sequence

from ctxkit.core.brief.builds.closing_lines import clean_build_line, find_step_title, is_closing_line
from ctxkit.core.brief.builds.finding_parser import FindingParser
from ctxkit.core.brief.builds.findings import NOTE, BuildFinding, parse_finding
from ctxkit.core.brief.builds.reader_state import BuildEvent, EmitItem, ReaderState
from ctxkit.core.brief.builds.wordings import (
    CARET,
    CONTEXT,
    CONTINUED,
    LEADING,
    LINT,
    QUIET,
    QUIETLY,
    WAITING,
    WRAP,
    WRAPPED,
)
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.lines import IndexedLines

REPEAT_RULER = "------"
REPEATED = compile_lazily(r" > (?:\[[^\]]*\]|\S+) .*:")
"""Pattern of the line after the ruler, which names the failed step."""
MAX_PAUSE = 32
"""Maximum number of lines between two checks for quiet lines."""
EmitSkipped = Callable[[int, Sequence[str]], None]
"""Process skipped lines; the first argument is the number of the first line."""


class BuildReader:
    """Read lines in order; pass each complete finding and every other event to ``emit``.

    With ``emit_skipped``, pass runs of lines that belong to no finding or event there. ``plain`` means that findings
    may have only a place and a message.
    """

    def __init__(self, emit: EmitItem, emit_skipped: EmitSkipped | None = None, *, plain: bool = False) -> None:
        self._emit = emit
        self._emit_skipped = emit_skipped
        self._plain = plain
        self._ruled = self._repeats = False
        self._state = ReaderState()
        self._parser = FindingParser(self._state, emit, self._finish_finding, plain=plain)
        self._loose: list[BuildEvent] = []
        self._lints: dict[str, str] = {}

    def read(self, lines: IndexedLines) -> None:
        """Read all lines."""
        number = 1
        for block in lines.blocks():
            self._read_block(block, number)
            number += block.count("\n") + 1
        self.finish()

    def _read_block(self, block: str, number: int) -> None:
        """Read complete lines; skip runs of quiet lines in one step if no finding is open."""
        at, end, after, pause = 0, len(block), 0, 1
        while at <= end:
            if self._emit_skipped and self._state.last is None and self._state.head is None and number >= after:
                run = QUIETLY.match(block, at)
                rows = block[at : run.end() - 1].split("\n") if run else []
                rows = rows[: next((place for place, row in enumerate(rows) if is_closing_line(row)), len(rows))]
                # If no line is quiet, check less and less often.
                pause = 1 if rows else min(2 * pause, MAX_PAUSE)
                after = number + len(rows) + pause
                if rows:
                    self._state.closed, self._state.lead = True, 0
                    self._emit_skipped(number, rows)
                    number += len(rows)
                    at += sum(map(len, rows)) + len(rows)
                    continue
            stop = block.find("\n", at)
            stop = stop if stop >= 0 else end
            self.read_line(number, block[at:stop].removesuffix("\r"))
            at, number = stop + 1, number + 1

    def read_line(self, number: int, raw: str) -> None:
        """Read one line."""
        text = clean_build_line(raw)
        if not text:
            return
        if self._is_repeated(text):
            self._keep_other(text, number)
            return
        if (
            self._state.last is None
            and self._state.head is None
            and QUIET.fullmatch(text)
            and not is_closing_line(text)
        ):
            self._keep_other(text, number)
            return
        closing = is_closing_line(text)
        finding = None if closing and text[0] not in " \t" else self._parser.parse(text, number)
        title = "" if finding else find_step_title(text)
        if finding is not None:
            self._begin_finding(finding)
        elif title:
            self._finish_finding()
            self._emit(BuildEvent("step", number, title))
        elif closing:
            self._finish_finding()
            self._emit(BuildEvent("closing", number, text))
        elif not self._is_continuation(text, number):
            self._keep_other(text, number)

    def _is_repeated(self, text: str) -> bool:
        """Return whether a line repeats the output of a failed step of a container build, between two rulers."""
        if text == REPEAT_RULER:
            self._ruled, self._repeats = not self._repeats, False
        elif self._ruled:
            self._repeats, self._ruled = REPEATED.fullmatch(text) is not None, False
        return self._repeats

    def finish(self) -> None:
        """Emit the last finding and the pending lines."""
        self._finish_finding()

    def _begin_finding(self, finding: BuildFinding) -> None:
        """Make ``finding`` the open finding, to which the following lines belong."""
        self._finish_finding(finding)
        if self._state.lead and finding.start - self._state.lead <= 40:
            finding.start = self._state.lead
        self._state.lead = 0
        if self._state.heading and finding.path == self._state.file:
            finding.start, self._state.heading = min(finding.start, self._state.heading), 0
        if self._state.line and finding.start == self._state.line:
            self._state.line = finding.number  # two findings below one line: the second begins after the first
        self._state.last, self._state.closed, self._loose = finding, False, []

    def _finish_finding(self, new: BuildFinding | None = None) -> None:
        """Emit the open finding; a message without a place counts as a finding only if its form is certain."""
        head, self._state.head = self._state.head, None
        self._flush_loose()
        self._emit_finding(self._state.last)
        self._state.last, self._state.closed = None, False
        if head and head is not new:
            self._emit(head if self._state.sure else BuildEvent("other", head.number, head.text))
        if new is None:
            self._state.lead = 0

    def _emit_finding(self, finding: BuildFinding | None) -> None:
        if finding is None:
            return
        if (not finding.code and finding.message in ("", finding.message_form)) or self._lints:
            finding.code = finding.code or self._lints.get(finding.message_form, "")
        self._emit(finding)

    def _is_continuation(self, text: str, number: int) -> bool:
        """Return whether a line continues the finding above it, or introduces the one below it."""
        if number == self._state.passed:
            return True
        if number == self._state.passed + 1 and text[0] in " \t":
            self._emit(BuildEvent("passed", number, text))
            self._state.passed = number
            return True
        head = self._state.head
        if head is not None and number - head.number <= WAITING and (head.number == number or text[0] in " \t|"):
            head.end = number
            return True
        last = self._state.last
        if (self._state.heading and self._state.heading == number) or self._state.line == number:
            return True
        if last is not None and not (self._state.closed and not CARET.fullmatch(text)):
            above = self._plain and self._state.lead and text[:2] in CONTEXT
            if not above and (CONTINUED.match(text) or self._is_note(text)):
                last.end = number
                self._loose = []
                self._learn_code(last, text)
                return True
            if not last.code and number - last.end <= WRAPPED and WRAP.search(text):
                last.end, self._loose = number, []
                self._learn_code(last, text)
                return True
        if LEADING.match(text) or (self._plain and text[:2] in CONTEXT):
            self._state.lead = self._state.lead or number
            self._flush_loose()
            return True
        return False

    def _is_note(self, text: str) -> bool:
        """Return whether a line is a note with its own place on the finding above it."""
        finding = parse_finding(text, 0) if " note: " in text or " hint: " in text or ": note" in text else None
        return finding is not None and finding.severity == NOTE

    def _learn_code(self, finding: BuildFinding, text: str) -> None:
        """Take the code of a finding from the note below it, and remember it for later findings
        with the same message.
        """
        if not finding.code and text.endswith((")", "]")):
            wrap = WRAP.search(text)
            if wrap:
                finding.code = wrap[1] or wrap[2]
        if "`#[" in text or ("#" in text and "clippy" in text):
            lint = LINT.search(text)
            if lint and not finding.code:
                finding.code = lint[1] or f"clippy::{lint[2]}"
                self._lints[finding.message_form] = finding.code

    def _flush_loose(self) -> None:
        """Emit the pending lines that belong to no finding."""
        if self._loose:
            for event in self._loose:
                self._emit(event)
            self._loose = []
            self._state.closed = True

    def _keep_other(self, text: str, number: int) -> None:
        """Hold back a line without a finding, because a caret below may connect it to the finding above."""
        if self._state.last is not None and not self._state.closed and number - self._state.last.end <= WRAPPED:
            self._loose.append(BuildEvent("other", number, text))
            return
        self._flush_loose()
        if self._state.last is not None:
            self._emit_finding(self._state.last)
            self._state.last = None
        self._state.closed = True
        self._state.lead = 0
        self._emit(BuildEvent("other", number, text))
