"""Summaries of changed files by git: --stat, --numstat, --raw, --name-status and --summary."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter

from ctxkit.core.brief.document import InputDocument, count_matching
from ctxkit.core.brief.grids.folders import TOKENS_PER_DIRECTORY, PathItem, make_directory_entries
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

SAMPLE = 200
"""Number of lines read to detect the form."""
MAX_FILES = 20_000
"""Maximum number of distinct files; the others are counted together."""
LARGEST = "Largest changes (line here, path, lines changed)"
TOKENS_PER_FILE = 10
"""Minimum number of tokens for the line of one file."""
MAX_OTHER_LINES = 3
"""Maximum number of lines of another form around a summary, such as those of git pull."""
STAT = compile_lazily(r" ?(\S.*?)(?<! ) +\| +(?:(\d+)(?: ([+-]+))?|(Bin)\b.*|(Unmerged))$")
NUMBERS = compile_lazily(r"(\d+(?=\t\d)|-(?=\t-))\t(\d+|-)\t(\S.*)")
RAW = compile_lazily(r"::?(?:\d{6} ){2,}(?:[0-9a-f]{7,64}(?:\.\.\.)? ){2,}([A-Z]{1,2})(\d*)\t(\S.*)")
NAMES = compile_lazily(r"([MADRCTUXB])(\d{0,3})\t(\S.*)")
MODES = compile_lazily(r" (?:(?:create|delete) mode \d{6} |mode change \d{6} => \d{6} |(?:rename|copy|rewrite) )\S.*")
CLOSING = compile_lazily(r" ?\d+ files? changed(?:, \d+ \w+\([+-]\))*,?.*")
PATH = compile_lazily(r"[^\t]*[./][^\t]*")
STATES = {
    "A": "added", "B": "broken", "C": "copied", "D": "deleted", "M": "modified",
    "R": "renamed", "T": "type changed", "U": "unmerged", "X": "unknown",
}  # fmt: skip
FORMS = {"stat": STAT, "numstat": NUMBERS, "raw": RAW, "name-status": NAMES}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """Hold one changed file: its line here, its description, and its number of changed lines (0 if unknown)."""

    line: int
    path: str
    description: str
    added: int = 0
    removed: int = 0
    size: int = 0


def detect_form(document: InputDocument) -> str:
    """Return the form of the lines, or an empty string."""
    lines = [line for line in document.head_lines if line.strip()][:SAMPLE]
    around = sum(CLOSING.fullmatch(line) is not None or MODES.fullmatch(line) is not None for line in lines)
    for form, pattern in FORMS.items():
        matches = [match for match in map(pattern.fullmatch, lines) if match]
        others = len(lines) - len(matches) - around
        few = MAX_OTHER_LINES if form == "stat" and (around or len(matches) > 10 * MAX_OTHER_LINES) else 0
        if matches and others <= few and _is_sure(form, matches, around):
            return form
    return ""


def _is_sure(form: str, matches: Sequence[re.Match[str]], around: int) -> bool:
    """Return whether lines of this form are a file summary and not some other table: their last column has paths."""
    if form == "raw":
        return True
    if form == "stat":
        marked = sum(bool(match[3] or match[4]) for match in matches)
        return marked * 2 >= len(matches) and (around > 0 or len(matches) > 2)
    names = [match[3] for match in matches]
    paths = count_matching(PATH.fullmatch, names)
    return len(matches) > 2 and len(set(names)) == len(names) and paths * 2 > len(names)


def build_stat_outlines(kind: str, form: str, document: InputDocument) -> list[Outline]:
    """Return outlines of changed files, from one line per file, largest change first, to directories only."""
    files, files_left_out, others = _read_files(document.lines, form)
    if not files:
        return []
    top = Section("", (*_summarize(files, files_left_out, document), *others))
    sized = form in ("stat", "numstat")
    order = sorted(files, key=lambda file: -file.size) if sized else files
    title = "Files by size of change (line here, path, lines changed)" if sized else "Files (line here, path)"
    variants = []
    if len(files) * TOKENS_PER_FILE < document.target * 2:
        each = tuple(Entry(f"{file.path} {file.description}", file.line, file.line, 5) for file in order)
        variants.append(Outline(kind, (top, Section(title, each, noun="files"))))
    items = [PathItem(file.path, file.line, file.line, _format_note(file), file.size) for file in files]
    states = {file.line: file for file in files}
    heading = f"Files by directory, each after its line, the last to {document.lines.total}"
    most = max(document.target // TOKENS_PER_DIRECTORY, 2)
    groups = make_directory_entries(items, most, lambda run: _format_total([states[item.start] for item in run]), 5)
    largest = [Entry(f"{file.path} {file.description}", file.line, file.line, 4) for file in order[: max(most // 2, 4)]]
    above = Section(LARGEST if sized else "", tuple(largest) if sized else ())
    variants.append(Outline(kind, (top, above, Section(heading, groups, noun="directories"))))
    return variants


def _format_note(file: ChangedFile) -> str:
    """Return a file's description, or an empty string if the file is only modified."""
    return "" if file.description == STATES["M"] else file.description


def _read_files(lines: IndexedLines, form: str) -> tuple[list[ChangedFile], int, list[Entry]]:
    """Return the files, the number of further files, and quotations of lines that describe no single file."""
    files: list[ChangedFile] = []
    others: list[Entry] = []
    files_left_out = 0
    for number, text in lines.enumerate_lines():
        match = FORMS[form].fullmatch(text.rstrip("\r"))
        if match is None:
            if text.strip() and len(others) < 2 * SAMPLE:
                others.append(quote(number, text, rank=0 if CLOSING.match(text) else 8))
        elif len(files) < MAX_FILES:
            files.append(_make_file(number, form, match))
        else:
            files_left_out += 1
    return files, files_left_out, others


def _make_file(number: int, form: str, match: re.Match[str]) -> ChangedFile:
    if form == "stat":
        size = int(match[2] or 0)
        return ChangedFile(number, match[1], match[2] or (match[4] or match[5]).lower(), size=size)
    if form == "numstat":
        if match[1] == "-":
            return ChangedFile(number, match[3], "binary")
        added, removed = int(match[1]), int(match[2])
        return ChangedFile(number, match[3], f"+{added:,} -{removed:,}", added, removed, added + removed)
    old, _, new = match[3].partition("\t")
    state = STATES.get(match[1][:1], match[1])
    weight = int(state != STATES["M"])  # name files that are not only modified before the others
    return ChangedFile(number, new or old, f"{state} from {old}" if new else state, size=weight)


def _summarize(files: Sequence[ChangedFile], files_left_out: int, document: InputDocument) -> Iterator[Entry]:
    label = f"{pluralize(len(files) + files_left_out, 'file')} changed"
    total = _format_total(files)
    more = f"; {files_left_out:,} of them not told apart" if files_left_out else ""
    yield Entry(f"{label}{total and f', {total}'}{more}; counted from the lines here", 1, document.lines.total)


def _format_total(files: Sequence[ChangedFile]) -> str:
    """Return the total of the files' changes: in lines if they are known, or else by state."""
    if any(file.added or file.removed for file in files):
        return f"+{sum(file.added for file in files):,} -{sum(file.removed for file in files):,}"
    if any(file.description.isdecimal() for file in files):
        return f"{sum(file.size for file in files):,} lines"
    states = Counter(file.description.partition(" from ")[0] for file in files)
    return ", ".join(f"{count:,} {state}" for state, count in sorted(states.items(), key=itemgetter(1), reverse=True))
