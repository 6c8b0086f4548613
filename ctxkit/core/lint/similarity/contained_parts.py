"""Find statements that other statements contain: a sentence of a longer one, or a value under another label."""

import re
from collections.abc import Iterable, Iterator, Mapping

from ctxkit.core.lint.document.normal import count_words, normalize_text
from ctxkit.core.lint.document.sentence_spans import find_sentences
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.similarity.form_fields import read_field_label, read_field_value
from ctxkit.core.lint.similarity.statement_conflict import has_opposite
from ctxkit.core.lint.similarity.statement_traits import make_bag
from ctxkit.core.lint.similarity.vocabulary import NEGATIVE

MIN_SENTENCE_WORDS = 4
"""Minimum words of a sentence that is looked up elsewhere."""
MAX_SENTENCE_LENGTH = 1000
"""Maximum characters of such a sentence: what is longer is no sentence that people write."""
NEGATED_KEY = "\0"
"""Suffix of the key of statements that a heading negates."""
_BREAK = re.compile(r"[.!?…;)\]\"'”’*_`]\s|[|。！？；]")
"""Matches what may end a sentence, or a marker of a list."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|(?<!\s)\s+\|\s+")


def split_parts(same: Mapping[str, list[Unit]]) -> list[tuple[str, str]]:
    """Return (sentence, key) for the sentences of the statements that have several; the sentences are normalized."""
    return [
        (normalize_text(piece), key)
        for key, units in same.items()
        if units[0].kind not in ("code", "row") and not key.endswith(NEGATED_KEY)
        for piece in _split_sentences(units[0].text)
        if len(piece) <= MAX_SENTENCE_LENGTH
    ]


def find_sentence_pairs(same: Mapping[str, list[Unit]], parts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield (sentence, statement) keys for statements with a sentence that is also a statement."""
    for sentence, key in parts:
        if (
            sentence != key
            and sentence in same
            and count_words(sentence) >= MIN_SENTENCE_WORDS
            and same[sentence][0].kind != "code"
        ):
            yield sentence, key


def find_sentence_paraphrases(
    same: Mapping[str, list[Unit]], parts: Iterable[tuple[str, str]], word_sets: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, str]]:
    """Yield (sentence, statement) keys for statements with a sentence of the same words as another statement.

    The words may differ in form, and words without a meaning of their own may be added; negations may not.
    """
    by_words: dict[frozenset[str], str] = {}
    for key, words in word_sets.items():
        if len(words) >= MIN_SENTENCE_WORDS and same[key][0].kind != "row" and not key.endswith(NEGATED_KEY):
            by_words.setdefault(words, key)
    for sentence, key in parts:
        statement = by_words.get(make_bag(sentence), key)
        if statement not in (key, sentence) and _negations(statement) == _negations(sentence):
            yield statement, key


def _negations(normal: str) -> list[str]:
    return sorted(NEGATIVE.intersection(normal.split()))


def _split_sentences(text: str) -> list[str]:
    """Return the sentences of a statement and the parts between semicolons or bars; nothing for a single one."""
    if not _BREAK.search(text, 0, len(text) - 1):
        return []
    pieces = _SENTENCE.split(text)
    sentences = (text[start:end] for start, end in find_sentences(text))
    return [piece for piece in dict.fromkeys((*pieces, *sentences)) if piece != text]


def find_value_pairs(same: Mapping[str, list[Unit]], forms: frozenset[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of statements with the same URL, path or name under two labels; the first is the earliest."""
    first_keys: dict[str, str] = {}
    for key, units in same.items():
        field_value = read_field_value(units[0]) if not key.endswith(NEGATED_KEY) else ""
        other = first_keys.setdefault(field_value, key) if field_value else key
        if other == key or has_opposite(other.split(), key.split()):
            continue
        if any((unit_list[0].path, read_field_label(unit_list[0])) not in forms for unit_list in (units, same[other])):
            yield other, key
