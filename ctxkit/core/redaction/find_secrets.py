"""Find the secrets of a text: by the form of a key, and by the place where a value stands."""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.redaction.context_rules import RULES, ContextRule, is_placeholder, is_secret_value, is_words
from ctxkit.core.redaction.masking import find_keys
from ctxkit.core.text.escapes import ESCAPE

WRAP_WIDTH = 60
"""Characters of a line from which a key at its end may go on in the next line; terminals wrap at 72 or more."""


class Secret(NamedTuple):
    """A secret of a text: its start and end (exclusive) in characters, and its kind."""

    start: int
    end: int
    kind: str


class _View(NamedTuple):
    """A text without some of its characters, and the offset of each remaining character in the original."""

    text: str
    offsets: Sequence[int]


KeyScanner = Callable[[str], Sequence[tuple[str, str]]]
"""Returns the kind and the text of each secret in a text."""


def find_secrets(text: str, scan_keys: KeyScanner | None = None) -> list[Secret]:
    """Return the secrets of a text in order, without overlaps.

    A secret may be interrupted by terminal escapes, or wrapped at the end of a long line. Skip placeholders.
    ``scan_keys`` finds more; it gets the text without the secrets that are known already.
    """
    view = _cut(text, ESCAPE) if "\x1b" in text or "\x9b" in text else None
    plain = view.text if view else text
    secrets = [*_find_plain(plain), *_find_wrapped(plain)]
    if scan_keys is not None:
        secrets += _find_scanned(plain, secrets, scan_keys)
    if view is not None:
        secrets = [Secret(view.offsets[start], view.offsets[end - 1] + 1, kind) for start, end, kind in secrets]
    return _drop_overlaps(secrets)


def _find_scanned(text: str, known: Sequence[Secret], scan_keys: KeyScanner) -> Iterator[Secret]:
    """Yield what a scanner finds in the text in which blanks replace the known secrets."""
    pieces, at = [], 0
    for start, end, _ in sorted(known):
        if end > at:
            pieces += [text[at:start], " " * (end - max(start, at))]
            at = end
    rest = "".join([*pieces, text[at:]])
    for kind, value in dict.fromkeys(scan_keys(rest)):
        is_secret = value.strip() and not (is_placeholder(value) or is_words(value.rstrip(",;")))
        at = rest.find(value) if is_secret else -1
        while at >= 0:
            yield Secret(at, at + len(value), kind)
            at = rest.find(value, at + len(value))


def _find_plain(text: str) -> Iterator[Secret]:
    for start, end, kind in find_keys(text):
        value = text[start:end]
        if kind == "private key" or not (is_placeholder(value) or is_words(value)):
            yield Secret(start, end, kind)
    yield from _find_by_context(text)


def _find_wrapped(text: str) -> Iterator[Secret]:
    """Yield the secrets that a wrap at the end of a long line divides; the rest has letters and digits."""
    word = r"[\w+/=.-]"
    rest = rf"(?!\d{{4}}-\d\d-)(?={word}{{0,200}}\d)(?={word}{{0,200}}[A-Za-z])(?={word}{{4,}})"
    ends = (rf"{end}(?<={word}{end})(?<=[^\n]{{{WRAP_WIDTH}}}{end})" for end in (r"\r\n", r"\n"))
    breaks = rf"(?:{'|'.join(ends)}){rest}"  # begins with the newline: few places are looked at
    view = _cut(text, breaks)
    if view is None:
        return
    for start, end, kind in _find_plain(view.text):
        first, last = view.offsets[start], view.offsets[end - 1]
        if kind != "private key" and last - first != end - 1 - start:
            yield Secret(first, last + 1, kind)


def _cut(text: str, pattern: str) -> _View | None:
    """Return the text without the matches of a pattern, None if there are none."""
    pieces, offsets, at = [], array("l"), 0
    for match in _compile(pattern).finditer(text):
        pieces.append(text[at : match.start()])
        offsets.extend(range(at, match.start()))
        at = match.end()
    if not at:
        return None
    offsets.extend(range(at, len(text)))
    return _View("".join([*pieces, text[at:]]), offsets)


def _find_by_context(text: str) -> Iterator[Secret]:
    """Yield the secrets of a text by their places."""
    small = text.lower()
    if len(small) != len(text):  # a character whose lower case has two
        small = text.translate(_LOWER)
    for rule in RULES:
        for first, last in _list_regions(small, rule):
            for match in _compile(rule.pattern).finditer(text, first, last):
                for start, end in _list_spans(rule, match):
                    if is_secret_value(text[start:end], certain=rule.certain):
                        yield Secret(start, end, rule.kind)


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _list_regions(small: str, rule: ContextRule) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text in lower case in which a rule may match: those around its markers."""
    places = sorted(at for mark in rule.marks for at in _list_places(small, mark))
    first = last = 0
    for at in places:
        start, end = max(at - rule.before, 0), at + rule.after
        if rule.is_one_line:
            start = max(start, small.rfind("\n", start, at) + 1)
            line_end = small.find("\n", at, end)
            end = line_end if line_end >= 0 else end
        if start > last and last:
            yield first, last
        if start > last or not last:
            first = max(start, last)
        last = end
    if last:
        yield first, last


def _list_places(text: str, mark: str) -> Iterator[int]:
    """Yield the offsets of a marker."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _list_spans(rule: ContextRule, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the values in a match."""
    if rule.inner:
        start = match.start("values")
        for value in _compile(rule.inner).finditer(match["values"]):
            yield start + value.start("value"), start + value.end("value")
        return
    group = next(name for name in ("value", "quoted", "single") if match.groupdict().get(name) is not None)
    start, end = match.span(group)
    yield start, start + len(match[group].rstrip(".:*")) if group == "value" else end


def _drop_overlaps(secrets: list[Secret]) -> list[Secret]:
    """Return secrets in order; of those that overlap, the first and longest, extended to the end of the others."""
    result: list[Secret] = []
    for secret in sorted(secrets, key=lambda secret: (secret.start, -secret.end)):
        if result and secret.start < result[-1].end:
            result[-1] = result[-1]._replace(end=max(result[-1].end, secret.end))
        else:
            result.append(secret)
    return result


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
