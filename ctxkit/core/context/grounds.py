"""What a conversation says, to hold against what is said of it: paths, identifiers, numbers, quotations."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.chat.shape import dumped
from ctxkit.core.context.matter import Matter

_CLAIM = re.compile(
    r"`([^`]+)`"
    r"|(https?://[^\s)>\]\"']+)"
    r"|((?<![\w.@+-])(?<![\w.@+-]/)(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]*\w|(?<![\w-])[\w-]+\.[A-Za-z][A-Za-z0-9]{0,5}\b)"
    r"|((?<!\w)(?:\w*[a-z0-9][A-Z]\w*|\w+_\w+)|(?<![^\W\d])[^\W\d]\w{0,200}+(?:::|\.)\w+(?:\(\))?)"
    r"|(\b[0-9a-f]{7,40}\b|\bv?\d+(?:[.,:]\d+)+[A-Za-z]{1,2}\b|\bv?\d+(?:[.,:]\d+)*\b)"
)
_BEFORE, _AFTER = re.compile(r"\d[.,]?$"), re.compile(r"[.,]?\d")
"""What makes a number part of another."""
_WORD = re.compile(r"[^\W\d_\u2E80-\U0010FFFF]{3,}|[\u2E80-\U0010FFFF]{2}")
"""A word that says something: three letters, or two signs of a script without blanks."""
_ENDING = 3
"""Letters by which two forms of a word may differ at their end."""
_SPACES = re.compile(r"\s+")
_ABBREVIATED = frozenset(("e.g", "i.e", "etc", "vs", "a.m", "p.m", "and.or"))
_ORDINARY = frozenset(("0", "1", "2", "one", "two"))
"""Numbers that a sentence counts with, and that need not stand in the source."""


class Grounds(NamedTuple):
    """Hold the words of a conversation in lower case, blanks made one."""

    text: str

    def bear(self, line: str) -> bool:
        """Tell whether every path, identifier, number and quotation of a line occurs in the conversation."""
        return all(self.hold(claim) for claim in claims(line))

    def know(self, line: str) -> bool:
        """Tell whether some word of a line occurs in the conversation: a model that babbles uses none of them."""
        words = [word.lower() for word in _WORD.findall(line)]
        return not words or any(word[: max(len(word) - _ENDING, 3)] in self.text for word in words)

    def hold(self, claim: str) -> bool:
        """Tell whether the conversation says something word for word; a number not as part of another."""
        sought = _SPACES.sub(" ", claim.lower()).strip()
        if not sought[:1].isdigit():
            return sought in self.text or sought.removesuffix("()") in self.text
        at = self.text.find(sought)
        while at >= 0:
            if not (_BEFORE.search(self.text, max(at - 2, 0), at) or _AFTER.match(self.text, at + len(sought))):
                return True
            at = self.text.find(sought, at + 1)
        return False


def grounds(matter: Matter) -> Grounds:
    """Return what a conversation says, the earlier page and the pins included."""
    return Grounds(_SPACES.sub(" ", "\n".join(_said(matter)).lower()))


def _said(matter: Matter) -> Iterator[str]:
    for record in matter.records:
        yield record.words
        for call in record.calls:
            yield call.name
            yield from _strings(call.arguments)
        yield from (result.text for result in record.results)
    yield matter.earlier
    yield from matter.pins


def _strings(value: object) -> Iterator[str]:
    """Yield the arguments of a call: texts as they are, anything else as JSON."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield str(key)
            yield from _strings(held)
    elif isinstance(value, list):
        for held in value:
            yield from _strings(held)
    elif value is not None:
        yield value if isinstance(value, str) else dumped(value)


def claims(line: str) -> Iterator[str]:
    """Yield what of a line can be looked up: quoted code, addresses, paths, identifiers, numbers."""
    for found in _CLAIM.finditer(line):
        claim = next(group for group in found.groups() if group)
        if claim.lower() not in _ABBREVIATED and claim not in _ORDINARY:
            yield claim.rstrip(".,;:")
