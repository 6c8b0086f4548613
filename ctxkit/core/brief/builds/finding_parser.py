"""A parser for findings that depend on the lines above: below a file name, in boxes, with a place that follows."""

from collections.abc import Callable

from ctxkit.core.brief.builds.findings import ERROR, NOTE, WARNING, BuildFinding, parse_finding
from ctxkit.core.brief.builds.reader_state import BuildEvent, EmitItem, ReaderState
from ctxkit.core.brief.builds.shapes import (
    FOLLOWED,
    HEADING,
    LOCATED,
    MAX_LINE_LENGTH,
    PASSED,
    RATED_ROW,
    parse_message_head,
    parse_place,
    parse_plain,
    parse_row,
    parse_shape,
)
from ctxkit.core.brief.builds.wordings import (
    ARROW,
    BOXED,
    CARETS,
    CELLS,
    CMAKE,
    CODED,
    FILE,
    HEAD,
    INSIDE,
    LINE,
    LINKER,
    LOOSE,
    ROW,
    RULE,
)

MESSAGE_SIGNS = "!x\u2716\u2718\u2717\u00d7\u26a0\u2139EW"
"""First characters of an indented message whose place follows."""


class FindingParser:
    """Parse lines to findings with the help of ``state``; ``finish`` completes the open finding.

    ``plain`` means that findings may have only a place and a message.
    """

    def __init__(self, state: ReaderState, emit: EmitItem, finish: Callable[[], None], *, plain: bool = False) -> None:
        self._state = state
        self._emit = emit
        self._finish = finish
        self._plain = plain

    def parse(self, text: str, number: int) -> BuildFinding | None:
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
        if self._state.head is not None and self._state.head.number == number:
            return None
        if text[0] == "^":
            return self._parse_carets(text, number)
        if self._state.file and (text.startswith("L:") or RATED_ROW.match(text)):
            return parse_row(text, self._state.file, number)
        finding = parse_shape(text, number)
        if finding is None and text[-1] == ":":
            located = LOCATED.fullmatch(text)
            if located:
                self._finish()
                self._state.file, self._state.line = located["path"], number
        return finding or (parse_plain(text, number) if self._plain else None)

    def _parse_carets(self, text: str, number: int) -> BuildFinding | None:
        """Return shellcheck's finding below the line of a script, or None."""
        carets = CARETS.fullmatch(text) if self._state.line else None
        if carets is None:
            return None
        severity = ERROR if carets[2] == "error" else WARNING
        return BuildFinding(self._state.file, severity, carets[1], carets[3], number, text, self._state.line, number)

    def _parse_indented(self, text: str, number: int) -> BuildFinding | None:
        if self._state.head:
            arrow = ARROW.fullmatch(text)
            path = arrow[1] if arrow else parse_place(text)
            if path:
                return self._complete_head(path, number)
            if PASSED.match(text):
                self._emit_passed(self._state.head, number, text)
                return None
        bared = text.strip()
        if self._state.file and (bared[0].isdigit() or bared.startswith("L:")):
            row = ROW.fullmatch(bared)
            finding = self._parse_row(row[3], row[4], text, number) if row else None
            return finding or parse_row(text, self._state.file, number)
        if self._state.line:
            finding = self._parse_followed(text, number)
            if finding:
                return finding
        if self._state.head is None and bared[0] in MESSAGE_SIGNS and self._remember_message(text, number):
            return None
        if " - " in text or text.startswith(("    error", "    warning")):
            finding = parse_finding(bared, number)
            if finding and finding.severity != NOTE and len(text) - len(bared) <= 2:
                finding.text = text
                return finding
        return parse_plain(text, number) if self._plain else None

    def _emit_passed(self, head: BuildFinding, number: int, text: str) -> None:
        """Emit the lines of a check that is not a finding."""
        self._state.head = None
        self._finish()
        self._emit(BuildEvent("passed", head.number, head.text))
        self._emit(BuildEvent("passed", number, text))
        self._state.passed = number

    def _parse_followed(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding below the line of a script or below its place, or None."""
        if "^" in text:
            return self._parse_carets(text, number)
        followed = FOLLOWED.fullmatch(text) if number == self._state.line + 1 else None
        if followed is None:
            return None
        code, message = followed.groups()
        return BuildFinding(self._state.file, ERROR, code, message, number, text, self._state.line, number, rated=False)

    def _parse_row(self, severity: str | None, rest: str, text: str, number: int) -> BuildFinding | None:
        """Return a finding below the name of its file."""
        if severity is None:
            coded = CODED.fullmatch(rest)
            if coded is None:
                return None
            return BuildFinding(self._state.file, ERROR, coded[1], coded[2], number, text, number, number, rated=False)
        cells = CELLS.fullmatch(rest)
        message, code = (cells[1], cells[2] or "") if cells else (rest, "")
        return BuildFinding(
            self._state.file, ERROR if severity == "error" else WARNING, code, message, number, text, number, number
        )

    def _parse_boxed(self, text: str, number: int) -> BuildFinding | None:
        box = BOXED.fullmatch(text)
        if box:
            return BuildFinding("", box[1].lower(), "", box[2], number, text, number, number)
        inside = INSIDE.fullmatch(text)
        if inside and self._state.last and not self._state.last.path:
            self._state.last.path = inside[1]
        return None

    def _parse_worded(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding that does not begin with its file, or remember its head and return None."""
        if text[0] in "-╭┌":
            arrow = ARROW.fullmatch(text) if self._state.head else None
            return self._complete_head(arrow[1], number) if arrow else None
        if self._state.head and number - self._state.head.number <= 1:
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
            self._finish()
            self._state.file, self._state.line = within[1], number
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
            if linker["function"] is not None:
                return None  # the place of the errors below
            message = linker["message"] or linker["other"]
            return BuildFinding(linker["path"] or "", ERROR, "", message, number, text, number, number)
        loose = LOOSE.fullmatch(text) if text[0] in "EeFfn[" else None
        if loose and not (self._state.last and text.startswith("npm ") and self._state.last.text.startswith("npm ")):
            return BuildFinding("", ERROR, "", loose[1] or loose[2] or loose[3], number, text, number, number)
        return None

    def _is_file_heading(self, text: str, number: int) -> bool:
        """Return whether a line names the file of the rows below it."""
        heading = HEADING.fullmatch(text) if text[0] in "=F" else None
        if not heading and " " in text and "/" not in text and "\\" not in text:
            return False
        if not heading and (len(text) > 300 or not FILE.fullmatch(text)):
            return False
        self._finish()
        path = (heading["path"] or heading["file"]) if heading else text.rstrip(":")
        self._state.file, self._state.heading, self._state.line = path, number, 0
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
        self._finish()
        self._state.head, self._state.sure = head, sure

    def _complete_head(self, path: str, number: int) -> BuildFinding | None:
        """Return the remembered finding with its place."""
        head, self._state.head = self._state.head, None
        if head:
            head.path, head.end = path, max(head.end, number)
        return head
