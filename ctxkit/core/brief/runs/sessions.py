"""The structure of pytest's output: sections, failure blocks and results, by line."""

from collections.abc import Sequence

from ctxkit.core.brief.runs.pytest_markers import DASHED_HEADING, Marker
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field

START_HEADING = "test session starts"
SUMMARY_HEADING = "short test summary info"
FAILURE_HEADINGS = ("FAILURES", "ERRORS")
KNOWN_HEADING = compile_lazily(
    r"test session starts|FAILURES|ERRORS|X?PASSES|XFAILURES|warnings summary|short test summary info|"
    r"slowest .*|.*coverage.*|rerun test summary info|Hypothesis Statistics|.*summary.*"
)
"""Pattern of headings of pytest and its plugins; other headings may be output of a test."""
BLOCK_HEADINGS = (*FAILURE_HEADINGS, "PASSES", "XFAILURES", "XPASSES", "SKIPPED")


@dataclass(slots=True)
class SessionPart:
    """Hold lines ``start`` to ``end``: a section, a failure block, or captured output in it.

    ``width`` is that of its heading, which all rules of the session share.
    """

    title: str
    start: int
    end: int = 0
    width: int = 0
    parts: list["SessionPart"] = field(default_factory=list)


@dataclass(slots=True)
class PytestRun:
    """Hold the content of all pytest sessions in one log, in order."""

    starts: list[int] = field(default_factory=list)
    summaries: list[Marker] = field(default_factory=list)
    sections: list[SessionPart] = field(default_factory=list)
    named: list[Marker] = field(default_factory=list)
    outcomes: list[Marker] = field(default_factory=list)
    notes: list[Marker] = field(default_factory=list)

    @property
    def blocks(self) -> list[SessionPart]:
        """Return the blocks of failures and errors."""
        return [block for section in self.sections if section.title in FAILURE_HEADINGS for block in section.parts]

    @property
    def is_closed(self) -> bool:
        """Return whether the last session has its closing line."""
        return bool(self.summaries) and self.summaries[-1].number > max(self.starts, default=0)


def build_run(markers: Sequence[Marker], total: int) -> PytestRun:
    """Return the run in a log of ``total`` lines, without inner runs in captured output."""
    run = PytestRun()
    section: SessionPart | None = _find_headless_section(markers)
    if section is not None:
        run.sections.append(section)
    place = 0
    while place < len(markers):
        marker = markers[place]
        if section is not None and section.title in BLOCK_HEADINGS and _is_stray(marker, section):
            place += 1
            continue
        if section is not None and section.parts and marker.kind == "heading" and START_HEADING in marker.text:
            place = _skip_inner_run(markers, place) or place + 1
            continue
        ends = marker.kind in ("heading", "verdict", "banner") and not _is_captured(markers, place, section)
        if ends and section is not None:
            _close_section(section, marker.number - 1)
            section = None
        if marker.kind == "heading" and ends:
            section = SessionPart(marker.text, marker.number, width=marker.width)
            run.sections.append(section)
        _add_marker(run, section, marker, ends)
        place += 1
    if section is not None:
        _close_section(section, total)
    return run


def _find_headless_section(markers: Sequence[Marker]) -> SessionPart | None:
    """Return a section for the blocks of a log whose beginning is missing, before any heading."""
    for marker in markers:
        if marker.kind == "title":
            return SessionPart(FAILURE_HEADINGS[0], 1, width=marker.width)
        if marker.kind in ("heading", "verdict", "outcome"):
            return None
    return None


def _add_marker(run: PytestRun, section: SessionPart | None, marker: Marker, ends: bool) -> None:
    """Add a marker to the run or to its section."""
    if marker.kind == "heading" and START_HEADING in marker.text:
        run.starts.append(marker.number)
    elif marker.kind == "verdict" and ends:
        run.summaries.append(marker)
    elif marker.kind == "banner" and ends:
        run.notes.append(marker)
    elif marker.kind == "title" and section is not None and section.title in BLOCK_HEADINGS:
        _end_part(section, marker.number - 1)
        section.parts.append(SessionPart(marker.text, marker.number))
    elif marker.kind == "captured" and section is not None and section.parts:
        _end_part(section.parts[-1], marker.number - 1)
        section.parts[-1].parts.append(SessionPart(marker.text, marker.number))
    elif marker.kind == "named" and section is not None and SUMMARY_HEADING in section.title:
        run.named.append(marker)
    elif section is None or START_HEADING in section.title or not section.parts:
        {"note": run.notes, "outcome": run.outcomes}.get(marker.kind, []).append(marker)


def _is_stray(marker: Marker, section: SessionPart) -> bool:
    """Return whether a line has rules of another width than its session, so that a test must have printed it."""
    ruled = bool(marker.width and section.width) and not DASHED_HEADING.match(marker.text)
    return ruled and abs(marker.width - section.width) > 1


def _skip_inner_run(markers: Sequence[Marker], place: int) -> int:
    """Return the index after the inner run that begins at ``place`` in captured output, or 0 if it has no end.

    The last result line of a log never ends an inner run.
    """
    depth = 0
    for here in range(place, len(markers)):
        marker = markers[here]
        if marker.kind == "heading" and START_HEADING in marker.text:
            depth += 1
        elif marker.kind == "verdict" and marker.text.startswith("="):
            depth -= 1
            if not depth:
                later = any(marker.kind == "verdict" for marker in markers[here + 1 :])
                return here + 1 if later else 0
    return 0


def _is_captured(markers: Sequence[Marker], place: int, section: SessionPart | None) -> bool:
    """Return whether a marker is output of a failing test, not a marker of this run."""
    if section is None or not section.parts:
        return False
    marker = markers[place]
    if marker.kind == "verdict" and place + 1 < len(markers):
        after = markers[place + 1]
        return after.kind in ("title", "captured") or (after.kind == "heading" and START_HEADING not in after.text)
    if marker.kind == "banner" or (marker.kind == "heading" and not _is_known(marker)):
        # The next block follows output of a test, but not output of pytest itself.
        for after in markers[place + 1 :]:
            if after.kind != "heading" or _is_known(after):
                return after.kind in ("title", "captured")
    return False


def _is_known(marker: Marker) -> bool:
    return bool(KNOWN_HEADING.fullmatch(marker.text) or DASHED_HEADING.match(marker.text))


def _close_section(section: SessionPart, end: int) -> None:
    _end_part(section, end)
    section.end = end


def _end_part(part: SessionPart, end: int) -> None:
    """End the last part, and the parts in it, with line ``end``."""
    if part.parts:
        _end_part(part.parts[-1], end)
        part.parts[-1].end = end
