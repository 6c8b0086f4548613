"""Layout of a map of a repository: files by directory, with their definitions by line."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from ctxkit.core.brief.repository.directory_counts import count_closed, format_closed
from ctxkit.core.brief.repository.map_items import MapItem
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Symbol
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.text.shell import format_name

LEAST_CLOSED, ITEMS_PER_CLOSED = 8, 32
"""Directories that even a short map names without opening them, and parts of a map for each further one."""


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
            most = LEAST_CLOSED + len(items) // ITEMS_PER_CLOSED if names_closed else 0
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
            yield from render_file(self._files[numbers[0]], "## ", directory, shown[numbers[0]], signed.get(numbers[0]))
            return
        total = len(self._by_directory[directory])
        share = f"{len(numbers):,} of " if len(numbers) < total else ""
        yield f"## {format_name(directory or './')} ({share}{pluralize(total, 'file')})"
        bare = [format_name(self._files[number].base) for number in numbers if not shown[number]]
        for number in numbers:
            if shown[number]:
                yield from render_file(self._files[number], "- ", "", shown[number], signed.get(number))
        if bare:
            yield f"- {', '.join(bare)}"


def render_file(
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
