"""Reading the output of compilers, linters and build tools: findings, closing lines, steps, and all between them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.builds.closings import bare, closes, title_of
from ctxkit.core.brief.builds.findings import ERROR, NOTE, WARNING, Finding, finding_of
from ctxkit.core.brief.builds.wordings import (
    ARROW,
    BOXED,
    CARET,
    CARETS,
    CELLS,
    CMAKE,
    CODED,
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
from ctxkit.core.lines import Lines


@dataclass(slots=True)
class Event:
    """Say what a line is: ``closing``, ``step``, or ``other`` for one that belongs to nothing."""

    what: str
    number: int
    text: str


PAUSE = 32
"""Lines after which it is asked again whether lines are quiet."""
Take = Callable[[Finding | Event], None]
Pass = Callable[[int, Sequence[str]], None]
"""Take lines that belong to nothing, the first of them of a number."""


class Compilation:
    """Read lines in order; give each finding, once its end is known, and every other line that counts to ``take``.

    With ``skip``, runs of lines that belong to nothing go there.
    """

    def __init__(self, take: Take, skip: Pass | None = None) -> None:
        self._take = take
        self._skip = skip
        self._last: Finding | None = None
        self._head: Finding | None = None
        self._file = ""
        self._heading = 0
        self._line = 0
        self._lead = 0
        self._sure = True
        self._closed = False
        self._loose: list[Event] = []
        self._lints: dict[str, str] = {}

    def read(self, lines: Lines) -> None:
        """Read all lines."""
        number = 1
        for block in lines.blocks():
            self._block(block, number)
            number += block.count("\n") + 1
        self.end()

    def _block(self, block: str, number: int) -> None:
        """Read whole lines; runs of quiet ones are passed over in one step where no finding is open."""
        at, end, after, pause = 0, len(block), 0, 1
        while at <= end:
            if self._skip and self._last is None and self._head is None and number >= after:
                run = QUIETLY.match(block, at)
                rows = block[at : run.end() - 1].split("\n") if run else []
                rows = rows[: next((place for place, row in enumerate(rows) if closes(row)), len(rows))]
                # where nothing is quiet, it is asked ever less often
                pause = 1 if rows else min(2 * pause, PAUSE)
                after = number + len(rows) + pause
                if rows:
                    self._closed, self._lead = True, 0
                    self._skip(number, rows)
                    number += len(rows)
                    at += sum(map(len, rows)) + len(rows)
                    continue
            stop = block.find("\n", at)
            stop = stop if stop >= 0 else end
            self.line(number, block[at:stop].removesuffix("\r"))
            at, number = stop + 1, number + 1

    def line(self, number: int, raw: str) -> None:
        """Read one line."""
        text = bare(raw)
        if not text:
            return
        if self._last is None and self._head is None and QUIET.fullmatch(text) and not closes(text):
            self._other(text, number)
            return
        closing = closes(text)
        found = None if closing and text[0] not in " \t" else self._finding(text, number)
        title = "" if found else title_of(text)
        if found is not None:
            self._begin(found)
        elif title:
            self._settle()
            self._take(Event("step", number, title))
        elif closing:
            self._settle()
            self._take(Event("closing", number, text))
        elif not self._belongs(text, number):
            self._other(text, number)

    def end(self) -> None:
        """Give what is left."""
        self._settle()

    def _finding(self, text: str, number: int) -> Finding | None:
        """Return the finding that a line begins or completes, or None."""
        if text[0] in " \t":
            return self._indented(text, number)
        if text[0] in "│|":
            return self._boxed(text, number)
        found = finding_of(text, number)
        if found:
            return found if found.severity != NOTE else None
        return self._worded(text, number)

    def _indented(self, text: str, number: int) -> Finding | None:
        arrow = ARROW.fullmatch(text) if self._head else None
        if arrow:
            return self._placed(arrow[1])
        bared = text.strip()
        if self._file and bared[0].isdigit():
            row = ROW.fullmatch(bared)
            if row:
                return self._row(row[3], row[4], text, number)
        if self._line and "^" in text:
            carets = CARETS.fullmatch(text)
            if carets:
                severity = ERROR if carets[2] == "error" else WARNING
                return Finding(self._file, severity, carets[1], carets[3], number, text, self._line, number)
        if " - " in text or text.startswith(("    error", "    warning")):
            found = finding_of(bared, number)
            if found and found.severity != NOTE and len(text) - len(bared) <= 2:
                found.text = text
                return found
        return None

    def _row(self, severity: str | None, said: str, text: str, number: int) -> Finding | None:
        """Return a finding below the name of its file."""
        if severity is None:
            coded = CODED.fullmatch(said)
            return Finding(self._file, ERROR, coded[1], coded[2], number, text, number, number) if coded else None
        cells = CELLS.fullmatch(said)
        message, code = (cells[1], cells[2] or "") if cells else (said, "")
        return Finding(
            self._file, ERROR if severity == "error" else WARNING, code, message, number, text, number, number
        )

    def _boxed(self, text: str, number: int) -> Finding | None:
        box = BOXED.fullmatch(text)
        if box:
            return Finding("", box[1].lower(), "", box[2], number, text, number, number)
        inside = INSIDE.fullmatch(text)
        if inside and self._last and not self._last.path:
            self._last.path = inside[1]
        return None

    def _worded(self, text: str, number: int) -> Finding | None:
        """Return, or remember, a finding that does not begin with its file."""
        if text[0] in "-╭┌":
            arrow = ARROW.fullmatch(text) if self._head else None
            return self._placed(arrow[1]) if arrow else None
        head = HEAD.fullmatch(text) if text[0] in "ew" else None
        if head:
            self._wait(Finding("", head[1], head[2] or "", head[3], number, text, number, number))
            return None
        if text.startswith("CMake "):
            return self._cmake(text, number)
        within = LINE.fullmatch(text) if text.startswith("In ") else None
        if within:
            self._settle()
            self._file, self._line = within[1], number
            return None
        if self._names(text, number):
            return None
        rule = RULE.fullmatch(text)
        if rule:
            self._wait(Finding("", ERROR, rule[1], rule[2], number, text, number, number), sure=False)
            return None
        return self._unplaced(text, number)

    def _cmake(self, text: str, number: int) -> Finding | None:
        found = CMAKE.fullmatch(text)
        if not found:
            return None
        severity = ERROR if found[1] == "Error" else WARNING
        return Finding(found[2] or "", severity, "", text, number, text, number, number)

    def _unplaced(self, text: str, number: int) -> Finding | None:
        linker = LINKER.fullmatch(text) if "ld" in text or ".o" in text or ":(" in text else None
        if linker:
            path = linker[2] or linker[3] or ""
            message = linker[4] or linker[1] or text
            return Finding(path, ERROR, "", message, number, text, number, number) if linker[2] is None else None
        loose = LOOSE.fullmatch(text) if text[0] in "EeFfn[" else None
        if loose and not (self._last and text.startswith("npm ") and self._last.text.startswith("npm ")):
            return Finding("", ERROR, "", loose[1] or loose[2] or loose[3], number, text, number, number)
        return None

    def _names(self, text: str, number: int) -> bool:
        """Tell whether a line names the file that rows below it are about."""
        if " " in text and "/" not in text and "\\" not in text:
            return False
        if len(text) > 300 or not FILE.fullmatch(text):
            return False
        self._settle()
        self._file, self._heading, self._line = text.rstrip(":"), number, 0
        return True

    def _wait(self, head: Finding, *, sure: bool = True) -> None:
        """Remember a message whose place follows."""
        self._settle()
        self._head, self._sure = head, sure

    def _placed(self, path: str) -> Finding | None:
        """Return the finding whose place has come."""
        head, self._head = self._head, None
        if head:
            head.path = path
        return head

    def _begin(self, found: Finding) -> None:
        """Take a finding for the one that what follows belongs to."""
        self._settle(found)
        if self._lead and found.start - self._lead <= 40:
            found.start = self._lead
        self._lead = 0
        if self._heading and found.path == self._file:
            found.start, self._heading = min(found.start, self._heading), 0
        if self._line and found.start == self._line:
            self._line = found.number  # two findings below one line: the second begins after the first
        self._last, self._closed, self._loose = found, False, []

    def _settle(self, new: Finding | None = None) -> None:
        """Give what was read last; a message whose place never came counts when it is sure to be one."""
        head, self._head = self._head, None
        self._flush()
        self._give(self._last)
        self._last, self._closed = None, False
        if head and head is not new:
            self._take(head if self._sure else Event("other", head.number, head.text))
        if new is None:
            self._lead = 0

    def _give(self, found: Finding | None) -> None:
        if found is None:
            return
        if (not found.code and found.message in ("", found.form)) or self._lints:
            found.code = found.code or self._lints.get(found.form, "")
        self._take(found)

    def _belongs(self, text: str, number: int) -> bool:
        """Tell whether a line continues the finding above it, or leads to the one below."""
        head = self._head
        if head is not None and number - head.number <= WAITING and (head.number == number or text[0] in " \t|"):
            head.end = number
            return True
        last = self._last
        if (self._heading and self._heading == number) or self._line == number:
            return True
        if last is not None and not (self._closed and not CARET.fullmatch(text)):
            if CONTINUED.match(text) or self._notes(text):
                last.end = number
                self._loose = []
                self._learn(last, text)
                return True
            if not last.code and number - last.end <= WRAPPED and WRAP.search(text):
                last.end, self._loose = number, []
                self._learn(last, text)
                return True
        if LEADING.match(text):
            self._lead = self._lead or number
            self._flush()
            return True
        return False

    def _notes(self, text: str) -> bool:
        """Tell whether a line is a note on the finding above, with a place of its own."""
        found = finding_of(text, 0) if " note: " in text or " hint: " in text or ": note" in text else None
        return found is not None and found.severity == NOTE

    def _learn(self, found: Finding, text: str) -> None:
        """Take the name of a lint from the note below its first finding; the same message has it again."""
        if not found.code and text.endswith((")", "]")):
            wrap = WRAP.search(text)
            if wrap:
                found.code = wrap[1] or wrap[2]
        if "`#[" in text or ("#" in text and "clippy" in text):
            lint = LINT.search(text)
            if lint and not found.code:
                found.code = lint[1] or f"clippy::{lint[2]}"
                self._lints[found.form] = found.code

    def _flush(self) -> None:
        """Give a line that turned out to belong to nothing."""
        if self._loose:
            for event in self._loose:
                self._take(event)
            self._loose = []
            self._closed = True

    def _other(self, text: str, number: int) -> None:
        """Keep a line that belongs to nothing until it is known that no caret below it says otherwise."""
        if self._last is not None and not self._closed and number - self._last.end <= WRAPPED:
            self._loose.append(Event("other", number, text))
            return
        self._flush()
        if self._last is not None:
            self._give(self._last)
            self._last = None
        self._closed = True
        self._lead = 0
        self._take(Event("other", number, text))


def events(lines: Iterator[tuple[int, str]]) -> list[Finding | Event]:
    """Return all that some numbered lines hold."""
    found: list[Finding | Event] = []
    compilation = Compilation(found.append)
    for number, text in lines:
        compilation.line(number, text)
    compilation.end()
    return found
