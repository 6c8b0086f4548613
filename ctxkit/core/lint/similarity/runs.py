"""Join duplicated statements into runs: copied ranges of adjacent statements."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.duplicate_groups import DuplicateGroup, StatementConflict

HasCommonSet = Callable[[str, str], bool]
"""Returns whether two paths are ever in a window together."""
MIN_RUN = 3
"""Minimum number of adjacent statements of a copied run."""
MAX_PAIRED_PLACES = 6
"""Maximum number of places of a statement whose pairs are tried for a run."""
MIN_SIMILARITY = 0.7
"""Minimum similarity of two different statements that are the drifted part of a copy."""


class CopyLink(NamedTuple):
    """Corresponding statements in two or more places: equal, similar, or drifted."""

    units: tuple[Unit, ...]
    score: float
    has_drifted: bool


class CopyRun(NamedTuple):
    """Links that are adjacent in every place; the first ``shared_count`` statements belong to another run too."""

    links: tuple[CopyLink, ...]
    shared_count: int = 0

    @property
    def places(self) -> tuple[LineRange, ...]:
        """Return the lines of each copy, in the order of the units of a link."""
        first, last = self.links[0].units, self.links[-1].units
        return tuple(LineRange(a.path, a.line, max(a.end_line, b.end_line)) for a, b in zip(first, last, strict=True))

    @property
    def score(self) -> float:
        """Return the lowest similarity of its links."""
        return min(link.score for link in self.links)

    @property
    def mean(self) -> float:
        """Return the mean similarity of its links."""
        return sum(link.score for link in self.links) / len(self.links)

    @property
    def drifted_links(self) -> tuple[CopyLink, ...]:
        """Return the links whose statements no longer say the same."""
        return tuple(link for link in self.links if link.has_drifted)


def find_runs(
    groups: Iterable[DuplicateGroup],
    conflicts: Iterable[StatementConflict],
    order: Mapping[Unit, int],
    has_common_set: HasCommonSet,
) -> Iterator[CopyRun]:
    """Yield the runs that groups form, in order; a conflict between two links of a run belongs to it.

    ``order`` maps all statements to their positions, in order. If a group has more places than its neighbours, the
    places that continue belong to the run. The other places form a second run of their own.
    """
    links = [CopyLink(group.units, group.score, False) for group in groups]
    linked_units = {unit for link in links for unit in link.units}
    links += [
        CopyLink(tuple(sorted((clash.first, clash.second), key=order.__getitem__)), clash.similarity.score, True)
        for clash in conflicts
        if clash.similarity.score >= MIN_SIMILARITY
        and clash.first not in linked_units
        and clash.second not in linked_units
    ]
    links.sort(key=lambda link: ([order[unit] for unit in link.units], link.has_drifted))
    builder = _RunBuilder(links, order, has_common_set)
    for link in links:
        yield from builder.build(link)


class _RunBuilder:
    """Joins links to runs; only the kept statement of several copies can be in two runs."""

    def __init__(self, links: Sequence[CopyLink], order: Mapping[Unit, int], has_common_set: HasCommonSet) -> None:
        self.order, self.units, self.has_common_set = order, tuple(order), has_common_set
        self.link_by_unit: dict[Unit, CopyLink] = {}
        for link in links:
            for unit in link.units:
                self.link_by_unit.setdefault(unit, link)
        self.used: set[Unit] = set()

    def build(self, link: CopyLink) -> Iterator[CopyRun]:
        """Yield the run of a link, and the rest of the link."""
        open_ = tuple(unit for unit in link.units if unit not in self.used)
        if len(open_) == len(link.units):
            run = self._find_longest(link)
            self.used.update(unit for one in run for unit in one.units)
            yield from _trim_drifted(run)
            open_ = tuple(unit for unit in open_ if unit not in self.used)
        if open_:
            homes = {unit.path for unit in open_}
            used = (unit for unit in link.units if unit in self.used)
            keepers = [unit for unit in used if any(self.has_common_set(unit.path, home) for home in homes)]
            if keepers or len(open_) > 1:
                yield CopyRun((_restrict_link(link, (*keepers, *open_)),), len(keepers))
        self.used.update(open_)

    def _find_longest(self, link: CopyLink) -> Sequence[CopyLink]:
        """Return the run that covers most: in all places of a link, or in two of its places."""
        full_run = self._extend(link, link.units)
        pairs = combinations(link.units[:MAX_PAIRED_PLACES], 2) if len(link.units) > 2 else ()
        pair_runs = [run for pair in pairs if len(run := self._extend(link, pair)) >= MIN_RUN]
        return max([full_run, *pair_runs], key=lambda run: len(run) * (len(run[0].units) - 1))

    def _extend(self, link: CopyLink, units: tuple[Unit, ...]) -> Sequence[CopyLink]:
        """Return the run of links before and after ``units`` that are linked in the same places."""
        run = [_restrict_link(link, units)]
        while following := self._find_neighbour(run[-1].units, 1):
            run.append(following)
        while preceding := self._find_neighbour(run[0].units, -1):
            run.insert(0, preceding)
        return run

    def _find_neighbour(self, units: tuple[Unit, ...], step: int) -> CopyLink | None:
        """Return the link after (or before) ``units``, if it has the same places; else None."""
        places = [self.order[unit] + step for unit in units]
        if min(places) < 0 or max(places) >= len(self.units):
            return None
        neighbours = tuple(self.units[place] for place in places)
        if any(a.path != b.path or b in self.used for a, b in zip(units, neighbours, strict=True)):
            return None
        link = self.link_by_unit.get(neighbours[0])
        if (
            link is None
            or link is self.link_by_unit.get(units[0])
            or len(set(neighbours) | set(units)) < 2 * len(units)
        ):
            return None  # a repeated statement is not a run, and following it takes quadratic time
        return (
            _restrict_link(link, neighbours)
            if all(self.link_by_unit.get(unit) is link for unit in neighbours)
            else None
        )


def _restrict_link(link: CopyLink, units: tuple[Unit, ...]) -> CopyLink:
    """Return a link with some of its statements."""
    same = not link.has_drifted and len({unit.normal for unit in units}) == 1
    return link._replace(units=units, score=1.0 if same else link.score)


def _trim_drifted(run: Sequence[CopyLink]) -> Iterator[CopyRun]:
    """Yield a run without drifted links at its ends; nothing if all have drifted."""
    same = [index for index, link in enumerate(run) if not link.has_drifted]
    if same:
        yield CopyRun(tuple(run[same[0] : same[-1] + 1]))
