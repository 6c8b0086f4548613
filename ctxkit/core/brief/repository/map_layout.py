"""Layout of a map of a repository: files by directory, with their definitions by line."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.brief.repository.directory_counts import count_closed, format_closed
from ctxkit.core.brief.repository.map_items import MapItem
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Symbol
from ctxkit.core.text.measure import pluralize
from ctxkit.core.text.shell import quote

MOST_CLOSED = 12
"""Maximum directories that a map names without opening them, for each open directory."""


class MapLayout:
    """Renders the files of a repository with any of the parts of a map."""

    def __init__(self, files: Sequence[RepositoryFile]) -> None:
        self._files = files
        self._by_directory: defaultdict[str, list[int]] = defaultdict(list)
        for number, file in enumerate(files):
            self._by_directory[file.directory].append(number)

    def render(self, items: Collection[MapItem], most_closed: int = MOST_CLOSED) -> str:
        """Return the map with ``items``; each file is named, or counted once."""
        names: defaultdict[int, set[int]] = defaultdict(set)
        signed: defaultdict[int, set[int]] = defaultdict(set)
        for item in items:
            names[item.file].update([item.at] if item.at >= 0 else [])
            if item.signed:
                signed[item.file].add(item.at)
        opened = {self._files[number].directory for number in names} | {""}
        closed = count_closed(self._files, opened)
        parts: list[str] = []
        for directory in sorted(opened):
            numbers = self._by_directory.get(directory, [])
            rows = [f"## {quote(directory or './')} ({pluralize(len(numbers), 'file')})"] if numbers else []
            rows += self._render_files(numbers, names, signed)
            if closed[directory]:
                rows.append(f"- {format_closed(directory, closed[directory], most_closed)}")
            parts.append("\n".join(rows))
        return "\n".join(filter(None, parts))

    def _render_files(
        self, numbers: Sequence[int], names: dict[int, set[int]], signed: dict[int, set[int]]
    ) -> Iterator[str]:
        """Yield a row for each file with definitions, and a last row with the other files of a directory."""
        bare: list[str] = []
        hidden = 0
        for number in numbers:
            file = self._files[number]
            if number not in names:
                hidden += 1
            elif not names[number]:
                bare.append(quote(file.base))
            else:
                yield from render_file(file, names[number], signed.get(number, set()))
        if hidden and len(numbers) > hidden:
            bare.append(f"{hidden:,} more")
        if bare:
            yield f"- {', '.join(bare)}"


def render_file(file: RepositoryFile, shown: Collection[int], signed: Collection[int]) -> Iterator[str]:
    """Yield the row of a file with the names of definitions, and a row for each signature."""
    listed = [file.symbols[at] for at in sorted(shown) if at not in signed]
    yield f"- {quote(file.base)}: {render_names(listed)}".rstrip()
    for at in sorted(signed):
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
