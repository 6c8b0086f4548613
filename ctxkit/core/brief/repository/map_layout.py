"""Layout of a map of a repository: files by directory, with their definitions by line."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from ctxkit.core.brief.repository.directory_counts import count_closed, format_closed
from ctxkit.core.brief.repository.map_items import MapItem
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Symbol
from ctxkit.core.text.measure import pluralize
from ctxkit.core.text.shell import quote

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
        yield f"## {quote(directory or './')} ({share}{pluralize(total, 'file')})"
        bare = [quote(self._files[number].base) for number in numbers if not shown[number]]
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
    yield f"{bullet}{quote(directory + file.base)}{colon}{render_names(listed)}".rstrip()
    for at in sorted(signed or ()):
        yield f"  - {file.symbols[at].start} {file.symbols[at].signature}"


def render_names(symbols: Sequence[Symbol]) -> str:
    """Return names with their lines: ``213 Context(520 invoke,540 forward),98 Group.add``."""
    text = ""
    around: list[Symbol] = []
    for symbol in symbols:
        closed = 0
        while around and not (around[-1].start <= symbol.start <= around[-1].end and around[-1].depth < symbol.depth):
            around.pop()
            closed += 1
        opens = bool(around) and closed == 0
        text += ")" * max(closed - 1, 0) + ("(" if opens else "," if text else "")
        is_inside = bool(around) and around[-1].depth == symbol.depth - 1
        owner = "" if is_inside or not symbol.owner else f"{symbol.owner}."
        text += f"{symbol.start} {owner}{symbol.name}"
        around.append(symbol)
    return text + ")" * max(len(around) - 1, 0)
