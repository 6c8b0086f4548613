"""Find exact copies: passages of several statements, and single statements of equal identity."""

from collections.abc import Iterable, Sequence
from posixpath import dirname
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.compared_statements import is_significant
from ctxkit.core.lint.similarity.identity import Identity, IdentityReader, find_model_directory
from ctxkit.core.lint.similarity.pointers import is_bare_pointer, is_index_entry

MIN_RUN = 3
"""Minimum number of adjacent statements of a copied passage."""
MAX_TRIED_PLACES = 8
"""Maximum earlier places of a statement at which a copied passage is looked for."""


class CopiedPassage(NamedTuple):
    """A passage of two files: pairs of (kept, copied) statements that are equal, and pairs that have drifted apart."""

    pairs: tuple[tuple[Unit, Unit], ...]
    drifted: tuple[tuple[Unit, Unit], ...] = ()

    @property
    def keeper(self) -> LineRange:
        """Return the lines of the passage that is kept."""
        return _join_lines(pair[0] for pair in self.pairs)

    @property
    def copy(self) -> LineRange:
        """Return the lines of the copy."""
        return _join_lines(pair[1] for pair in self.pairs)


class Copies(NamedTuple):
    """The copies of a workspace: passages of two files, and groups of single statements."""

    passages: tuple[CopiedPassage, ...]
    groups: tuple[tuple[Unit, ...], ...]


def _join_lines(units: Iterable[Unit]) -> LineRange:
    ordered = list(units)
    return LineRange(ordered[0].path, ordered[0].line, max(unit.end_line for unit in ordered))


def find_copies(documents: Sequence[MarkdownDocument], loads: LoadSetIndex, skipped: frozenset[Unit]) -> Copies:
    """Return the copies among documents that some tool loads together; ``documents`` are ordered, the kept ones first.

    ``skipped`` are statements of which another finding says already that they are copies. Templates, examples and
    archives are left out.
    """
    documents = [document for document in documents if not find_model_directory(document.path)]
    search = _PassageSearch(loads, skipped)
    passages = [passage for document in documents for passage in search.add(document)]
    copied = {unit for passage in passages for _, unit in passage.pairs}
    groups: dict[Identity, list[Unit]] = {}
    parts: dict[tuple[Identity, str], int] = {}
    for document in documents:
        reader = IdentityReader(document)
        for unit in document.units:
            if is_significant(unit) and unit not in skipped and not _is_short_entry(unit):
                identity = reader.read(unit)
                part = reader.find_part(unit)
                if identity is not None and parts.setdefault((identity, unit.path), part) == part:
                    groups.setdefault(identity, []).append(unit)
    split = (group for units in groups.values() if len(units) > 1 for group in _split_by_window(units, loads))
    rest = (_drop_copied(group, copied) for group in split)
    return Copies(tuple(passages), tuple(group for group in rest if len(group) > 1))


def _is_short_entry(unit: Unit) -> bool:
    """Return whether a statement only names a file and what it is about: each index has such entries of its own."""
    return is_index_entry(unit.text) and is_bare_pointer(unit.text)


def _drop_copied(group: tuple[Unit, ...], copied: set[Unit]) -> tuple[Unit, ...]:
    """Return a group without the statements of copied passages; keep the first one if a single other one is left."""
    left = tuple(unit for unit in group if unit not in copied)
    return (group[0], *left) if len(left) == 1 and left[0] is not group[0] else left


class _PassageSearch:
    """Finds the longest passages of each added document that stand in a document added before."""

    def __init__(self, loads: LoadSetIndex, skipped: frozenset[Unit]) -> None:
        self._loads, self._skipped = loads, skipped
        self._sequences: list[list[Unit]] = []
        self._places: dict[str, list[tuple[int, int]]] = {}  # of the normalized text: document and position

    def add(self, document: MarkdownDocument) -> list[CopiedPassage]:
        """Return the copied passages of a document, and remember its statements."""
        units = [unit for unit in document.units if is_significant(unit) and unit not in self._skipped]
        passages = list(self._find_passages(units))
        number = len(self._sequences)
        self._sequences.append(units)
        for position, unit in enumerate(units):
            if len(places := self._places.setdefault(unit.normal, [])) < MAX_TRIED_PLACES:
                places.append((number, position))
        return passages

    def _find_passages(self, units: Sequence[Unit]) -> Iterable[CopiedPassage]:
        position = 0
        while position < len(units):
            best: list[tuple[Unit, Unit]] = []
            for number, start in self._places.get(units[position].normal, ()):
                sequence = self._sequences[number]
                if self._loads.has_common_set(sequence[start].path, units[position].path):
                    pairs = _extend(sequence, start, units, position)
                    best = max(best, pairs, key=_count_equal)
            if len(best) >= MIN_RUN and _count_equal(best) > 1:
                equal = tuple(pair for pair in best if pair[0].normal == pair[1].normal)
                yield CopiedPassage(tuple(best), tuple(pair for pair in best if pair not in equal))
                position += len(best)
            else:
                position += 1


def _count_equal(pairs: Sequence[tuple[Unit, Unit]]) -> int:
    return sum(keeper.normal == copy.normal for keeper, copy in pairs)


def _extend(keepers: Sequence[Unit], start: int, copies: Sequence[Unit], position: int) -> list[tuple[Unit, Unit]]:
    """Return the pairs of statements from two positions on; one differing pair between equal ones has drifted."""
    pairs: list[tuple[Unit, Unit]] = []
    waiting: tuple[Unit, Unit] | None = None
    for keeper, copy in zip(keepers[start:], copies[position:], strict=False):
        if keeper.normal == copy.normal:
            pairs += [waiting] if waiting else []
            pairs.append((keeper, copy))
            waiting = None
        elif waiting or not is_variant(keeper, copy):
            break
        else:
            waiting = (keeper, copy)
    return pairs


def is_variant(first: Unit, second: Unit) -> bool:
    """Return whether two statements have the same form and most words in common, at the same place.

    In files of different directories, they differ in a value: a number, a name, a path, or code. Plain words that
    differ there are another subject.
    """
    words, others = set(first.normal.split()), set(second.normal.split())
    if first.kind != second.kind or 2 * len(words & others) < max(len(words), len(others)):
        return False
    if dirname(first.path) == dirname(second.path):
        return True
    differing = words ^ others
    is_code = differing.intersection(" ".join(_list_code(first) ^ _list_code(second)).casefold().split())
    return bool(is_code) or not all(map(_PLAIN_WORD.fullmatch, differing))


_PLAIN_WORD = compile_lazily(r"[a-z]{1,30}[.,:;]?")
_CODE_SPAN = compile_lazily(r"`([^`\n]{1,200})`")


def _list_code(unit: Unit) -> set[str]:
    return set(_CODE_SPAN.findall(unit.text))


def _split_by_window(units: Sequence[Unit], loads: LoadSetIndex) -> Iterable[tuple[Unit, ...]]:
    """Yield the statements of a group that share windows, one group per connected set of files."""
    by_path: dict[str, list[Unit]] = {}
    for unit in units:
        by_path.setdefault(unit.path, []).append(unit)
    waiting = list(by_path)
    while waiting:
        joined = [waiting.pop(0)]
        for path in joined:
            neighbours = [other for other in waiting if loads.has_common_set(path, other)]
            joined += neighbours
            waiting = [other for other in waiting if other not in neighbours]
        group = tuple(unit for path in joined for unit in by_path[path])
        if len(group) > 1 and any(unit.path != loads.prompt for unit in group):
            yield group
