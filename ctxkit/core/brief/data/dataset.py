"""Outlines of structured data of any size: anomalies, shape, and ranges of parts."""

from collections.abc import Callable, Sequence

from ctxkit.core.brief.data.schema import EntryFactory, Schema, make_unplaced_entry
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.quick_dataclass import dataclass

MIN_ENTRIES = 6
"""Number of entries in the shortest outline."""


@dataclass(frozen=True, slots=True)
class PartsIndex:
    """Locate parts: ``list_entries`` returns at most a given number of entries, ``make_entry`` the lines of a path."""

    title: str
    noun: str
    list_entries: Callable[[int], Sequence[Entry]]
    make_entry: EntryFactory = make_unplaced_entry


def build_data_outlines(
    kind: str, summary: Sequence[Entry], anomalies: Sequence[Entry], root: DataShape, parts: PartsIndex, target: int
) -> list[Outline]:
    """Return outlines with fewer and fewer entries, beginning with the most that ``target`` tokens may hold."""
    schema = Schema(root)
    variants, most = [], min(max(target // 8, MIN_ENTRIES), schema.size * 2 + len(anomalies) + 40)
    while True:
        variants.append(Outline(kind, _build_sections(summary, anomalies, schema, parts, most)))
        if most <= MIN_ENTRIES:
            return variants
        most = most * 5 // 6


def _build_sections(
    summary: Sequence[Entry], anomalies: Sequence[Entry], schema: Schema, parts: PartsIndex, most: int
) -> tuple[Section, ...]:
    """Divide ``most`` entries: half for anomalies, a quarter for the parts, the rest for the shape."""
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
