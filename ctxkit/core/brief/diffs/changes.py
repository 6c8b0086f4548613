"""The map of what diffs change: every file with its counts, every hunk with its lines, as room allows."""

from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.diffs.hunks import Commit, Hunk, Patch, changed
from ctxkit.core.brief.diffs.patches import WORDS, Reader
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.grids.folders import Item, folded
from ctxkit.core.brief.grids.grid import REACH
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.measure import plural

ROUGH = 8
"""Tokens that the line of a file or of a part of one takes at least: two numbers, a name, two counts."""
WITHIN = 60
"""Characters of what a hunk stands in."""
PREAMBLE = 12
"""Lines before the first file that are quoted."""
TITLE = "Files (lines of this text; added, removed; hunks by their line in the new file)"
GROUPED = "Files by directory, each after the line where its changes begin, the last to {}"


def outlines(kind: str, reader: Reader, document: Document) -> list[Outline]:
    """Return maps of a diff from every hunk on its own line to directories."""
    top = (*_summary(reader), *_beyond(reader))
    before = Section("", top), Section("Before the first file", tuple(_preamble(reader, document)), noun="lines")
    made = []
    if reader.hunks + len(reader.files) < document.target:
        made.append(Outline(kind, (*before, *_by_commit(reader, _roomy), _largest(reader, document, 24))))
        made.append(Outline(kind, (*before, *_by_commit(reader, _roomy))))
        ends = Entry(f"numbers are lines, each to the next, the last to {document.lines.total}")
        made.append(Outline(kind, (*before, Section("", (ends,)), *_by_commit(reader, _dense))))
    # ROUGH: tokens that a file or a part of one takes at least; what cannot fit is not laid out
    if sum(map(_looks, reader.files)) * ROUGH < document.target:
        ends = Entry(f"numbers are lines, each to the next, the last to {document.lines.total}")
        made.append(Outline(kind, (*before, Section("", (ends,)), *_by_commit(reader, _parted))))
    if len(reader.files) * ROUGH < document.target:
        made.append(Outline(kind, (*before, *_by_commit(reader, _alone))))
    most = max(document.target // 60, 2)
    items = [Item(f.path, f.start, f.end, _counts(f), f.added + f.removed) for f in reader.files]
    section = Section(GROUPED.format(document.lines.total), folded(items, most, _total(reader), 5), noun="directories")
    return [*made, Outline(kind, (Section("", top), section))]


def _total(reader: Reader) -> "_Total":
    return _Total({(file.path, file.start): (file.added, file.removed) for file in reader.files})


class _Total:
    """Add up what is added and removed in files."""

    def __init__(self, counts: dict[tuple[str, int], tuple[int, int]]) -> None:
        self._counts = counts

    def __call__(self, items: Sequence[Item]) -> str:
        pairs = [self._counts[item.path, item.start] for item in items]
        return f"+{sum(added for added, _ in pairs):,} -{sum(removed for _, removed in pairs):,}"


def _summary(reader: Reader) -> Iterator[Entry]:
    files = len(reader.files) + reader.beyond
    said = f"{plural(files, 'file')} changed, +{reader.added:,} -{reader.removed:,}, {plural(reader.hunks, 'hunk')}"
    states = ", ".join(f"{count:,} {state}" for state, count in changed(reader.files))
    yield Entry(f"{said}{states and f' ({states})'}; counted from the hunks")
    if len(reader.commits) > 1:
        yield Entry(plural(len(reader.commits), "commit"), reader.commits[0].start, reader.commits[-1].end)


def _beyond(reader: Reader) -> Iterator[Entry]:
    more = reader.more
    if reader.beyond:
        label = f"{reader.beyond:,} further files, +{more.added:,} -{more.removed:,}, not told apart"
        yield Entry(label, more.start, max(more.end, more.start))


def _preamble(reader: Reader, document: Document) -> Iterator[Entry]:
    """Yield what stands before the first file: a message, a summary of git."""
    first = reader.files[0].start if reader.files else document.lines.total + 1
    if len(reader.commits) > 1 or first <= 1:
        return
    rows = [row for row in document.lines.numbered(1, min(first - 1, 400)) if row[1].strip()]
    yield from (quote(number, text, rank=2) for number, text in rows[:PREAMBLE])
    if len(rows) > PREAMBLE:
        yield Entry("more of it", rows[PREAMBLE][0], first - 1, 2)


def _by_commit(reader: Reader, shape: Callable[[Patch], Entry]) -> Iterator[Section]:
    """Yield a section for each commit, or one for all files of a single diff."""
    groups: dict[int, list[Patch]] = {}
    for file in reader.files:
        groups.setdefault(file.commit if len(reader.commits) > 1 else -1, []).append(file)
    if list(groups) == [-1]:
        yield Section(TITLE, tuple(shape(file) for file in reader.files), noun="files")
        return
    for number, files in groups.items():
        title = _commit(reader.commits[number]) if number >= 0 else TITLE
        yield Section(title, tuple(shape(file) for file in files), noun="files")


def _commit(commit: Commit) -> str:
    subject = f": {commit.subject}" if commit.subject else ""
    return f"Commit {commit.name[:12]} at lines {commit.start}-{max(commit.end, commit.start)}{subject}"


def _counts(file: Patch) -> str:
    """Return ``+40 -12``, with words such as new or renamed."""
    states = ", ".join(file.states)
    if file.old:
        states += f" from {file.old}"
    numbers = f"+{file.added:,} -{file.removed:,}" if file.count or not file.states else ""
    return " ".join(part for part in (numbers, states and f"({states})") if part)


def _alone(file: Patch) -> Entry:
    hunks = f", {plural(file.count, 'hunk')}" if file.count else ""
    return Entry(f"{file.path} {_counts(file)}{hunks}", file.start, file.end)


def _looks(file: Patch) -> int:
    """Return how many looks a file takes, one for its own line included."""
    return 1 + (file.end - file.start) // REACH


def _parted(file: Patch) -> Entry:
    """Return a file close to its neighbours; one too long for one look with its parts, which begin with hunks."""
    parts = list(parts_of(file)) if file.end - file.start >= REACH else []
    children = tuple(Entry(f"@@ {new}", start, end, dense=True) for start, end, new in parts[1:])
    return Entry(f"{file.path} {_counts(file)}", file.start, file.end, dense=True, children=children)


def parts_of(file: Patch) -> Iterator[tuple[int, int, int]]:
    """Yield the lines of parts short enough for one look, with the line in the new file at which each begins."""
    start, end, new = file.start, file.start, file.hunks[0].new if file.hunks else 0
    for hunk in file.hunks:
        if hunk.end - start >= REACH:
            if end > start:
                yield start, end, new
            start, new = hunk.start if end > start else start, hunk.new
        while hunk.end - start >= REACH:
            yield start, start + REACH - 1, new
            start += REACH
        end = hunk.end
    if file.end >= start:
        yield start, min(file.end, start + REACH - 1), new


def _roomy(file: Patch) -> Entry:
    """Return a file with each hunk on a line of its own, long ones in parts that can be read in one go."""
    children = tuple(entry for hunk in file.hunks for entry in _hunk(hunk))
    return Entry(f"{file.path} {_counts(file)}", file.start, file.end, children=children)


def _hunk(hunk: Hunk) -> Iterator[Entry]:
    within = f", in {_within(hunk)}" if hunk.within else ""
    label = f"at {hunk.new}: +{hunk.added} -{hunk.removed}{within}"
    height = hunk.end - hunk.start + 1
    if height <= REACH:
        yield Entry(label, hunk.start, hunk.end)
        return
    for start in range(hunk.start, hunk.end + 1, REACH):
        more = label if start == hunk.start else "goes on"
        yield Entry(more, start, min(start + REACH - 1, hunk.end))


def _dense(file: Patch) -> Entry:
    """Return a file with its hunks close together."""
    children = tuple(
        Entry(f"@@ {hunk.new} +{hunk.added}-{hunk.removed}", hunk.start, hunk.end, dense=True) for hunk in file.hunks
    )
    return Entry(f"{file.path} {_counts(file)}", file.start, file.end, dense=True, children=children)


def _within(hunk: Hunk) -> str:
    return hunk.within if len(hunk.within) <= WITHIN else f"{hunk.within[:WITHIN].rstrip()}..."


def _largest(reader: Reader, document: Document, most: int) -> Section:
    """Quote the first changed lines of the hunks that change most."""
    hunks = [hunk for file in reader.files for hunk in file.hunks if "binary" not in file.states]
    hunks.sort(key=lambda hunk: (-hunk.added - hunk.removed, hunk.start))
    rows: list[tuple[int, str]] = []
    for hunk in hunks[:most]:
        body = document.lines.numbered(hunk.start + 1, min(hunk.end, hunk.start + 12))
        rows += [row for row in body if _is_change(row[1], worded=reader.worded)][:1]
    return Section("First changed lines of the largest hunks", tuple(quote(*row, rank=9) for row in sorted(rows)))


def _is_change(text: str, *, worded: bool) -> bool:
    if worded:
        return WORDS.search(text) is not None or "\x1b[3" in text
    return text.strip()[:1] in ("+", "-") and bool(text.strip("+- \t"))
