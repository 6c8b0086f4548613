"""Parts of a map of a repository, the most useful first."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.brief.repository.file_roles import Role
from ctxkit.core.brief.repository.ranking import RankedSymbol, Ranking, rank_symbols
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Symbol

SCORE_POWER = 0.5
"""Power of the score in the value of a definition: 1 prefers a few definitions with many uses, 0 treats all alike."""
BASE_VALUES = {Role.ENTRY: 0.10, Role.SOURCE: 0.06, Role.OTHER: 0.06, Role.TEST: 0.01, Role.DERIVED: 0.002}
"""Value of a definition that no other file uses, by the role of its file."""
FILE_VALUES = {Role.ENTRY: 6.0, Role.SOURCE: 0.8, Role.OTHER: 0.2, Role.TEST: 0.15, Role.DERIVED: 0.02}
"""Value of the name of a file, by its role."""
SHARE_VALUE = 3.0
"""Value of a file's name by its share in the references, relative to the mean."""
SIGNATURE_VALUE = 0.12
"""Value of a signature, relative to the value of its definition."""
INNER, PRIVATE = 0.3, 0.4
"""Factors of the base value for members of types, and for names that begin with an underscore."""
FOCUS_FACTOR = 1_000.0
"""Factor of what matches the focus."""
STYLES = frozenset(("css", "scss", "template", "dockerfile", "batch"))
"""Languages whose definitions other files seldom use by their names."""
CODE = frozenset(("function", "method", "constructor", "macro", "def", "defp"))
"""Kinds of definitions whose inner definitions are local."""
CHARACTERS = 3.5
"""Characters of names and signatures in a token."""


class MapItem(NamedTuple):
    """A part that a map may show: the name of a file, a definition or a signature.

    ``file`` is the index of the file; ``at`` that of the definition in it, -1 for the file itself.
    """

    file: int
    at: int = -1
    signed: bool = False


def order_items(files: Sequence[RepositoryFile], words: Sequence[str] = ()) -> list[MapItem]:
    """Return all parts of a map in the order in which they enter it; ``words`` is the focus in lower case."""
    ranking = rank_symbols(files)
    best = _find_best_match(files, ranking.symbols, words)
    rated = [*_rate_symbols(files, ranking, words, best), *_rate_files(files, ranking, words, best)]
    rated.sort(key=lambda pair: (-pair[0], pair[1]))
    return [item for _, item in rated]


def count_matches(text: str, words: Sequence[str]) -> int:
    """Return how many of the words a text contains, in any letter case."""
    low = text.lower()
    return sum(word in low for word in words)


def _find_best_match(files: Sequence[RepositoryFile], symbols: Sequence[RankedSymbol], words: Sequence[str]) -> int:
    """Return the most words of the focus that a path or a definition contains; 0 without a focus."""
    if not words:
        return 0
    by_path = max((count_matches(file.path, words) for file in files), default=0)
    return max(by_path, max((count_matches(_label(ranked.symbol), words) for ranked in symbols), default=0))


def _label(symbol: Symbol) -> str:
    return f"{symbol.owner} {symbol.name} {symbol.signature}"


def _rate_symbols(
    files: Sequence[RepositoryFile], ranking: Ranking, words: Sequence[str], best: int
) -> Iterator[tuple[float, MapItem]]:
    """Yield names and signatures of definitions with their value for each token."""
    places: defaultdict[int, int] = defaultdict(int)
    for ranked in ranking.symbols:
        at = places[ranked.file]
        places[ranked.file] += 1
        file, symbol = files[ranked.file], ranked.symbol
        value = _rate_symbol(file, symbol) + ranked.score**SCORE_POWER
        if best and count_matches(_label(symbol), words) >= best:
            value = (value + 1) * FOCUS_FACTOR
        name_tokens = 2.5 + len(symbol.name) / CHARACTERS
        yield value / name_tokens, MapItem(ranked.file, at)
        signature_tokens = 4 + max(len(symbol.signature) - len(symbol.name), 0) / CHARACTERS
        if symbol.kind != "heading":
            yield value * SIGNATURE_VALUE / signature_tokens, MapItem(ranked.file, at, signed=True)


def _rate_symbol(file: RepositoryFile, symbol: Symbol) -> float:
    """Return the value of a definition apart from its uses."""
    value = BASE_VALUES[file.role]
    if symbol.kind == "heading":
        return value * 2 if symbol.depth == 0 else value / 2
    if symbol.depth:
        value *= INNER**symbol.depth
    if symbol.name.startswith("_"):
        value *= PRIVATE
    return value * 0.1 if file.language in STYLES else value


def _rate_files(
    files: Sequence[RepositoryFile], ranking: Ranking, words: Sequence[str], best: int
) -> Iterator[tuple[float, MapItem]]:
    """Yield names of files with their value for each token."""
    for number, file in enumerate(files):
        value = FILE_VALUES[file.role] / (1 + file.path.count("/") * (file.role is Role.ENTRY))
        value += SHARE_VALUE * FILE_VALUES[file.role] * ranking.shares[number] / 2
        if best and count_matches(file.path, words) >= best:
            value = (value + 1) * FOCUS_FACTOR
        yield value / (2 + len(file.base) / CHARACTERS), MapItem(number)
