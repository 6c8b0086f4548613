"""A line reader for the output of compilers, linters and build tools: findings, closing lines, steps, other lines."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.builds.closing_lines import clean_build_line, find_step_title, is_closing_line
from ctxkit.core.brief.builds.findings import ERROR, NOTE, WARNING, BuildFinding, parse_finding
from ctxkit.core.brief.builds.shapes import (
    FOLLOWED,
    HEADING,
    LOCATED,
    MAX_LINE_LENGTH,
    PASSED,
    parse_message_head,
    parse_place,
    parse_plain,
    parse_row,
    parse_shape,
)
from ctxkit.core.brief.builds.wordings import (
    ARROW,
    BOXED,
    CARET,
    CARETS,
    CELLS,
    CMAKE,
    CODED,
    CONTEXT,
    CONTINUED,
    FILE,
    HEAD,
    INSIDE,
    LEADING,
    LINE,
    LINKER,
    LINT,
    LOOSE,
    QUIET,
    QUIETLY,
    ROW,
    RULE,
    WAITING,
    WRAP,
    WRAPPED,
)
from ctxkit.core.text.lines import IndexedLines

REPEAT_RULER = "------"
REPEATED = re.compile(r" > (?:\[[^\]]*\]|\S+) .*:")
"""Pattern of the line after the ruler, which names the failed step."""
MESSAGE_SIGNS = "!x\u2716\u2718\u2717\u00d7\u26a0\u2139EW"
"""First characters of an indented message whose place follows."""


@dataclass(slots=True)
class BuildEvent:
    """Hold a line of type ``closing``, ``step``, ``passed`` or ``other`` if it belongs to no finding."""

    kind: str
    number: int
    text: str


MAX_PAUSE = 32
"""Maximum number of lines between two checks for quiet lines."""
EmitItem = Callable[[BuildFinding | BuildEvent], None]
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
        self._last: BuildFinding | None = None
        self._head: BuildFinding | None = None
        self._file = ""
        self._heading = 0
        self._line = 0
        self._lead = 0
        self._passed = -1
        self._sure = True
        self._closed = False
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
            if self._emit_skipped and self._last is None and self._head is None and number >= after:
                run = QUIETLY.match(block, at)
                rows = block[at : run.end() - 1].split("\n") if run else []
                rows = rows[: next((place for place, row in enumerate(rows) if is_closing_line(row)), len(rows))]
                # If no line is quiet, check less and less often.
                pause = 1 if rows else min(2 * pause, MAX_PAUSE)
                after = number + len(rows) + pause
                if rows:
                    self._closed, self._lead = True, 0
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
        if self._last is None and self._head is None and QUIET.fullmatch(text) and not is_closing_line(text):
            self._keep_other(text, number)
            return
        closing = is_closing_line(text)
        finding = None if closing and text[0] not in " \t" else self._parse_finding(text, number)
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

    def _parse_finding(self, text: str, number: int) -> BuildFinding | None:
        """Return the finding that a line begins or completes, or None."""
        if text[0] in " \t":
            return self._parse_indented(text, number)
        if text[0] in "│|":
            return self._parse_boxed(text, number)
        finding = parse_finding(text, number)
        if finding:
            return finding if finding.severity != NOTE else None
        return self._parse_worded(text, number) or self._parse_shaped(text, number)

    def _parse_shaped(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding in a shape that many tools share, or remember its place and return None."""
        if self._head is not None and self._head.number == number:
            return None
        if text[0] == "^":
            return self._parse_carets(text, number)
        if self._file and text.startswith("L:"):
            return parse_row(text, self._file, number)
        finding = parse_shape(text, number)
        if finding is None and text[-1] == ":":
            located = LOCATED.fullmatch(text)
            if located:
                self._finish_finding()
                self._file, self._line = located["path"], number
        return finding or (parse_plain(text, number) if self._plain else None)

    def _parse_carets(self, text: str, number: int) -> BuildFinding | None:
        """Return shellcheck's finding below the line of a script, or None."""
        carets = CARETS.fullmatch(text) if self._line else None
        if carets is None:
            return None
        severity = ERROR if carets[2] == "error" else WARNING
        return BuildFinding(self._file, severity, carets[1], carets[3], number, text, self._line, number)

    def _parse_indented(self, text: str, number: int) -> BuildFinding | None:
        if self._head:
            arrow = ARROW.fullmatch(text)
            path = arrow[1] if arrow else parse_place(text)
            if path:
                return self._complete_head(path, number)
            if PASSED.match(text):
                self._emit_passed(self._head, number, text)
                return None
        bared = text.strip()
        if self._file and (bared[0].isdigit() or bared.startswith("L:")):
            row = ROW.fullmatch(bared)
            finding = self._parse_row(row[3], row[4], text, number) if row else None
            return finding or parse_row(text, self._file, number)
        if self._line:
            finding = self._parse_followed(text, number)
            if finding:
                return finding
        if self._head is None and bared[0] in MESSAGE_SIGNS and self._remember_message(text, number):
            return None
        if " - " in text or text.startswith(("    error", "    warning")):
            finding = parse_finding(bared, number)
            if finding and finding.severity != NOTE and len(text) - len(bared) <= 2:
                finding.text = text
                return finding
        return None

    def _emit_passed(self, head: BuildFinding, number: int, text: str) -> None:
        """Emit the lines of a check that is not a finding."""
        self._head = None
        self._finish_finding()
        self._emit(BuildEvent("passed", head.number, head.text))
        self._emit(BuildEvent("passed", number, text))
        self._passed = number

    def _parse_followed(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding below the line of a script or below its place, or None."""
        if "^" in text:
            return self._parse_carets(text, number)
        followed = FOLLOWED.fullmatch(text) if number == self._line + 1 else None
        if followed is None:
            return None
        code, message = followed.groups()
        return BuildFinding(self._file, ERROR, code, message, number, text, self._line, number, rated=False)

    def _parse_row(self, severity: str | None, rest: str, text: str, number: int) -> BuildFinding | None:
        """Return a finding below the name of its file."""
        if severity is None:
            coded = CODED.fullmatch(rest)
            if coded is None:
                return None
            return BuildFinding(self._file, ERROR, coded[1], coded[2], number, text, number, number, rated=False)
        cells = CELLS.fullmatch(rest)
        message, code = (cells[1], cells[2] or "") if cells else (rest, "")
        return BuildFinding(
            self._file, ERROR if severity == "error" else WARNING, code, message, number, text, number, number
        )

    def _parse_boxed(self, text: str, number: int) -> BuildFinding | None:
        box = BOXED.fullmatch(text)
        if box:
            return BuildFinding("", box[1].lower(), "", box[2], number, text, number, number)
        inside = INSIDE.fullmatch(text)
        if inside and self._last and not self._last.path:
            self._last.path = inside[1]
        return None

    def _parse_worded(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding that does not begin with its file, or remember its head and return None."""
        if text[0] in "-╭┌":
            arrow = ARROW.fullmatch(text) if self._head else None
            return self._complete_head(arrow[1], number) if arrow else None
        if self._head and number - self._head.number <= 1:
            placed = parse_place(text)
            if placed:
                return self._complete_head(placed, number)
        head = HEAD.fullmatch(text) if text[0] in "ew" else None
        if head:
            self._remember_head(BuildFinding("", head[1], head[2] or "", head[3], number, text, number, number))
            return None
        if text.startswith("CMake "):
            return self._parse_cmake(text, number)
        within = LINE.fullmatch(text) if text.startswith("In ") else None
        if within:
            self._finish_finding()
            self._file, self._line = within[1], number
            return None
        if self._is_file_heading(text, number) or self._remember_message(text, number):
            return None
        rule = RULE.fullmatch(text)
        if rule:
            rule_head = BuildFinding("", ERROR, rule[1], rule[2], number, text, number, number, rated=False)
            self._remember_head(rule_head, sure=False)
            return None
        return self._parse_unplaced(text, number)

    def _parse_cmake(self, text: str, number: int) -> BuildFinding | None:
        match = CMAKE.fullmatch(text)
        if not match:
            return None
        severity = ERROR if match[1] == "Error" else WARNING
        return BuildFinding(match[2] or "", severity, "", text, number, text, number, number)

    def _parse_unplaced(self, text: str, number: int) -> BuildFinding | None:
        linker = LINKER.fullmatch(text) if "ld" in text or ".o" in text or ":(" in text else None
        if linker:
            path = linker[2] or linker[3] or ""
            message = linker[4] or linker[1] or text
            return BuildFinding(path, ERROR, "", message, number, text, number, number) if linker[2] is None else None
        loose = LOOSE.fullmatch(text) if text[0] in "EeFfn[" else None
        if loose and not (self._last and text.startswith("npm ") and self._last.text.startswith("npm ")):
            return BuildFinding("", ERROR, "", loose[1] or loose[2] or loose[3], number, text, number, number)
        return None

    def _is_file_heading(self, text: str, number: int) -> bool:
        """Return whether a line names the file of the rows below it."""
        heading = HEADING.fullmatch(text) if text[0] in "=F" else None
        if not heading and " " in text and "/" not in text and "\\" not in text:
            return False
        if not heading and (len(text) > 300 or not FILE.fullmatch(text)):
            return False
        self._finish_finding()
        path = (heading["path"] or heading["file"]) if heading else text.rstrip(":")
        self._file, self._heading, self._line = path, number, 0
        return True

    def _remember_message(self, text: str, number: int) -> bool:
        """Remember a message whose place follows, and return whether the line is one."""
        message = parse_message_head(text) if len(text) <= MAX_LINE_LENGTH else None
        if message is None:
            return False
        severity = ERROR if message.severity == ERROR else WARNING
        code, rated = message.code, message.rated
        head = BuildFinding("", severity, code, message.message, number, text, number, number, rated)
        self._remember_head(head, sure=False)
        return True

    def _remember_head(self, head: BuildFinding, *, sure: bool = True) -> None:
        """Remember a message whose place follows."""
        self._finish_finding()
        self._head, self._sure = head, sure

    def _complete_head(self, path: str, number: int) -> BuildFinding | None:
        """Return the remembered finding with its place."""
        head, self._head = self._head, None
        if head:
            head.path, head.end = path, max(head.end, number)
        return head

    def _begin_finding(self, finding: BuildFinding) -> None:
        """Make ``finding`` the open finding, to which the following lines belong."""
        self._finish_finding(finding)
        if self._lead and finding.start - self._lead <= 40:
            finding.start = self._lead
        self._lead = 0
        if self._heading and finding.path == self._file:
            finding.start, self._heading = min(finding.start, self._heading), 0
        if self._line and finding.start == self._line:
            self._line = finding.number  # two findings below one line: the second begins after the first
        self._last, self._closed, self._loose = finding, False, []

    def _finish_finding(self, new: BuildFinding | None = None) -> None:
        """Emit the open finding; a message without a place counts as a finding only if its form is certain."""
        head, self._head = self._head, None
        self._flush_loose()
        self._emit_finding(self._last)
        self._last, self._closed = None, False
        if head and head is not new:
            self._emit(head if self._sure else BuildEvent("other", head.number, head.text))
        if new is None:
            self._lead = 0

    def _emit_finding(self, finding: BuildFinding | None) -> None:
        if finding is None:
            return
        if (not finding.code and finding.message in ("", finding.message_form)) or self._lints:
            finding.code = finding.code or self._lints.get(finding.message_form, "")
        self._emit(finding)

    def _is_continuation(self, text: str, number: int) -> bool:
        """Return whether a line continues the finding above it, or introduces the one below it."""
        if number == self._passed:
            return True
        if number == self._passed + 1 and text[0] in " \t":
            self._emit(BuildEvent("passed", number, text))
            self._passed = number
            return True
        head = self._head
        if head is not None and number - head.number <= WAITING and (head.number == number or text[0] in " \t|"):
            head.end = number
            return True
        last = self._last
        if (self._heading and self._heading == number) or self._line == number:
            return True
        if last is not None and not (self._closed and not CARET.fullmatch(text)):
            above = self._plain and self._lead and text[:2] in CONTEXT
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
            self._lead = self._lead or number
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
            self._closed = True

    def _keep_other(self, text: str, number: int) -> None:
        """Hold back a line without a finding, because a caret below may connect it to the finding above."""
        if self._last is not None and not self._closed and number - self._last.end <= WRAPPED:
            self._loose.append(BuildEvent("other", number, text))
            return
        self._flush_loose()
        if self._last is not None:
            self._emit_finding(self._last)
            self._last = None
        self._closed = True
        self._lead = 0
        self._emit(BuildEvent("other", number, text))


def parse_lines(lines: Iterator[tuple[int, str]]) -> list[BuildFinding | BuildEvent]:
    """Return all findings and events in numbered lines."""
    items: list[BuildFinding | BuildEvent] = []
    reader = BuildReader(items.append)
    for number, text in lines:
        reader.read_line(number, text)
    reader.finish()
    return items
