"""Shorten a text to its beginning, in whole words."""

import re

_WORDS = (
    "of any with the a an from by to and or in at on for has have no is are was were not may only that which did does"
    " do its it be been but never if when while because than as into your their this these will would can could should"
    " must type"
)
_OPEN_WORDS = frozenset(_WORDS.split())
"""Words that more text has to follow."""
_WRAPPED = re.compile(r" (?:of|with|from|by|to|in|for) (?:any of|one of|the following|any|the|of the)(?: of)?$")
_OPERATORS = ("&&", "||", "|", ";", "2>&1")
"""Operators of a shell that say nothing at the end of a command."""
_QUOTE_MARKS = re.compile(r"(?<!\w)['\"`]|['\"`](?!\w)")
_QUOTATION = re.compile(r"\\.|['\"]", re.DOTALL)
_SEPARATORS = (" && ", " || ", " | ", "; ")
_OPEN_MARKS = " ;,:({["
MIN_REST, MIN_COMMAND = 12, 60
"""Minimum characters of what a cut before an open quotation leaves of a message, and of a command."""


def clip_text(text: str, max_chars: int) -> str:
    """Return the beginning of a text in whole words, about ``max_chars`` characters long.

    It ends at the last blank in the final quarter, otherwise at the next blank if that is near.
    """
    if len(text) <= max_chars:
        return text
    cut = text.rfind(" ", 0, max_chars + 1)
    if cut >= max_chars * 3 // 4:
        return text[:cut].rstrip()
    end = text.find(" ", max_chars)
    return text if end < 0 and len(text) <= 3 * max_chars else text[: end if 0 < end <= 3 * max_chars else max_chars]


def clip_strictly(text: str, max_chars: int) -> str:
    """Return the beginning of a text in whole words if possible, at most ``max_chars`` characters long."""
    if len(text) <= max_chars:
        return text
    end = text.rfind(" ", 0, max_chars)
    return text[: end if end > 0 else max_chars]


def close_message(text: str) -> str:
    """Return the beginning of a message without a quotation that never ends and without words that need more text.

    >>> close_message("error: 3 arguments expected, 'str but found the")
    'error: 3 arguments expected'
    """
    marks = [match.start() for match in _QUOTE_MARKS.finditer(text)]
    odd = len(marks) % 2 and marks[-1] >= MIN_REST
    text = (text[: marks[-1]] if odd else text).rstrip(_OPEN_MARKS)
    head, blank, word = text.rpartition(" ")
    while blank and word in _OPEN_WORDS:
        text = head.rstrip(_OPEN_MARKS)
        head, blank, word = text.rpartition(" ")
    return text


def is_wrapped(line: str) -> bool:
    """Return whether a line ends inside a phrase, because the program broke its message there."""
    return _WRAPPED.search(line) is not None


def close_command(text: str) -> str:
    """Return the beginning of a command without a pipe into an unfinished program and without a last operator.

    A quotation that does not end is left out with its part of the command, or ends with an ellipsis.

    >>> close_command("npm run check 2>&1 | grep -E")
    'npm run check'
    """
    if _find_open_quotation(text):
        return close_quotation(text)
    head, bar, _ = text.rpartition(" | ")
    return strip_operators(head if bar and len(head) >= MIN_REST else text)


def _find_open_quotation(text: str) -> int:
    """Return the position of a quotation mark that no other one closes, 0 if there is none."""
    opening, at = 0, 0
    while mark := _QUOTATION.search(text, at):
        at = mark.end()
        if opening and mark[0] == text[opening]:
            opening = 0
        elif not opening and mark[0] in "'\"":
            opening = mark.start()
    return opening


def close_quotation(text: str) -> str:
    """Return a command without the part with an open quotation, or with its beginning if the rest is short.

    >>> close_quotation('python -c "import re')
    'python -c "import re …"'
    """
    opening = _find_open_quotation(text)
    if not opening:
        return text
    head = max((text.rfind(operator, 0, opening) for operator in _SEPARATORS), default=-1)
    if head >= MIN_COMMAND:
        return strip_operators(text[:head])
    return f"{text.rstrip()} …{text[opening]}"


def strip_operators(text: str) -> str:
    """Return a command without the operators at its end.

    >>> strip_operators("make build && ")
    'make build'
    """
    text = text.rstrip()
    while text.endswith(_OPERATORS):
        operator = next(operator for operator in _OPERATORS if text.endswith(operator))
        text = text.removesuffix(operator).rstrip()
    return text
