"""Join duplicated statements into runs: copied ranges of adjacent statements."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.duplicate_groups import StatementConflict
from ctxkit.core.lint.similarity.statement_groups import DuplicateGroup

HasCommonSet = Callable[[str, str], bool]
"""Returns whether two paths are ever in a window together."""
MIN_RUN = 3
"""Minimum number of adjacent statements of a copied run."""
MAX_PAIRED_PLACES = 6
"""Maximum number of places of a statement whose pairs are tried for a run."""
MIN_SIMILARITY = 0.7
"""Minimum similarity of two different statements that are the drifted part of a copy."""

Places = tuple[int, ...]
"""Places of statements in the order of all statements."""


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
        self.units, self.has_common_set = tuple(order), has_common_set
        self.order = {unit: place for place, unit in enumerate(order)}
        self.link_by_place: list[CopyLink | None] = [None] * len(self.units)  # by place: hashing a statement takes time
        for link in links:
            for place in self._find_places(link.units):
                self.link_by_place[place] = self.link_by_place[place] or link
        self.used: set[int] = set()

    def build(self, link: CopyLink) -> Iterator[CopyRun]:
        """Yield the run of a link, and the rest of the link."""
        places = self._find_places(link.units)
        if self.used.isdisjoint(places):
            run = self._find_longest(places)
            self.used.update(place for step in run for place in step)
            yield from _trim_drifted([self._make_link(step) for step in run])
        open_ = tuple(unit for unit in link.units if self.order[unit] not in self.used)
        if open_:
            homes = {unit.path for unit in open_}
            used = (unit for unit in link.units if self.order[unit] in self.used)
            keepers = [unit for unit in used if any(self.has_common_set(unit.path, home) for home in homes)]
            if keepers or len(open_) > 1:
                yield CopyRun((_restrict_link(link, (*keepers, *open_)),), len(keepers))
        self.used.update(self._find_places(open_))

    def _find_places(self, units: Iterable[Unit]) -> Places:
        return tuple(map(self.order.__getitem__, units))

    def _make_link(self, places: Places) -> CopyLink:
        """Return the link that some places belong to, restricted to these places."""
        link = self.link_by_place[places[0]]
        assert link is not None
        return _restrict_link(link, tuple(map(self.units.__getitem__, places)))

    def _find_longest(self, places: Places) -> Sequence[Places]:
        """Return the run that covers most: in all places of a link, or in two of its places."""
        best = self._extend(places)
        coverage = len(best) * (len(places) - 1)
        run_pairs: set[Places] = set()
        for pair in combinations(places[:MAX_PAIRED_PLACES], 2) if len(places) > 2 else ():
            if pair not in run_pairs and len(self.units) - abs(pair[1] - pair[0]) > coverage:
                run = self._extend(pair)
                run_pairs.update(run)
                if len(run) >= MIN_RUN and len(run) > coverage:
                    best, coverage = run, len(run)
        return best

    def _extend(self, places: Places) -> Sequence[Places]:
        """Return the run of links before and after ``units`` that are linked in the same places."""
        preceding, following = [places], [places]
        while neighbours := self._find_neighbours(preceding[-1], -1):
            preceding.append(neighbours)
        while neighbours := self._find_neighbours(following[-1], 1):
            following.append(neighbours)
        return [*reversed(preceding), *following[1:]]

    def _find_neighbours(self, places: Places, step: int) -> Places:
        """Return the places right behind some places (or before) if one link has them all; else no places."""
        neighbours = tuple(place + step for place in places)
        if min(neighbours) < 0 or max(neighbours) >= len(self.units) or not self.used.isdisjoint(neighbours):
            return ()
        links = self.link_by_place
        link = links[neighbours[0]]
        if link is None or link is links[places[0]] or any(links[place] is not link for place in neighbours):
            return ()
        if not set(neighbours).isdisjoint(places):
            return ()  # one statement again and again is no stretch, and following it takes squared time
        pairs = zip(places, neighbours, strict=True)
        return neighbours if all(self.units[a].path == self.units[b].path for a, b in pairs) else ()


def _restrict_link(link: CopyLink, units: tuple[Unit, ...]) -> CopyLink:
    """Return a link with some of its statements."""
    same = not link.has_drifted and len({unit.normal for unit in units}) == 1
    return link._replace(units=units, score=1.0 if same else link.score)


def _trim_drifted(run: Sequence[CopyLink]) -> Iterator[CopyRun]:
    """Yield a run without drifted links at its ends; nothing if all have drifted."""
    same = [index for index, link in enumerate(run) if not link.has_drifted]
    if same:
        yield CopyRun(tuple(run[same[0] : same[-1] + 1]))
