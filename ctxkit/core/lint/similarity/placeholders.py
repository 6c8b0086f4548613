"""Recognize that a path or command with placeholders and another one mean the same."""

from collections.abc import Iterable
from functools import lru_cache

from ctxkit.core.lazy_pattern import compile_lazily

_PLACEHOLDER = compile_lazily(
    r"<[^<>]{1,40}>|\{[^{}]{1,40}\}|\[[^\[\]]{1,40}\]|(?<=[a-z0-9][-_])(?:n|x+)(?![a-z0-9])|(?<![a-z0-9])yyyy-mm-dd(?![a-z0-9])"
)
MAX_LENGTH, MAX_PLACEHOLDERS = 200, 3
"""Maximum characters and placeholders of a name."""
MIN_LITERAL = 8
"""Minimum characters of a pattern outside of its placeholders."""


def is_instance(pattern: str, name: str) -> bool:
    """Return whether a name, in lower case, is an example of a pattern such as docs/sprint-N/log.md or git show <id>.

    Two patterns with other names for the same placeholders are the same.
    """
    if len(name) > MAX_LENGTH:
        return False
    literals = _split_pattern(pattern)
    return len(literals) > 1 and (literals == _split_pattern(name) or _fits(literals, name))


def is_same_pattern(name: str, others: Iterable[str]) -> bool:
    """Return whether a name is an example of any of the others, or any of them an example of it."""
    if len(_split_pattern(name)) > 1:
        return any(is_instance(name, other) or is_instance(other, name) for other in others)
    return any(len(_split_pattern(other)) > 1 and is_instance(other, name) for other in others)


@lru_cache(maxsize=4096)
def _split_pattern(name: str) -> tuple[str, ...]:
    """Return the parts of a name around its placeholders; the whole if there are none or too many."""
    parts = tuple(_PLACEHOLDER.split(name)) if len(name) <= MAX_LENGTH else (name,)
    clear = len(parts) <= MAX_PLACEHOLDERS + 1 and sum(map(len, parts)) >= MIN_LITERAL
    return parts if clear else (name,)


def _fits(literals: tuple[str, ...], name: str) -> bool:
    """Return whether the parts are in a name in their order, with something other than blanks between them."""
    first, *middle, last = literals
    if not name.startswith(first) or not name.endswith(last):
        return False
    at, end = len(first), len(name) - len(last)
    for literal in middle:
        place = name.find(literal, at + 1, end)
        if place < 0 or not _is_filled(name[at:place]):
            return False
        at = place + len(literal)
    return at < end and _is_filled(name[at:end])


def _is_filled(text: str) -> bool:
    return bool(text) and not any(sign.isspace() for sign in text)
