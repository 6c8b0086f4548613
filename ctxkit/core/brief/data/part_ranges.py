"""Line or byte ranges of the parts of a data tree."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from ctxkit.core.brief.data.large_json import LargeJson
from ctxkit.core.brief.data.literals import format_literal, format_step, quote_string, split_folder
from ctxkit.core.brief.data.schema import SchemaNode, list_nodes
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.brief.outline import Entry
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import JsonMember, JsonPositions
from ctxkit.core.text.quantity import pluralize

_NAMING_KEYS = ("id", "name", "title", "key", "path", "SourceFile")
"""Keys that identify an object."""
_TITLE_KEYS = ("name", "title", "path", "file", "filename", "sourcefile", "key", "uuid", "url", "code")
"""Keys, in lower case, whose text is the name of an object, the most telling first."""
_MAX_NAME = 80
"""Maximum number of characters of a name."""
_LONG_PATH = 40
"""Number of characters above which only the last part of a path is the name."""
_MIN_LINES = 12
"""Minimum number of lines for the value of a key to be split; for an array element, ten times as many."""
_MIN_CHARACTERS = 2_000
"""Minimum number of characters for the value of a key to be split, if places are bytes."""
_STEPS = (1, 2, 5)
_MAX_LISTED_NAMES = 20
"""Maximum number of objects of a run that are named each."""
_MAX_NAMES_WIDTH = 500
"""Maximum number of characters of their names together."""
_MAX_LISTED_KEYS = 5
"""Maximum number of paths of a run that are named each: more of them would leave tokens for fewer runs."""


@dataclass(frozen=True, slots=True)
class MemberRange:
    """Hold consecutive members of one array or object; ``first`` is the index of the first one."""

    path: str
    members: Sequence[JsonMember]
    first: int
    level: int


class PartRanges:
    """Locate the parts of a data tree: in lines, or in bytes if lines are too long."""

    def __init__(
        self, places: JsonPositions | LargeJson, roots: Sequence[JsonMember], root: DataShape, *, by_bytes: bool = False
    ) -> None:
        self.places = places
        self.roots = roots
        self.root = root
        self.by_bytes = by_bytes
        self._member_cache: dict[str, JsonMember | None] = {}
        self._names: dict[tuple[int, Callable[[dict[str, JsonValue]], str]], str] = {}

    def list_entries(self, most: int) -> list[Entry]:
        """Return at most ``most`` parts of arrays and tables, outer ones first, in the order of the text."""
        selection: list[MemberRange] = []
        waiting = self._split_roots(most)
        while waiting:
            parts = waiting.pop(0)
            if len(selection) + len(parts) > most:
                continue
            selection.extend(parts)
            for part in parts:
                inner = self._split_part(part, max(most // 3, 4))
                if inner:
                    waiting.append(inner)
        selection.sort(key=lambda part: (part.members[0].at, part.level))
        return [self._make_part_entry(part) for part in selection[:most]]

    def find_example_path(self, most: int = 4) -> str:
        """Return a path for ``cache get --json-path`` to the first of at most ``most`` parts, or an empty string."""
        parts = next(iter(self._split_roots(most)), [])
        if len(self.roots) > 1 or not parts:
            return ""
        part = parts[0]
        if part.members[0].key is not None:
            return self._format_path(part)
        start = part.members[0].start
        near = list(takewhile(lambda member: member.end - start <= _MIN_CHARACTERS * 4, part.members)) or [
            part.members[0]
        ]
        last = part.first + len(near)
        return f"{part.path}[{part.first}:{last}]" if len(near) > 1 else self._format_path(part)

    def make_entry(self, member: JsonMember, text: str, rank: int) -> Entry:
        """Return an entry about one member."""
        return self._make_placed_entry(member.at, member.end, text, rank)

    def make_range_entry(self, first: JsonMember, last: JsonMember, text: str, rank: int) -> Entry:
        """Return an entry that covers all members from ``first`` to ``last``."""
        return self._make_placed_entry(first.at, last.end, text, rank)

    def make_group_entry(self, group: Sequence[SchemaNode], text: str, rank: int) -> Entry:
        """Return an entry about neighbouring nodes, with their lines if they are not in rows."""
        first, last = self._find_member(group[0]), self._find_member(group[-1])
        return self._make_placed_entry(first.at, last.end, text, rank) if first and last else Entry(text, rank=rank)

    def _find_member(self, node: SchemaNode) -> JsonMember | None:
        """Return the member of a node, or None for the root and for nodes in every row."""
        if not node.steps or len(self.roots) > 1 or None in node.steps:
            return None
        if node.path not in self._member_cache:
            self._member_cache[node.path] = self.places.find(self.roots[0], node.steps)
        return self._member_cache[node.path]

    def _split_roots(self, most: int) -> list[list[MemberRange]]:
        """Return the parts of all arrays and tables that are not inside another array or table."""
        if len(self.roots) > 1:
            return [self._split_members("", self.roots, most, 0)]
        tables = []
        for node in list_nodes(self.root):
            if not node.shape.has_rows and (node.shape.items or node.shape.others):
                member = self._find_member(node) if node.steps else self.roots[0]
                if member and (not node.steps or not self._is_short(member)):
                    tables.append((node.path, member))
        tables = [(path, member) for path, member in tables if not self._has_shared_lines(member)]
        tables.sort(key=lambda table: table[1].start - table[1].end)
        share = max(most // max(len(tables), 1), 4)
        return [self._split_members(path, self.places.below(table), share, 1) for path, table in tables]

    def _split_part(self, part: MemberRange, most: int) -> list[MemberRange]:
        """Return the parts of a part, or an empty list if it is short or has several members."""
        if len(part.members) > 1 or part.level > 4:
            return []
        member = part.members[0]
        if self._is_short(member):
            return []
        inner = self.places.below(member)
        return self._split_members(self._format_path(part), inner, most, part.level + 1) if len(inner) > 1 else []

    def _has_shared_lines(self, member: JsonMember) -> bool:
        """Return whether all members are on the same line, so that line numbers do not help."""
        below = self.places.below(member)
        if len(below) < 2 or self.by_bytes:
            return False
        return self.places.line(below[0].at) == self.places.line(below[-1].at)

    def _is_short(self, member: JsonMember) -> bool:
        times = 10 if member.key is None else 1
        if self.by_bytes:
            return member.end - member.start < _MIN_CHARACTERS * times
        return self._count_lines(member) < _MIN_LINES * times

    def _count_lines(self, member: JsonMember) -> int:
        return self.places.line(member.end) - self.places.line(member.start)

    def _split_members(self, path: str, members: Sequence[JsonMember], most: int, level: int) -> list[MemberRange]:
        """Return single members, or runs of a round number of members if there are more than ``most``."""
        size, power = 1, 0
        while len(members) > size * max(most, 1):
            power += 1
            size = _STEPS[power % 3] * 10 ** (power // 3)
        if size == 1 and level:
            return list(self._group_scalars(path, members, level))
        starts = range(0, len(members), size)
        return [MemberRange(path, members[at : at + size], at, level) for at in starts]

    def _group_scalars(self, path: str, members: Sequence[JsonMember], level: int) -> Iterator[MemberRange]:
        """Yield long members separately, and the short ones between them together."""
        run: list[JsonMember] = []
        for number, member in enumerate(members):
            if not self._is_scalar(member):
                if run:
                    yield MemberRange(path, tuple(run), number - len(run), level)
                    run = []
                yield MemberRange(path, (member,), number, level)
            else:
                run.append(member)
        if run:
            yield MemberRange(path, tuple(run), len(members) - len(run), level)

    def _is_scalar(self, member: JsonMember) -> bool:
        return self.places.is_plain(member) and member.end - member.start < _MIN_CHARACTERS

    def _format_path(self, part: MemberRange) -> str:
        member = part.members[0]
        return part.path + (f"[{part.first}]" if member.key is None else format_step(member.key))

    def _make_part_entry(self, part: MemberRange) -> Entry:
        first, last = part.members[0], part.members[-1]
        if len(part.members) == 1:
            text = f"{self._format_path(part)}: {self._describe_member(first)}"
        elif first.key is None:
            end = part.first + len(part.members) - 1
            text = f"{part.path}[{part.first}] to [{end}]{self._format_names(part)}"
        else:
            text = f"{part.path or 'keys'} {_format_keys([member.key or '' for member in part.members])}"
        return self._make_placed_entry(first.at, last.end, text, 30 + part.level * 10)

    def _make_placed_entry(self, start: int, end: int, text: str, rank: int) -> Entry:
        places = self.places
        if self.by_bytes:
            return Entry(text, places.byte(start) + 1, places.byte(end), rank, in_bytes=True)
        return Entry(text, places.line(start), places.line(end - 1), rank)

    def _describe_member(self, member: JsonMember) -> str:
        """Return a short description of a member."""
        value = self.places.value(member)
        if value is ...:
            return "not readable to its end"
        if isinstance(value, dict):
            title = _find_metadata_title(value)
            if title:
                return title
            scalars = _format_scalars(value)
            return pluralize(len(value), "key") + (f" ({scalars})" if scalars and member.key is None else "")
        if isinstance(value, list):
            return f"array of {pluralize(len(value), 'element')}"
        return "null" if value is None else quote_string(value, 60) if isinstance(value, str) else format_literal(value)

    def _format_names(self, part: MemberRange) -> str:
        """Return the names of the objects of a run: all if they are few and short, or else the first and the last."""
        if len(part.members) <= _MAX_LISTED_NAMES:
            names = [self._read_name(member, find_title) for member in part.members]
            if all(names) and len(set(names)) == len(names) and sum(map(len, names)) <= _MAX_NAMES_WIDTH:
                return f": {', '.join(names)}"
        begin, end = (self._read_name(part.members[at], format_name) for at in (0, -1))
        return f" ({begin} to {end})" if begin and end and begin != end else ""

    def _read_name(self, member: JsonMember, find_name: Callable[[dict[str, JsonValue]], str]) -> str:
        """Return the name of an object, or an empty string."""
        if (member.at, find_name) not in self._names:
            value = self.places.value(member)
            self._names[member.at, find_name] = find_name(value) if isinstance(value, dict) else ""
        return self._names[member.at, find_name]


def _format_keys(keys: Sequence[str]) -> str:
    """Return the first and the last key of a run; of paths in one folder, the folder, and all if they are few."""
    shared, names = split_folder(keys)
    text = f"{quote_string(names[0], 40)} to {quote_string(names[-1], 40)}"
    if shared and len(keys) <= _MAX_LISTED_KEYS:
        text = ", ".join(quote_string(name, 40) for name in names)
    place = f"in {quote_string(shared, _MAX_NAMES_WIDTH)}: " if shared else ""
    return f"{place}{text} ({len(keys):,} keys)"


def format_name(value: dict[str, JsonValue]) -> str:
    """Return the name of an object: its title with a version, or its first short scalar with the key."""
    return find_title(value) or _format_scalars(value, 1)


def _format_scalars(value: dict[str, JsonValue], most: int = 2) -> str:
    """Return the first short scalars of an object, as ``id 7, name "x"``."""
    short = [
        f"{format_step(key).removeprefix('.')} {format_literal(item)}"
        for key, item in value.items()
        if isinstance(item, int | float | str) and len(key) < 40 and len(str(item)[:41]) <= 40
    ]
    short.sort(key=lambda text: text.partition(" ")[0] not in _NAMING_KEYS)
    return ", ".join(short[:most])


def find_title(value: dict[str, JsonValue]) -> str:
    """Return the title of an object: the short text below a key for names, with the version beside it."""
    title = _find_metadata_title(value)
    if title:
        return title
    by_key = {key.lower(): item for key, item in reversed(value.items()) if len(key) < _MAX_NAME}
    for key in _TITLE_KEYS:
        name = _shorten_name(by_key.get(key))
        if name:
            version = by_key.get("version")
            return f"{name} {version}" if isinstance(version, str) and len(version) < _LONG_PATH else name
    return ""


def _shorten_name(value: JsonValue) -> str:
    """Return a text as a name, of a long path the last part, or an empty string if it is too long or not printable."""
    if not isinstance(value, str) or len(value) > 4 * _MAX_NAME or not value.isprintable():
        return ""
    is_path = len(value) > _LONG_PATH and "/" in value and " " not in value
    name = value.rstrip("/").rpartition("/")[2] if is_path else value
    return name if len(name) <= _MAX_NAME else ""


def _find_metadata_title(value: dict[str, JsonValue]) -> str:
    """Return the title of an object with metadata, or an empty string.

    Of a Kubernetes object, this is ``Deployment shop/web``; of a package, ``jinja2 2.11.3``.
    """
    about, kind = value.get("metadata"), value.get("kind")
    if not isinstance(about, dict) or not isinstance(about.get("name"), str):
        return ""
    if isinstance(kind, str):
        inside = f"{about['namespace']}/" if isinstance(about.get("namespace"), str) else ""
        return f"{kind} {inside}{about['name']}"[:120]
    version = about.get("version")
    return f"{about['name']} {version}"[:120] if isinstance(version, str) else ""
