"""Extract the traits by which statements are compared: words, numbers, names, negations."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import Unit
from ctxkit.core.lint.document.normal import CJK, split_tokens, strip_markup
from ctxkit.core.lint.similarity.vocabulary import (
    NEGATIVE,
    NEGATIVE_SIGNS,
    POLES,
    STRONG,
    WEAK,
    canonical_form,
    polar_form,
    strip_filler,
)

MAX_STATEMENT_LENGTH = 4_000
"""Maximum characters of a statement that are searched for names."""
CACHE_SIZE = 1 << 15
"""Number of words whose canonical forms are cached."""
MAX_BAG_LENGTH = 50_000
"""Characters of the longest statement that is compared by its words: a 1 MB line takes a second otherwise."""
STATEMENT_CACHE_SIZE = 256
"""Number of statements whose traits are cached; each of many copies is compared with the same statement."""
MAX_TOKEN_LENGTH = 200
"""Maximum characters of a word that may be a name."""
_NUMBER = compile_lazily(r"[~≈<>]?\$?v?\d[\d.,:_]*(?:%|[a-zA-Zµ]{1,3})?$")
_CODE = compile_lazily(r"(`+)(.+?)\1", re.DOTALL)
_QUOTE = compile_lazily(r"[\"“«「]([^\"“”«»「」\n]{1,30})[\"”»」]")
_WORD = compile_lazily(rf"(?:(?![{CJK}])[^\s`*(){{}}\[\]\"“”,;|<>，。；：（）、])+")
_LATIN, _LETTER = compile_lazily(r"[A-Za-z]"), compile_lazily(r"[^\W\d_]")
_CASED = compile_lazily(
    r"[a-z]+[A-Z]|[A-Z]{2}|[A-Z].*[a-z][A-Z]|\w[._\\@#:=]\w|[_\\@#$~]|^/|/.*[/.]|^--?\w|\d.*[A-Za-z]|[A-Za-z].*\d"
)
_OPENING = compile_lazily(r"(?:[.!?:;。！？：]\s+|\n\s*|[-–—(\"“]\s*|\|\s*)\W*$")
_LABELLED = compile_lazily(r"[^:：.!?]{1,40}[:：](?=\s|$)|[^-–—:.!?]{1,24}\s[-–—]\s")
_BEGINS = compile_lazily(
    r"[-*+•>|\s]*(?:\d+[.)]\s+)?(?:\[[ xX]\]\s+)?"
    r"(?:`([^`\n]+)`(?=\s*(?:[-–—:|=]|\())|(?:\*\*|__)([^*_\n]{2,50}?)(?:\*\*|__))"
)
_COUNTS = {
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "twice": "2",
    "dozen": "12",
    "fifteen": "15",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "ninety": "90",
    "hundred": "100",
    "thousand": "1000",
}


CONDITIONS = frozenset(("if", "when", "whenever", "unless", "where"))
WITHOUT = frozenset(("without", "sin", "ohne", "sans", "uten", "zonder", "без", "بدون", "دون"))
PRONOUNS = frozenset(
    (
        *("it", "this", "that", "them", "these", "those", "which", "ello", "esto", "eso", "dies", "das", "diese"),
        *("cela", "ça", "elle", "lui", "det", "dette", "dit", "него", "этого", "ذلك", "هذا"),
    )
)
"""Words of "without it", which means "otherwise" and negates no word of the statement."""
CLAUSE = 4
"""Words after "if" in which a negation belongs to the condition."""
CONDITION = "if"
"""Stands for a negated condition among the negated words."""


class Traits(NamedTuple):
    """The traits by which a statement is compared.

    ``bag`` contains the canonical forms of its content words. ``names`` are identifiers, paths, options and quoted
    words; ``proper`` are capitalized words inside a sentence, both in lower case. ``negated_words`` are the words that
    a negation applies to. ``force`` is "strong" for a demand, "weak" for an option. ``poles`` are its words that have
    an opposite, ``label`` the code or bold words at its beginning.
    """

    bag: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    proper: frozenset[str]
    negated_words: frozenset[str]
    force: str
    poles: frozenset[str]
    label: str


def make_bag(normal: str) -> frozenset[str]:
    """Return the canonical forms of the content words of a normalized statement; all words if it has none.

    A statement of more than ``MAX_BAG_LENGTH`` characters has no bag: only its exact copies are found.
    """
    if len(normal) > MAX_BAG_LENGTH:
        return frozenset()
    raw = split_words(strip_filler(normal))
    return frozenset(word for token in raw if (word := canonical_of(token))) or frozenset(raw)


def split_words(normal: str) -> list[str]:
    """Return the single words of a normalized text, in order."""
    return [part for token in split_tokens(normal) for part in _split_token(token)]


def extract_traits(unit: Unit) -> Traits:
    """Return the traits of a statement."""
    return _extract_traits(unit.normal, unit.text)


@lru_cache(maxsize=STATEMENT_CACHE_SIZE)
def _extract_traits(normal: str, text: str) -> Traits:
    raw = split_words(strip_filler(normal))
    words = tuple(canonical_of(token) for token in raw)
    numbers = _number_occurrences(
        _COUNTS.get(token, token.lstrip("~≈<>v").rstrip(".,:")) for token in raw if _is_number(token)
    )
    poles = frozenset(word for token in raw if (word := pole_of(token)) in POLES)
    return Traits(
        frozenset(word for word in words if word) or frozenset(raw),
        numbers,
        *find_names(text),
        find_negated_words(raw, words, text),
        _find_force(raw),
        poles,
        read_label(text),
    )


def _number_occurrences(numbers: Iterable[str]) -> frozenset[str]:
    """Return the numbers of a statement; a repeated one counts again: 8, 7, 8 are not 8, 7."""
    times: Counter[str] = Counter()
    occurrences = set()
    for number in numbers:
        times[number] += 1
        occurrences.add(number if times[number] == 1 else f"{number} #{times[number]}")
    return frozenset(occurrences)


def _find_force(raw: list[str]) -> str:
    strong, weak = any(word in STRONG for word in raw), any(word in WEAK for word in raw)
    return "" if strong == weak else "strong" if strong else "weak"


def find_negated_words(raw: list[str], words: tuple[str, ...], text: str) -> frozenset[str]:
    """Return the word that each negation applies to: the next content word, else the previous one.

    Two negations of one word cancel out: "is not strictly prohibited". A negation within a condition ("if none is
    given") applies to the condition.
    """
    negated_words: set[str] = set()
    for index, token in enumerate(raw):
        following = raw[index + 1] if index + 1 < len(raw) else ""
        if token not in NEGATIVE or following in ("only", "just") or (token in WITHOUT and following in PRONOUNS):
            continue
        if CONDITIONS.intersection(raw[max(0, index - CLAUSE) : index]):
            negated_words.add(CONDITION)
        else:
            negated_words ^= {
                _first_content_word(words[index + 1 :], raw[index + 1 :])
                or _first_content_word(words[index::-1], raw[index::-1])
            }
    for sign in NEGATIVE_SIGNS.finditer(text):
        negated_words.add(text[sign.end() : sign.end() + 2].strip("`*_ "))
    return frozenset(negated_words - {""})


def _first_content_word(words: Sequence[str], raw: Sequence[str]) -> str:
    """Return the first content word that is not a negation, or ""."""
    return next((word for word, token in zip(words, raw, strict=True) if word and token not in NEGATIVE), "")


canonical_of = lru_cache(maxsize=CACHE_SIZE)(canonical_form)
pole_of = lru_cache(maxsize=CACHE_SIZE)(polar_form)


@lru_cache(maxsize=CACHE_SIZE)
def _split_token(token: str) -> tuple[str, ...]:
    """Return the words joined by hyphens, slashes and apostrophes, unless the token is a path or an option."""
    if token.isalnum() or token[0] in "-$@#/.~" or "." in token or ":" in token or "_" in token:
        return (token,)
    if "'" in token:
        return (token,) if token in NEGATIVE else (token.partition("'")[0],)
    return tuple(part for part in re.split(r"[-/+~=\\]", token) if part) or (token,)


def _is_number(token: str) -> bool:
    first = token[:1]  # a token of signs may be empty
    return token in _COUNTS or bool(first and (first.isdigit() or first in "~≈<>$v") and _NUMBER.match(token))


def _is_no_name(token: str) -> bool:
    """Return whether a token is a letter, a number or a stop word."""
    return len(token) < 2 or bool(_NUMBER.match(token[:MAX_TOKEN_LENGTH])) or canonical_of(token.casefold()) == ""


def find_names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names in a statement (code, paths, options, quotes), and its capitalized words, in lower case.

    Ignore capitals at the beginning of a sentence or in a label ("Secondary Package: ..."). In text of another script,
    every Latin word is a proper name.
    """
    text = text[:MAX_STATEMENT_LENGTH]
    foreign = not text.isascii() and 3 * len(_LATIN.findall(text)) < 2 * len(_LETTER.findall(text))
    marked = (*(code[1] for code in _CODE.findall(text)), *_QUOTE.findall(text))
    name_set = {" ".join(name.split()).casefold() for name in marked}
    proper: set[str] = set()
    line = strip_markup(_CODE.sub(" x ", text))
    labelled = _LABELLED.match(line)
    label_end = labelled.end() if labelled else 0
    for word in _WORD.finditer(line):
        token = word[0].rstrip(".:!?,'’…—–").lstrip(".:'’…—–")
        if (not foreign and token.islower() and token.isalpha()) or _is_no_name(token):
            continue
        if _CASED.search(token[:MAX_TOKEN_LENGTH]) and not _is_acronym(token):
            name_set.add(token.casefold().removesuffix("'s").removesuffix("’s"))
        elif foreign and token.isascii():
            proper.add(token.casefold())
        elif token[0].isupper() and word.start() >= label_end and not _begins_sentence(line, word.start()):
            proper.add(token.casefold().removesuffix("'s").removesuffix("’s"))
    return frozenset(name_set - {""}), frozenset(proper)


def _is_acronym(token: str) -> bool:
    """Return whether a word is an acronym or its plural, such as API and APIs."""
    return token.isalpha() and len(token) > 1 and token.removesuffix("s").isupper()


def _begins_sentence(line: str, start: int) -> bool:
    """Return whether a sentence begins at an offset."""
    return bool(_OPENING.search(line[start - 24 : start] if start > 24 else f"\n{line[:start]}"))


def read_label(text: str) -> str:
    """Return the code or bold words that a statement begins with, unchanged, or ""."""
    match = _BEGINS.match(text)
    return (match[1] or match[2] or "").strip(" :：") if match else ""


def is_question(unit: Unit) -> bool:
    """Return whether a statement asks: a question states nothing that another statement can repeat or contradict."""
    return unit.text.rstrip(" *_`\"'”)").endswith(("?", "？"))
