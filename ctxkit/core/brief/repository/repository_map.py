"""The map of a repository within a token target."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby

from ctxkit.core.brief.focus.terms import Term
from ctxkit.core.brief.repository.ranking import STYLES, RankedSymbol, Ranking, rank_symbols
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Role, Symbol
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.escapes import clean_map
from ctxkit.core.text.lines import find_largest
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.core.text.retrieval_hint import Hint, indent_hints
from ctxkit.core.text.shell import format_name, quote_path
from ctxkit.core.tokens.vocabulary import Tokenizer

_LEAST_CLOSED, _ITEMS_PER_CLOSED = 8, 32
"""Directories that even a short map names without opening them, and parts of a map for each further one."""


class MapItem(NamedTuple):
    """A part that a map may show: the name of a file, a definition or a signature.

    ``file`` is the index of the file; ``at`` that of the definition in it, -1 for the file itself.
    """

    file: int
    at: int = -1
    signed: bool = False


class MapLayout:
    """Renders the files of a repository with any of the parts of a map."""

    def __init__(self, files: Sequence[RepositoryFile]) -> None:
        self._files = files
        self._by_directory: defaultdict[str, list[int]] = defaultdict(list)
        for number, file in enumerate(files):
            self._by_directory[file.directory].append(number)

    def render(self, items: Collection[MapItem], *, names_closed: bool = True) -> str:
        """Return the map with ``items``; each file is named, or counted once.

        The other directories come last: those with the most files by name if ``names_closed``.
        """
        shown: defaultdict[int, set[int]] = defaultdict(set)
        signed: defaultdict[int, set[int]] = defaultdict(set)
        for item in items:
            shown[item.file].update([item.at] if item.at >= 0 else [])
            if item.signed:
                signed[item.file].add(item.at)
        opened: defaultdict[str, list[int]] = defaultdict(list)
        for number in sorted(shown):
            opened[self._files[number].directory].append(number)
        parts: list[str] = []
        for directory in sorted(opened):
            parts += self._render_directory(opened[directory], shown, signed)
        if closed := count_closed(self._list_uncounted(opened), opened):
            most = _LEAST_CLOSED + len(items) // _ITEMS_PER_CLOSED if names_closed else 0
            parts.append(f"## Other files: {format_closed(closed, most)}")
        return "\n".join(parts)

    def _list_uncounted(self, opened: Mapping[str, Sequence[int]]) -> Iterator[str]:
        """Yield the directory of each file that is not named and not counted in the heading of its directory."""
        for directory, numbers in self._by_directory.items():
            named = len(opened.get(directory, ()))
            if named < 2:
                yield from [directory] * (len(numbers) - named)

    def _render_directory(
        self, numbers: Sequence[int], shown: Mapping[int, set[int]], signed: Mapping[int, set[int]]
    ) -> Iterator[str]:
        """Yield the heading of a directory and the rows of its files; a single file is a heading of its own."""
        directory = self._files[numbers[0]].directory
        if len(numbers) == 1:
            only = numbers[0]
            yield from _render_file(self._files[only], "## ", directory, shown[only], signed.get(only))
            return
        total = len(self._by_directory[directory])
        share = f"{len(numbers):,} of " if len(numbers) < total else ""
        yield f"## {format_name(directory or './')} ({share}{pluralize(total, 'file')})"
        bare = [format_name(self._files[number].base) for number in numbers if not shown[number]]
        for number in numbers:
            if shown[number]:
                yield from _render_file(self._files[number], "- ", "", shown[number], signed.get(number))
        if bare:
            yield f"- {', '.join(bare)}"


_SCORE_POWER = 0.6
"""Power of the score in the value of a definition: 1 prefers a few definitions with many uses, 0 treats all alike."""
_BASE_VALUES = {Role.ENTRY: 0.10, Role.SOURCE: 0.06, Role.OTHER: 0.06, Role.TEST: 0.01, Role.DERIVED: 0.002}
"""Value of a definition that no other file uses, by the role of its file."""
_FILE_VALUES = {Role.ENTRY: 6.0, Role.SOURCE: 3.0, Role.OTHER: 0.4, Role.TEST: 0.3, Role.DERIVED: 0.02}
"""Value of the name of a file, by its role."""
_EMPTY = 0.4
"""Factor of the value of a source file's name if it defines nothing."""
_SHARE_VALUE = 3.0
"""Value of a file's name by its share in the references, relative to the mean."""
_SIGNATURE_VALUE = 0.08
"""Value of a signature, relative to the value of its definition."""
_INNER, _PRIVATE, _INLINE_TEST = 0.3, 0.4, 0.05
"""Factors of the base value for members of types, for names that begin with an underscore, and for tests in source."""
_FOCUS_FACTOR, _NEAR_FACTOR = 1_000.0, 20.0
"""Factors of what matches the focus, and of the definitions in a file whose path does."""
_CHARACTERS = 3.5
"""Characters of names and signatures in a token."""


