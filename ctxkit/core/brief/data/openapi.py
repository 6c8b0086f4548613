"""Operations of an OpenAPI description, with their places."""

from collections.abc import Collection, Sequence

from ctxkit.core.brief.data.part_ranges import PartRanges
from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import JsonMember

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
RANK = 25
"""Rank of operations: after anomalies and the top of the shape, before the inner shape."""


def describes_operations(keys: Collection[str | None]) -> bool:
    """Return whether the keys at the top of a document are those of an OpenAPI description."""
    return "paths" in keys and ("openapi" in keys or "swagger" in keys)


class OpenApiOperations:
    """Hold the paths of an OpenAPI description; ``paths`` is empty for other documents."""

    def __init__(self, part_ranges: PartRanges, root: JsonMember) -> None:
        self.part_ranges = part_ranges
        self.paths: list[tuple[JsonValue, list[JsonValue]]] = []
        below = {member.key: member for member in part_ranges.places.below(root)}
        if describes_operations(below):
            for path in filter(_is_named, part_ranges.places.below(below["paths"])):
                self.paths.append(
                    (path, [operation for operation in part_ranges.places.below(path) if operation.key in METHODS])
                )

    def build_section(self, most: int) -> Section:
        """Return a section of about ``most`` entries: all operations, all paths, or runs of paths."""
        return Section("Operations", tuple(self._list_entries(max(most, 2))), noun="operations")

    def _list_entries(self, most: int) -> Sequence[Entry]:
        if sum(len(inner) for _, inner in self.paths) <= most:
            return [self._make_operation_entry(path, operation) for path, inner in self.paths for operation in inner]
        if len(self.paths) <= most:
            return [
                self.part_ranges.make_entry(path, f"{path.key} ({_format_methods(inner)})", RANK)
                for path, inner in self.paths
            ]
        size = -(-len(self.paths) // most)
        return [self._make_run_entry(self.paths[at : at + size]) for at in range(0, len(self.paths), size)]

    def _make_operation_entry(self, path: JsonValue, operation: JsonValue) -> Entry:
        value = self.part_ranges.places.value(operation)
        summary = value.get("operationId") or value.get("summary") if isinstance(value, dict) else ""
        suffix = f": {summary[:80]}" if isinstance(summary, str) and summary else ""
        return self.part_ranges.make_entry(operation, f"{operation.key.upper()} {path.key}{suffix}", RANK)

    def _make_run_entry(self, run: Sequence[tuple[JsonValue, list[JsonValue]]]) -> Entry:
        count = sum(len(inner) for _, inner in run)
        text = f"{run[0][0].key} to {run[-1][0].key} ({count:,} operations on {len(run):,} paths)"
        return self.part_ranges.make_range_entry(run[0][0], run[-1][0], text, RANK)


def _is_named(member: JsonMember) -> bool:
    return member.key is not None


def _format_methods(inner: Sequence[JsonValue]) -> str:
    return ", ".join(operation.key.upper() for operation in inner) or "no operation"
