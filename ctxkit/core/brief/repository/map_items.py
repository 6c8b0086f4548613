"""Parts of a map of a repository, the most useful first."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush

from ctxkit.core.brief.focus.terms import Term
from ctxkit.core.brief.repository.file_roles import Role
from ctxkit.core.brief.repository.ranking import STYLES, RankedSymbol, Ranking, rank_symbols
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Symbol
from ctxkit.core.named_tuple import NamedTuple

SCORE_POWER = 0.6
"""Power of the score in the value of a definition: 1 prefers a few definitions with many uses, 0 treats all alike."""
BASE_VALUES = {Role.ENTRY: 0.10, Role.SOURCE: 0.06, Role.OTHER: 0.06, Role.TEST: 0.01, Role.DERIVED: 0.002}
"""Value of a definition that no other file uses, by the role of its file."""
FILE_VALUES = {Role.ENTRY: 6.0, Role.SOURCE: 3.0, Role.OTHER: 0.4, Role.TEST: 0.3, Role.DERIVED: 0.02}
"""Value of the name of a file, by its role."""
EMPTY = 0.4
"""Factor of the value of a source file's name if it defines nothing."""
SHARE_VALUE = 3.0
"""Value of a file's name by its share in the references, relative to the mean."""
SIGNATURE_VALUE = 0.08
"""Value of a signature, relative to the value of its definition."""
INNER, PRIVATE, INLINE_TEST = 0.3, 0.4, 0.05
"""Factors of the base value for members of types, for names that begin with an underscore, and for tests in source."""
FOCUS_FACTOR, NEAR_FACTOR = 1_000.0, 20.0
"""Factors of what matches the focus, and of the definitions in a file whose path does."""
CHARACTERS = 3.5
"""Characters of names and signatures in a token."""


class MapItem(NamedTuple):
    """A part that a map may show: the name of a file, a definition or a signature.

    ``file`` is the index of the file; ``at`` that of the definition in it, -1 for the file itself.
    """

    file: int
    at: int = -1
    signed: bool = False


class RatedItem(NamedTuple):
    """A part with its value, and an estimate of its tokens apart from those of its file and directory."""

    value: float
    tokens: float
    item: MapItem

    def rate(self, overhead: float) -> float:
        """Return the value for each token, with the tokens of a file or a directory that it is the first to name."""
        return self.value / (self.tokens + overhead)


def order_items(files: Sequence[RepositoryFile], terms: Sequence[Term] = ()) -> list[MapItem]:
    """Return all parts of a map in the order in which they enter it; ``terms`` are those of the focus."""
    ranking = rank_symbols(files)
    best = _find_best_match(files, ranking.symbols, terms)
    queues: list[list[RatedItem]] = [[] for _ in files]
    for rated in _rate_symbols(files, ranking, terms, best):
        queues[rated.item.file].append(rated)
    for queue in queues:
        queue.sort(key=lambda rated: (rated.rate(0), -rated.item.at))
    return list(_ItemQueue(files, list(_rate_files(files, ranking, terms, best)), queues))


class _ItemQueue:
    """Yields the parts of all files by their value for each token, which rises as files and directories are named."""

    def __init__(
        self, files: Sequence[RepositoryFile], names: Sequence[RatedItem], queues: Sequence[list[RatedItem]]
    ) -> None:
        self._files, self._names, self._queues = files, names, queues
        self._members: defaultdict[str, list[int]] = defaultdict(list)
        for number, file in enumerate(files):
            self._members[file.directory].append(number)
        self._named: set[int] = set()
        self._opened: set[str] = set()

    def __iter__(self) -> Iterator[MapItem]:
        heap = [self._make_entry(number) for number in range(len(self._files))]
        heapify(heap)
        while heap:
            entry = heappop(heap)
            number = entry[1]
            best = self._find_best(number)
            if best is None or entry != self._make_entry(number):  # an older entry of the file
                continue
            if best.item.at >= 0:
                self._queues[number].pop()
            yield best.item
            for changed in self._mark(number):
                if self._find_best(changed) is not None:
                    heappush(heap, self._make_entry(changed))

    def _mark(self, number: int) -> Sequence[int]:
        """Note that the map names a file; return the files whose values for each token have changed."""
        directory = self._files[number].directory
        changed = [number] if directory in self._opened else self._members[directory]
        self._named.add(number)
        self._opened.add(directory)
        return changed

    def _find_best(self, number: int) -> RatedItem | None:
        """Return the best part of a file: a definition, or its name if the map does not name it yet."""
        overhead = self._estimate_overhead(number)
        parts = [*self._queues[number][-1:], *([] if number in self._named else [self._names[number]])]
        return max(parts, key=lambda rated: rated.rate(overhead), default=None)

    def _make_entry(self, number: int) -> tuple[float, int]:
        best = self._find_best(number)
        return (-best.rate(self._estimate_overhead(number)) if best else 0.0), number

    def _estimate_overhead(self, number: int) -> float:
        """Return the tokens that name a file and its directory, as far as the map does not name them yet."""
        file = self._files[number]
        by_directory = 0.0 if file.directory in self._opened else 3 + len(file.directory) / CHARACTERS
        return (0.0 if number in self._named else 2 + len(file.base) / CHARACTERS) + by_directory


