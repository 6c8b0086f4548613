"""The skeleton of pytest's output: headings, blocks of failures, summary lines and verdicts, by line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ctxkit.core.brief.outline import plain
from ctxkit.core.lines import Lines

MOST = 100_000
"""Marks past which a log is no longer taken for one of pytest."""
LEAD = r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z )?(?:\x1b\[[\d;]*[mK])*"
"""What may stand before a line of pytest: the time that a CI service adds, and colours."""
MARK = re.compile(
    rf"\n{LEAD}(?:(?:=+|_+|-+|!+|\u2015+) |FAILED |FAIL |ERROR|SUBFAIL|INTERNALERROR>|"
    r"\d+(?:/\d+)? \w+|no tests |Fatal Python error|worker '|\[gw\d+\] |ImportError while loading conftest|\S*pytest\S*: error)[^\n]*"
)
"""A line that may say where something begins; what it is, its text decides."""
CI = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ")
RULE = re.compile(r"([=_!\u2015-])\1* (.*\S) \1+")
COUNT = (
    r"\d+(?:/\d+)? (?:failed|passed|skipped|deselected|xfailed|xpassed|(?:pytest-)?warnings?|errors?|"
    r"rerun|retried|subtests? \w+|tests? collected|selected|snapshots? \w+)(?: \(\d+ deselected\))?"
)
VERDICT = re.compile(
    rf"(?:=+ )?((?:no tests (?:ran|collected)|{COUNT})[^=]*? in "
    r"\d+(?:\.\d+)?(?:s| ?seconds?)?(?: \([^)]*\))?)(?: =+)?"
)
OUTCOME = re.compile(
    r"(\S.*?::.*?) (FAILED|ERROR)(?: +\(.*\))?(?: *\[ *\d+%\])?|"
    r"\[gw\d+\](?: \[ *\d+%\])? (FAILED|ERROR) (\S.*)"
)
NAMED = re.compile(r"(FAILED|FAIL|ERROR|SUBFAIL\w*)(?:\[[^\]]*\]|\([^)]*\))? +(\S.*)")
NOTE = re.compile(
    r"INTERNALERROR>|Fatal Python error|worker '\w+' crashed|\[gw\d+\] node down|"
    r"ImportError while loading conftest|\S*pytest\S*: error|ERROR: |FAIL Required"
)
"""What stands outside all sections and says why a run went wrong."""
START = "test session starts"
SUMMARY = "short test summary info"
FAILING = ("FAILURES", "ERRORS")
KNOWN = re.compile(
    r"test session starts|FAILURES|ERRORS|X?PASSES|XFAILURES|warnings summary|short test summary info|"
    r"slowest .*|.*coverage.*|rerun test summary info|Hypothesis Statistics|.*summary.*"
)
"""The headings of pytest and its plugins; others may be what a test printed."""
BLOCKS = (*FAILING, "PASSES", "XFAILURES", "XPASSES", "SKIPPED")


@dataclass(frozen=True, slots=True)
class Mark:
    """Keep a line that structures the log: ``kind`` is one of the names that ``_mark`` gives."""

    number: int
    kind: str
    text: str


@dataclass(slots=True)
class Part:
    """Name lines ``start`` to ``end``: a section, a block of a failure, output captured in it."""

    title: str
    start: int
    end: int = 0
    parts: list["Part"] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """Hold what pytest said of all its sessions in one log, in order."""

    starts: list[int] = field(default_factory=list)
    verdicts: list[Mark] = field(default_factory=list)
    sections: list[Part] = field(default_factory=list)
    named: list[Mark] = field(default_factory=list)
    outcomes: list[Mark] = field(default_factory=list)
    notes: list[Mark] = field(default_factory=list)

    @property
    def blocks(self) -> list[Part]:
        """Return the blocks of failures and errors."""
        return [block for section in self.sections if section.title in FAILING for block in section.parts]

    @property
    def closed(self) -> bool:
        """Tell whether the last session has its closing line."""
        return bool(self.verdicts) and self.verdicts[-1].number > max(self.starts, default=0)


def marks(lines: Lines) -> list[Mark] | None:
    """Return every line that structures a log of pytest, or None when there are too many to be that."""
    found: list[Mark] = []
    number = 1
    for block in lines.blocks():
        found += _marks("\n" + block, number)
        if len(found) > MOST:
            return None
        number += block.count("\n") + 1
    return found


def _marks(block: str, number: int) -> Iterator[Mark]:
    """Yield the marks of a block that begins with a newline before line ``number``."""
    position = 1
    found = [(match.start() + 1, match[0][1:]) for match in MARK.finditer(block)]
    if "::" in block and ("FAILED" in block or "ERROR" in block):
        found = sorted({*found, *_outcomes(block)})
    for start, text in found:
        kind, said = _mark(clean(text))
        if kind:
            number += block.count("\n", position, start)
            position = start
            yield Mark(number, kind, said)


def _outcomes(block: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say of one test that it failed, as -v has them."""
    for word in (" FAILED", " ERROR", "FAILED\x1b", "ERROR\x1b"):
        at = block.find(word)
        while at >= 0:
            start, stop = block.rfind("\n", 0, at) + 1, block.find("\n", at)
            stop = len(block) if stop < 0 else stop
            if block.find("::", start, stop) >= 0:
                yield start, block[start:stop]
            at = block.find(word, stop)


