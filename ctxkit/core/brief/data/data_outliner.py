"""Outline JSON data: shape, anomalies and ranges, also of data too large to load and of known formats."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property

from ctxkit.core.brief.data.anomalies import Anomaly, find_anomalies
from ctxkit.core.brief.data.large_json import LargeJson
from ctxkit.core.brief.data.literals import decode_surrogates, format_step, quote_string
from ctxkit.core.brief.data.part_ranges import PartRanges
from ctxkit.core.brief.data.schema import EntryFactory, Schema, make_unplaced_entry
from ctxkit.core.brief.data.shape import DataShape, ShapeLearner
from ctxkit.core.brief.document import HEAD_BYTES, TAIL_BYTES, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, replace
from ctxkit.core.text.json_index import JsonIndex, LargeValue
from ctxkit.core.text.json_indexer import JsonCursor, build_json_index
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import LEVELS
from ctxkit.core.text.positions import InvalidJsonError, JsonMember, JsonPositions, JsonTooDeepError
from ctxkit.core.text.quantity import pluralize

_TYPE_RANK = 8
"""Rank of types: after the summary, before the ranges of the parts."""
_MEMBERS = ("fields", "inputFields", "enumValues", "possibleTypes")
"""Keys of the lists of members, of which a type has one."""
_MAX_NAMES = 30
_KINDS = {"OBJECT": "type", "INPUT_OBJECT": "input", "INTERFACE": "interface", "ENUM": "enum", "UNION": "union"}
"""Keywords of the kinds of types."""


class GraphqlTypes:
    """Hold the types of an introspection result; ``types`` is empty for other documents."""

    def __init__(self, part_ranges: PartRanges, root: JsonMember) -> None:
        self.part_ranges = part_ranges
        find = part_ranges.places.find
        array = find(root, ["__schema", "types"]) or find(root, ["data", "__schema", "types"])
        members = part_ranges.places.below(array) if array else ()
        rows = [(member, part_ranges.places.value(member)) for member in members]
        self.types = [row for row in rows if isinstance(row[1], dict) and isinstance(row[1].get("name"), str)]

    def build_section(self, most: int) -> Section:
        """Return a section of about ``most`` entries, types of the schema before those of GraphQL itself."""
        own = [row for row in self.types if not row[1]["name"].startswith("__") and row[1].get("kind") != "SCALAR"]
        entries = [self._make_entry(member, value) for member, value in own[:most]]
        if len(own) > most:
            names = ", ".join(row[1]["name"] for row in own[most : most + _MAX_NAMES])
            label = f"{len(own) - most:,} more: {names}"
            entries.append(self.part_ranges.make_range_entry(own[most][0], own[-1][0], label, _TYPE_RANK))
        scalars = [row[1]["name"] for row in self.types if row[1].get("kind") == "SCALAR"]
        if scalars:
            entries.append(Entry(f"scalars: {', '.join(scalars[:_MAX_NAMES])}", rank=_TYPE_RANK + 1))
        return Section(f"Types ({len(self.types):,})", tuple(entries), "types")

    def _make_entry(self, member: JsonMember, value: dict[str, JsonValue]) -> Entry:
        kind = _KINDS.get(str(value.get("kind")), "type")
        names = list(_list_members(value))
        more = f", +{len(names) - _MAX_NAMES:,}" if len(names) > _MAX_NAMES else ""
        label = f"{kind} {value['name'][:80]}: {', '.join(names[:_MAX_NAMES])}{more}"
        return self.part_ranges.make_entry(member, label.removesuffix(": "), _TYPE_RANK)


_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_OPERATION_RANK = 25
"""Rank of operations: after anomalies and the top of the shape, before the inner shape."""


class OpenApiOperations:
    """Hold the paths of an OpenAPI description; ``paths`` is empty for other documents."""

    def __init__(self, part_ranges: PartRanges, root: JsonMember) -> None:
        self.part_ranges = part_ranges
        self.paths: list[tuple[JsonValue, list[JsonValue]]] = []
        below = {member.key: member for member in part_ranges.places.below(root)}
        if _describes_operations(below):
            for path in filter(_is_named, part_ranges.places.below(below["paths"])):
                self.paths.append(
                    (path, [operation for operation in part_ranges.places.below(path) if operation.key in _METHODS])
                )

    def build_section(self, most: int) -> Section:
        """Return a section of about ``most`` entries: all operations, all paths, or runs of paths."""
        return Section("Operations", tuple(self._list_entries(max(most, 2))), noun="operations")

    def _list_entries(self, most: int) -> Sequence[Entry]:
        if sum(len(inner) for _, inner in self.paths) <= most:
            return [self._make_operation_entry(path, operation) for path, inner in self.paths for operation in inner]
        if len(self.paths) <= most:
            return [
                self.part_ranges.make_entry(path, f"{path.key} ({_format_methods(inner)})", _OPERATION_RANK)
                for path, inner in self.paths
            ]
        size = -(-len(self.paths) // most)
        return [self._make_run_entry(self.paths[at : at + size]) for at in range(0, len(self.paths), size)]

    def _make_operation_entry(self, path: JsonValue, operation: JsonValue) -> Entry:
        value = self.part_ranges.places.value(operation)
        summary = value.get("operationId") or value.get("summary") if isinstance(value, dict) else ""
        suffix = f": {summary[:80]}" if isinstance(summary, str) and summary else ""
        return self.part_ranges.make_entry(operation, f"{operation.key.upper()} {path.key}{suffix}", _OPERATION_RANK)

    def _make_run_entry(self, run: Sequence[tuple[JsonValue, list[JsonValue]]]) -> Entry:
        count = sum(len(inner) for _, inner in run)
        text = f"{run[0][0].key} to {run[-1][0].key} ({count:,} operations on {len(run):,} paths)"
        return self.part_ranges.make_range_entry(run[0][0], run[-1][0], text, _OPERATION_RANK)


MIN_ENTRIES = 6
"""Number of entries in the shortest outline."""


@dataclass(frozen=True, slots=True)
class PartsIndex:
    """Locate parts: ``list_entries`` returns at most a given number of entries, ``make_entry`` the lines of a path."""

    title: str
    noun: str
    list_entries: Callable[[int], Sequence[Entry]]
    make_entry: EntryFactory = make_unplaced_entry


class DataContent(NamedTuple):
    """Hold what a map of data tells: entries of a summary and of anomalies, the shape, and the places of parts."""

    summary: Sequence[Entry]
    anomalies: Sequence[Entry]
    shape: DataShape
    parts: PartsIndex


class DataOutliner:
    """Learn the shape of one value, or of several consecutive ones, which are the rows in that case.

    If the values are too large to hold, ``root`` is their shape.
    """

    def __init__(
        self,
        places: JsonPositions | LargeJson,
        roots: Sequence[JsonMember],
        values: Sequence[JsonValue],
        *,
        by_bytes: bool = False,
        root: DataShape | None = None,
    ) -> None:
        self.is_multi_document = len(roots) > 1
        self.root = root or DataShape(self.is_multi_document)
        if root is None:
            self.root.add(values, range(len(values)))
        self.part_ranges = PartRanges(places, roots, self.root, by_bytes=by_bytes)

    def build_outlines(self, kind: str, summary: Sequence[Entry], target: int) -> list[Outline]:
        """Return outlines with fewer and fewer entries, beginning with the most that ``target`` tokens may hold."""
        anomalies = find_anomalies(self.root)[: max(target // 20, 8)]
        anomaly_entries = [self._make_anomaly_entry(anomaly) for anomaly in anomalies]
        parts = PartsIndex("Where", "parts", self.part_ranges.list_entries, self.part_ranges.make_group_entry)
        variants = build_data_outlines(kind, DataContent(summary, anomaly_entries, self.root, parts), target)
        path = self.part_ranges.find_example_path(max(target // 60, 4)) if self.part_ranges.by_bytes else ""
        return [
            self._add_types(self._add_operations(replace(variant, path=path), most), most // 3)
            for variant, most in zip(
                variants, (target // 16 * 5**turn // 6**turn for turn in range(len(variants))), strict=True
            )
        ]

    def _add_operations(self, outline: Outline, most: int) -> Outline:
        """Insert the operations of an OpenAPI description before the ranges of the parts."""
        if not self._operations or not self._operations.paths:
            return outline
        return replace(
            outline, sections=(*outline.sections[:-1], self._operations.build_section(most), outline.sections[-1])
        )

    def _add_types(self, outline: Outline, most: int) -> Outline:
        """Replace the shape by the types of a GraphQL schema: their members say more than the shape of each path."""
        if not self._types or not self._types.types:
            return outline
        return replace(outline, sections=(outline.sections[0], self._types.build_section(most), outline.sections[-1]))

    @cached_property
    def _types(self) -> GraphqlTypes | None:
        if self.is_multi_document or not isinstance(self.part_ranges.places, JsonPositions):
            return None
        return GraphqlTypes(self.part_ranges, self.part_ranges.roots[0])

    @cached_property
    def _operations(self) -> OpenApiOperations | None:
        if isinstance(self.part_ranges.places, LargeJson):
            return None
        return OpenApiOperations(self.part_ranges, self.part_ranges.roots[0])

    def _make_anomaly_entry(self, anomaly: Anomaly) -> Entry:
        """Return an entry about one anomaly, with its lines."""
        node, row = anomaly.node, anomaly.row
        text = f"{node.path or 'the element'} {anomaly.text}"
        steps: list[str | int | None] = list(node.steps)
        if self.is_multi_document:
            roots = self.part_ranges.roots[row : row + 1]
            text += f" (here in document {row}{self._format_earlier(anomaly)})"
        else:
            roots = self.part_ranges.roots
            first = steps.index(None)
            steps[first] = row
            text += f" (here {self._format_row(roots[0], steps[: first + 1])}{self._format_earlier(anomaly)})"
        member = next((self.part_ranges.places.find(root, steps, anomaly.test) for root in roots), None)
        return self.part_ranges.make_entry(member, text, 10) if member else Entry(text, rank=10)

    def _format_earlier(self, anomaly: Anomaly) -> str:
        return "" if anomaly.earlier is None else f", first in [{anomaly.earlier}]"

    def _format_row(self, root: JsonMember, steps: Sequence[str | int | None]) -> str:
        """Return the path of the row that the last of ``steps`` numbers."""
        member = self.part_ranges.places.find(root, steps)
        before = "".join(format_step(step) for step in steps[:-1] if isinstance(step, str))
        return before + (f"[{steps[-1]}]" if member is None or member.key is None else format_step(member.key))


_LIST_LEVELS, _LIST_SHARE = 4, 10
"""Maximum level of a long list, and the inverse of the minimum share of the text that it takes."""
_BLANKS = b" \t\r\n"


class LargeText(NamedTuple):
    """Hold a document whose JSON begins at byte ``start``; sizes of reading other than the usual ones are for tests."""

    document: InputDocument
    start: int
    window: int = 0
    large: int = 0
    step: int = 0


class LargeReading:
    """Hold the index and the shape of a document, whose JSON is from byte ``before`` to byte ``after``.

    Raise JsonTooDeepError.
    """

    def __init__(self, text: LargeText) -> None:
        self.before = text.start
        self._read = text.document.lines.read
        size = text.document.lines.size
        learner = ShapeLearner(self._read)
        cursor = JsonCursor(self._read, size, text.start, window=text.window, large=text.large)
        self.index: JsonIndex = build_json_index(cursor, size, text.start, learner, step=text.step)
        self.root: LargeValue = self.index.root
        self.after = self.root.end
        if self.root.count > 1:
            learner = ShapeLearner(self._read, has_rows=True)
            learner.learn_again(self.root)
        self.shape = learner.shape
        self.tree = LargeJson(text.document.lines, self.root)


def build_large_outlines(
    large_text: LargeText, kind: str, by_bytes: bool, *, only_lists: bool = False
) -> list[Outline] | None:
    """Return outlines of JSON, or None if little of it can be read.

    With ``only_lists``, also return None if it has no long list.
    """
    document = large_text.document
    try:
        reading = LargeReading(large_text)
    except JsonTooDeepError:
        text = f"more than {LEVELS:,} levels of arrays and objects: too deep to be mapped further"
        return [Outline(kind, (Section("", (Entry(text),)),))]
    broken = reading.index.broken
    if not reading.root.count or (broken and broken.position * 4 < document.lines.size):
        return None
    if only_lists and not _has_long_list(reading.root, document.lines.size):
        return None
    summary = list(_summarize(reading, document, by_bytes))
    chart = DataOutliner(reading.tree, reading.tree.documents(), (), by_bytes=by_bytes, root=reading.shape)
    return chart.build_outlines(kind, summary, document.target)


def _has_long_list(root: LargeValue, size: int) -> bool:
    """Return whether an array at the top, or inside a few objects, takes a good part of the text."""
    level = list(root.large.values())
    for _ in range(_LIST_LEVELS):
        if any(value.kind == "[" and (value.end - value.start) * _LIST_SHARE >= size for value in level):
            return True
        level = [inner for value in level if value.kind == "{" for inner in value.large.values()]
    return False


def _summarize(reading: LargeReading, document: InputDocument, by_bytes: bool) -> Iterator[Entry]:
    total = document.lines.total
    yield from _describe_surroundings(reading, document)
    if reading.root.count > 1:
        yield Entry(f"{pluralize(reading.root.count, 'JSON document')}, one after the other: the rows")
    if by_bytes:
        on = "on one line" if total == 1 else f"on {total:,} long lines"
        yield Entry(f"The JSON is {on}; bytes are counted from 1")
    first = reading.root.large.get(0)
    if reading.root.count == 1 and first and first.duplicates:
        yield _name_duplicate_keys(first.duplicates)
    if reading.index.broken:
        yield _describe_error(reading, reading.index.broken, document, by_bytes)


def _name_duplicate_keys(duplicates: tuple[str, ...]) -> Entry:
    some = ", ".join(quote_string(key, 40) for key in duplicates[:6])
    more = f", +{len(duplicates) - 6:,} more" if len(duplicates) > 6 else ""
    return Entry(f"keys that stand there more than once (each counts here): {some}{more}")


def _describe_error(reading: LargeReading, broken: InvalidJsonError, document: InputDocument, by_bytes: bool) -> Entry:
    line = min(reading.tree.line(broken.position), document.lines.total)
    path = "".join(f"[{step}]" if isinstance(step, int) else format_step(step) for step in reading.index.path)
    inside = f" inside {path}" if path else ""
    rest = "; nothing after it is in this map" if broken.reason != "it ends too early" else ""
    rows = () if by_bytes else (quote(line, decode_surrogates(document.lines.at(line))),)
    return Entry(f"BROKEN at byte {broken.position + 1}{inside}: {broken.reason}{rest}", line, line, children=rows)


def _describe_surroundings(reading: LargeReading, document: InputDocument) -> Iterator[Entry]:
    """Yield entries on the lines before and after the JSON, each with its first line quoted."""
    lines, size = document.lines, document.lines.size
    before = lines.read(0, reading.before).removeprefix(b"\xef\xbb\xbf")
    if before.strip(_BLANKS):
        yield _describe_side("before", 1, reading.tree.line(len(before.rstrip(_BLANKS))), document)
    after = min(reading.after, size)
    if lines.read(after, HEAD_BYTES).strip(_BLANKS):
        tail = max(size - TAIL_BYTES, after)
        last = tail + len(lines.read(tail, size - tail).rstrip(_BLANKS))
        yield _describe_side("after", reading.tree.line(after), reading.tree.line(max(last - 1, after)), document)


def _describe_side(side: str, first: int, last: int, document: InputDocument) -> Entry:
    last = min(last, document.lines.total)
    quotes = (quote(first, document.lines.at(first)),) if document.lines.total > 1 else ()
    return Entry(f"{side} the JSON, not part of it", first, last, children=quotes)


def _list_members(value: dict[str, JsonValue]) -> Iterator[str]:
    """Yield the names of fields, values or possible types, with their arguments and whether they are deprecated."""
    lists = (value[key] for key in _MEMBERS if isinstance(value.get(key), list) and value[key])
    rows: Sequence[JsonValue] = next(lists, ())
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            continue
        arguments = row.get("args") if isinstance(row.get("args"), list) else ()
        listed = ", ".join(str(item.get("name")) for item in arguments or () if isinstance(item, dict))
        note = " (deprecated)" if row.get("isDeprecated") is True else ""
        yield f"{row['name']}{f'({listed})' if listed else ''}{note}"[:120]


def _describes_operations(keys: Collection[str | None]) -> bool:
    """Return whether the keys at the top of a document are those of an OpenAPI description."""
    return "paths" in keys and ("openapi" in keys or "swagger" in keys)


def _is_named(member: JsonMember) -> bool:
    return member.key is not None


def _format_methods(inner: Sequence[JsonValue]) -> str:
    return ", ".join(operation.key.upper() for operation in inner) or "no operation"


def build_data_outlines(kind: str, content: DataContent, target: int) -> list[Outline]:
    """Return outlines with fewer and fewer entries, beginning with the most that ``target`` tokens may hold."""
    schema = Schema(content.shape)
    variants, most = [], min(max(target // 8, MIN_ENTRIES), schema.size * 2 + len(content.anomalies) + 40)
    while True:
        variants.append(Outline(kind, _build_sections(content, schema, most)))
        if most <= MIN_ENTRIES:
            return variants
        most = most * 5 // 6


def _build_sections(content: DataContent, schema: Schema, most: int) -> tuple[Section, ...]:
    """Divide ``most`` entries: half for anomalies, a quarter for the parts, the rest for the shape."""
    summary, anomalies, _, parts = content
    few = tuple(anomalies[: max(most // 2, 2)])
    places = tuple(parts.list_entries(max(most // 4, most - len(few) - schema.size)))
    shape, hidden = schema.build_entries(max(most - len(few) - len(places), 2), parts.make_entry)
    if len(few) < len(anomalies):
        few += (Entry(f"{len(anomalies) - len(few):,} more like these, not shown", rank=10),)
    deeper = f"; {hidden:,} deeper or further paths not shown" if hidden else ""
    return (
        Section("", tuple(summary)),
        Section("Irregular", few, noun="irregularities"),
        Section(f"Shape (a schema; paths, types, how often{deeper})", tuple(shape), noun="paths"),
        Section(parts.title, places, noun=parts.noun),
    )
