"""Find equal files, and blocks of lines that stand in several files, whether a tool loads them together or not."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.similarity.identity import find_model_directory

MIN_LINES = 30
"""Minimum lines of a copied block, with text in a third of them at least."""
MIN_TEXT_LINES = 10
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
        if sum(map(bool, lines)) >= MIN_TEXT_LINES:
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
            first, end = (start, start) if other == number else _extend(known[other][1], place, lines, start, free)
            while end > first and lines[end - 1] == blank:
                end -= 1
            while end > first and lines[first] == blank:
                first += 1
            if end - first >= MIN_LINES and sum(line != blank for line in lines[first:end]) >= MIN_TEXT_LINES:
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
    by_files: dict[tuple[str, ...], list[CopiedBlock]] = {}
    for keeper, copies in blocks.items():
        by_files.setdefault((keeper.path, *copies), []).append(CopiedBlock((keeper, *copies.values()), False))
    for longest, *others in by_files.values():
        block = longest._replace(others=tuple(block.places for block in others))
        copied = sum(places[0].end_line - places[0].line + 1 for places in block.list_places())
        yield block._replace(share=copied / min(sizes[place.path] for place in block.places))


def _extend(lines: Sequence[int], place: int, others: Sequence[int], start: int, free: int) -> tuple[int, int]:
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
