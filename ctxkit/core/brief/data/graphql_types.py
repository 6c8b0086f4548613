"""Types of a GraphQL introspection result, with their members and places."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.data.part_ranges import PartRanges
from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import JsonMember

RANK = 8
"""Rank of types: after the summary, before the ranges of the parts."""
MEMBERS = ("fields", "inputFields", "enumValues", "possibleTypes")
"""Keys of the lists of members, of which a type has one."""
MAX_NAMES = 30
KINDS = {"OBJECT": "type", "INPUT_OBJECT": "input", "INTERFACE": "interface", "ENUM": "enum", "UNION": "union"}
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
            names = ", ".join(row[1]["name"] for row in own[most : most + MAX_NAMES])
            label = f"{len(own) - most:,} more: {names}"
            entries.append(self.part_ranges.make_range_entry(own[most][0], own[-1][0], label, RANK))
        scalars = [row[1]["name"] for row in self.types if row[1].get("kind") == "SCALAR"]
        if scalars:
            entries.append(Entry(f"scalars: {', '.join(scalars[:MAX_NAMES])}", rank=RANK + 1))
        return Section(f"Types ({len(self.types):,})", tuple(entries), "types")

    def _make_entry(self, member: JsonMember, value: dict[str, JsonValue]) -> Entry:
        kind = KINDS.get(str(value.get("kind")), "type")
        names = list(_list_members(value))
        more = f", +{len(names) - MAX_NAMES:,}" if len(names) > MAX_NAMES else ""
        label = f"{kind} {value['name'][:80]}: {', '.join(names[:MAX_NAMES])}{more}"
        return self.part_ranges.make_entry(member, label.removesuffix(": "), RANK)


def _list_members(value: dict[str, JsonValue]) -> Iterator[str]:
    """Yield the names of fields, values or possible types, with their arguments and whether they are deprecated."""
    lists = (value[key] for key in MEMBERS if isinstance(value.get(key), list) and value[key])
    rows: Sequence[JsonValue] = next(lists, ())
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            continue
        arguments = row.get("args") if isinstance(row.get("args"), list) else ()
        listed = ", ".join(str(item.get("name")) for item in arguments or () if isinstance(item, dict))
        note = " (deprecated)" if row.get("isDeprecated") is True else ""
        yield f"{row['name']}{f'({listed})' if listed else ''}{note}"[:120]
