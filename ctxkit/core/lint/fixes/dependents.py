"""Find the text that depends on a statement: bullets below it, or a block that it introduces."""

import re
from bisect import bisect_right

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.unit import Unit

_INTRODUCES = compile_lazily(
    r"(?:[:：]|\b(?:as follows|the following|like (?:this|so)|for example|e\.g|below)[.!]?"
    r"|如下[。]?|以下[。]?)[\s*_`)]*$",
    re.IGNORECASE,
)
"""Matches the end of a statement that introduces the text after it."""
_BLOCK = compile_lazily(r"[ \t]*(?:`{3}|~{3}|\||<|!\[)|(?: {4}|\t)[ \t]*[^\s\-*+\d]")
"""Matches the first line of a block: a fence, a table, HTML, a picture, indented code."""
_ITEM = compile_lazily(r"[ \t]*(?:[-*+•]|\d{1,4}[.)])[ \t]")


def has_dependents(statement: Unit, document: MarkdownDocument) -> bool:
    """Return whether bullets, paragraphs or a block below a statement belong to it."""
    return statement.is_intro or bool(_INTRODUCES.search(statement.text)) or _has_children(statement, document) or (
        _has_block(statement, document)
    )  # fmt: skip


def _has_children(statement: Unit, document: MarkdownDocument) -> bool:
    place = bisect_right(document.units, statement.end_line, key=_line_of)
    following = document.units[place] if place < len(document.units) else None
    if following is None or following.kind == "heading":
        return False
    if following.list and following.list == statement.list and following.depth > statement.depth:
        return True
    indented = document.at(following.line)[:1] in (" ", "\t")
    return indented and following.depth > statement.depth and statement.kind == "bullet"


def _has_block(statement: Unit, document: MarkdownDocument) -> bool:
    """Return whether the next text after a statement is a block, or a list right below a paragraph."""
    line = statement.end_line + 1
    while line <= document.lines and not document.at(line).strip():
        line += 1
    if line > document.lines:
        return False
    text = document.at(line)
    if _BLOCK.match(text) and not text.lstrip().startswith("<!--"):
        return True
    return statement.kind == "paragraph" and line == statement.end_line + 1 and bool(_ITEM.match(text))


def _line_of(unit: Unit) -> int:
    return unit.line
