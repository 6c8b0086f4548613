"""Jupyter notebooks: errors, then each cell with its line range, a source line and its outputs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.data.literals import decode_surrogates
from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import InvalidJsonError, JsonMember, JsonPositions, JsonTooDeepError
from ctxkit.core.text.quantity import pluralize

NAME = "notebook"
TYPES: Sequence[str] = ("ipynb",)
CLUES = Clues(('"cell_type"',), suffixes=("ipynb",))
LARGEST = 64 << 20
"""Maximum size in bytes of a notebook that is read."""
LONG_LINES = 2_000
"""Average line length in bytes above which places are given in bytes instead of lines."""
SHAPE = compile_lazily(r'\s*\{\s*"(?:cells|metadata|nbformat|nbformat_minor)"\s*:')
CELL = compile_lazily(r'"cell_type"\s*:\s*"(?:code|markdown|raw)"')
OPAQUE = compile_lazily(r"\s*(?:#(?!#)|%|!|//|--|import |from \w+ import )|\s*$")
"""Pattern of code lines that say little about the purpose of a cell."""
WIDTHS = (100, 60, 30)
"""Maximum number of characters quoted from a cell, for outlines of decreasing detail."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Hold one cell: its 1-based number, its content, and its place in the JSON."""

    number: int
    kind: str
    count: int | None
    source: Sequence[str]
    outputs: Sequence[dict[str, JsonValue]]
    member: JsonMember

    @property
    def name(self) -> str:
        """Return ``cell 3, code [12]``; the brackets of a cell that was not run are empty."""
        run = f" [{'' if self.count is None else self.count}]" if self.kind == "code" else ""
        return f"cell {self.number}, {self.kind}{run}"

    def choose_line(self) -> str:
        """Return the line that describes the cell best."""
        rows = [row for row in self.source if row.strip()]
        if self.kind != "code":
            return next((row for row in rows if row.startswith("#")), rows[0] if rows else "")
        return next((row for row in rows if not OPAQUE.match(row)), rows[0] if rows else "")


def sniff(document: InputDocument) -> float:
    """Return the confidence that the document is a notebook, from its suffix or from keys specific to notebooks."""
    begins = document.head.lstrip("\ufeff \t\r\n").startswith("{")
    if document.suffix == "ipynb":
        return 0.95 if begins else 0.0
    return 0.95 if begins and SHAPE.match(document.head) and CELL.search(document.head) else 0.0


def outline(document: InputDocument) -> list[Outline] | None:
    """Return outlines of the cells, from the most detailed to the shortest, or None if the notebook cannot be read."""
    if document.lines.size > LARGEST:
        return None
    text = document.read(0, document.lines.size).decode("utf-8", "surrogateescape")
    places = JsonPositions(text)
    try:
        book, cells = _read_notebook(text, places)
    except (InvalidJsonError, JsonTooDeepError):
        return None
    if not cells:
        return None
    by_bytes = document.lines.size > LONG_LINES * max(document.lines.total, 1)
    summary = Section("", (Entry(_summarize(book, cells)), *_list_oddities(cells)))
    errors = Section("Errors", tuple(_list_errors(cells, places, by_bytes)), "errors")
    outlines = []
    for width in WIDTHS:
        rows = tuple(_make_entry(cell, places, by_bytes, width) for cell in cells)
        outlines.append(Outline(NAME, (summary, errors, Section("Cells", rows, "cells")), _get_language(book)))
    return outlines


def _read_notebook(text: str, places: JsonPositions) -> tuple[dict[str, JsonValue], list[Cell]]:
    """Return the notebook's metadata and its cells.

    Raise InvalidJsonError or JsonTooDeepError if the text cannot be parsed.
    """
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    book: dict[str, JsonValue] = {}
    all_cells: list[Cell] = []
    for member in places.members(start):
        if member.key == "cells":
            all_cells += [
                _parse_cell(number, cell, places) for number, cell in enumerate(places.members(member.start), 1)
            ]
        elif member.key == "worksheets":  # format 3
            for sheet in places.members(member.start):
                cells = next((cell for cell in places.members(sheet.start) if cell.key == "cells"), None)
                inner = places.members(cells.start) if cells else []
                all_cells += [
                    _parse_cell(number, cell, places) for number, cell in enumerate(inner, len(all_cells) + 1)
                ]
        else:
            book[member.key or ""] = places.value(member)
    return book, all_cells


