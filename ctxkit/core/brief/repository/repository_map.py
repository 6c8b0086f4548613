"""The map of a repository within a token target."""

from collections import Counter
from collections.abc import Sequence

from ctxkit.core.brief.focus.terms import Term
from ctxkit.core.brief.repository.map_items import MapItem, order_items
from ctxkit.core.brief.repository.map_layout import MapLayout
from ctxkit.core.brief.repository.repository_file import RepositoryFile
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.escapes import clean_map
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.core.text.retrieval_hint import Hint, indent_hints
from ctxkit.core.text.search import find_largest
from ctxkit.core.text.shell import quote_path
from ctxkit.core.tokens.vocabulary import Tokenizer

LONGEST_EXAMPLE = 120
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
    return filled.for_lines(start, min(end, start + LONGEST_EXAMPLE - 1))
