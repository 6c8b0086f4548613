"""Find the fence that is broken in a document whose last fence is never closed."""

import re

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import Block, MarkdownDocument

_OPENING = compile_lazily(r"[ \t]{0,20}(?:`{3}|~{3})[`~]{0,20}[A-Za-z][\w+-]{0,30}[ \t]*$")
"""Matches the opening of a fence with the name of a language."""
_SECTION = compile_lazily(r" {0,3}#{2,6}[ \t]+\S")
"""Matches the heading of a section; a title looks like a comment of a shell."""


def find_outer_fence(document: MarkdownDocument, unclosed: Block) -> tuple[Block, int] | None:
    """Return the first closed fence that contains the opening of another one, and the line of that.

    Its end is that of the inner fence, and from there on, what opens and what closes is exchanged.
    """
    if unclosed.info:
        return None
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.line < unclosed.line:
            mark = document.at(block.line).lstrip(" \t>")[:1]
            for number in range(block.line + 1, block.end_line):
                line = document.at(number)
                if _OPENING.match(line) and line.lstrip()[0] == mark:
                    return block, number
    return None


def find_stray_fence(document: MarkdownDocument, unclosed: Block) -> Block | None:
    """Return the first closed fence with headings of sections in it: it opens where one too many stands."""
    for block in document.blocks:
        if block.kind == "fence" and block.closed and not block.info and block.line < unclosed.line:
            for number in range(block.line + 2, block.end_line):
                if _SECTION.match(document.at(number)) and not document.at(number - 1).strip():
                    return block
    return None


def find_broken_line(document: MarkdownDocument) -> int:
    """Return the line from which on code and text are exchanged, one behind the last line if there is none."""
    unclosed = next((block for block in document.blocks if not block.closed and block.kind == "fence"), None)
    outer = find_outer_fence(document, unclosed) if unclosed else None
    stray = find_stray_fence(document, unclosed) if unclosed else None
    return outer[0].line if outer else stray.line if stray else document.lines + 1


def is_in_template(document: MarkdownDocument, number: int) -> bool:
    """Return whether a line stands in a fence of Markdown, even if that ends too early, with a fence inside.

    By the rules of Markdown the rest is text. The author means a template, with paths and links of other places.
    """
    depth = 0
    for line in map(document.at, range(1, number) if "```m" in document.text else ()):
        if depth:
            depth += bool(_OPENING.match(line)) - bool(_BARE.match(line))
        else:
            depth = bool(_TEMPLATE.match(line))
    return depth > 0


_TEMPLATE = compile_lazily(r"[ \t]{0,20}`{3}(?:markdown|mdx?)[ \t]*$", re.IGNORECASE)
_BARE = compile_lazily(r"[ \t]{0,20}`{3}[ \t]*$")
