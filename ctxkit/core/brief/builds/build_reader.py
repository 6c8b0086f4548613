"""Read the output of compilers, linters and build tools line by line: findings, steps, and closing lines."""

from collections.abc import Callable, Sequence

from ctxkit.core.brief.builds.finding_parser import FindingParser
from ctxkit.core.brief.builds.findings import NOTE, BuildEvent, BuildFinding, EmitItem, ReaderState, parse_finding
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
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines

_CLOSING = compile_lazily(
    r"Found (?:\d+|no) (?:\w+ )?(?:errors?|warnings?|issues?|problems?|diagnostics?|violations?|offen[sc]es?)\b.*"
    r"|Success: no issues found.*|All checks passed!.*"
    r"|(?:\d+ warnings?(?: and |, ))?\d+ (?:errors?|warnings?|problems?)(?: generated\.?| \(.*\)"
    r"|, \d+ (?:warnings?|informations?).*)?"
    r"|\d+ errors? and \d+ warnings? generated\.|.? ?\d+ problems? \(.*|only showing the first \d+ errors.*"
    r"|\d+ fixable with .*|\s*\d+ errors? and \d+ warnings? (?:potentially )?fixable .*"
    r"|\[\w+\] Code style issues .*|CSpell: Files checked.*|Passed checks: .*|\s*INFO \d+ errors?\b.*"
    r"|\[\*\] \d+ fixable.*|No fixes available.*"
    r"|(?:error|warning): (?:aborting due to |could not compile |build failed, waiting for |\d+ warnings? emitted"
    r"|`[^`]*` \(.*\) generated \d).*"
    r"|g?make(?:\[\d+\])?: (?:\*\*\* |Target .* not remade).*|g?make: (?:Nothing to be done|'.*' is up to date).*"
    r"|ninja: (?:build stopped|error|no work).*|(?:Ok|Fail|Timeout|Unexpected Pass): +\d+ *"
    r"|collect2: error:.*|ld: symbol\(s\) not found.*|clang(?:\+\+)?: error: linker command failed.*"
    r"|\s*Finished .*(?:target|profile|in \d).*|(?:\[\w+\] )?BUILD [A-Z]{4,}.*|FAILURE: Build .*"
    r"|Build (?:succeeded|FAILED|failed).*|\*\* [A-Z]+(?: [A-Z]+)* (?:SUCCEEDED|FAILED|INTERRUPTED) \*\*.*"
    r"|={5,} (?:Rebuild All|Build|Clean|Test|Publish): \d+ .*={5,}"
    r"|\s+\d+ (?:Error|Warning)\(s\)|\[ERROR\] (?:Failed to execute goal|COMPILATION ERROR|BUILD).*"
    r"|COMPILATION ERROR.*"
    r"|\[(?:success|error)\] Total time:.*|Your code has been rated at .*|Checked \d+ files? in .*"
    r"|Inspecting \d+ files?|\d+ files? inspected, .*"
    r"|-- Configuring (?:incomplete|done).*|-- Generating done.*|-- Build files have been written to.*"
    r"|CMake Error: .*|Successfully (?:installed|built|tagged|uninstalled) .*|ERROR: (?:Could not|No matching"
    r"|Failed|Cannot|ResolutionImpossible|pip's|failed|process|Job).*"
    r"|error: (?:subprocess-exited-with-error|metadata-generation-failed|failed to (?:solve|run|build).*"
    r"|externally-managed-environment)"
    r"|E: (?![\w.+-]+(?: \w+)?: [a-z][a-z0-9]*(?:-[a-z0-9]+)+(?: |$)).*"
    r"|\d+ (?:packages? )?upgraded, .*|(?:added|removed|changed|audited) \d+ packages?.*|up to date.*"
    r"|found \d+ vulnerabilities.*|\d+ vulnerabilities.*"
    r"|npm (?:ERR!|error) (?:code|Lifecycle|command|Missing script|\d{3}|Exit|signal|errno|Test failed"
    r"|Could not|notarget|conflict|peer|network|404).*"
    r"|.?ELIFECYCLE.*|error Command failed.*|Done in [\d.]+ ?m?s.*|webpack [\d.]+ compiled .*"
    r"|compiled (?:successfully|with).*|Failed to compile\.?.*"
    r"|Plan: \d+ .*|No changes\. .*|(?:Apply|Destroy) complete!.*|Error: Process completed.*|##\[error\].*"
    r"|Process completed with exit code.*|(?:Command|Script) (?:exited|failed) with .*|(?:exit status"
    r"|Exit code:?) \d+.*"
    r"|FAILED: \S.*|#\d+ ERROR: .*|> Task \S+ FAILED|\d+ actionable tasks?: .*|Execution failed for task .*"
    r"|make\S* failed.*"
    r"|Exiting due to .*|The command .* returned a non-zero code: \d+|FAIL\t.*\[build failed\]|note: build failed.*"
)
"""Pattern of closing lines of compilers, linters, package managers and build tools; they are
quoted, not interpreted.
"""
_STEP = compile_lazily(
    r"##\[group\](?P<group>.*)|::group::(?P<other>.*)|(?P<docker>#\d+ \[.*\d\].*|#\d+ \[internal\].*"
    r"|Step \d+/\d+ : .*)"
    r"|(?P<npm>> \S+@\S+ \S+.*)|(?P<make>g?make\[\d+\]: Entering directory .*)|(?P<gradle>> (?:Task|Configure) \S+.*)"
    r"|(?P<maven>\[INFO\] --- \S.*---|\[INFO\] Building .*)|(?P<tf>  # \S+ (?:will be|must be|has been"
    r"|is tainted|has moved).*)"
    r"|(?P<section>Dockerfile:\d+|={3,} (?!=)\S.* ={3,}|-- The \w+ compiler identification.*)"
    r"|(?P<msbuild>\s*Determining projects to restore.*|Build started .*"
    r"|\s*Project \".*\" (?:on node |\(\d|is building).*"
    r"|-{6} \w.* started: .*)"
    r"|(?P<xcode>(?=[A-Z])[\w-]+ .*\(in target '.*' from project '.*'\))"
)
"""Pattern of lines that name the next step."""
PREFIX = compile_lazily(
    r"(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ?|#\d+ \d+\.\d+ "
    r"|\d+\.\d{2,3} (?=\S)|\[\d\d:\d\d:\d\d\] |\s*\d+(?::\d+)?>(?=\s*\S)"
    r"|\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z\] |\d\d:\d\d:\d\d {1,2}(?=\S)"
    r"|(?: {1,9}|(?=\[j))\[(?!error|warn|info)[a-z][\w:.-]+\] ?"
    r"|\[(?!ERROR\]|WARN|INFO\]|DEBUG\]|FATAL\]|NOTICE\]|Error\]|Warn|Info\])[A-Z][\w .-]+\] "
)
"""Pattern of line prefixes of CI services, container builds, Ant, MSBuild and Jenkins steps."""
_FIRST = frozenset("0123456789#[\ufeff")
_WRAPPED = frozenset("0123456789[")
_INDENTED = ("Finished ", "(s)", "INFO ", " fixable ")
_STEPS = frozenset("#:S>gm[ D=-BP")
_OPENINGS = frozenset((
    *("##", "#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8", "#9", "**", "--", "==", ">", "> ", "Al", "Ap", "BU", "Bu"),
    *("CM", "CO", "CS", "Ch", "Co", "De", "Do", "E:", "EL", "ER", "Er", "Ex", "FA", "Fa", "Fi", "Fo", "In", "No", "Ok"),
    *("Pa", "Pl", "Pr", "Sc", "Su", "Th", "Ti", "Un", "Yo", "[*", "[E", "[I", "[W", "[e", "[s", "[w", "ad", "au", "ch"),
    *("cl", "co", "er", "ex", "fo", "gm", "ld", "ma", "ni", "no", "np", "on", "re", "up", "wa", "we"),
))
"""First two characters of closing lines: a cheap check before the long pattern."""
_REPEAT_RULER = "------"
_REPEATED = compile_lazily(r" > (?:\[[^\]]*\]|\S+) .*:")
"""Pattern of the line after the ruler, which names the failed step."""
_MAX_PAUSE = 32
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
                pause = 1 if rows else min(2 * pause, _MAX_PAUSE)
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
        if finding is not None:
            self._begin_finding(finding)
        else:
            self._read_other(text, number, closing=closing)

    def _read_other(self, text: str, number: int, *, closing: bool) -> None:
        """Read a line that is no finding: the title of a step, a closing line, or what belongs to a finding."""
        title = find_step_title(text)
        if title:
            self._finish_finding()
            self._emit(BuildEvent("step", number, title))
        elif closing:
            self._finish_finding()
            self._emit(BuildEvent("closing", number, text))
        elif not self._is_continuation(text, number):
            self._keep_other(text, number)

    def _is_repeated(self, text: str) -> bool:
        """Return whether a line repeats the output of a failed step of a container build, between two rulers."""
        if text == _REPEAT_RULER:
            self._ruled, self._repeats = not self._repeats, False
        elif self._ruled:
            self._repeats, self._ruled = _REPEATED.fullmatch(text) is not None, False
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
        state = self._state
        if number - state.passed <= 1 and self._continues_passed(text, number):
            return True
        if state.head is not None and _waits(state.head, text, number):
            state.head.end = number
            return True
        if number in (state.heading, state.line):
            return True
        if state.last is not None and self._continues_finding(state.last, text, number):
            state.last.end, self._loose = number, []
            self._learn_code(state.last, text)
            return True
        if LEADING.match(text) or (self._plain and text[:2] in CONTEXT):
            state.lead = state.lead or number
            self._flush_loose()
            return True
        return False

    def _continues_passed(self, text: str, number: int) -> bool:
        """Return whether a line belongs to a check that is not a finding, and emit it."""
        if number == self._state.passed:
            return True
        if text[0] not in " \t":
            return False
        self._emit(BuildEvent("passed", number, text))
        self._state.passed = number
        return True

    def _continues_finding(self, last: BuildFinding, text: str, number: int) -> bool:
        """Return whether a line belongs to the finding above it: by its form, as its note, or with its code."""
        if self._state.closed and not CARET.fullmatch(text):
            return False
        leads = self._plain and self._state.lead and text[:2] in CONTEXT
        if not leads and (CONTINUED.match(text) or self._is_note(text)):
            return True
        return not last.code and number - last.end <= WRAPPED and WRAP.search(text) is not None

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


