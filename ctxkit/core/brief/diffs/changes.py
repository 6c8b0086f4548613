"""Outlines of diffs: every file with its counts, and every hunk with its line range if that fits."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from ctxkit.core.brief.diffs.patches import WORDS, Commit, DiffReader, FilePatch, Hunk, count_states
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.remainder import Replacement, find_replacements
from ctxkit.core.brief.grids.folders import TOKENS_PER_DIRECTORY, PathItem, make_directory_entries
from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

_LEAST_PAIRS, _LEAST_SHARE = 10, 0.6
"""Number of pairs, and share of them, that change one word in the same way before the others are listed."""
_MAX_LISTED = 8
"""Number of other pairs that are quoted; of more, the change is no rename with exceptions."""
FIRST, _LATER = 2, 500
"""Number of other pairs that precede the files, and the rank of the later ones: which files change matters more."""
MAX_PAIRS = 50_000
"""Number of pairs that are compared; of a larger diff, nothing is said."""
TOKENS_PER_FILE = 8
"""Minimum number of tokens for a file or a part of it: two numbers, a name, two counts."""
_MAX_CONTEXT_WIDTH = 60
"""Maximum number of characters of a hunk's context."""
_MAX_PREAMBLE_LINES = 12
"""Maximum number of quoted lines before the first file."""
_TITLE = "Files (lines of this text; added, removed; hunks by their line in the new file)"
_GROUPED_TITLE = "Files by directory, each after the line where its changes begin, the last to {}"


