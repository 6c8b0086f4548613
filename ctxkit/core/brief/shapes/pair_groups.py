"""Groups of keys by their prefix, and the order in which their values are shown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from ctxkit.core.brief.shapes.pair_reader import Pair, PairReader

RANGE_LINES = 110
"""Maximum number of lines of a group, if its keys have further prefixes."""
NOTHING = frozenset((
    *("", "0", "no", "off", "false", "none", "(none)", "-", "--", "n/a", "null", "undefined", "disabled", "0 kb"),
))
"""Values that say that something is absent."""
COMMON = frozenset(("1", "-1", "yes", "on", "true", "enabled"))
MANY = 6
TELLING = re.compile(
    r"(?i)version|release|name|host|port\b|max|limit|forward|path|dir\b|user|size|timeout|memory|enabled?\b"
)
"""Pattern of keys that are asked for more often than others."""


@dataclass(frozen=True, slots=True)
class PairGroup:
    """Hold consecutive pairs whose keys share a prefix."""

    prefix: str
    pairs: Sequence[Pair]

    @property
    def start(self) -> int:
        """Return the first line."""
        return self.pairs[0].line

    @property
    def end(self) -> int:
        """Return the last line."""
        return self.pairs[-1].line


def find_key_mark(pairs: Sequence[Pair]) -> str:
    """Return the character that divides keys into parts: a point, an underscore, a dash or a blank; or nothing."""
    for mark in (".", "_", "-", " "):
        if sum(mark in pair.key for pair in pairs) * 2 > len(pairs):
            return mark
    return ""


def group_pairs(pairs: Sequence[Pair], mark: str, width: int = RANGE_LINES, least: int = MANY) -> list[PairGroup]:
    """Return groups of consecutive pairs by their prefixes, deeper where a group is long.

    Neighbours of fewer than ``least`` pairs are joined, but to no more than ``width``.
    """
    groups = list(_split_group(pairs, mark, 1, width)) if mark else list(_cut_pairs("", pairs, width))
    return list(_join_small(groups, mark, width, least))


def _split_group(pairs: Sequence[Pair], mark: str, depth: int, width: int) -> Iterator[PairGroup]:
    for prefix, run in groupby(pairs, lambda pair: mark.join(pair.key.split(mark)[:depth])):
        members = list(run)
        if len(members) <= width:
            yield PairGroup(prefix, members)
        elif depth < 6 and any(pair.key.count(mark) >= depth for pair in members):
            yield from _split_group(members, mark, depth + 1, width)
        else:
            yield from _cut_pairs(prefix, members, width)


def _cut_pairs(prefix: str, pairs: Sequence[Pair], width: int) -> Iterator[PairGroup]:
    for start in range(0, len(pairs), width):
        yield PairGroup(prefix, pairs[start : start + width])


def _join_small(groups: Sequence[PairGroup], mark: str, width: int, least: int) -> Iterator[PairGroup]:
    """Yield groups, with neighbours joined while they are small together."""
    waiting: list[PairGroup] = []
    size = 0
    for group in [*groups, None]:
        if waiting and (group is None or not _can_join(waiting[0], size, group, mark, width, least)):
            yield _join_groups(waiting, mark)
            waiting, size = [], 0
        if group is not None:
            waiting.append(group)
            size += len(group.pairs)


def _can_join(first: PairGroup, size: int, group: PairGroup, mark: str, width: int, least: int) -> bool:
    """Return whether a group may join ``size`` pairs: they are few, or share a prefix and either are few."""
    if not mark or size + len(group.pairs) > width:
        return False
    related = first.prefix.split(mark)[0] == group.prefix.split(mark)[0]
    return (related and min(size, len(group.pairs)) < least) or max(size, len(group.pairs)) < least


def _join_groups(groups: Sequence[PairGroup], mark: str) -> PairGroup:
    """Return one group with the parts of the prefix that all share, or with the prefixes."""
    if len(groups) == 1:
        return groups[0]
    pairs = [pair for group in groups for pair in group.pairs]
    split = [group.prefix.split(mark) for group in groups]
    shared = [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*split, strict=False))]
    if shared:
        return PairGroup(mark.join(shared), pairs)
    names = list(dict.fromkeys(parts[0] for parts in split if parts[0]))
    return PairGroup(", ".join(names[:MANY]) + (f", +{len(names) - MANY:,}" if len(names) > MANY else ""), pairs)


def order_pairs(reader: PairReader, mark: str) -> list[Pair]:
    """Return the pairs in the order in which they are shown: rare and telling values first, repeated ones last."""
    families: dict[tuple[str, str], str] = {}
    rated = []
    for place, pair in enumerate(reader.pairs):
        parts = pair.key.split(mark) if mark else [pair.key]
        again = False
        if len(parts) > 2:
            family = (mark.join(parts[:-2]), parts[-1])
            again = families.get(family) == pair.value
            families.setdefault(family, pair.value)
        rated.append((_rate_pair(pair, len(parts), reader, again=again), place, pair))
    return [pair for _, _, pair in sorted(rated)]


def _rate_pair(pair: Pair, depth: int, reader: PairReader, *, again: bool) -> float:
    """Return how late a pair is shown."""
    if again:
        return 20.0
    rate = 0.7 * depth
    value = pair.value.lower()
    if value in NOTHING:
        rate += 4
    elif value in COMMON:
        rate += 3
    elif reader.values[pair.value] > MANY:
        rate += 1
    if TELLING.search(pair.key):
        rate -= 1.5
    return rate + len(pair.value) / 80
