"""Trees of data with line numbers, which the YAML and XML readers build."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import PathSteps, ValueTest


@dataclass(slots=True, eq=False)
class DataNode:
    """Hold one value, its key (None for a list element), and its lines from ``at`` to before ``end``.

    If everything is on one long line, these are byte offsets from 0. ``start`` is the first line of the value itself.
    ``children`` are the members of a list or mapping.
    """

    key: str | None
    at: int
    start: int
    end: int
    value: JsonValue = None
    children: "list[DataNode]" = field(default_factory=list)

    def close(self, end: int) -> None:
        """End before line ``end``, but after the node's first line."""
        self.end = max(end, self.at + 1)


def set_mapping_value(node: DataNode) -> None:
    """Set the value to a mapping of the children; the last of equal keys counts."""
    node.value = {child.key or "": child.value for child in node.children}


def set_list_value(node: DataNode) -> None:
    """Set the value to a list of the children."""
    node.value = [child.value for child in node.children]


def make_list_node(key: str | None, members: Iterable[DataNode]) -> DataNode:
    """Return a list node of nodes that follow each other, maybe with other nodes between them."""
    below = list(members)
    for member in below:
        member.key = None
    node = DataNode(key, below[0].at, below[0].start, below[-1].end, children=below)
    set_list_value(node)
    return node


MIN_ROWS = 20
"""Number of members of one list from which data is a table of records."""
ROWS_SHARE = 0.6
"""Share of the lines that such a list takes at least. Of settings, manifests and playbooks, the lines themselves answer
more questions than the schema: measured on the outputs of `bench brief --part fresh`."""
EQUAL_SHARE = 0.3
"""Minimum share of records with the same names: some of them lack an optional one."""


def holds_records(roots: Sequence[DataNode]) -> bool:
    """Return whether most lines of the documents are records of one list, or of one document after the other."""
    size = sum(root.end - root.at for root in roots)
    if len(roots) >= MIN_ROWS:
        return True
    lists = (node.children for root in roots for node in walk(root) if len(node.children) >= MIN_ROWS)
    return any(sum(row.end - row.at for row in rows) >= ROWS_SHARE * size and _are_records(rows) for rows in lists)


def _are_records(rows: Sequence[DataNode]) -> bool:
    """Return whether the rows are elements of which many have equal names: the steps of a playbook have not."""
    names = Counter(frozenset(child.key for child in row.children) for row in rows if row.key is None)
    return max(names.values(), default=0) >= EQUAL_SHARE * len(rows)


def walk(root: DataNode) -> Iterator[DataNode]:
    """Yield a node and all its descendants, in order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


class DataNodes:
    """Find lines and members in a tree of nodes, as ``JsonPositions`` does in a JSON text."""

    def line(self, position: int) -> int:
        """Return the position itself: nodes are placed by lines."""
        return position

    def byte(self, position: int) -> int:
        """Return the position itself: on one long line, nodes are placed by bytes."""
        return position

    def below(self, node: DataNode) -> list[DataNode]:
        """Return the members of a list or mapping."""
        return node.children

    def value(self, node: DataNode) -> JsonValue:
        """Return the value of a node."""
        return node.value

    def is_plain(self, node: DataNode) -> bool:
        """Return whether a value is neither a list nor a mapping."""
        return not isinstance(node.value, dict | list)

    def find(self, place: DataNode, steps: PathSteps, test: ValueTest | None = None) -> DataNode | None:
        """Return the first value below ``place`` on the path that passes the test; a None step is any member."""
        if not steps:
            return place if test is None or test(place.value) else None
        step = steps[0]
        children = place.children
        if isinstance(step, int):
            children = children[step : step + 1]
        elif step is not None:
            children = [child for child in children if child.key == step][-1:]
        matches = (self.find(child, steps[1:], test) for child in children)
        return next((match for match in matches if match), None)
