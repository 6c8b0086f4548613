"""Find the headings and introductions that removed copies leave without content."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import TextEdit
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.unit import Unit

_TARGET = compile_lazily(r"\]\([^()\s#]{0,1000}#([^()\s#]{1,400})\)")


class EmptySection(NamedTuple):
    """A heading or an introduction whose content is removed: its lines, and whether it may be removed too."""

    line: int
    end_line: int
    last_line: int
    is_removable: bool


def find_empty_sections(document: MarkdownDocument, edits: Sequence[TextEdit]) -> list[EmptySection]:
    """Return the sections of a document that edits leave without content, in order.

    A heading is removable if it is not the title of the document. An introduction without its list is not removable.
    """
    removed = _removed_lines(document, edits)
    if not removed:
        return []
    return sorted([*_find_headings(document, removed), *_find_introductions(document, removed)])


def _removed_lines(document: MarkdownDocument, edits: Sequence[TextEdit]) -> set[int]:
    """Return the lines with text that edits remove completely."""
    removed: set[int] = set()
    for edit in edits:
        if edit.replacement.strip() or edit.start >= edit.end:
            continue
        for line in range(document.line_of(edit.start), document.line_of(edit.end - 1) + 1):
            start, end = document.span(line, line)
            text = document.text[start : edit.start] + document.text[edit.end : end]
            if document.text[start:end].strip() and not text.strip():
                removed.add(line)
    return removed


def _find_headings(document: MarkdownDocument, removed: set[int]) -> Iterator[EmptySection]:
    """Yield the headings left without content, the last first; an empty heading is not content of another."""
    heads = [unit for unit in document.units if unit.kind == "heading"]
    numbers = range(1, document.lines + 1)
    texts = [0, *accumulate(bool(document.at(line).strip()) for line in numbers)]
    removals = [0, *accumulate(line in removed for line in numbers)]
    empty: list[int] = []  # negative numbers of the lines of empty headings, sorted
    for unit, heading in zip(reversed(heads), reversed(document.headings), strict=True):
        end, last = unit.end_line, heading.end_line
        removals_inside = removals[last] - removals[end]
        titles_inside = len(empty) - bisect_left(empty, -last)
        if removals_inside and texts[last] - texts[end] == removals_inside + titles_inside:
            yield EmptySection(unit.line, end, last, unit.depth > 1)
            empty += [-line for line in range(end, unit.line - 1, -1)]


def _find_introductions(document: MarkdownDocument, removed: set[int]) -> Iterator[EmptySection]:
    """Yield the introductions that stay while all their bullets go."""
    units = document.units
    for place, unit in enumerate(units):
        if not unit.is_intro or unit.kind not in ("paragraph", "bullet") or unit.line in removed:
            continue
        end = place + 1
        while end < len(units) and _belongs_to(units[end], unit):
            end += 1
        if end > place + 1 and all(unit.line in removed for unit in units[place + 1 : end]):
            yield EmptySection(unit.line, unit.end_line, units[end - 1].end_line, False)


def _belongs_to(unit: Unit, introduction: Unit) -> bool:
    if introduction.kind == "paragraph":
        return unit.kind == "bullet" and unit.intro == introduction.text
    return unit.list == introduction.list and unit.depth > introduction.depth


def remove_heading(document: MarkdownDocument, section: EmptySection) -> TextEdit:
    """Return the edit that removes a heading and the blank lines after it."""
    last = section.end_line
    while last < min(section.last_line, document.lines) and not document.at(last + 1).strip():
        last += 1
    return TextEdit(document.path, *document.span(section.line, last))


def is_linked(document: MarkdownDocument, section: EmptySection, documents: Sequence[MarkdownDocument]) -> bool:
    """Return whether a link leads to a heading."""
    anchor = next((heading.anchor for heading in document.headings if heading.line == section.line), "")
    return any(f"#{anchor}" in document.text and anchor in _TARGET.findall(document.text) for document in documents)
