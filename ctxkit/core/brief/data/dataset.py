"""The map of structured data: what is odd, its shape, and where what stands, in any size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.data.schema import Place, Schema, unplaced
from ctxkit.core.brief.data.shape import Shape
from ctxkit.core.brief.outline import Entry, Outline, Section

SMALLEST = 6
"""Entries of the poorest map."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Know what stands where: ``where`` gives at most so many entries, ``place`` the lines of a path."""

    title: str
    noun: str
    where: Callable[[int], Sequence[Entry]]
    place: Place = unplaced


def outlines(
    kind: str, summary: Sequence[Entry], odd: Sequence[Entry], root: Shape, parts: Parts, target: int
) -> list[Outline]:
    """Return maps of fewer and fewer entries, starting from what ``target`` tokens can hold at most."""
    schema = Schema(root)
    made, most = [], min(max(target // 8, SMALLEST), schema.size * 2 + len(odd) + 40)
    while True:
        made.append(Outline(kind, _sections(summary, odd, schema, parts, most)))
        if most <= SMALLEST:
            return made
        most = most * 5 // 6


def _sections(
    summary: Sequence[Entry], odd: Sequence[Entry], schema: Schema, parts: Parts, most: int
) -> tuple[Section, ...]:
    """Share ``most`` entries out: half to what is odd, a quarter to the parts, the rest to the shape."""
    few = tuple(odd[: max(most // 2, 2)])
    places = tuple(parts.where(max(most // 4, most - len(few) - schema.size)))
    shape, hidden = schema.lines(max(most - len(few) - len(places), 2), parts.place)
    if len(few) < len(odd):
        few += (Entry(f"{len(odd) - len(few):,} more like these, not shown", rank=10),)
    deeper = f"; {hidden:,} deeper or further paths not shown" if hidden else ""
    return (
        Section("", tuple(summary)),
        Section("Irregular", few, noun="irregularities"),
        Section(f"Shape (a schema; paths, types, how often{deeper})", tuple(shape), noun="paths"),
        Section(parts.title, places, noun=parts.noun),
    )