def _waits(head: BuildFinding, text: str, number: int) -> bool:
    """Return whether a line stands between a message and its place."""
    return number - head.number <= WAITING and (head.number == number or text[0] in " \t|")


def clean_build_line(text: str) -> str:
    """Return a line as the tool wrote it, without colours, redrawn text and prefixes of a CI service."""
    if not text.isprintable() and not text.expandtabs().isprintable():
        text = strip_escapes(text) if "\x1b" in text or "\r" in text or "\x08" in text else text
    if text[:1] in _FIRST or "\t" in text or (text[:1] == " " and text.lstrip(" ")[:1] in _WRAPPED):
        match = PREFIX.match(text)
        if match:
            text = text[match.end() :]
            if "\x1b" in text:
                return clean_build_line(text)
    return text.rstrip()


def find_step_title(text: str) -> str:
    """Return the name of the step that a line begins, or an empty string."""
    if text[0] not in _STEPS and text[-2:] != "')":
        return ""
    match = _STEP.match(text)
    return (match[match.lastgroup or 0] or "").strip() if match else ""


def is_closing_line(text: str) -> bool:
    """Return whether a line reports the result of a run."""
    first = text[0]
    if first in " \t":
        return any(word in text for word in _INDENTED) and _CLOSING.fullmatch(text) is not None
    return (text[:2] in _OPENINGS or first.isdigit() or first > "~") and _CLOSING.fullmatch(text) is not None
