"""Importance of the definitions of a repository, by the other files that use them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.brief.code.definition_tree import BY_SIGNATURE
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Role, Symbol
from ctxkit.core.named_tuple import NamedTuple

ROLE_WEIGHTS = {Role.ENTRY: 1.0, Role.SOURCE: 1.0, Role.OTHER: 1.0, Role.TEST: 0.4, Role.DERIVED: 0.1}
"""Weight of a use in a file of each role."""
LINKED, UNLINKED, PLAIN = 1.0, 0.4, 0.1
"""Weight of a use in a file that names the file of the definition, as an import does; in another; and in another of a
name that is a plain word, which a local variable may have.
"""
UNOWNED, COMMON = 0.3, 0.04
"""Weights of the use of a member by a file that does not name its owner, and of one with a common name."""
MOST_DOUBTFUL = 10
"""Number of uses of a plain or common name, in files that do not name its file or owner, that count fully."""
FAMILIES = {
    **dict.fromkeys(("typescript", "tsx", "vue", "svelte", "astro", "coffeescript"), "javascript"),
    **dict.fromkeys(("cpp", "objc"), "c"),
    **dict.fromkeys(("kotlin", "scala", "groovy"), "java"),
    "starlark": "python",
}
"""Languages whose files use the definitions of another language."""
SHORTEST = 3
"""Minimum characters of a name whose uses in files that do not name its file count."""
MAX_DEFINERS = 40
"""Number of definitions of one name above which its uses say nothing."""
COMMON_MEMBERS = frozenset(
    (
        *("add", "append", "apply", "call", "check", "clear", "close", "copy", "count", "create", "data", "decode"),
        *("delete", "encode", "end", "equals", "error", "exists", "exit", "extend", "filter", "find", "first"),
        *("flush", "format", "get", "group", "hash", "index", "info", "init", "insert", "is_empty", "items", "iter"),
        *("join", "key", "keys", "kind", "len", "length", "list", "load", "lower", "main", "map", "match", "matches"),
        *("name", "names", "new", "next", "now", "open", "parse", "path", "pop", "print", "push", "put", "read"),
        *("readline", "remove", "render", "replace", "reset", "run", "save", "search", "seek", "self", "send", "set"),
        *("setdefault", "size", "sort", "split", "start", "startswith", "stop", "strip", "sub", "test", "text"),
        *("toString", "type", "update", "upper", "value", "values", "wait", "write", "writelines"),
    )
)
"""Names of members that types of most languages and libraries have."""
DIRECTORY_LANGUAGES = frozenset(("go", "java", "csharp"))
"""Families of languages whose files use the definitions in their directory without an import."""
TEST_NAMES = frozenset(("test", "tests"))
UNADDRESSABLE = BY_SIGNATURE | {"heading"}
"""Kinds of symbols whose names are those of other definitions, or of none."""
STYLES = frozenset(("css", "scss", "template", "dockerfile", "batch"))
"""Languages whose definitions other files seldom use by their names."""
ANONYMOUS_STEMS = frozenset(("__init__", "index", "mod", "main", "lib", "init"))
"""Names of files that uses name by their directory."""
ROUNDS, DAMPING = 20, 0.85


class RankedSymbol(NamedTuple):
    """A definition, the index of its file, and the weighted number of other files that use it."""

    file: int
    symbol: Symbol
    score: float


class Ranking(NamedTuple):
    """The definitions of a repository, and the share of each file in the references (they add up to 1)."""

    symbols: Sequence[RankedSymbol]
    shares: Sequence[float]


def rank_symbols(files: Sequence[RepositoryFile]) -> Ranking:
    """Return all definitions with their scores in order of files and lines, and the shares of files (PageRank)."""
    definers = _index_definers(files)
    scores: defaultdict[tuple[int, int], float] = defaultdict(float)
    edges: list[dict[int, float]] = [defaultdict(float) for _ in files]
    stems = [_find_stem(file) for file in files]
    users = Counter(name for file in files for name in file.names & definers.keys())
    for user, file in enumerate(files):
        weight = ROLE_WEIGHTS[file.role]
        for place, share in _iter_uses(user, files, definers, stems, users):
            scores[place] += weight * share
            edges[user][place[0]] += share
    symbols = [
        RankedSymbol(number, symbol, scores[number, at] * ROLE_WEIGHTS[file.role])
        for number, file in enumerate(files)
        for at, symbol in enumerate(file.symbols)
    ]
    return Ranking(symbols, _compute_shares(edges, files))


def _index_definers(files: Sequence[RepositoryFile]) -> Mapping[str, list[tuple[int, int]]]:
    """Return the places of the definitions of each name: indices of the file and of the definition in it."""
    definers: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, file in enumerate(files):
        for at, symbol in enumerate(file.symbols):
            if _is_addressable(symbol, file.language):
                definers[_last_part(symbol.name)].append((number, at))
    return definers


def _is_addressable(symbol: Symbol, language: str) -> bool:
    """Return whether other files may use a definition by its name."""
    is_special = symbol.name.startswith("__") and symbol.name.endswith("__")
    is_named = symbol.kind not in UNADDRESSABLE and symbol.name not in TEST_NAMES
    return is_named and language not in STYLES and not is_special


def _is_plain(name: str) -> bool:
    """Return whether a name is one word in lower case, as those of many local variables."""
    return len(name) < SHORTEST or (name.isalpha() and name.islower())


def _last_part(name: str) -> str:
    """Return the name that uses give: ``get`` of ``Map::get``, ``Map.get`` and ``get?``."""
    return name.replace("::", ".").rpartition(".")[2].rstrip("?!=") or name


def _find_stem(file: RepositoryFile) -> str:
    """Return the word by which other files name a file: its name without extensions, or its directory."""
    stem = file.base.partition(".")[0] or file.base
    return file.directory.rstrip("/").rpartition("/")[2] if stem in ANONYMOUS_STEMS else stem


def _rate_link(name: str, doubt: float, *, is_certain: bool) -> float:
    """Return the weight of a use of a name, which is less if only the name suggests it."""
    return LINKED if is_certain else PLAIN * doubt if _is_plain(name) else UNLINKED


def _iter_uses(
    user: int,
    files: Sequence[RepositoryFile],
    definers: Mapping[str, list[tuple[int, int]]],
    stems: Sequence[str],
    users: Mapping[str, int],
) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield the definitions in other files that a file uses, each with its share of the use."""
    file = files[user]
    family = FAMILIES.get(file.language, file.language)
    own = {_last_part(symbol.name) for symbol in file.symbols}
    for name in sorted(file.names & definers.keys()):
        places = [place for place in definers[name] if place[0] != user and _is_family(files[place[0]], family)]
        if not 0 < len(places) <= MAX_DEFINERS:
            continue
        linked = [place for place in places if _names_file(file, files[place[0]], stems[place[0]], family)]
        is_imported = name in file.imported
        is_certain = bool(linked) or is_imported
        if name in own and not is_certain:
            continue
        candidates = _select_places(linked or places, files, is_imported)
        share = 1 / len(candidates)
        doubt = min(1.0, MOST_DOUBTFUL / users[name])
        base = _rate_link(name, doubt, is_certain=is_certain)
        for place in candidates:
            yield place, share * _weigh_use(files[place[0]].symbols[place[1]], file, base, doubt)


