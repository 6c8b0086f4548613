"""Names of very many failing tests: each file and function once, with as many ids of their parameters as asked for."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.outline import Entry, clean_line
from ctxkit.core.brief.runs.failures import FailedTest
from ctxkit.core.quick_dataclass import dataclass, field, replace

MAX_SPAN = 120
"""Maximum number of log lines covered by one line of names."""
_MIN_PREFIX = 4
"""Minimum number of characters of a common prefix."""
_BOUNDS = " /.:[(>\u203a"
"""Characters that may end a common prefix; words are not split, so that names can be searched for."""
SEPARATORS = (", ", "; ", " | ")
"""Separators of names; the first that occurs in none of them is used."""
PlacedName = tuple[int, int, str]
"""The first and the last line of a test's block, and its name."""
_MAX_COMPARISONS = 2_000
"""Maximum number of failures of which only the message is read, to count equal ones."""
_PARAMETERS = re.compile(
    r"((?:Test|Benchmark|Fuzz|Example)\w*)/.*|(.*\S)::case_\d\w*|([^\[(]*[^\[(\s]) ?(?:\[.*\]|\(.*\))"
)
"""Pattern of the name of a test with parameters or of a subtest: ``test_a[1-b]``, ``test_a (i=1)``, ``TestA/empty``,
``test_a::case_1``."""
_OWNER = re.compile(
    r"(?P<owner>\S.*(?= \u203a | > |::)|\w+(?:\.\w+)*(?=\.\w+\Z))(?P<mark> \u203a | > |::|\.)(?P<name>.+)"
)
"""Pattern of a name that begins with a class or suite: ``TestA.test_b``, ``box > keeps``, ``tests::keeps``."""
_NODE = re.compile(r"(?P<group>(?:\w+ )?(?=[^\s:]*[./])\S+?)::(?P<name>.*)")
"""Pattern of the name of a test that begins with its file: ``a/test_b.py::TestC::test_d``."""
WIDTH = 120
"""Maximum number of characters of a function's name, and of an id."""
_MAX_CHARACTERS, _FEWER_CHARACTERS = 400, 160
"""Number of characters from which names do not share an entry: of one that is shown, and of one that may be hidden."""
_LEAST_NESTED = 2
"""Number of functions up to which a group that ranks before its functions has them on its line."""


@dataclass(slots=True)
class FailedFunction:
    """Hold a failing function: how many of its tests failed, from the first to the last line, and their ids."""

    name: str
    start: int
    end: int
    count: int = 0
    ids: list[str] = field(default_factory=list)

    def add(self, start: int, end: int, parameters: str) -> None:
        """Count a failing test of the function, with its lines, and its parameters if it has any."""
        self.start, self.end = min(self.start, start), max(self.end, end)
        self.count += 1
        if parameters:
            self.ids.append(parameters)

    def describe(self, most: int) -> str:
        """Return the name; of several tests, with their number and the first ``most`` ids: ``test_a (3: [x] ...)``."""
        if self.count == 1:
            return clean_line(f"{self.name}{self.ids[0]}" if self.ids else self.name, WIDTH)
        shown = [clean_line(part.strip(), WIDTH) for part in self.ids[:most]]
        rest = ["..."] if shown and len(shown) < self.count else []
        ids = f": {' '.join([*shown, *rest])}" if shown else ""
        return f"{clean_line(self.name, WIDTH)} ({self.count}{ids})"


def fold_failures(failures: Sequence[FailedTest], most: int, *, groups_first: bool = False) -> list[Entry]:
    """Return an entry for each group of failures with the names of its functions, and ``most`` ids of each function.

    A class or suite of several functions is a group of its own. With ``groups_first``, the functions stand below their
    group and rank after it, so that all groups come first, and fewer share an entry.
    """
    functions: dict[tuple[str, str], FailedFunction] = {}
    for failure in failures:
        group, called = find_function(failure)
        function = functions.setdefault((group, called), FailedFunction(called, failure.start, failure.end))
        function.add(failure.start, failure.end, _split_name(failure)[1][len(called) :])
    owners = Counter(_split_owner(*key)[0] for key in functions)
    groups: dict[str, list[FailedFunction]] = {}
    for (group, called), function in functions.items():
        owner, leaf = _split_owner(group, called)
        if owners[owner] > 1:
            group, function.name = owner, leaf
        groups.setdefault(group, []).append(function)
    return list(_list_entries(groups, most, groups_first=groups_first))


def choose_failures(failures: Sequence[FailedTest], most: int) -> tuple[list[FailedTest], list[FailedTest]]:
    """Return at most ``most`` failures whose blocks should be read, and those of which only the message counts.

    Both are in their order. Of too many, the first ones of all functions come first, and those of errors last if most
    failures are errors.
    """
    if len(failures) <= most:
        return list(failures), []
    errors_last = are_errors_last(failures)
    seen: set[tuple[str, str]] = set()
    keyed = []
    for at, failure in enumerate(failures):
        function = find_function(failure)
        keyed.append((errors_last and failure.is_error, function in seen, at))
        seen.add(function)
    order = [at for *_, at in sorted(keyed)]
    read, compared = sorted(order[:most]), sorted(order[most : most + _MAX_COMPARISONS])
    return [failures[at] for at in read], [failures[at] for at in compared]


def are_errors_last(failures: Sequence[FailedTest]) -> bool:
    """Return whether most failures are errors, so that they may follow from one cause and hide the others."""
    return sum(failure.is_error for failure in failures) * 2 > len(failures)


def find_function(failure: FailedTest) -> tuple[str, str]:
    """Return the group of a failing test, and its name without parameters."""
    group, name = _split_name(failure)
    match = _PARAMETERS.fullmatch(name)
    return group, next(filter(None, match.groups())) if match else name


