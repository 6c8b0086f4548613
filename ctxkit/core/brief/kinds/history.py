"""Output of git about history and the working tree: log, reflog, blame and status."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ctxkit.core.brief.diffs import changes, events
from ctxkit.core.brief.diffs.patches import COLOUR, DiffReader
from ctxkit.core.brief.document import Clues, InputDocument, count_matching
from ctxkit.core.brief.grids.folders import PathItem, make_directory_entries
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "history"
TYPES: Sequence[str] = ("gitlog", "blame", "status")
CLUES = Clues(unless_log=True)
SAMPLE = 200
FILES = 20_000
"""Maximum number of files of a status that are listed by name."""
STATES = 100
"""Maximum number of status headings that are listed, however many files precede them."""
WIDEST = 1_000
"""Maximum number of characters read from a line."""
SHORT = compile_lazily(rf"{events.GRAPH}[0-9a-f]{{7,40}} {events.NO_SUBJECT}(?:\([^)]*\) )?\S.*")
STATUS = compile_lazily(r"(?:On branch |HEAD detached |Not currently on any branch|## \S+)")
HEADING = compile_lazily(r"(?:Changes |Untracked files|Unmerged paths|Ignored files).*:$")
IN_STATUS = compile_lazily(
    r"On branch|HEAD detached|Not currently|## |Changes |Untracked files|Unmerged paths|Ignored files|\t|  \("
    r"|Your branch|and have |nothing |no changes |You (?:have|are)|All conflicts|[ MADRCUT?!]{2} |[Ii]t took |may speed"
)
"""Pattern of the beginning of a line of git status."""
CHANGE = compile_lazily(r"\t(?:(\w[\w ]*): +)?(\S.*)")
PORCELAIN = compile_lazily(r"((?!  )[ MADRCUT?!]{2}|[12u?!] .{2} .*?) (\S.*)")


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text is output of git log, reflog, blame or status."""
    text = COLOUR.sub("", document.head.removeprefix("\ufeff").replace("\r", ""))
    lines = [line[:WIDEST] for line in document.split_head(text) if line.strip()][:SAMPLE]
    if not lines:
        return 0.0
    form = _detect_form(text, lines)
    return {"": 0.0, "log": 0.96, "short": 0.9, "blame": 0.96, "status": 0.92, "porcelain": 0.85, "lines": 0.97}[form]


def _detect_form(text: str, lines: Sequence[str]) -> str:
    """Return the form of the history, or an empty string."""
    if events.is_porcelain(text):
        return "lines"
    if _is_log(text, lines):
        return "log"
    if len(events.BLAME.findall("\n" + "\n".join(lines))) >= max(2, len(lines) * 0.9):
        return "blame"
    if _is_short_log(lines):
        return "short"
    if STATUS.match(lines[0]) and count_matching(IN_STATUS.match, lines) >= len(lines) * 0.9:
        return "status"
    if len(lines) > 3 and count_matching(PORCELAIN.fullmatch, lines) >= len(lines) * 0.98:
        return "porcelain"
    return ""


def _is_log(text: str, lines: Sequence[str]) -> bool:
    """Return whether a text begins with a commit and its author, or has several."""
    if events.COMMIT.match(f"\n{lines[0]}") and any("Author: " in line for line in lines[:6]):
        return True
    return len(events.COMMIT.findall(f"\n{text}")) > 1 and len(events.AUTHOR.findall(text)) > 1


def _is_short_log(lines: Sequence[str]) -> bool:
    """Return whether each line is a commit with its subject, or a line of a diffstat."""
    short = count_matching(SHORT.fullmatch, lines)
    if short < 3 or short + count_matching(events.STAT.fullmatch, lines) < len(lines) * 0.95:
        return False
    return SHORT.fullmatch(lines[0]) is not None and _are_hashes(lines)


