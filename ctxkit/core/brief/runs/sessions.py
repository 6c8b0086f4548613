"""The skeleton of pytest's output: sections, blocks of failures, verdicts, by line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ctxkit.core.brief.runs.signposts import DASHED, Mark

START = "test session starts"
SUMMARY = "short test summary info"
FAILING = ("FAILURES", "ERRORS")
KNOWN = re.compile(
    r"test session starts|FAILURES|ERRORS|X?PASSES|XFAILURES|warnings summary|short test summary info|"
    r"slowest .*|.*coverage.*|rerun test summary info|Hypothesis Statistics|.*summary.*"
)
"""The headings of pytest and its plugins; others may be what a test printed."""
BLOCKS = (*FAILING, "PASSES", "XFAILURES", "XPASSES", "SKIPPED")


@dataclass(slots=True)
class Part:
    """Name lines ``start`` to ``end``: a section, a block of a failure, output captured in it.

    ``width`` is that of its heading, which all rules of the session share.
    """

    title: str
    start: int
    end: int = 0
    width: int = 0
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


def run_of(found: Sequence[Mark], total: int) -> Run:
    """Return what the marks of a log of ``total`` lines say, leaving out runs inside captured output."""
    run = Run()
    section: Part | None = _headless(found)
    if section is not None:
        run.sections.append(section)
    place = 0
    while place < len(found):
        mark = found[place]
        if section is not None and section.title in BLOCKS and _stray(mark, section):
            place += 1
            continue
        if section is not None and section.parts and mark.kind == "heading" and START in mark.text:
            place = _past(found, place) or place + 1
            continue
        ends = mark.kind in ("heading", "verdict", "banner") and not _captured(found, place, section)
        if ends and section is not None:
            _close(section, mark.number - 1)
            section = None
        if mark.kind == "heading" and ends:
            section = Part(mark.text, mark.number, width=mark.width)
            run.sections.append(section)
        _enter(run, section, mark, ends)
        place += 1
    if section is not None:
        _close(section, total)
    return run


def _headless(found: Sequence[Mark]) -> Part | None:
    """Return a section for the blocks of a log that is cut off above, before any heading."""
    for mark in found:
        if mark.kind == "title":
            return Part(FAILING[0], 1, width=mark.width)
        if mark.kind in ("heading", "verdict", "outcome"):
            return None
    return None


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


def _stray(mark: Mark, section: Part) -> bool:
    """Tell whether a line has rules of another width than those of its session: a test printed it."""
    ruled = bool(mark.width and section.width) and not DASHED.match(mark.text)
    return ruled and abs(mark.width - section.width) > 1


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
    if mark.kind == "banner" or (mark.kind == "heading" and not _known(mark)):
        # what a test printed is followed by the next block, what pytest prints is not
        for after in found[place + 1 :]:
            if after.kind != "heading" or _known(after):
                return after.kind in ("title", "captured")
    return False


def _known(mark: Mark) -> bool:
    return bool(KNOWN.fullmatch(mark.text) or DASHED.match(mark.text))


def _close(section: Part, end: int) -> None:
    _end(section, end)
    section.end = end


def _end(part: Part, end: int) -> None:
    """End the last of a part's parts, and what is in it, with line ``end``."""
    if part.parts:
        _end(part.parts[-1], end)
        part.parts[-1].end = end