def _split_name(failure: FailedTest) -> tuple[str, str]:
    """Return the group of a failing test, such as its file, and its name below this group."""
    node = _NODE.fullmatch(failure.name) if not failure.group else None
    if node:
        return node["group"], node["name"]
    return failure.group, failure.short_name or failure.name


def _split_owner(group: str, name: str) -> tuple[str, str]:
    """Return the group with the class or suite of a function, and the name of the function."""
    owned = _OWNER.fullmatch(name)
    return (f"{group}{owned['mark'] if group else ''}{owned['owner']}", owned["name"]) if owned else (group, name)


def _list_entries(groups: dict[str, list[FailedFunction]], most: int, *, groups_first: bool) -> Iterator[Entry]:
    """Yield the entries of all groups, with their functions on the same line or below."""
    width = _FEWER_CHARACTERS if groups_first else _MAX_CHARACTERS
    for group, functions in groups.items():
        described = [(row, row.describe(most)) for row in functions]
        entries = [_make_entry(rows) for rows in _split_rows(described, width)]
        if group and len(entries) == 1 and not (groups_first and len(functions) > _LEAST_NESTED):
            yield replace(entries[0], label=f"{group}: {entries[0].label}", rank=1)
        elif group:
            start, end = min(entry.start for entry in entries), max(entry.end for entry in entries)
            yield Entry(group, start, end, 1, children=tuple(entries))
        else:
            yield from entries


def _split_rows(rows: Sequence[tuple[FailedFunction, str]], width: int) -> Iterator[list[tuple[FailedFunction, str]]]:
    """Yield runs of functions, each with its description, that share an entry."""
    run: list[tuple[FailedFunction, str]] = []
    for row in rows:
        if run and sum(len(text) for _, text in run) + len(row[1]) > width:
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _make_entry(rows: Sequence[tuple[FailedFunction, str]]) -> Entry:
    start, end = min(function.start for function, _ in rows), max(function.end for function, _ in rows)
    return Entry(fold_names([text for _, text in rows]), start, end, 2, hidden_count=len(rows))


def make_packed_entries(rows: Sequence[PlacedName]) -> list[Entry]:
    """Return entries of at most ``MAX_SPAN`` lines, each with the names in its range."""
    return [
        Entry(fold_names([name for _, _, name in pack]), pack[0][0], _find_end(pack), 1) for pack in _split_packs(rows)
    ]


def is_packing_shorter(rows: Sequence[PlacedName]) -> bool:
    """Return whether lines with several names take less space than a number before each name."""
    return len(rows) > 2 * sum(1 for _ in _split_packs(rows))


def _find_end(pack: Sequence[PlacedName]) -> int:
    last = max(end for _, end, _ in pack)
    return min(last, pack[0][0] + MAX_SPAN - 1)


def _split_packs(rows: Sequence[PlacedName]) -> Iterator[list[PlacedName]]:
    """Yield runs of rows within ``MAX_SPAN`` lines; a longer block has a run of its own."""
    pack: list[PlacedName] = []
    for row in rows:
        if pack and max(row[1], row[0]) - pack[0][0] >= MAX_SPAN:
            yield pack
            pack = []
        pack.append(row)
    if pack:
        yield pack


def fold_names(names: Sequence[str]) -> str:
    """Return names on one line: ``TestRead/{Simple, Quotes, Blank}, TestWrite``.

    Braces are used only if no name contains any, so that the line is unambiguous.
    """
    between = next((mark for mark in SEPARATORS if not any(mark.strip() in name for name in names)), SEPARATORS[-1])
    if any("{" in name or "}" in name for name in names):
        return between.join(names)
    return between.join(_fold_run(run, between) for run in _group_by_prefix(names))


def _group_by_prefix(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield runs of neighbours that are shorter with their common prefix written once."""
    run: list[str] = []
    for name in names:
        if run and _count_saved([*run, name]) < max(_count_saved(run), 1):
            yield run
            run = []
        run.append(name)
    if run:
        yield run


def _count_saved(names: Sequence[str]) -> int:
    return len(_find_common_prefix(names)) * (len(names) - 1)


def _find_common_prefix(names: Sequence[str]) -> str:
    """Return the common prefix of all names, up to the end of a word, or an empty string if it is short."""
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)
    same = next((at for at, (left, two) in enumerate(zip(first, last, strict=False)) if left != two), len(first))
    while same and first[same - 1] not in _BOUNDS and not _is_numbered(names, same):
        same -= 1
    closing = _find_closing_bracket(first[:same])
    if closing and not all(name.endswith(closing) for name in names):
        same = max(first.rfind(mark, 0, same) for mark in "[(")  # a bracket that closes within the names stays whole
    return first[:same] if same >= _MIN_PREFIX else ""


def _is_numbered(names: Sequence[str], same: int) -> bool:
    """Return whether names differ only in a final number, as in parametrized tests."""
    return names[0][same - 1] in "_-" and all(name[same:].isdigit() for name in names)


def _fold_run(run: Sequence[str], between: str) -> str:
    common = _find_common_prefix(run)
    if not common:
        return between.join(run)
    rest = [name[len(common) :] for name in run]
    end = _find_closing_bracket(common)
    end = end if end and all(name.endswith(end) for name in rest) else ""
    inside = between.join(name.removesuffix(end) if end else name for name in rest)
    return f"{common}{{{inside}}}{end}"


def _find_closing_bracket(common: str) -> str:
    """Return the bracket that closes the last bracket opened in the common prefix, if it is still open."""
    at = max(common.rfind("["), common.rfind("("))
    closing = {"[": "]", "(": ")"}.get(common[at], "") if at >= 0 else ""
    return closing if closing and closing not in common[at:] else ""
