"""Find the line that introduces a list, and say what it is a list of."""

import re

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.fences import is_in_template
from ctxkit.core.lint.document.markdown import MarkdownDocument

MAX_LIST = 40
"""Maximum lines of a list above an item that are passed on the way to its introduction."""
MAX_LENGTH = 400
"""Maximum characters of an introduction that are read."""
_ITEM = compile_lazily(r"[\s>]*(?:[-*+•]|\d{1,3}[.)])\s|\s{2,}\S|[ \t>]*\|")
"""Matches an item of a list, a line that continues one, or a row of a table."""
_SAMPLES = compile_lazily(
    r"✅|❌|^\W*(?:(?:in)?correct|wrong|good|bad|examples?|samples?|e\.g\.?|for (?:example|instance)|such as)\b"
    r"(?:\W{1,4}\w{1,30}){0,3}\W*$"
    r"|\bexamples?\W*$|示例|例如|例えば|^\W*例",
    re.IGNORECASE,
)
"""Matches the introduction of a list of right, wrong or possible forms."""
_SAMPLE_TITLE = compile_lazily(r"\W*(?:examples?|samples?|示例|例子|例)\W*$", re.IGNORECASE)
_SAMPLE_COLUMN = compile_lazily(r"\|[ \t*_]{0,4}(?:examples?|samples?|e\.g\.?|示例|例)[ \t*_]{0,4}\|", re.IGNORECASE)
_GONE = compile_lazily(
    r"\b(?:remov(?:ed|al)\w*|delet(?:ed|ion)\w*|dropped|retired|deprecated|obsolete|no longer|renamed|gone|scrubbed"
    r"|do(?:es)? not (?:use|reference|mention|exist)|don't (?:use|reference|mention)|never (?:use|reference|mention))\b"
    r"|已删除|已移除|不再|废弃|廃止|削除",
    re.IGNORECASE,
)
"""Matches the introduction of a list of what is no longer there."""

_NEW = compile_lazily(
    r"\b(?:creating|(?:when|before|if) you (?:create|write)|where) (?:\w{1,20} ){0,3}"
    r"(?:files?|documents?|documentation|docs|notes?|reports?|pages?)\b"
    r"|\bnew (?:\w{1,20} )?(?:files?|documents?|docs)\b",
    re.IGNORECASE,
)
"""Matches the introduction of places for new files."""


def find_introduction(document: MarkdownDocument, number: int) -> str:
    """Return the line with a colon at its end that stands above a line, or above the list that the line belongs to."""
    is_item = _ITEM.match(document.at(number)) is not None
    for above in range(number - 1, max(0, number - 1 - MAX_LIST), -1):
        line = document.at(above)
        if line.strip() and not (is_item and _ITEM.match(line)):
            text = line[-MAX_LENGTH:].rstrip(" *_`")
            return text if text.endswith((":", "：")) else ""
    return ""


def introduces_samples(introduction: str) -> bool:
    """Return whether a line introduces examples: nobody goes to their paths."""
    return _SAMPLES.search(introduction.rstrip(":：* _`")) is not None


def introduces_new(introduction: str) -> bool:
    """Return whether a line introduces places of files that are yet to be written."""
    return _NEW.search(introduction) is not None


def introduces_gone(introduction: str) -> bool:
    """Return whether a line introduces what was removed."""
    return _GONE.search(introduction) is not None


def is_in_samples(document: MarkdownDocument, number: int) -> bool:
    """Return whether a line is in a section of examples, or in a table with a column of them."""
    title = next((heading.title for heading in reversed(document.headings) if heading.line < number), "")
    if _SAMPLE_TITLE.match(title) or is_in_template(document, number):
        return True
    first = number
    while first > 1 and document.at(first).lstrip().startswith("|") and document.at(first - 1).lstrip().startswith("|"):
        first -= 1
    return first < number and _SAMPLE_COLUMN.search(document.at(first)) is not None
