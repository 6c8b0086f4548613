"""File listings: counts, extensions, the line range of every directory, and the largest files."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import HEAD_BYTES, InputDocument
from ctxkit.core.brief.grids.file_listing import DirectoryRun, FileListing, detect_form
from ctxkit.core.brief.grids.folders import PathItem, make_directory_entries
from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.text.ansi import strip_escapes
from ctxkit.core.text.measure import format_size, pluralize

NAME = "listing"
TYPES: Sequence[str] = ("ls", "find", "tree", "du")
SAMPLE = 300
WIDER = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 256, 1_024, 8_192)
PATH = 60
"""Number of characters shown from the end of a path in an index."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the lines are file names in a form of ls, find, tree, du, tar or unzip."""
    lines = _read_sample(document)
    form, share = detect_form(lines)
    if not form or (form in ("paths", "names") and _are_cells(lines)):
        return 0.0
    return {"long": 0.93, "zip": 0.93, "tree": 0.9, "du": 0.85, "names": 0.75, "paths": 0.8}[form] * share


def _are_cells(lines: Sequence[str]) -> bool:
    """Return whether all lines have the same number of commas: then a path is one cell of a table."""
    counts = {line.count(",") for line in lines if line.strip()}
    return len(counts) == 1 and 0 not in counts


def _read_sample(document: InputDocument) -> list[str]:
    lines = document.head.replace("\r", "").split("\n")
    if document.lines.size > HEAD_BYTES and len(lines) > 1:
        lines.pop()
    return [strip_escapes(line) if "\x1b" in line else line for line in lines[:SAMPLE]]


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of totals, extensions, largest files, directories, and an index of the other lines."""
    form = detect_form(_read_sample(document))[0]
    if not form:
        return None
    listing = FileListing(form).read(document.lines)
    if not listing.folders:
        return None
    top = Section("", tuple(_summarize(listing, document)))
    large = Section("Largest", tuple(_list_largest(listing, document)), noun="large files")
    around = Section("Lines that name no file", tuple(quote(*row, rank=9) for row in listing.others[:8]), noun="lines")
    outlines = []
    if len(listing.folders) * 5 < document.target and not listing.runs_left_out:
        each = tuple(_make_folder_entry(folder, listing) for folder in listing.folders)
        outlines.append(Outline(NAME, (top, large, Section("Directories", each, noun="directories"), around)))
    items = [
        PathItem(f"{f.path}/" if f.path else "", f.start, f.end, _describe_folder(f, listing), f.count)
        for f in listing.folders
    ]
    for most in (max(document.target // 40, 2), max(document.target // 80, 2)):
        groups = make_directory_entries(items[:4_000], most, _describe_nothing, 6)
        title = f"Directories, each after the line where it begins, the last to {document.lines.total}"
        places = Section(title, groups, noun="directories")
        index = tuple(_make_index(listing, document, RANGE_LINES))
        outlines.append(Outline(NAME, (top, large, places, Section("Paths by line", index, noun="ranges"), around)))
    for times in WIDER:
        if document.lines.total // (RANGE_LINES * times) < document.target // 6:
            index = tuple(_make_index(listing, document, RANGE_LINES * times, short=times > 1 or len(outlines) > 1))
            outlines.append(Outline(NAME, (top, large, Section("Paths by line", index, noun="ranges"))))
    return outlines


def _summarize(listing: FileListing, document: InputDocument) -> Iterator[Entry]:
    parts = [pluralize(listing.files, "file")] if listing.files or listing.form != "du" else []
    if listing.directories:
        count = f"{listing.directories:,} {'directory' if listing.directories == 1 else 'directories'}"
        parts.append(count)
    if listing.sized and listing.form != "du":
        parts.append(f"{format_size(int(listing.size))} in all (sizes as listed)")
    yield Entry(f"{', '.join(parts)}, at most {pluralize(listing.depth, 'level')} deep", 1, document.lines.total)
    if listing.files:
        ranked = listing.extensions.most_common(16)
        extensions = ", ".join(f"{name or '(none)'} {count:,}" for name, count in ranked)
        more = f", +{len(listing.extensions) - 16:,} more" if len(listing.extensions) > 16 else ""
        yield Entry(f"by extension: {extensions}{more}", rank=1)
    if listing.unknown:
        yield Entry(f"{pluralize(listing.unknown, 'line')} that name no file", rank=3)


def _list_largest(listing: FileListing, document: InputDocument) -> Iterator[Entry]:
    for step, (_, line) in enumerate(listing.largest):
        yield quote(line, document.lines.at(line), rank=4 + step // 4)


def _describe_folder(folder: DirectoryRun, listing: FileListing) -> str:
    size = f", {format_size(int(folder.size))}" if folder.size and listing.form != "du" else ""
    return f"({folder.count:,}{size})"


def _make_folder_entry(folder: DirectoryRun, listing: FileListing) -> Entry:
    size = f", {format_size(int(folder.size))}" if folder.size and listing.form != "du" else ""
    noun = "entry" if folder.count == 1 else "entries"
    label = f"{folder.path + '/' if folder.path else 'the top'} ({folder.count:,} {noun}{size})"
    parts: list[Entry] = []
    if folder.end - folder.start >= RANGE_LINES:
        for start in range(folder.start, folder.end + 1, RANGE_LINES):
            name = listing.row_index.find_cells(start)[0].rpartition("/")[2]
            parts.append(Entry(f"from {clean_line(name, PATH)}", start, min(start + RANGE_LINES - 1, folder.end), 5))
    return Entry(label, folder.start, folder.end, 5, children=tuple(parts))


def _make_index(listing: FileListing, document: InputDocument, width: int, *, short: bool = False) -> Iterator[Entry]:
    """Yield line ranges with their first path, and with their last path unless ``short``."""
    for stretch in listing.row_index.list_ranges(document.lines.total, width):
        first, last = (
            _shorten_path(stretch.first_cells[0], PATH // 2 if short else PATH),
            _shorten_path(stretch.last_cells[0], PATH),
        )
        yield Entry(f"from {first}" if short else f"{first} to {last}", stretch.start, stretch.end, 7)


def _shorten_path(path: str, width: int) -> str:
    path = clean_line(path, 400)
    return path if len(path) <= width else f"...{path[-width:]}"


def _describe_nothing(items: Sequence[PathItem]) -> str:
    del items
    return ""
