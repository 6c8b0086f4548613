"""Build groups of similar statements from the similarity of pairs."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.pair_comparison import SURE_SIMILARITY


class DuplicateGroup(NamedTuple):
    """Statements that say the same; ``score`` is 1.0 if they differ only in formatting, else the lowest similarity."""

    units: tuple[Unit, ...]
    score: float


def build_groups(
    same: Mapping[str, list[Unit]],
    edges: Mapping[tuple[str, str], float],
    conflicting: Set[tuple[str, str]],
    loads: LoadSetIndex,
) -> Iterator[DuplicateGroup]:
    """Yield groups: exact copies, and statements similar to half of the group without a conflict.

    ``same`` are the exact copies by key, ``edges`` the similarities of pairs of keys, ``conflicting`` the pairs that
    may not be in one group.
    """
    builder = _GroupBuilder(same, edges, conflicting)
    for first_key, second_key in sorted(edges, key=lambda pair: (-edges[pair], pair)):
        builder.add_edge(first_key, second_key)
    for units, score in builder.list_groups():
        yield from _split_by_window(units, score, loads)


class _GroupBuilder:
    """Groups of keys that grow with each pair of similar statements, added from the most similar on."""

    def __init__(
        self,
        same: Mapping[str, list[Unit]],
        edges: Mapping[tuple[str, str], float],
        conflicting: Set[tuple[str, str]],
    ) -> None:
        self._same, self._edges, self._conflicting = same, edges, conflicting
        self._leader = {key: key for key in same}
        self._members = {key: [key] for key in same}
        self._scores = dict.fromkeys(same, 1.0)
        self._loose: dict[str, tuple[str, str]] = {}
        """Pairs of a sure group and a statement that is less similar to it, by the key of the statement."""

    def add_edge(self, first_key: str, second_key: str) -> None:
        """Join the groups of two keys if half of their pairs are similar, and none conflicts."""
        first_leader, second_leader = self._leader[first_key], self._leader[second_key]
        if first_leader == second_leader:
            return
        score = self._edges[first_key, second_key]
        if score < SURE_SIMILARITY and (self._is_sure_group(first_leader) or self._is_sure_group(second_leader)):
            loose_key = second_key if self._is_sure_group(first_leader) else first_key
            self._loose.setdefault(loose_key, (first_key, second_key))
            return
        first_members, second_members = self._members[first_leader], self._members[second_leader]
        pairs = [pair for a in first_members for b in second_members for pair in ((a, b), (b, a))]
        if 4 * sum(pair in self._edges for pair in pairs) >= len(pairs) and self._conflicting.isdisjoint(pairs):
            self._leader.update(dict.fromkeys(second_members, first_leader))
            self._members[first_leader] += self._members.pop(second_leader)
            self._scores[first_leader] = min(self._scores[first_leader], self._scores[second_leader], score)

    def _is_sure_group(self, leader: str) -> bool:
        """Return whether a group has several statements that are certainly alike."""
        several = len(self._members[leader]) + len(self._same[leader]) > 2
        return several and self._scores[leader] >= SURE_SIMILARITY

    def list_groups(self) -> Iterator[tuple[Sequence[Unit], float]]:
        """Yield the statements of each group with its score, then the loose pairs whose statement is alone."""
        place = {key: number for number, key in enumerate(self._same)}
        for leader, keys in self._members.items():
            if len(keys) > 1 or len(self._same[leader]) > 1:
                units = [unit for key in sorted(keys, key=place.__getitem__) for unit in self._same[key]]
                yield units, self._scores[leader]
        for key, (first_key, second_key) in self._loose.items():
            is_alone = len(self._members.get(key, ())) + len(self._same[key]) == 2
            if is_alone and self._conflicting.isdisjoint({(first_key, second_key), (second_key, first_key)}):
                group_units = self._same[second_key if key == first_key else first_key]
                yield [*group_units, *self._same[key]], self._edges[first_key, second_key]


def _split_by_window(units: Sequence[Unit], score: float, loads: LoadSetIndex) -> Iterator[DuplicateGroup]:
    """Yield the statements of a group that share windows, one group per connected set."""
    waiting = list(enumerate(units))
    while waiting:
        joined = [waiting.pop(0)]
        homes: set[str] = set()
        for _, member in joined:
            if member.path in homes:
                continue
            homes.add(member.path)
            neighbours = [pair for pair in waiting if loads.has_common_set(member.path, pair[1].path)]
            if neighbours:
                taken = {number for number, _ in neighbours}
                waiting = [pair for pair in waiting if pair[0] not in taken]
                joined += neighbours
        kept_units = [unit for _, unit in sorted(joined, key=lambda pair: pair[0])]
        if len(kept_units) > 1 and any(unit.path != loads.prompt for unit in kept_units):
            exact = all(unit.normal == kept_units[0].normal for unit in kept_units)
            yield DuplicateGroup(tuple(kept_units), 1.0 if exact else score)
