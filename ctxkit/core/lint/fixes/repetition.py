"""Decide whether a statement repeats all of another."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import Unit
from ctxkit.core.lint.document.normal import find_sentences, normalize_text, strip_markup
from ctxkit.core.lint.similarity.statement_traits import canonical_of, extract_traits, split_words

_EMPTY_WORDS = """a an the this that these those it its is are was were be been being am and so then as at by for from
    in into of on onto to with within via per about also such just very really i you he she we they
    my your our their his him her us them me will would do does did done has have had having how please note tip hint
    remember reminder simply basically actually make sure ensure let lets e.g i.e etc
    的 了 和 与 在 是 有 就 都 也 请 要 把 被 对 从 到"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
"""Words that a statement may lack: all others, such as "always", "critical" or "only", change what it says."""
_LIMITING_WORDS = """only if when unless except until may might could sometimes usually often optionally generally
    typically"""
_LIMITS = frozenset(_LIMITING_WORDS.split())
"""Words that limit a statement: one that has more of them says less."""
_DIRECTIONS = frozenset(("before", "after", "instead", "rather", "than", "over", "from", "until"))
"""Words between two things that may not change their places."""
_BOX = compile_lazily(r"(?:\s*>)*\s*(?:[-*+•‣◦]|\d{1,4}[.)])\s+\[([ xX])\]\s")
_NOT_SIGNS = frozenset("<>|~→←^")


def repeats(keeper: Unit, copy: Unit) -> bool:
    """Return whether a statement repeats all that another says: its words, numbers, names, negations and signs."""
    if copy.normal == keeper.normal:
        return _count_signs(copy.text) == _count_signs(keeper.text)
    if _has_more_signs(copy.text, keeper.text) or "code" in (copy.kind, keeper.kind):
        return False
    sentences = split_normal(keeper.text)
    return split_normal(copy.text) <= sentences or _repeats_words(keeper, copy)


def _repeats_words(keeper: Unit, copy: Unit) -> bool:
    """Return whether a statement has all words, numbers, names and negations of another, and its label."""
    mine, yours = extract_traits(copy), extract_traits(keeper)
    if not (mine.bag <= yours.bag and mine.numbers <= yours.numbers and mine.names <= yours.names):
        return False
    turned = (yours.negated_words & mine.bag) - mine.negated_words
    if turned or not mine.negated_words <= yours.negated_words:
        return False
    if f" {normalize_text(mine.label)} " not in f" {keeper.normal} " and mine.label:
        return False
    copy_words, keeper_words = split_words(copy.normal), split_words(keeper.normal)
    if not _LIMITS.intersection(keeper_words) <= set(copy_words):
        return False
    return _has_words(keeper_words, copy_words) and _has_order(keeper_words, copy_words)


def _has_words(keeper: Sequence[str], copy: Sequence[str]) -> bool:
    """Return whether a statement lacks no word of another but those without a meaning; synonyms are equal."""
    known, forms = set(keeper), set(map(canonical_of, keeper))
    return all(word in known or word in _EMPTY or canonical_of(word) in forms - {""} for word in copy)


def _has_order(keeper: Sequence[str], copy: Sequence[str]) -> bool:
    """Return whether what follows a word such as "instead" in a statement follows it in the other one, too."""
    for word in _DIRECTIONS.intersection(copy):
        after = _content(copy[copy.index(word) + 1 :])
        before = _content(copy[: copy.index(word)]) - after
        place = keeper.index(word) if word in keeper else len(keeper)
        if not after <= _content(keeper[place + 1 :]) or not before <= _content(keeper[:place]):
            return False
    return True


def _content(words: Iterable[str]) -> set[str]:
    return {canonical_of(word) for word in words} - {""}


def _has_more_signs(text: str, other: str) -> bool:
    """Return whether a text has a sign that another lacks, or has it more often."""
    counts = dict(_count_signs(other))
    return any(count > counts.get(sign, 0) for sign, count in _count_signs(text))


@lru_cache(maxsize=2_048)
def _count_signs(text: str) -> frozenset[tuple[str, int]]:
    """Return each sign that is not part of a word, such as a check mark or a check box, with its count."""
    box = _BOX.match(text)
    signs = Counter({f"[{box[1].lower()}]": 1} if box else {})
    if not text.isascii() or "+" in text or "=" in text:
        bare = strip_markup(text)
        signs.update(sign for sign in bare if sign not in _NOT_SIGNS and unicodedata.category(sign) in ("So", "Sm"))
    return frozenset(signs.items())


@lru_cache(maxsize=512)
def split_normal(text: str) -> frozenset[str]:
    """Return the normalized sentences of a statement."""
    return frozenset(normal for start, end in find_sentences(text) if (normal := normalize_text(text[start:end])))