def _are_hashes(lines: Sequence[str]) -> bool:
    """Return whether the first words of a log's lines are random; addresses and numbers have zeros, or ascend."""
    ids = [match[1] for line in lines if (match := events.SHORT.match(f"\n{line}"))]
    plain = sum(word.isdigit() for word in ids) + sum(word.startswith("00") for word in ids)
    rising = sum(after > before for before, after in pairwise(ids))
    return plain <= max(len(ids) * 0.3, 1) and (len(ids) < 8 or rising < (len(ids) - 1) * 0.9)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the events with dates, authors and line ranges, or None if the form is unknown."""
    from ctxkit.core.brief.diffs.history_outline import build_history_outlines

    text = COLOUR.sub("", document.head.removeprefix("\ufeff").replace("\r", ""))
    lines = [line[:WIDEST] for line in text.split("\n") if line.strip()][:SAMPLE]
    form = _detect_form(text, lines) if lines else ""
    if form in ("status", "porcelain"):
        return _outline_status(document)
    if not form:
        return None
    if form == "lines":
        return _outline_blame(document)
    history = events.read_history(document.lines, form)
    if not history.count:
        return None
    outlines = build_history_outlines(NAME, history, document)
    if form == "log" and "\ndiff " in text:
        outlines = [*_outline_changes(document, history), *outlines]
    return outlines


def _outline_blame(document: InputDocument) -> list[Outline]:
    """Return outlines of blamed lines, each with the commits they come from; git describes each commit once."""
    from ctxkit.core.brief.diffs.history_outline import build_history_outlines

    history, origins = events.read_blame(document.lines)
    outlines = build_history_outlines(NAME, history, document) if history.count else []
    rich, poor = events.COMMIT_COUNTS[:-1], events.COMMIT_COUNTS[-1]
    pairs = [(most, outline) for most in rich for outline in outlines[:1]] + [(poor, outline) for outline in outlines]
    return [
        Outline(NAME, (outline.sections[0], events.list_commits(origins, most), *outline.sections[1:]))
        for most, outline in pairs
    ]


def _outline_changes(document: InputDocument, history: events.History) -> list[Outline]:
    """Return outlines of a log with the changes of each commit, or an empty list if there are too many commits."""
    if history.count * 20 > document.target:
        return []
    reader = DiffReader().read(document.lines)
    subjects = dict(zip(history.row_index.lines, history.row_index.cells, strict=True))
    for commit in reader.commits:
        commit.subject = subjects.get(commit.start, ("", "", "", ""))[3]
    return [Outline(NAME, outline.sections) for outline in changes.build_diff_outlines(NAME, reader, document)][:-1]


def _outline_status(document: InputDocument) -> list[Outline]:
    """Return outlines of the files of a working tree, grouped by state in the order of the text."""
    reader = StatusReader()
    for number, line in document.lines.enumerate_lines():
        reader.read_line(number, line)
    top = Section("", tuple(reader.summarize(document.lines.total)))
    outlines = []
    for most in (10_000, 40, 8):
        sections = [
            Section(t, make_directory_entries(items, most, _describe_nothing, 5), noun="directories")
            for t, items in reader.groups.items()
        ]
        outlines.append(Outline(NAME, (top, *sections)))
    return outlines


class StatusReader:
    """Group the files of a working tree by state; beyond a number of files, only count them."""

    def __init__(self) -> None:
        self.groups: dict[str, list[PathItem]] = {}
        self._uncounted: Counter[str] = Counter()
        self._beyond = 0
        self._kept = 0
        self._others: list[Entry] = []
        self._heading = ""

    def read_line(self, number: int, line: str) -> None:
        """Read one line: a heading, a file, or a remark."""
        if line.endswith(":") and HEADING.match(line):
            self._heading = line.rstrip(":")
            return
        title, path = self._parse_file(line)
        if path:
            self._add_file(title, PathItem(path, number, number))
        elif line.strip() and len(self._others) < 20 and not line.startswith("  ("):
            self._others.append(quote(number, line, rank=1))

    def _parse_file(self, line: str) -> tuple[str, str]:
        """Return the state and the path of a file, or empty strings."""
        if self._heading:
            change = CHANGE.match(line)
            return (f"{self._heading}: {change[1] or ''}".rstrip(": "), change[2]) if change else ("", "")
        code = None if line.startswith("## ") else PORCELAIN.fullmatch(line)
        return (f"{code[1].split(' ')[-1] or code[1]} (status code)", code[2]) if code else ("", "")

    def _add_file(self, title: str, item: PathItem) -> None:
        if self._kept < FILES or (title not in self.groups and len(self.groups) < STATES):
            self.groups.setdefault(title, []).append(item)
            self._kept += 1
        else:
            self._uncounted[title if title in self.groups else "others"] += 1
            self._beyond = self._beyond or item.start

    def summarize(self, last: int) -> Iterator[Entry]:
        """Yield the number of files of each state, the range of those not listed, and the remarks."""
        numbers = Counter({title: len(items) for title, items in self.groups.items()})
        numbers.update(self._uncounted)
        counts = ", ".join(f"{title} {number:,}" for title, number in numbers.items())
        yield Entry(counts or "no file is named")
        if self._beyond:
            yield Entry(f"{self._uncounted.total():,} further files, not told apart", self._beyond, last)
        yield from self._others


def _describe_nothing(items: Sequence[PathItem]) -> str:
    del items
    return ""
