"""Outlines of values with places: their shape, their anomalies, and the ranges of their parts."""

from collections.abc import Sequence
from functools import cached_property

from ctxkit.core.brief.data.anomalies import Anomaly, find_anomalies
from ctxkit.core.brief.data.dataset import PartsIndex, build_data_outlines
from ctxkit.core.brief.data.graphql_types import GraphqlTypes
from ctxkit.core.brief.data.large_json import LargeJson
from ctxkit.core.brief.data.literals import format_step
from ctxkit.core.brief.data.openapi import OpenApiOperations
from ctxkit.core.brief.data.part_ranges import PartRanges
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import JsonMember, JsonPositions


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
        variants = build_data_outlines(kind, summary, anomaly_entries, self.root, parts, target)
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
