"""What is compared of a statement: its words, numbers, names, and whether it says yes or no."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ctxkit.core.lint.normal import CJK, plain, tokens
from ctxkit.core.lint.unit import Unit
from ctxkit.core.lint.vocabulary import (
    NEGATIVE,
    NEGATIVE_SIGNS,
    NEGATIVE_TITLE,
    POLES,
    POSITIVE_TITLE,
    STRONG,
    WEAK,
    canonical,
    pole,
    wording,
)

LONG = 4_000
"""Characters of a statement in which names are looked for."""
TITLE = 400
"""Characters of an introducing line that are looked at: it says no, or yes, where it begins."""
REMEMBERED = 1 << 15
"""Words of which it is remembered what they count as."""
TOKEN = 200
"""Characters of a word that are looked at, for it to be a name."""
_NUMBER = re.compile(r"[~≈<>]?\$?v?\d[\d.,:_]*(?:%|[a-zA-Zµ]{1,3})?$")
_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_QUOTE = re.compile(r"[\"“«「]([^\"“”«»「」\n]{1,30})[\"”»」]")
_WORD = re.compile(rf"(?:(?![{CJK}])[^\s`*(){{}}\[\]\"“”,;|<>，。；：（）、])+")
_LATIN, _LETTER = re.compile(r"[A-Za-z]"), re.compile(r"[^\W\d_]")
_CASED = re.compile(
    r"[a-z]+[A-Z]|[A-Z]{2}|[A-Z].*[a-z][A-Z]|\w[._\\@#:=]\w|[_\\@#$~]|^/|/.*[/.]|^--?\w|\d.*[A-Za-z]|[A-Za-z].*\d"
)
_OPENING = re.compile(r"(?:[.!?:;。！？：]\s+|\n\s*|[-–—(\"“]\s*|\|\s*)\W*$")
_LABELLED = re.compile(r"[^:：.!?]{1,40}[:：](?=\s|$)|[^-–—:.!?]{1,24}\s[-–—]\s")
_BEGINS = re.compile(
    r"[-*+•>|\s]*(?:\d+[.)]\s+)?(?:\[[ xX]\]\s+)?"
    r"(?:`([^`\n]+)`(?=\s*(?:[-–—:|=]|\())|(?:\*\*|__)([^*_\n]{2,50}?)(?:\*\*|__))"
)
_COUNTS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "twice": "2", "dozen": "12", "fifteen": "15", "twenty": "20", "thirty": "30",
    "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000",
}


CONDITIONS = frozenset(("if", "when", "whenever", "unless", "where"))
CLAUSE = 4
"""Words behind "if" in which a negation belongs to the condition."""
CONDITION = "if"
"""What a condition that says no counts as, among what a statement says no to."""


class Traits(NamedTuple):
    """Hold what one statement is compared by.

    ``bag`` is what its words count as, without order and without what says nothing. ``names`` are identifiers,
    paths, options and quoted words, ``proper`` words with a capital inside a sentence, both in small letters.
    ``negated`` are the words that it says no to, and ``force`` is strong where it demands, weak where it leaves
    open. ``poles`` are its words that have an opposite, ``label`` the code or bold words that it begins with.
    """

    bag: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    proper: frozenset[str]
    negated: frozenset[str]
    force: str
    poles: frozenset[str]
    label: str


def bag(normal: str) -> frozenset[str]:
    """Return what the words of a normalised statement count as, less those that say nothing, unless all do."""
    raw = split(wording(normal))
    return frozenset(word for token in raw if (word := canonical_of(token))) or frozenset(raw)


def split(normal: str) -> list[str]:
    """Return the single words of a normalised text, in order."""
    return [part for token in tokens(normal) for part in _parts(token)]


def traits(unit: Unit) -> Traits:
    """Return what a statement is compared by."""
    raw = split(wording(unit.normal))
    words = tuple(canonical_of(token) for token in raw)
    numbers = frozenset(_COUNTS.get(token, token.lstrip("~≈<>v").rstrip(".,:")) for token in raw if _is_number(token))
    poles = frozenset(word for token in raw if (word := pole_of(token)) in POLES)
    return Traits(
        frozenset(word for word in words if word) or frozenset(raw),
        numbers,
        *names(unit.text),
        negated(raw, words, unit.text),
        _force(raw),
        poles,
        label(unit.text),
    )


def _force(raw: list[str]) -> str:
    strong, weak = any(word in STRONG for word in raw), any(word in WEAK for word in raw)
    return "" if strong == weak else "strong" if strong else "weak"


def negated(raw: list[str], words: tuple[str, ...], text: str) -> frozenset[str]:
    """Return the word that each negation is about: the next that says something, else the one before it.

    Two that are about one word cancel each other: "is not strictly prohibited". One that belongs to a condition
    ("if none is given") is about the condition.
    """
    found: set[str] = set()
    for index, token in enumerate(raw):
        if token not in NEGATIVE or raw[index + 1 : index + 2] in (["only"], ["just"]):
            continue
        if CONDITIONS.intersection(raw[max(0, index - CLAUSE) : index]):
            found.add(CONDITION)
        else:
            found ^= {_first(words[index + 1 :], raw[index + 1 :]) or _first(words[index::-1], raw[index::-1])}
    for sign in NEGATIVE_SIGNS.finditer(text):
        found.add(text[sign.end() : sign.end() + 2].strip("`*_ "))
    return frozenset(found - {""})


def _first(words: Sequence[str], raw: Sequence[str]) -> str:
    """Return the first word that says something and is no negation."""
    return next((word for word, token in zip(words, raw, strict=True) if word and token not in NEGATIVE), "")


canonical_of = lru_cache(maxsize=REMEMBERED)(canonical)
NUMERALS = frozenset(map(canonical, _COUNTS))
"""What numbers that are written as words count as."""
pole_of = lru_cache(maxsize=REMEMBERED)(pole)


@lru_cache(maxsize=REMEMBERED)
def _parts(token: str) -> tuple[str, ...]:
    """Return the words that hyphens, slashes and apostrophes join, unless they make a path or an option."""
    if token.isalnum() or token[0] in "-$@#/.~" or "." in token or ":" in token or "_" in token:
        return (token,)
    if "'" in token:
        return (token,) if token in NEGATIVE else (token.partition("'")[0],)
    return tuple(part for part in re.split(r"[-/+~=\\]", token) if part) or (token,)


def _is_number(token: str) -> bool:
    first = token[:1]  # a token of nothing but signs may be empty
    return token in _COUNTS or bool(first and (first.isdigit() or first in "~≈<>$v") and _NUMBER.match(token))


def names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what a statement calls by name, in small letters: code, paths, options, quotes; and words with a capital.

    Capitals at the beginning of a sentence, or in a label ("Secondary Package: ..."), make no name; in a text of
    another script every Latin word is one.
    """
    text = text[:LONG]
    foreign = not text.isascii() and 3 * len(_LATIN.findall(text)) < 2 * len(_LETTER.findall(text))
    found = {" ".join(code[1].split()).casefold() for code in _CODE.findall(text)}
    found |= {" ".join(quoted.split()).casefold() for quoted in _QUOTE.findall(text)}
    proper: set[str] = set()
    line = plain(_CODE.sub(" x ", text))
    labelled = _LABELLED.match(line)
    label_end = labelled.end() if labelled else 0
    for word in _WORD.finditer(line):
        token = word[0].rstrip(".:!?,'’…—–").lstrip(".:'’…—–")
        if len(token) < 2 or _NUMBER.match(token[:TOKEN]) or canonical_of(token.casefold()) == "":
            continue
        if _CASED.search(token[:TOKEN]) and not (token.isalpha() and token.isupper()):
            found.add(token.casefold().removesuffix("'s").removesuffix("’s"))
        elif foreign and token.isascii():
            proper.add(token.casefold())
        elif token[0].isupper() and word.start() >= label_end and not _begins(line, word.start()):
            proper.add(token.casefold().removesuffix("'s").removesuffix("’s"))
    return frozenset(found - {""}), frozenset(proper)