def build_diff_outlines(kind: str, reader: DiffReader, document: InputDocument) -> list[Outline]:
    """Return outlines of a diff, from one line per hunk to directories only."""
    top = (*_summarize(reader), *_summarize_rest(reader))
    exceptions = make_exceptions(document.lines)
    preamble = Section("Before the first file", tuple(_quote_preamble(reader, document)), noun="lines")
    before = Section("", top), exceptions, preamble
    variants = []
    if reader.hunk_count + len(reader.files) < document.target:
        variants.append(
            Outline(kind, (*before, *_group_by_commit(reader, _make_full_entry), _quote_largest(reader, document, 24)))
        )
        variants.append(Outline(kind, (*before, *_group_by_commit(reader, _make_full_entry))))
        ends = Entry(f"numbers are lines, each to the next, the last to {document.lines.total}")
        variants.append(Outline(kind, (*before, Section("", (ends,)), *_group_by_commit(reader, _make_dense_entry))))
    # Estimate: skip layouts that cannot fit, at the minimum number of tokens for each file or part.
    if sum(map(_count_ranges, reader.files)) * TOKENS_PER_FILE < document.target:
        ends = Entry(f"numbers are lines, each to the next, the last to {document.lines.total}")
        variants.append(Outline(kind, (*before, Section("", (ends,)), *_group_by_commit(reader, _make_split_entry))))
    if len(reader.files) * TOKENS_PER_FILE < document.target:
        variants.append(Outline(kind, (*before, *_group_by_commit(reader, _make_short_entry))))
    most = max(document.target // TOKENS_PER_DIRECTORY, 2)
    items = [PathItem(f.path, f.start, f.end, _format_counts(f), f.added + f.removed) for f in reader.files]
    section = Section(
        _GROUPED_TITLE.format(document.lines.total),
        make_directory_entries(items, most, _make_total(reader), 5),
        noun="directories",
    )
    return [*variants, Outline(kind, (Section("", top), exceptions, section))]


def _make_total(reader: DiffReader) -> "_ChangeTotal":
    return _ChangeTotal({(file.path, file.start): (file.added, file.removed) for file in reader.files})


class _ChangeTotal:
    """Add up the added and removed lines of files."""

    def __init__(self, counts: dict[tuple[str, int], tuple[int, int]]) -> None:
        self._counts = counts

    def __call__(self, items: Sequence[PathItem]) -> str:
        pairs = [self._counts[item.path, item.start] for item in items]
        return f"+{sum(added for added, _ in pairs):,} -{sum(removed for _, removed in pairs):,}"


def _summarize(reader: DiffReader) -> Iterator[Entry]:
    files = len(reader.files) + reader.files_left_out
    line_counts = f"+{reader.added_lines:,} -{reader.removed_lines:,}"
    distinct = len({file.path for file in reader.files}) + reader.files_left_out
    patches = f" in {files:,} patches" if distinct < files else ""
    label = f"{pluralize(distinct, 'file')} changed{patches}, {line_counts}, {pluralize(reader.hunk_count, 'hunk')}"
    states = ", ".join(f"{count:,} {state}" for state, count in count_states(reader.files))
    yield Entry(f"{label}{states and f' ({states})'}; counted from the hunks")
    if len(reader.commits) > 1:
        yield Entry(pluralize(len(reader.commits), "commit"), reader.commits[0].start, reader.commits[-1].end)


def _summarize_rest(reader: DiffReader) -> Iterator[Entry]:
    more = reader.other_files
    if reader.files_left_out:
        label = f"{reader.files_left_out:,} further files, +{more.added:,} -{more.removed:,}, not told apart"
        yield Entry(label, more.start, max(more.end, more.start))


def _quote_preamble(reader: DiffReader, document: InputDocument) -> Iterator[Entry]:
    """Yield the lines before the first file, such as a message or a summary of git."""
    first = reader.files[0].start if reader.files else document.lines.total + 1
    if len(reader.commits) > 1 or first <= 1:
        return
    rows = [row for row in document.lines.enumerate_lines(1, min(first - 1, 400)) if row[1].strip()]
    yield from (quote(number, text, rank=2) for number, text in rows[:_MAX_PREAMBLE_LINES])
    if len(rows) > _MAX_PREAMBLE_LINES:
        yield Entry("more of it", rows[_MAX_PREAMBLE_LINES][0], first - 1, 2)


def _group_by_commit(reader: DiffReader, make_entry: Callable[[FilePatch], Entry]) -> Iterator[Section]:
    """Yield a section for each commit, or one section for all files of a single diff."""
    groups: dict[int, list[FilePatch]] = {}
    for file in reader.files:
        groups.setdefault(file.commit if len(reader.commits) > 1 else -1, []).append(file)
    if list(groups) == [-1]:
        yield Section(_TITLE, tuple(make_entry(file) for file in reader.files), noun="files")
        return
    for number, files in groups.items():
        title = _format_commit(reader.commits[number]) if number >= 0 else _TITLE
        yield Section(title, tuple(make_entry(file) for file in files), noun="files")


def _format_commit(commit: Commit) -> str:
    subject = f": {commit.subject}" if commit.subject else ""
    return f"Commit {commit.name[:12]} at lines {commit.start}-{max(commit.end, commit.start)}{subject}"


def _format_counts(file: FilePatch) -> str:
    """Return ``+40 -12``, with states such as new or renamed."""
    states = ", ".join(file.states)
    if file.old:
        states += f" from {file.old}"
    numbers = f"+{file.added:,} -{file.removed:,}" if file.count or not file.states else ""
    return " ".join(part for part in (numbers, states and f"({states})") if part)


def _make_short_entry(file: FilePatch) -> Entry:
    hunks = f", {pluralize(file.count, 'hunk')}" if file.count else ""
    return Entry(f"{file.path} {_format_counts(file)}{hunks}", file.start, file.end)


def _count_ranges(file: FilePatch) -> int:
    """Return the number of ranges that a file takes, including its first."""
    return 1 + (file.end - file.start) // RANGE_LINES


def _make_split_entry(file: FilePatch) -> Entry:
    """Return a dense entry of a file; a file longer than one range has its parts as children."""
    parts = list(split_file(file)) if file.end - file.start >= RANGE_LINES else []
    begins = {hunk.start for hunk in file.hunks}
    children = tuple(
        Entry(f"{'' if start in begins else 'in '}@@ {new}", start, end, dense=True) for start, end, new in parts[1:]
    )
    return Entry(f"{file.path} {_format_counts(file)}", file.start, file.end, dense=True, children=children)


def split_file(file: FilePatch) -> Iterator[tuple[int, int, int]]:
    """Yield the line ranges of a file's parts, each with its first line number in the new file."""
    start, end, new = file.start, file.start, file.hunks[0].new if file.hunks else 0
    for hunk in file.hunks:
        if hunk.end - start >= RANGE_LINES:
            if end > start:
                yield start, end, new
            start, new = hunk.start if end > start else start, hunk.new
        while hunk.end - start >= RANGE_LINES:
            yield start, start + RANGE_LINES - 1, new
            start += RANGE_LINES
        end = hunk.end
    if file.end >= start:
        yield start, min(file.end, start + RANGE_LINES - 1), new


def _make_full_entry(file: FilePatch) -> Entry:
    """Return an entry of a file with each hunk on its own line; long hunks are split into ranges."""
    children = tuple(entry for hunk in file.hunks for entry in _make_hunk_entries(hunk))
    return Entry(f"{file.path} {_format_counts(file)}", file.start, file.end, children=children)


def _make_hunk_entries(hunk: Hunk) -> Iterator[Entry]:
    within = f", in {_shorten_context(hunk)}" if hunk.within else ""
    label = f"at {hunk.new}: +{hunk.added} -{hunk.removed}{within}"
    height = hunk.end - hunk.start + 1
    if height <= RANGE_LINES:
        yield Entry(label, hunk.start, hunk.end)
        return
    for start in range(hunk.start, hunk.end + 1, RANGE_LINES):
        more = label if start == hunk.start else "goes on"
        yield Entry(more, start, min(start + RANGE_LINES - 1, hunk.end))


def _make_dense_entry(file: FilePatch) -> Entry:
    """Return an entry of a file with dense entries for its hunks."""
    children = tuple(
        Entry(f"@@ {hunk.new} +{hunk.added}-{hunk.removed}", hunk.start, hunk.end, dense=True) for hunk in file.hunks
    )
    return Entry(f"{file.path} {_format_counts(file)}", file.start, file.end, dense=True, children=children)


def _shorten_context(hunk: Hunk) -> str:
    return hunk.within if len(hunk.within) <= _MAX_CONTEXT_WIDTH else f"{hunk.within[:_MAX_CONTEXT_WIDTH].rstrip()}..."


def _quote_largest(reader: DiffReader, document: InputDocument, most: int) -> Section:
    """Quote the first changed lines of the largest hunks."""
    hunks = [hunk for file in reader.files for hunk in file.hunks if "binary" not in file.states]
    hunks.sort(key=lambda hunk: (-hunk.added - hunk.removed, hunk.start))
    rows: list[tuple[int, str]] = []
    for hunk in hunks[:most]:
        body = document.lines.enumerate_lines(hunk.start + 1, min(hunk.end, hunk.start + 12))
        rows += [row for row in body if _is_change(row[1], worded=reader.worded)][:1]
    return Section("First changed lines of the largest hunks", tuple(quote(*row, rank=9) for row in sorted(rows)))


def _is_change(text: str, *, worded: bool) -> bool:
    if worded:
        return WORDS.search(text) is not None or "\x1b[3" in text
    return text.strip()[:1] in ("+", "-", "<", ">") and bool(text.strip("+-<> \t"))


def make_exceptions(lines: IndexedLines) -> Section:
    """Return a section with the pairs that change more than the word that most pairs change, empty if there is none."""
    pairs = list(islice(find_replacements(lines.enumerate_lines()), MAX_PAIRS + 1))
    changes = [pair.find_words() for pair in pairs]
    counts = Counter(next(iter(words)) for words in changes if words and len(words) == 1)
    (old, new), count = next(iter(counts.most_common(1)), (("", ""), 0))
    usual = frozenset({(old, new)})
    others = [pair for pair, words in zip(pairs, changes, strict=True) if words != usual]
    if count < max(_LEAST_PAIRS, _LEAST_SHARE * len(pairs)) or not others or len(pairs) > MAX_PAIRS:
        return Section("", ())
    title = f"Of {len(pairs):,} replaced lines, {count:,} change only `{old}` to `{new}`; {_describe(others)}"
    shown = others[:_MAX_LISTED]
    rows = [
        quote(*row, rank=1 if place < FIRST else _LATER)
        for place, pair in enumerate(shown)
        for row in ((pair.old, f"-{pair.before}"), (pair.new, f"+{pair.after}"))
    ]
    return Section(title, tuple(rows), noun="lines")


def _describe(others: Sequence[Replacement]) -> str:
    verb = "does" if len(others) == 1 else "do"
    return f"{pluralize(len(others), 'line')} {verb} not"