class RatedItem(NamedTuple):
    """A part with its value, and an estimate of its tokens apart from those of its file and directory."""

    value: float
    tokens: float
    item: MapItem

    def rate(self, overhead: float) -> float:
        """Return the value for each token, with the tokens of a file or a directory that it is the first to name."""
        return self.value / (self.tokens + overhead)


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
        by_directory = 0.0 if file.directory in self._opened else 3 + len(file.directory) / _CHARACTERS
        return (0.0 if number in self._named else 2 + len(file.base) / _CHARACTERS) + by_directory


_LONGEST_EXAMPLE = 120
"""Maximum lines of the range in the hint."""


class Repository(NamedTuple):
    """A directory for a map: its title, its path for commands, its files in order of paths, and notes.

    ``path`` is "" for the current directory, and otherwise ends in a slash.
    """

    title: str
    path: str
    files: Sequence[RepositoryFile]

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def definitions(self) -> int:
        """Return the number of definitions in the files that were read."""
        return sum(symbol.kind != "heading" for file in self.files for symbol in file.symbols)

    def count_skipped(self) -> dict[str, int]:
        """Return the numbers of source files that were not read, by the reason."""
        return dict(sorted(Counter(file.skipped for file in self.files if file.skipped).items()))


class RepositoryMap(NamedTuple):
    """A rendered map, its tokens, and the numbers of files and definitions that it names."""

    text: str
    tokens: int
    named_files: int = 0
    named_definitions: int = 0


def make_repository_map(
    repository: Repository, hint: Hint, count: Tokenizer, target: int, terms: Sequence[Term] = ()
) -> RepositoryMap | None:
    """Return the most detailed map of at most ``target`` tokens, or None if not even one line fits.

    ``terms`` are those of the focus.
    """
    order = order_items(repository.files, terms)
    layout = MapLayout(repository.files)

    def render(number: int, *, names_closed: bool = True) -> RepositoryMap:
        """Return the map with the first parts."""
        items = order[:number]
        body = layout.render(items, names_closed=names_closed)
        text = _add_frame(repository, body, _render_hint(repository, hint, items))
        named = {(item.file, item.at) for item in items if item.at >= 0}
        definitions = sum(repository.files[file].symbols[at].kind != "heading" for file, at in named)
        return RepositoryMap(text, count(text), len({item.file for item in items}), definitions)

    def fits(candidate: RepositoryMap) -> bool:
        return candidate.tokens <= target

    best = find_largest(0, min(len(order), target), render, fits)
    if best is not None:
        return best
    closed = render(0, names_closed=False)
    line = render_one_line(repository)
    return next((shorter for shorter in (closed, RepositoryMap(line, count(line))) if fits(shorter)), None)


def render_one_line(repository: Repository) -> str:
    """Return the shortest form: name, number of files and size."""
    size = f"{pluralize(len(repository.files), 'file')}, {format_size(repository.size)}"
    return clean_map(f"{repository.title} ({size})") + "\n"


def _add_frame(repository: Repository, body: str, hint: str) -> str:
    head = "\n".join([_render_header(repository), *_render_skipped(repository)])
    return clean_map("\n\n".join(part for part in (head, indent_hints(clean_map(body)), hint) if part)) + "\n"


def _render_header(repository: Repository) -> str:
    files = pluralize(len(repository.files), "file")
    definitions = pluralize(repository.definitions, "definition")
    size = f"{files}, {format_size(repository.size)}, {definitions}"
    lines = "; numbers are lines" if repository.definitions else ""
    return f"# {repository.title} ({size}): a map, not the content{lines}"


def _render_skipped(repository: Repository) -> list[str]:
    """Return a sentence with the source files that were not read."""
    skipped = repository.count_skipped()
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in skipped.items())
    return [f"Not read: {pluralize(sum(skipped.values()), 'source file')} ({reasons})"] if skipped else []


def _render_hint(repository: Repository, hint: Hint, items: Sequence[MapItem]) -> str:
    """Return the hint with the first definition of the map as its example, or with a file that was read."""
    for item in items:
        file = repository.files[item.file]
        if item.at >= 0 and file.symbols[item.at].kind != "heading":
            symbol = file.symbols[item.at]
            return _fill_hint(repository, hint, file, symbol.start, symbol.end)
    text = next((file for file in repository.files if file.lines), None)
    return _fill_hint(repository, hint, text, 1, text.lines) if text else ""


def _fill_hint(repository: Repository, hint: Hint, file: RepositoryFile, start: int, end: int) -> str:
    path = repository.path + file.path
    filled = hint.with_location("", quote_path(path))._replace(name=path)
    return filled.for_lines(start, min(end, start + _LONGEST_EXAMPLE - 1))


