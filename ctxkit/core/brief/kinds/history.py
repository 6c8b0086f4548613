"""Output of git about history and the working tree: log, reflog, blame and status."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ctxkit.core.brief.diffs import changes, events
from ctxkit.core.brief.diffs.patches import COLOUR, DiffReader
from ctxkit.core.brief.document import HEAD_BYTES, Clues, InputDocument
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
SHORT = compile_lazily(rf"{events.GRAPH}[0-9a-f]{{7,40}} (?:\([^)]*\) )?\S.*")
STAT = compile_lazily(
    r"[*|\\/_ ]* (?:\S.* \| +(?:\d+|Bin)\b.*|\d+ files? changed.*|(?:create|delete) mode .*|rename .*)|[*|\\/_. -]+"
)
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
    lines = text.split("\n")
    if document.lines.size > HEAD_BYTES and len(lines) > 1:
        lines.pop()
    lines = [line[:WIDEST] for line in lines if line.strip()][:SAMPLE]
    if not lines:
        return 0.0
    form = _detect_form(text, lines)
    return {"": 0.0, "log": 0.96, "short": 0.9, "blame": 0.96, "status": 0.92, "porcelain": 0.85, "lines": 0.97}[form]


def _detect_form(text: str, lines: Sequence[str]) -> str:
    """Return the form of the history, or an empty string."""
    if events.is_porcelain(text):
        return "lines"
    if events.COMMIT.match(f"\n{lines[0]}") and any("Author: " in line for line in lines[:6]):
        return "log"
    if len(events.COMMIT.findall(f"\n{text}")) > 1 and len(events.AUTHOR.findall(text)) > 1:
        return "log"
    if len(events.BLAME.findall("\n" + "\n".join(lines))) >= max(2, len(lines) * 0.9):
        return "blame"
    short = sum(SHORT.fullmatch(line) is not None for line in lines)
    rest = sum(STAT.fullmatch(line) is not None for line in lines)
    if short > 2 and short + rest >= len(lines) * 0.95 and SHORT.fullmatch(lines[0]) and _are_hashes(lines):
        return "short"
    if STATUS.match(lines[0]) and sum(IN_STATUS.match(line) is not None for line in lines) >= len(lines) * 0.9:
        return "status"
    codes = sum(PORCELAIN.fullmatch(line) is not None for line in lines)
    if len(lines) > 3 and codes >= len(lines) * 0.98:
        return "porcelain"
    return ""


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
    groups: dict[str, list[PathItem]] = {}
    more: Counter[str] = Counter()
    beyond = kept = 0
    other_lines: list[Entry] = []
    heading = ""
    for number, line in document.lines.enumerate_lines():
        if line.endswith(":") and HEADING.match(line):
            heading = line.rstrip(":")
            continue
        change = CHANGE.match(line) if heading else None
        code = PORCELAIN.fullmatch(line) if not heading and not line.startswith("## ") else None
        if change or code:
            what, path = (change[1] or "", change[2]) if change else (code[1], code[2]) if code else ("", "")
            title = f"{heading}: {what}".rstrip(": ") if heading else f"{what.split(' ')[-1] or what} (status code)"
            if kept < FILES or (title not in groups and len(groups) < STATES):
                groups.setdefault(title, []).append(PathItem(path, number, number))
                kept += 1
            else:
                more[title if title in groups else "others"] += 1
                beyond = beyond or number
        elif line.strip() and len(other_lines) < 20 and not line.startswith("  ("):
            other_lines.append(quote(number, line, rank=1))
    numbers = {title: len(items) for title, items in groups.items()}
    numbers |= {title: numbers.get(title, 0) + count for title, count in more.items()}
    counts = ", ".join(f"{title} {number:,}" for title, number in numbers.items())
    rest = [Entry(f"{more.total():,} further files, not told apart", beyond, document.lines.total)] if beyond else []
    top = Section("", (Entry(counts or "no file is named"), *rest, *other_lines))
    outlines = []
    for most in (10_000, 40, 8):
        sections = [
            Section(t, make_directory_entries(items, most, _describe_nothing, 5), noun="directories")
            for t, items in groups.items()
        ]
        outlines.append(Outline(NAME, (top, *sections)))
    return outlines


def _describe_nothing(items: Sequence[PathItem]) -> str:
    del items
    return ""
