"""Find sections of a document that stand again in it under the same title."""

from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import FileRole, Heading, MarkdownDocument
from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.identity import find_model_directory, limits_section

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