def count_matches(text: str, terms: Sequence[Term]) -> int:
    """Return how many of the terms a text contains, in any letter case."""
    low = text.lower()
    return sum(term.is_in(text, low) for term in terms)


def _find_best_match(files: Sequence[RepositoryFile], symbols: Sequence[RankedSymbol], terms: Sequence[Term]) -> int:
    """Return the most terms of the focus that a path or a definition contains; 0 without a focus."""
    if not terms:
        return 0
    by_path = max((count_matches(file.path, terms) for file in files), default=0)
    return max(by_path, max((count_matches(_label(ranked.symbol), terms) for ranked in symbols), default=0))


def _label(symbol: Symbol) -> str:
    return f"{symbol.owner} {symbol.name} {symbol.signature}"


def _rate_symbols(
    files: Sequence[RepositoryFile], ranking: Ranking, terms: Sequence[Term], best: int
) -> Iterator[RatedItem]:
    """Yield names and signatures of definitions with their values."""
    places: Counter[int] = Counter()
    near = {number for number, file in enumerate(files) if best and count_matches(file.path, terms) >= best}
    for ranked in ranking.symbols:
        at = places[ranked.file]
        places[ranked.file] += 1
        file, symbol = files[ranked.file], ranked.symbol
        value = _rate_symbol(file, symbol) + ranked.score**SCORE_POWER
        if best and count_matches(_label(symbol), terms) >= best:
            value = (value + 1) * FOCUS_FACTOR
        elif ranked.file in near:
            value *= NEAR_FACTOR
        yield RatedItem(value, 2.5 + len(symbol.name) / CHARACTERS, MapItem(ranked.file, at))
        if symbol.kind != "heading":
            tokens = 4 + max(len(symbol.signature) - len(symbol.name), 0) / CHARACTERS
            yield RatedItem(value * SIGNATURE_VALUE, tokens, MapItem(ranked.file, at, signed=True))


def _rate_symbol(file: RepositoryFile, symbol: Symbol) -> float:
    """Return the value of a definition apart from its uses."""
    value = BASE_VALUES[file.role]
    if symbol.kind == "heading":
        return value * 2 if symbol.depth == 0 else value / 2
    if "tests" in (symbol.name, symbol.owner):
        value *= INLINE_TEST
    if symbol.depth:
        value *= INNER**symbol.depth
    if symbol.name.startswith("_"):
        value *= PRIVATE
    return value * 0.1 if file.language in STYLES else value


def _rate_files(
    files: Sequence[RepositoryFile], ranking: Ranking, terms: Sequence[Term], best: int
) -> Iterator[RatedItem]:
    """Yield the names of files with their values."""
    for number, file in enumerate(files):
        value = FILE_VALUES[file.role] / (1 + file.path.count("/") * (file.role is Role.ENTRY))
        value += SHARE_VALUE * FILE_VALUES[file.role] * ranking.shares[number] / 2
        value *= EMPTY if file.role is Role.SOURCE and not file.symbols else 1
        if best and count_matches(file.path, terms) >= best:
            value = (value + 1) * FOCUS_FACTOR
        yield RatedItem(value, 0.5, MapItem(number))
