"""Recognize documents that say that a program writes them."""

import re

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import MarkdownDocument

NOTICE_LINES = 12
"""First lines of a document in which such a notice stands."""
_NOTICE = compile_lazily(
    r"\bthis (?:file|document|page) (?:is|was) (?:\w+ )?(?:auto(?:matically)?[ -]?)?(?:generated|compiled) "
    r"|\bauto(?:matically)?[ -]?generated\b|@generated\b"
    r"|\bgenerated (?:file|by|from)\b[^\n]{0,200}\b(?:do not edit|edit\b[^\n]{1,80}\binstead)"
    r"|^(?:<!--|>)?[ \t]*[*_]{0,2}generated from\b[^\n]{0,200}\n(?:[^\n]{0,200}\n)?[^\n]{0,200}"
    r"\bdo not (?:edit|modify) it\b"
    r"|\bdo not (?:edit|modify) (?:this file|by hand|manually|directly)",
    re.IGNORECASE | re.MULTILINE,
)


def is_generated(document: MarkdownDocument) -> bool:
    """Return whether a document says in its first lines that a program writes it: nobody mends it by hand."""
    end = document.starts[NOTICE_LINES] if document.lines > NOTICE_LINES else len(document.text)
    return _NOTICE.search(document.text, 0, end) is not None