def _render_file(
    file: RepositoryFile, bullet: str, directory: str, shown: Collection[int], signed: Collection[int] | None
) -> Iterator[str]:
    """Yield the row of a file with the names of definitions, and a row for each signature."""
    listed = [file.symbols[at] for at in sorted(shown) if at not in (signed or ())]
    colon = ": " if shown else ""
    yield f"{bullet}{format_name(directory + file.base)}{colon}{render_names(listed)}".rstrip()
    for at in sorted(signed or ()):
        yield f"  - {file.symbols[at].start} {file.symbols[at].signature}"


def render_names(symbols: Sequence[Symbol], owner: str = "") -> str:
    """Return names with their lines: ``213 Context(520 invoke,540 forward),98 Group.add``.

    Several members of an owner that is not shown stand after its name, which has no line: ``Group(98 add,99 get)``.
    ``owner`` is the definition that the text stands in.
    """
    parts: list[str] = []
    for around, run in groupby(_iter_members(symbols), lambda member: member[0].owner):
        missing = "" if around == owner else around
        members = list(run)
        head = f"{missing}." if missing and len(members) == 1 else ""
        names = ",".join(f"{symbol.start} {head}{symbol.name}{inner}" for symbol, inner in members)
        parts.append(f"{missing}({names})" if missing and not head else names)
    return ",".join(parts)


def _iter_members(symbols: Sequence[Symbol]) -> Iterator[tuple[Symbol, str]]:
    """Yield the outermost definitions, each with the text of those inside it."""
    at = 0
    while at < len(symbols):
        symbol, end = symbols[at], at + 1
        while end < len(symbols) and symbols[end].start <= symbol.end and symbols[end].depth > symbol.depth:
            end += 1
        inner = render_names(symbols[at + 1 : end], symbol.name) if end > at + 1 else ""
        yield symbol, f"({inner})" if inner else ""
        at = end


def list_ancestors(directory: str) -> Iterator[str]:
    """Yield a directory and the directories around it, down to the repository itself, which is ""."""
    yield directory
    while directory:
        directory = directory[: directory.rstrip("/").rfind("/") + 1]
        yield directory


def count_closed(directories: Iterable[str], opened: Collection[str]) -> Counter[str]:
    """Return the number of files by a path, for the ``directories`` of files that a map does not count yet.

    The path is the largest directory around the file that contains nothing ``opened``, or else its own.
    """
    around = {ancestor for directory in opened for ancestor in list_ancestors(directory)} | {""}
    places: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for directory in directories:
        if directory not in places:
            outside = [ancestor for ancestor in list_ancestors(directory) if ancestor not in around]
            places[directory] = outside[-1] if outside else directory
        counts[places[directory]] += 1
    return counts


def format_closed(counts: Counter[str], most: int) -> str:
    """Return the directories with the most files, in order of their paths, and the number of the others."""
    largest = sorted(counts, key=lambda path: (-counts[path], path))
    parts = [f"{format_name(path or './')} ({pluralize(counts[path], 'file')})" for path in sorted(largest[:most])]
    if rest := largest[most:]:
        noun = "more" if parts else "directory" if len(rest) == 1 else "directories"
        parts.append(f"{len(rest):,} {noun} ({pluralize(sum(counts[path] for path in rest), 'file')})")
    return ", ".join(parts)


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
        value = _rate_symbol(file, symbol) + ranked.score**_SCORE_POWER
        if best and count_matches(_label(symbol), terms) >= best:
            value = (value + 1) * _FOCUS_FACTOR
        elif ranked.file in near:
            value *= _NEAR_FACTOR
        yield RatedItem(value, 2.5 + len(symbol.name) / _CHARACTERS, MapItem(ranked.file, at))
        if symbol.kind != "heading":
            tokens = 4 + max(len(symbol.signature) - len(symbol.name), 0) / _CHARACTERS
            yield RatedItem(value * _SIGNATURE_VALUE, tokens, MapItem(ranked.file, at, signed=True))


def _rate_symbol(file: RepositoryFile, symbol: Symbol) -> float:
    """Return the value of a definition apart from its uses."""
    value = _BASE_VALUES[file.role]
    if symbol.kind == "heading":
        return value * 2 if symbol.depth == 0 else value / 2
    if "tests" in (symbol.name, symbol.owner):
        value *= _INLINE_TEST
    if symbol.depth:
        value *= _INNER**symbol.depth
    if symbol.name.startswith("_"):
        value *= _PRIVATE
    return value * 0.1 if file.language in STYLES else value


def _rate_files(
    files: Sequence[RepositoryFile], ranking: Ranking, terms: Sequence[Term], best: int
) -> Iterator[RatedItem]:
    """Yield the names of files with their values."""
    for number, file in enumerate(files):
        value = _FILE_VALUES[file.role] / (1 + file.path.count("/") * (file.role is Role.ENTRY))
        value += _SHARE_VALUE * _FILE_VALUES[file.role] * ranking.shares[number] / 2
        value *= _EMPTY if file.role is Role.SOURCE and not file.symbols else 1
        if best and count_matches(file.path, terms) >= best:
            value = (value + 1) * _FOCUS_FACTOR
        yield RatedItem(value, 0.5, MapItem(number))
