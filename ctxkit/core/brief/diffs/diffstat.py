"""What git says of changed files without their lines: --stat, --numstat, --raw, --name-status and --summary."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from ctxkit.core.brief.document import HEAD, Document
from ctxkit.core.brief.grids.folders import Item, folded
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.lines import Lines
from ctxkit.core.measure import plural

SAMPLE = 200
"""Lines of the beginning that tell the form."""
FILES = 20_000
"""Files that are told apart; more are counted together."""
LARGEST = "Largest changes (line here, path, lines changed)"
EACH = 10
"""Tokens that the line of one file takes at least."""
OTHERS = 3
"""Lines of another form that may stand around a summary, such as those of git pull."""
STAT = re.compile(r" ?(\S.*?)(?<! ) +\| +(?:(\d+)(?: ([+-]+))?|(Bin)\b.*|(Unmerged))$")
NUMBERS = re.compile(r"(\d+|-)\t(\d+|-)\t(\S.*)")
RAW = re.compile(r"::?(?:\d{6} ){2,}(?:[0-9a-f]{7,64}(?:\.\.\.)? ){2,}([A-Z]{1,2})(\d*)\t(\S.*)")
NAMES = re.compile(r"([MADRCTUXB])(\d{0,3})\t(\S.*)")
MODES = re.compile(r" (?:(?:create|delete) mode \d{6} |mode change \d{6} => \d{6} |(?:rename|copy|rewrite) )\S.*")
CLOSING = re.compile(r" ?\d+ files? changed(?:, \d+ \w+\([+-]\))*,?.*")
PATH = re.compile(r"[^\t]*[./][^\t]*")
STATES = {
    "A": "added", "B": "broken", "C": "copied", "D": "deleted", "M": "modified",
    "R": "renamed", "T": "type changed", "U": "unmerged", "X": "unknown",
}  # fmt: skip
FORMS = {"stat": STAT, "numstat": NUMBERS, "raw": RAW, "name-status": NAMES}


@dataclass(frozen=True, slots=True)
class Changed:
    """Name one changed file: its line here, what is said of it, and how many lines it changes (0 where not said)."""

    line: int
    path: str
    said: str
    added: int = 0
    removed: int = 0
    size: int = 0


def form_of(document: Document) -> str:
    """Return which form the lines have from the first on, empty for none."""
    lines = document.head.removeprefix("\ufeff").replace("\r", "").split("\n")
    if document.lines.size > HEAD and len(lines) > 1:
        lines.pop()
    lines = [line for line in lines if line.strip()][:SAMPLE]
    around = sum(CLOSING.fullmatch(line) is not None or MODES.fullmatch(line) is not None for line in lines)
    for form, pattern in FORMS.items():
        found = [match for match in map(pattern.fullmatch, lines) if match]
        others = len(lines) - len(found) - around
        few = OTHERS if form == "stat" and (around or len(found) > 10 * OTHERS) else 0
        if found and others <= few and _is_sure(form, found, around):
            return form
    return ""


def _is_sure(form: str, found: Sequence[re.Match[str]], around: int) -> bool:
    """Tell whether lines that fit a form are no table of something else: its last column holds paths."""
    if form == "raw":
        return True
    if form == "stat":
        marked = sum(bool(match[3] or match[4]) for match in found)
        return marked * 2 >= len(found) and (around > 0 or len(found) > 2)
    names = [match[3] for match in found]
    paths = sum(map(bool, map(PATH.fullmatch, names)))
    return len(found) > 2 and len(set(names)) == len(names) and paths * 2 > len(names)


def outlines(kind: str, form: str, document: Document) -> list[Outline]:
    """Return maps of changed files: each on a line of its own, the largest change first, down to directories."""
    files, beyond, others = _read(document.lines, form)
    if not files:
        return []
    top = Section("", (*_summary(files, beyond, document), *others))
    sized = form in ("stat", "numstat")
    order = sorted(files, key=lambda file: -file.size) if sized else files
    title = "Files by size of change (line here, path, lines changed)" if sized else "Files (line here, path)"
    made = []
    if len(files) * EACH < document.target * 2:
        each = tuple(Entry(f"{file.path} {file.said}", file.line, file.line, 5) for file in order)
        made.append(Outline(kind, (top, Section(title, each, noun="files"))))
    items = [Item(file.path, file.line, file.line, _note(file), file.size) for file in files]
    states = {file.line: file for file in files}
    heading = f"Files by directory, each after its line, the last to {document.lines.total}"
    for most in (document.target // 30, document.target // 60, 8):
        groups = folded(items, max(most, 2), lambda run: _total([states[item.start] for item in run]), 5)
        largest = [Entry(f"{file.path} {file.said}", file.line, file.line, 4) for file in order[: max(most // 2, 4)]]
        above = Section(LARGEST if sized else "", tuple(largest) if sized else ())
        made.append(Outline(kind, (top, above, Section(heading, groups, noun="directories"))))
    return made


def _note(file: Changed) -> str:
    """Return what is said of a file among many, nothing where it is only modified."""
    return "" if file.said == STATES["M"] else file.said


def _read(lines: Lines, form: str) -> tuple[list[Changed], int, list[Entry]]:
    """Return the files, how many more there are, and quotations of the lines that are of no single file."""
    files: list[Changed] = []
    others: list[Entry] = []
    beyond = 0
    for number, text in lines.numbered():
        found = FORMS[form].fullmatch(text.rstrip("\r"))
        if found is None:
            if text.strip() and len(others) < 2 * SAMPLE:
                others.append(quote(number, text, rank=0 if CLOSING.match(text) else 8))
        elif len(files) < FILES:
            files.append(_changed(number, form, found))
        else:
            beyond += 1
    return files, beyond, others


def _changed(number: int, form: str, found: re.Match[str]) -> Changed:
    if form == "stat":
        size = int(found[2] or 0)
        return Changed(number, found[1], found[2] or (found[4] or found[5]).lower(), size=size)
    if form == "numstat":
        if found[1] == "-":
            return Changed(number, found[3], "binary")
        added, removed = int(found[1]), int(found[2])
        return Changed(number, found[3], f"+{added:,} -{removed:,}", added, removed, added + removed)
    old, _, new = found[3].partition("\t")
    state = STATES.get(found[1][:1], found[1])
    weight = int(state != STATES["M"])  # of many, those that are not only modified are named first
    return Changed(number, new or old, f"{state} from {old}" if new else state, size=weight)


def _summary(files: Sequence[Changed], beyond: int, document: Document) -> Iterator[Entry]:
    label = f"{plural(len(files) + beyond, 'file')} changed"
    said = _total(files)
    more = f"; {beyond:,} of them not told apart" if beyond else ""
    yield Entry(f"{label}{said and f', {said}'}{more}; counted from the lines here", 1, document.lines.total)


def _total(files: Sequence[Changed]) -> str:
    """Return what the changes of files come to, in lines where they are given, else by state."""
    if any(file.added or file.removed for file in files):
        return f"+{sum(file.added for file in files):,} -{sum(file.removed for file in files):,}"
    if any(file.said.isdecimal() for file in files):
        return f"{sum(file.size for file in files):,} lines"
    states = Counter(file.said.partition(" from ")[0] for file in files)
    return ", ".join(f"{count:,} {state}" for state, count in sorted(states.items(), key=itemgetter(1), reverse=True))
