"""Find exact copies: statements, passages, sections of a document, blocks of lines in several files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from posixpath import dirname
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.document.markdown import FileRole, Heading, MarkdownDocument, Unit
from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.compared_statements import is_bare_pointer, is_index_entry, is_significant
from ctxkit.core.lint.similarity.identity import Identity, IdentityReader, find_model_directory, limits_section

_MIN_RUN = 3
"""Minimum number of adjacent statements of a copied passage."""
_MAX_TRIED_PLACES = 8
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
    groups = _group_by_identity(documents, skipped)
    split = (group for units in groups if len(units) > 1 for group in _split_by_window(units, loads))
    rest = (_drop_copied(group, copied) for group in split)
    return Copies(tuple(passages), tuple(group for group in rest if len(group) > 1))


def _group_by_identity(documents: Sequence[MarkdownDocument], skipped: frozenset[Unit]) -> Iterable[list[Unit]]:
    """Return the statements of equal identity, in a document only those of one part."""
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
    return groups.values()


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
            if len(places := self._places.setdefault(unit.normal, [])) < _MAX_TRIED_PLACES:
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
            if len(best) >= _MIN_RUN and _count_equal(best) > 1:
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
        elif waiting or not _is_variant(keeper, copy):
            break
        else:
            waiting = (keeper, copy)
    return pairs


def _is_variant(first: Unit, second: Unit) -> bool:
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


MIN_LINES = 30
"""Minimum lines of a copied block, with text in a third of them at least."""
_MIN_TEXT_LINES = 10
"""Minimum lines with text of a copied block or file."""
WINDOW = MIN_LINES // 2
"""Lines of a window that is looked up: each block of ``MIN_LINES`` has one that begins at a multiple of its length."""
_PRIME, _BASE = (1 << 61) - 1, 998_244_353
"""Modulus and base of the rolling hash of a window."""


class CopiedBlock(NamedTuple):
    """The places of a block of equal lines, one for each file; ``is_file`` if the files are equal as a whole.

    ``others`` are the places of more blocks that the same files have in common; ``share`` is the part of the lines of
    the shortest file that all these blocks are.
    """

    places: tuple[LineRange, ...]
    is_file: bool
    others: tuple[tuple[LineRange, ...], ...] = ()
    share: float = 1.0

    def list_places(self) -> list[tuple[LineRange, ...]]:
        """Return the places of all blocks, by block."""
        return [self.places, *self.others]


def find_copied_blocks(documents: Sequence[MarkdownDocument]) -> list[CopiedBlock]:
    """Return the equal files and the copied blocks of the others.

    Templates, archived files and notes of single days are not compared.
    """
    compared = [
        document
        for document in documents
        if document.role is not FileRole.DAILY and not find_model_directory(document.path)
    ]
    by_content: dict[bytes, list[MarkdownDocument]] = {}
    lines_by_path = {document.path: _split_lines(document) for document in compared}
    for document in compared:
        lines = lines_by_path[document.path]
        if sum(map(bool, lines)) >= _MIN_TEXT_LINES:
            digest = sha256("\n".join(lines).strip("\n").encode("utf-8", "replace")).digest()
            by_content.setdefault(digest, []).append(document)
    files = [CopiedBlock(tuple(map(_whole, group)), True) for group in by_content.values() if len(group) > 1]
    firsts = [group[0] for group in by_content.values()]
    return [*files, *_find_blocks([(document.path, lines_by_path[document.path]) for document in firsts])]


def _split_lines(document: MarkdownDocument) -> list[str]:
    return [line.rstrip() for line in document.text.split("\n")]


def _whole(document: MarkdownDocument) -> LineRange:
    return LineRange(document.path, 1, document.lines)


def _find_blocks(files: Sequence[tuple[str, Sequence[str]]]) -> Iterator[CopiedBlock]:
    """Yield the blocks that two or more files have in common; a file is compared with those before it."""
    numbers: dict[str, int] = {}
    sizes = {path: len("\n".join(lines).strip("\n").split("\n")) for path, lines in files}
    known = [(path, [numbers.setdefault(line, len(numbers)) for line in lines]) for path, lines in files]
    blank = numbers.get("", -1)
    firsts: dict[int, tuple[int, int]] = {}  # the file and the line where a window first begins, by its hash
    blocks: dict[LineRange, dict[str, LineRange]] = {}
    for number, (path, lines) in enumerate(known):
        hashes = list(_hash_windows(lines))
        start = free = 0  # lines before ``free`` belong to a block
        while start < len(hashes):
            other, place = firsts.get(hashes[start], (number, 0))
            first = end = start
            if other != number:
                first, end = _extend_block(known[other][1], place, lines, start, free)
            first, end = _trim_blanks(lines, first, end, blank)
            text_lines = end - first - lines[first:end].count(blank)
            if end - first >= MIN_LINES and text_lines >= _MIN_TEXT_LINES:
                keeper = LineRange(known[other][0], first + place - start + 1, end + place - start)
                blocks.setdefault(keeper, {}).setdefault(path, LineRange(path, first + 1, end))
                for window in range(-(-first // WINDOW) * WINDOW, start, WINDOW):  # the first file has them
                    if firsts.get(hashes[window]) == (number, window):
                        del firsts[hashes[window]]
                start = free = end
                continue
            if start % WINDOW == 0:
                firsts.setdefault(hashes[start], (number, start))
            start += 1
    yield from _join_by_files(blocks, sizes)


def _trim_blanks(lines: Sequence[int], first: int, end: int, blank: int) -> tuple[int, int]:
    """Return the first line and the end of some lines without blank lines around them."""
    while end > first and lines[end - 1] == blank:
        end -= 1
    while end > first and lines[first] == blank:
        first += 1
    return first, end


def _join_by_files(
    blocks: Mapping[LineRange, Mapping[str, LineRange]], sizes: Mapping[str, int]
) -> Iterator[CopiedBlock]:
    """Yield the longest block of each group of files, with the others and their share of the shortest file."""
    by_files: dict[tuple[str, ...], list[CopiedBlock]] = {}
    for keeper, copies in blocks.items():
        by_files.setdefault((keeper.path, *copies), []).append(CopiedBlock((keeper, *copies.values()), False))
    for longest, *others in by_files.values():
        block = longest._replace(others=tuple(block.places for block in others))
        copied = sum(places[0].end_line - places[0].line + 1 for places in block.list_places())
        yield block._replace(share=copied / min(sizes[place.path] for place in block.places))


def _extend_block(lines: Sequence[int], place: int, others: Sequence[int], start: int, free: int) -> tuple[int, int]:
    """Return the first line and the end of what is equal around two places, in the second file and from ``free`` on."""
    first, end = start, start
    while first > free and first - start + place > 0 and lines[first - start + place - 1] == others[first - 1]:
        first -= 1
    while end < len(others) and end - start + place < len(lines) and lines[end - start + place] == others[end]:
        end += 1
    return first, end


def _hash_windows(numbers: Sequence[int]) -> Iterator[int]:
    """Yield a hash of each window of lines, given the numbers of the lines."""
    value, top = 0, pow(_BASE, WINDOW, _PRIME)
    for place, number in enumerate(numbers):
        value = (value * _BASE + number + 1) % _PRIME
        if place >= WINDOW:
            value = (value - (numbers[place - WINDOW] + 1) * top) % _PRIME
        if place >= WINDOW - 1:
            yield value


MIN_STATEMENTS = 3
"""Minimum statements of a section that is repeated: fewer may be a common remark."""
_NUMBER = compile_lazily(r"\A\W*+\d{1,3}(?:\.\d{1,3}){0,3}[.):]?\s+")
_PROCEDURES = (FileRole.SKILL, FileRole.COMMAND, FileRole.DAILY)
"""Roles of documents whose sections are steps or entries, which may say the same."""


class RepeatedSection(NamedTuple):
    """A section of which another one with the same title says all; ``is_whole`` if both say the same."""

    kept: Heading
    copy: Heading
    is_whole: bool


def find_repeated_sections(document: MarkdownDocument) -> Iterator[RepeatedSection]:
    """Yield the sections whose statements all stand in another section with the same title, outermost ones only.

    Below different titles that limit statements, sections say the same of different things; a section whose own title
    limits it has to stand below equal titles.
    """
    if document.role in _PROCEDURES or find_model_directory(document.path):
        return
    by_title: dict[tuple[str, ...], list[Heading]] = {}
    for heading, above in _list_headings(document):
        is_limited = limits_section(_NUMBER.sub("", heading.title))
        titles = (*(title for title in above if is_limited or limits_section(title)), heading.title)
        by_title.setdefault(tuple(normalize_text(_NUMBER.sub("", title)) for title in titles), []).append(heading)
    pairs = [pair for headings in by_title.values() for pair in _compare(document, headings)]
    end = 0
    for pair in sorted(pairs, key=lambda pair: pair.copy.line):
        if pair.copy.line > end:
            end = pair.copy.end_line
            yield pair


def _list_headings(document: MarkdownDocument) -> Iterator[tuple[Heading, list[str]]]:
    """Yield the headings with the titles above each."""
    above: list[Heading] = []
    for heading in document.headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        yield heading, [parent.title for parent in above]
        above.append(heading)


def _compare(document: MarkdownDocument, headings: list[Heading]) -> Iterator[RepeatedSection]:
    """Yield a pair for each of some sections that one before, or the next one after, contains."""
    for place, heading in enumerate(headings):
        statements = _list_statements(document, heading)
        if len(statements) < MIN_STATEMENTS:
            continue
        for other in (*headings[:place], *headings[place + 1 : place + 2]):
            others = _list_statements(document, other)
            is_apart = other.end_line < heading.line or heading.end_line < other.line
            is_longer = len(others) > len(statements)
            if is_apart and set(statements) <= set(others) and (other.line < heading.line or is_longer):
                yield RepeatedSection(other, heading, statements == others)
                break


def _list_statements(document: MarkdownDocument, heading: Heading) -> list[str]:
    return [unit.normal for unit in list_section_units(document, heading) if unit.kind != "heading"]


def list_section_units(document: MarkdownDocument, heading: Heading) -> tuple[Unit, ...]:
    """Return the statements below a heading."""
    return document.units_in(heading.line + 1, heading.end_line)