def clean(text: str) -> str:
    """Return a line as pytest wrote it: no colours, no time that a CI service put before it."""
    text = plain(text) if not text.isprintable() else text
    found = CI.match(text)
    return (text[found.end() :] if found else text).rstrip()


def _mark(text: str) -> tuple[str, str]:
    """Return what kind of mark a line is, empty for none, and what it says."""
    if VERDICT.fullmatch(text):
        return "verdict", text
    rule = RULE.fullmatch(text)
    if rule and _even(text):
        return {"=": "heading", "!": "banner", "-": "captured"}.get(text[0], "title"), rule[2]
    if NOTE.match(text):
        return "note", text
    if NAMED.fullmatch(text):
        return "named", text
    return ("outcome", text) if OUTCOME.fullmatch(text) else ("", "")


def _even(text: str) -> bool:
    """Tell whether a line is ruled alike on both sides, as pytest rules it, and names something."""
    left = len(text) - len(text.lstrip(text[0]))
    right = len(text) - len(text.rstrip(text[0]))
    return right - left in (0, 1) and bool(text.strip(f" {text[0]}"))


def run_of(found: Sequence[Mark], total: int) -> Run:
    """Return what the marks of a log of ``total`` lines say, leaving out runs inside captured output."""
    run = Run()
    section: Part | None = None
    place = 0
    while place < len(found):
        mark = found[place]
        if section is not None and section.parts and mark.kind == "heading" and START in mark.text:
            place = _past(found, place) or place + 1
            continue
        ends = mark.kind in ("heading", "verdict", "banner") and not _captured(found, place, section)
        if ends and section is not None:
            _close(section, mark.number - 1)
            section = None
        if mark.kind == "heading" and ends:
            section = Part(mark.text, mark.number)
            run.sections.append(section)
        _enter(run, section, mark, ends)
        place += 1
    if section is not None:
        _close(section, total)
    return run


def _enter(run: Run, section: Part | None, mark: Mark, ends: bool) -> None:
    """Put a mark where it belongs."""
    if mark.kind == "heading" and START in mark.text:
        run.starts.append(mark.number)
    elif mark.kind == "verdict" and ends:
        run.verdicts.append(mark)
    elif mark.kind == "banner" and ends:
        run.notes.append(mark)
    elif mark.kind == "title" and section is not None and section.title in BLOCKS:
        _end(section, mark.number - 1)
        section.parts.append(Part(mark.text, mark.number))
    elif mark.kind == "captured" and section is not None and section.parts:
        _end(section.parts[-1], mark.number - 1)
        section.parts[-1].parts.append(Part(mark.text, mark.number))
    elif mark.kind == "named" and section is not None and SUMMARY in section.title:
        run.named.append(mark)
    elif section is None or START in section.title or not section.parts:
        {"note": run.notes, "outcome": run.outcomes}.get(mark.kind, []).append(mark)


def _past(found: Sequence[Mark], place: int) -> int:
    """Return the place after the run that begins at ``place`` inside captured output; 0 when it has no end.

    The last verdict of a log is never taken for the end of such a run.
    """
    depth = 0
    for here in range(place, len(found)):
        mark = found[here]
        if mark.kind == "heading" and START in mark.text:
            depth += 1
        elif mark.kind == "verdict" and mark.text.startswith("="):
            depth -= 1
            if not depth:
                later = any(mark.kind == "verdict" for mark in found[here + 1 :])
                return here + 1 if later else 0
    return 0


def _captured(found: Sequence[Mark], place: int, section: Part | None) -> bool:
    """Tell whether a mark is only output that a failing test wrote, not a mark of this run."""
    if section is None or not section.parts:
        return False
    mark = found[place]
    if mark.kind == "verdict" and place + 1 < len(found):
        after = found[place + 1]
        return after.kind in ("title", "captured") or (after.kind == "heading" and START not in after.text)
    if mark.kind == "banner" or (mark.kind == "heading" and not KNOWN.fullmatch(mark.text)):
        # what a test printed is followed by the next block, what pytest prints is not
        for after in found[place + 1 :]:
            if after.kind != "heading" or KNOWN.fullmatch(after.text):
                return after.kind in ("title", "captured")
    return False


def _close(section: Part, end: int) -> None:
    _end(section, end)
    section.end = end


def _end(part: Part, end: int) -> None:
    """End the last of a part's parts, and what is in it, with line ``end``."""
    if part.parts:
        _end(part.parts[-1], end)
        part.parts[-1].end = end