def _begins(line: str, start: int) -> bool:
    """Say whether a sentence begins at a place."""
    return bool(_OPENING.search(line[start - 24 : start] if start > 24 else f"\n{line[:start]}"))


def label(text: str) -> str:
    """Return the code or the bold words that a statement begins with, as written; empty where it has no such label."""
    found = _BEGINS.match(text)
    return (found[1] or found[2] or "").strip(" :：") if found else ""


def turned(unit: Unit) -> bool:
    """Say whether what stands above a statement turns it round: a list below "Never:", a section "Don'ts".

    A statement that says no itself is not turned: below "Never:", people write "never push" and mean it.
    """
    if any(word in NEGATIVE for word in unit.normal.split()) or NEGATIVE_SIGNS.search(unit.text):
        return False
    if unit.under and NEGATIVE_TITLE.match(unit.under[:TITLE]):
        return True
    return bool(unit.section and len(unit.section[-1]) < 60 and NEGATIVE_TITLE.match(unit.section[-1]))


def asked(unit: Unit) -> bool:
    """Say whether what stands above a statement asks for it: a list below "Always:", a section "Do"."""
    return bool(
        (unit.under and POSITIVE_TITLE.match(unit.under[:TITLE]))
        or (unit.section and len(unit.section[-1]) < 60 and POSITIVE_TITLE.match(unit.section[-1]))
    )


def polar(one: Unit, two: Unit) -> bool:
    """Say whether what stands above two statements turns the one round and asks for the other."""
    return (turned(one) and asked(two)) or (asked(one) and turned(two))