def _is_family(file: RepositoryFile, family: str) -> bool:
    return FAMILIES.get(file.language, file.language) == family


def _select_places(
    places: Sequence[tuple[int, int]], files: Sequence[RepositoryFile], is_imported: bool
) -> Sequence[tuple[int, int]]:
    """Return the places that a use may mean: of an imported name, those at the top level, if there are any."""
    tops = [place for place in places if is_imported and not files[place[0]].symbols[place[1]].owner]
    return tops or places


def _names_file(file: RepositoryFile, other: RepositoryFile, stem: str, family: str) -> bool:
    """Return whether a file names another one by its stem, or needs no name because they share a directory."""
    is_near = family in DIRECTORY_LANGUAGES and file.directory == other.directory
    return is_near or stem in file.names or stem in file.path_words


def _weigh_use(symbol: Symbol, user: RepositoryFile, base: float, doubt: float) -> float:
    """Return the weight of a use: ``base`` at the top level, less for a member unless the file names its owner."""
    if not symbol.owner:
        return base
    if symbol.owner in user.names:
        return LINKED
    name = _last_part(symbol.name)
    return base * (COMMON * doubt if name in COMMON_MEMBERS or _is_plain(name) else UNOWNED)


def _compute_shares(edges: Sequence[Mapping[int, float]], files: Sequence[RepositoryFile]) -> list[float]:
    """Return the PageRank of files, in which a use leads from its file to that of the definition."""
    number = len(files)
    if not number:
        return []
    totals = [sum(row.values()) for row in edges]
    shares = [1 / number] * number
    for _ in range(ROUNDS):
        rest = sum(share for share, total in zip(shares, totals, strict=True) if not total)
        following = [(1 - DAMPING + DAMPING * rest) / number] * number
        for row, share, total in zip(edges, shares, totals, strict=True):
            for target, weight in row.items():
                following[target] += DAMPING * share * weight / total
        shares = following
    return shares