def _parse_cell(number: int, member: JsonMember, places: JsonPositions) -> Cell:
    value = places.value(member)
    value = value if isinstance(value, dict) else {}
    outputs = value.get("outputs")
    count = value.get("execution_count", value.get("prompt_number"))
    return Cell(
        number,
        str(value.get("cell_type", "cell")),
        count if isinstance(count, int) else None,
        _split_lines(value.get("source", value.get("input", ""))),
        [output for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else [],
        member,
    )


def _split_lines(value: JsonValue) -> list[str]:
    """Return the lines of text that a notebook stores as a string or as a list of lines."""
    joined = "".join(map(str, value)) if isinstance(value, list) else str(value)
    return joined.split("\n")


def _get_metadata(book: dict[str, JsonValue], *keys: str) -> str:
    """Return a string from the metadata, or an empty string."""
    value: JsonValue = book.get("metadata")
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _get_language(book: dict[str, JsonValue]) -> str:
    return _get_metadata(book, "language_info", "name") or _get_metadata(book, "kernelspec", "language")


def _summarize(book: dict[str, JsonValue], cells: Sequence[Cell]) -> str:
    """Return the number of cells by type, and the kernel."""
    kinds = Counter(cell.kind for cell in cells)
    each = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
    kernel = _get_metadata(book, "kernelspec", "display_name")
    version = _get_metadata(book, "language_info", "version")
    runs = ", ".join(part for part in (clean_line(kernel, 40), f"{_get_language(book)} {version}".strip()) if part)
    failed = sum(1 for cell in cells if any(output.get("output_type") in ("error", "pyerr") for output in cell.outputs))
    ended = f"; {pluralize(failed, 'cell')} ended in an error" if failed else ""
    return f"{pluralize(len(cells), 'cell')} ({each}){ended}" + (f"; {runs}" if runs else "")


def _list_oddities(cells: Sequence[Cell]) -> Iterator[Entry]:
    """Yield warnings: cells that were not run, or not in order."""
    code = [cell for cell in cells if cell.kind == "code" and any(row.strip() for row in cell.source)]
    never = [str(cell.number) for cell in code if cell.count is None]
    if never and len(never) == len(code):
        yield Entry("no code cell was run")
    elif never:
        more = f", +{len(never) - 12:,} more" if len(never) > 12 else ""
        yield Entry(f"not run: {'cells' if len(never) > 1 else 'cell'} {', '.join(never[:12])}{more}")
    counts = [cell.count for cell in code if cell.count is not None]
    if counts != sorted(counts):
        yield Entry("the code cells were not run from top to bottom: their counts are in brackets")


def _list_errors(cells: Sequence[Cell], places: JsonPositions, by_bytes: bool) -> Iterator[Entry]:
    """Yield each error with the place of its output."""
    for cell in cells:
        spots = _find_outputs(cell, places)
        for output, member in zip(cell.outputs, spots, strict=False):
            if output.get("output_type") in ("error", "pyerr"):
                text = f"{cell.name}: {_format_error(output, 200)}"
                yield _make_placed_entry(member, text, places, by_bytes, 0)


def _find_outputs(cell: Cell, places: JsonPositions) -> list[JsonMember]:
    inside = next((member for member in places.members(cell.member.start) if member.key == "outputs"), None)
    return places.members(inside.start) if inside else []


def _format_error(output: dict[str, JsonValue], width: int) -> str:
    """Return the name and message of an error."""
    text = f"{output.get('ename', 'error')}: {output.get('evalue', '')}".strip().rstrip(":")
    return clean_line(" ".join(text.split()), width)


def _make_entry(cell: Cell, places: JsonPositions, by_bytes: bool, width: int) -> Entry:
    """Return an entry with a cell's best line and its outputs."""
    rows = sum(1 for row in cell.source if row.strip())
    first = clean_line(cell.choose_line(), width)
    more = f" ({pluralize(rows, 'line')})" if rows > 1 else ""
    output_text = "; ".join(_format_output(output, width // 2) for output in cell.outputs[:3])
    rest = f"; +{len(cell.outputs) - 3} more" if len(cell.outputs) > 3 else ""
    text = f"{cell.name}: {first or 'empty'}{more}" + (f" -> {output_text}{rest}" if output_text else "")
    heading = cell.kind != "code" and first.startswith("#")
    return _make_placed_entry(
        cell.member, text, places, by_bytes, 10 if heading else 20 if cell.outputs or rows > 3 else 30
    )


def _format_output(output: dict[str, JsonValue], width: int) -> str:
    """Return an output's type and size, and the beginning of a short output."""
    kind = output.get("output_type", "output")
    if kind in ("error", "pyerr"):
        return _format_error(output, max(width, 40))
    if kind == "stream":
        return _format_stream(output, width)
    data = output.get("data")
    types = data if isinstance(data, dict) else {}
    best = next((content_type for content_type in types if content_type != "text/plain"), "text/plain")
    plain = [row for row in _split_lines(types.get("text/plain", output.get("text", ""))) if row.strip()]
    if best == "text/plain":
        more = f" ({pluralize(len(plain), 'line')})" if len(plain) > 1 else ""
        return clean_line(plain[0], width) + more if plain else str(kind)
    size = sum(map(len, _split_lines(types[best])))
    return f"{best}, {size / 1000:,.0f} KB" if size > 1_000 else str(best)


def _format_stream(output: dict[str, JsonValue], width: int) -> str:
    """Return the name of a stream with its number of lines, and a line that is the only one."""
    rows = _split_lines(output.get("text", ""))
    while rows and not rows[-1].strip():
        rows.pop()
    name = str(output.get("name") or output.get("stream") or "stdout")
    first_line = f": {clean_line(rows[0], width)}" if len(rows) == 1 else ""
    return f"{name}, {pluralize(len(rows), 'line')}{first_line}"


def _make_placed_entry(member: JsonMember, text: str, places: JsonPositions, by_bytes: bool, rank: int) -> Entry:
    label = decode_surrogates(text)
    if by_bytes:
        return Entry(label, places.byte(member.at) + 1, places.byte(member.end), rank, in_bytes=True)
    return Entry(label, places.line(member.at), places.line(member.end - 1), rank)
