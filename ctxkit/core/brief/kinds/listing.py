"""Listings of files: how many, of which sort, where which directory is, and the largest."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import HEAD, Document
from ctxkit.core.brief.grids.files import Folder, Listing, form_of
from ctxkit.core.brief.grids.folders import Item, folded
from ctxkit.core.brief.grids.grid import REACH
from ctxkit.core.brief.outline import Entry, Outline, Section, plain, quote, shown
from ctxkit.core.measure import plural, size_of

NAME = "listing"
TYPES: Sequence[str] = ("ls", "find", "tree", "du")
SAMPLE = 300
WIDER = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 256, 1_024, 8_192)
PATH = 60
"""Characters of the end of a path that an index shows."""


def sniff(document: Document) -> float:
    """Claim lines that name files each, in one of the forms of ls, find, tree, du, tar and unzip."""
    lines = _lines(document)
    form, share = form_of(lines)
    if not form or (form in ("paths", "names") and _are_cells(lines)):
        return 0.0
    return {"long": 0.93, "zip": 0.93, "tree": 0.9, "du": 0.85, "names": 0.75, "paths": 0.8}[form] * share


def _are_cells(lines: Sequence[str]) -> bool:
    """Tell whether every line has as many commas: then a path is one cell of several."""
    counts = {line.count(",") for line in lines if line.strip()}
    return len(counts) == 1 and 0 not in counts


def _lines(document: Document) -> list[str]:
    lines = document.head.replace("\r", "").split("\n")
    if document.lines.size > HEAD and len(lines) > 1:
        lines.pop()
    return [plain(line) if "\x1b" in line else line for line in lines[:SAMPLE]]


def outline(document: Document) -> Sequence[Outline] | None:
    """Return totals, extensions, the largest, directories with their lines, and an index of the rest."""
    form = form_of(_lines(document))[0]
    if not form:
        return None
    listing = Listing(form).read(document.lines)
    if not listing.folders:
        return None
    top = Section("", tuple(_summary(listing, document)))
    large = Section("Largest", tuple(_largest(listing, document)), noun="large files")
    around = Section("Lines that name no file", tuple(quote(*row, rank=9) for row in listing.others[:8]), noun="lines")
    made = []
    if len(listing.folders) * 5 < document.target and not listing.beyond:
        each = tuple(_folder(folder, listing) for folder in listing.folders)
        made.append(Outline(NAME, (top, large, Section("Directories", each, noun="directories"), around)))
    items = [Item(f"{f.path}/" if f.path else "", f.start, f.end, _note(f, listing), f.count) for f in listing.folders]
    for most in (max(document.target // 40, 2), max(document.target // 80, 2)):
        groups = folded(items[:4_000], most, _nothing, 6)
        title = f"Directories, each after the line where it begins, the last to {document.lines.total}"
        places = Section(title, groups, noun="directories")
        index = tuple(_index(listing, document, REACH))
        made.append(Outline(NAME, (top, large, places, Section("Paths by line", index, noun="ranges"), around)))
    for times in WIDER:
        if document.lines.total // (REACH * times) < document.target // 6:
            index = tuple(_index(listing, document, REACH * times, brief=times > 1 or len(made) > 1))
            made.append(Outline(NAME, (top, large, Section("Paths by line", index, noun="ranges"))))
    return made


def _summary(listing: Listing, document: Document) -> Iterator[Entry]:
    parts = [plural(listing.files, "file")] if listing.files or listing.form != "du" else []
    if listing.directories:
        count = f"{listing.directories:,} {'directory' if listing.directories == 1 else 'directories'}"
        parts.append(count)
    if listing.sized and listing.form != "du":
        parts.append(f"{size_of(int(listing.size))} in all (sizes as listed)")
    yield Entry(f"{', '.join(parts)}, at most {plural(listing.depth, 'level')} deep", 1, document.lines.total)
    if listing.files:
        ranked = listing.extensions.most_common(16)
        said = ", ".join(f"{name or '(none)'} {count:,}" for name, count in ranked)
        more = f", +{len(listing.extensions) - 16:,} more" if len(listing.extensions) > 16 else ""
        yield Entry(f"by extension: {said}{more}", rank=1)
    if listing.unknown:
        yield Entry(f"{plural(listing.unknown, 'line')} that name no file", rank=3)


def _largest(listing: Listing, document: Document) -> Iterator[Entry]:
    for step, (_, line) in enumerate(listing.largest):
        yield quote(line, document.lines.at(line), rank=4 + step // 4)


def _note(folder: Folder, listing: Listing) -> str:
    size = f", {size_of(int(folder.size))}" if folder.size and listing.form != "du" else ""
    return f"({folder.count:,}{size})"


def _folder(folder: Folder, listing: Listing) -> Entry:
    size = f", {size_of(int(folder.size))}" if folder.size and listing.form != "du" else ""
    noun = "entry" if folder.count == 1 else "entries"
    label = f"{folder.path + '/' if folder.path else 'the top'} ({folder.count:,} {noun}{size})"
    parts: list[Entry] = []
    if folder.end - folder.start >= REACH:
        for start in range(folder.start, folder.end + 1, REACH):
            name = listing.landmarks.at(start)[0].rpartition("/")[2]
            parts.append(Entry(f"from {shown(name, PATH)}", start, min(start + REACH - 1, folder.end), 5))
    return Entry(label, folder.start, folder.end, 5, children=tuple(parts))


def _index(listing: Listing, document: Document, width: int, *, brief: bool = False) -> Iterator[Entry]:
    """Yield which path the lines begin with, and unless it is to be ``brief`` with which they end."""
    for one in listing.landmarks.stretches(document.lines.total, width):
        first, last = _path(one.begins[0], PATH // 2 if brief else PATH), _path(one.ends[0], PATH)
        yield Entry(f"from {first}" if brief else f"{first} to {last}", one.start, one.end, 7)


def _path(path: str, width: int) -> str:
    path = shown(path, 400)
    return path if len(path) <= width else f"...{path[-width:]}"


def _nothing(items: Sequence[Item]) -> str:
    del items
    return ""
