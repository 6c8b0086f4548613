"""Search results: every file with its match count and line ranges, and sample matches verbatim."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ctxkit.core.brief.document import Clues, InputDocument, count_matching
from ctxkit.core.brief.grids.folders import TOKENS_PER_DIRECTORY, PathItem, make_directory_entries
from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.grids.search_results import (
    CONTEXT,
    JSON,
    MATCH,
    NUMBERED_LINE,
    SCOPED,
    UNNUMBERED,
    FileMatches,
    SearchResults,
)
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.quantity import pluralize

NAME = "search"
TYPES: Sequence[str] = ("grep", "rg")
CLUES = Clues(unless_log=True)
SAMPLE = 300
WIDEST = 1_000
"""Maximum number of characters read from a line."""
DIAGNOSIS = compile_lazily(
    r"\s?(?:fatal |internal )?(?:error|warning|note|info|hint|style|performance|convention|refactor)\b"
    r"|\s[A-Z]{1,4}\d{2,5}\b"
    r"|\s?(?:undefined reference|in function|recipe for)",
    re.IGNORECASE,
)
"""Pattern of the text that compilers and linters print after a place."""
NO_PATH = compile_lazily(
    r"[\d\s./:,TZ+-]*\d$|.*\s\d\d$|.*\d{4}-\d\d-\d\d[T_ -]\d\d$|\s|.*\b(?:error|warning|line|at)$|File ",
    re.IGNORECASE,
)
"""Pattern of text before a colon and a number that is not a path, such as the hour in a log."""
PATH = compile_lazily(
    r"(?:[A-Za-z]:|[\w.@~^{}/-]+:)?[\w.@+~$()\[\]{}/\\ ,=#%-]*(?:[./\\][\w@+~()\[\]{}-]+|/)$|[A-Z]\w+file$"
)
"""Pattern of a path, recognized by a slash or an extension."""
COUNTED = compile_lazily(r"\s*\d+(?::|\s*$)")
"""Pattern of the text after a path if the lines are numbered after all, or only counted."""
HEADED = compile_lazily(r"(?!\d+[:-])(?=.{1,400}$)(?:[\w.@~^{}/-]+:)?(?:[\w.@+~/\\ ,=#%()\[\]-]+[./\\])?[\w.@+~-]+$")


def sniff(document: InputDocument) -> float:
    """Return the confidence by the form of the lines: a path with growing numbers, or a path above such numbers."""
    form, share = _detect_form(document)
    scores = {"path": 0.6 + 0.34 * share, "json": 0.97, "heading": 0.9, "single": 0.78, "bare": 0.62, "scoped": 0.9}
    return scores.get(form, 0.0)


def _detect_form(document: InputDocument) -> tuple[str, float]:
    """Return the form of the results and the share of lines that have it; the form is empty if not detected."""
    lines = _read_sample(document)
    if len(lines) < 3:
        return "", 0.0
    if lines[0].startswith('{"type":"begin","data":{"path":') and any(map(JSON.match, lines[:20])):
        return "json", 1.0
    return (
        _check_path_form(lines)
        or _check_heading_form(document, lines)
        or _check_scoped_form(lines)
        or _check_single_form(lines)
        or _check_bare_form(lines)
        or ("", 0.0)
    )


def _read_sample(document: InputDocument) -> list[str]:
    """Return the first lines without colours, blank lines and separators."""
    lines = document.head_lines
    if any("\x1b" in line for line in lines[:SAMPLE]):
        lines = [strip_escapes(line) for line in lines[:SAMPLE]]
    return [line[:WIDEST] for line in lines if line.strip() and line != "--"][:SAMPLE]


def _check_path_form(lines: Sequence[str]) -> tuple[str, float] | None:
    matches = [match for match in map(MATCH.match, lines) if match and _is_path(match[1])]
    if not matches:
        return None
    paths = {match[1] for match in matches}
    context = sum(_is_context(line, paths) for line in lines if not MATCH.match(line))
    share = (len(matches) + context) / len(lines)
    texts = [match.string[match.end() :] for match in matches]
    if (
        share < 0.8
        or _are_messages(texts)
        or count_matching(DIAGNOSIS.match, texts) > len(matches) * 0.3
        or not _has_growing_numbers([(match[1], int(match[2])) for match in matches])
    ):
        return None
    return "path", share


def _are_messages(texts: Sequence[str]) -> bool:
    """Return whether texts begin with exactly one blank: messages about a place; matched lines keep their indent."""
    return sum(text[:1] == " " and text[1:2] not in (" ", "") for text in texts) >= max(len(texts) * 0.9, 3)


def _are_aligned(matches: Sequence[re.Match[str]]) -> bool:
    """Return whether texts begin in the same column behind paths of different lengths, as ``file`` prints them."""
    starts = [len(match.string) - len(match.string[match.end() :].lstrip()) for match in matches]
    return len({match.end() for match in matches}) > 2 and starts.count(starts[0]) > len(starts) * 0.9


def _is_path(text: str) -> bool:
    return NO_PATH.match(text) is None and PATH.match(text) is not None


def _is_context(line: str, paths: set[str]) -> bool:
    match = CONTEXT.match(line)
    return match is not None and any(line.startswith(f"{path}-") for path in paths)


def _has_growing_numbers(places: Sequence[tuple[str, int]]) -> bool:
    """Return whether line numbers grow within each path, as in search results; ``sort`` compares them as texts."""
    pairs = [(first[1], second[1]) for first, second in pairwise(places) if first[0] == second[0]]
    falls = sum(second < first for first, second in pairs)
    sorted_falls = sum(str(second) < str(first) for first, second in pairs)
    return min(falls, sorted_falls) <= len(pairs) * 0.1


def _check_heading_form(document: InputDocument, lines: Sequence[str]) -> tuple[str, float] | None:
    rows = [row[:WIDEST] for row in document.head.replace("\r", "").split("\n")[:SAMPLE]]
    numbered = list(map(bool, map(NUMBERED_LINE.match, rows)))
    heads = [row for row, known in zip(rows, numbered, strict=True) if row.strip() and row != "--" and not known]
    if not heads or sum(numbered) < len(lines) * 0.5 or numbered[0]:
        return None
    paths = sum(HEADED.match(row) is not None and ("." in row or "/" in row) for row in heads)
    return ("heading", 1.0) if paths >= len(heads) * 0.9 else None


def _check_single_form(lines: Sequence[str]) -> tuple[str, float] | None:
    matches = [match for match in map(NUMBERED_LINE.match, lines) if match]
    if len(matches) < max(len(lines) * 0.98, 5):
        return None
    numbers = [int(match[1]) for match in matches]
    grows = all(other > number for number, other in pairwise(numbers))
    gaps = numbers[-1] - numbers[0] >= len(numbers) * 1.2
    return ("single", 1.0) if grows and (gaps or any(m[2] == "-" for m in matches)) else None


def _check_scoped_form(lines: Sequence[str]) -> tuple[str, float] | None:
    """Return the form of lines with a path, a function and a number, as cscope -L prints them, or None."""
    matches = [match for match in map(SCOPED.match, lines) if match and _is_path(match[1])]
    if len(matches) < max(len(lines) * 0.95, 5) or not any("<" in match[2] for match in matches):
        return None
    return ("scoped", 1.0) if _has_growing_numbers([(match[1], int(match[3])) for match in matches]) else None


def _check_bare_form(lines: Sequence[str]) -> tuple[str, float] | None:
    """Return the form of lines with a path and a colon but no numbers, as grep -r prints them, or None."""
    matches = [match for match in map(UNNUMBERED.match, lines) if match and " " not in match[1] and _is_path(match[1])]
    slashed = sum("/" in match[1] and "://" not in match[0] for match in matches)
    if len(matches) < max(len(lines) * 0.95, 5) or slashed < len(matches) * 0.5:
        return None
    if _are_aligned(matches) or _are_remarks([match.string[match.end() :] for match in matches]):
        return None
    return "bare", 1.0


def _are_remarks(texts: Sequence[str]) -> bool:
    """Return whether texts after a path are what a tool says about it, or counts, and not lines of the file."""
    if any(text.startswith(":") for text in texts) or any(map(DIAGNOSIS.match, texts)):
        return True
    return _are_messages(texts) or count_matching(COUNTED.match, texts) > len(texts) * 0.2


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the files with counts and ranges, the parts of long ones, and first matches verbatim."""
    form = _detect_form(document)[0]
    if not form:
        return None
    results = SearchResults(form).read(document.lines)
    if not results.files:
        return None
    top = Section("", tuple(_summarize(results)))
    others = tuple(quote(*row, rank=30) for row in results.others[:8])
    around = Section("Lines that are no result", others, noun="lines")
    outlines = []
    if len(results.files) + results.parts < document.target:
        outlines += [
            Outline(NAME, (top, _make_files_section([_make_file_entry(f, some) for f in results.files]), around))
            for some in (6, 3, 1)
        ]
        each = [_make_file_entry(file, 0) for file in results.files]
        dense = [_make_dense_entry(file) for file in results.files]
        outlines.append(Outline(NAME, (top, _make_files_section(each), _quote_first_matches(results, 12), around)))
        outlines.append(Outline(NAME, (top, _make_files_section(each), around)))
        ends = Entry(f"numbers are lines here, each to the next, the last to {document.lines.total}")
        outlines.append(Outline(NAME, (top, Section("", (ends,)), _make_files_section(dense), around)))
    items = [PathItem(f.path, f.start, f.first_end, f"\u00d7{f.matches:,}", f.matches) for f in results.files]
    most = max(document.target // TOKENS_PER_DIRECTORY, 2)
    groups = make_directory_entries(items, most, _make_match_total(results), 5)
    title = f"Files by directory, each after the first line of its results here, the last to {document.lines.total}"
    return [
        *outlines,
        Outline(NAME, (top, Section(title, groups, noun="directories"), _quote_first_matches(results, 2))),
    ]


def _summarize(results: SearchResults) -> Iterator[Entry]:
    files = len(results.files) + results.files_left_out
    where = f" in {pluralize(files, 'file')}" if results.form != "single" else ""
    totals = f"{results.match_count:,} {'match' if results.match_count == 1 else 'matches'}{where}"
    yield Entry(f"{totals}, counted by their lines")
    if results.form != "bare":
        yield Entry("numbers before a colon are lines here; inside a quotation, they are of the file it names")
    if results.files_left_out:
        more = results.other_files
        label = f"{results.files_left_out:,} further files ({more.matches:,} matches), not told apart"
        yield Entry(label, more.start, max(more.end, more.start))
    again = sum(file.run_count > 0 for file in results.files)
    if again:
        label = f"{pluralize(again, 'file')} again after others; all their matches are counted at the first place"
        yield Entry(label)
    if results.unknown:
        yield Entry(f"{pluralize(results.unknown, 'line')} of no file", rank=3)


def _make_files_section(entries: Sequence[Entry]) -> Section:
    return Section("Files (lines of this output: file, matches, which of its lines)", tuple(entries), noun="files")


def _describe_file(file: FileMatches) -> str:
    lines = _format_range(file.parts[0].first, file.parts[-1].last) if file.parts else ""
    return f"{file.path} {_format_count(file.matches)}{lines}{_format_runs(file)}"


def _format_runs(file: FileMatches) -> str:
    """Return where a file comes again after another file."""
    if not file.runs:
        return ""
    more = " and more" if file.run_count > len(file.runs) else ""
    return f"; again at {', '.join(map(str, file.runs))}{more}"


def _format_count(matches: int) -> str:
    return f"({matches:,} {'match' if matches == 1 else 'matches'})"


def _format_range(first: int, last: int) -> str:
    return "" if not first else f", its line {first}" if first == last else f", its lines {first} to {last}"


def _make_file_entry(file: FileMatches, quoted: int) -> Entry:
    children = [_quote_sample(*row, 20) for row in file.samples[:quoted]]
    if file.end - file.start >= RANGE_LINES and not file.runs:
        children += [
            Entry(f"{_format_count(part.matches)}{_format_range(part.first, part.last)}", part.start, part.end)
            for part in file.parts
        ]
    return Entry(_describe_file(file), file.start, file.first_end, children=tuple(children))


def _quote_sample(number: int, text: str, rank: int) -> Entry:
    """Return an entry for a line that is already cut to its width."""
    return Entry(text, number, number, rank, verbatim=True)


def _make_dense_entry(file: FileMatches) -> Entry:
    parts = file.parts if file.end - file.start >= RANGE_LINES and not file.runs else ()
    children = tuple(Entry(f"from its {part.first}", part.start, part.end, dense=True) for part in parts if part.first)
    label = f"{file.path} \u00d7{file.matches:,}{_format_runs(file)}"
    return Entry(label, file.start, file.first_end, dense=True, children=children)


def _make_match_total(results: SearchResults) -> "_MatchTotal":
    return _MatchTotal({(file.path, file.start): file.matches for file in results.files})


class _MatchTotal:
    """Add up the matches in files."""

    def __init__(self, counts: dict[tuple[str, int], int]) -> None:
        self._counts = counts

    def __call__(self, items: Sequence[PathItem]) -> str:
        return f"\u00d7{sum(self._counts[item.path, item.start] for item in items):,}"


def _quote_first_matches(results: SearchResults, most: int) -> Section:
    """Quote the first match of the files with the most matches."""
    ranked = sorted(results.files, key=lambda file: (-file.matches, file.start))[:most]
    ranked.sort(key=lambda file: file.start)
    rows = [_quote_sample(*row, 4) for file in ranked for row in file.samples[:1]]
    return Section("First match in the files with the most", tuple(rows), noun="matches")
