"""How alike two statements are, and what speaks against their saying the same."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from ctxkit.core.lint.normal import normal
from ctxkit.core.lint.traits import CONDITION, Traits, canonical_of, pole_of, split
from ctxkit.core.lint.vocabulary import CONTRARY, MODIFIERS, NEGATIVE, POLES, SAME, stem, wording

_EXTENSION = re.compile(r"(?<=\w)\.[a-z]{1,4}$|\(\)$|^\.?/|/$")
LONGEST = 400
"""Words of statements whose order is compared."""
MATCHES = 10_000
"""Pairs of equal words up to which order is compared: 400 words of prose have 1,300, of two words in turn 80,000."""
ORDERED = 0.7
"""Share of two statements' words that stand in the same order, from which on one may have been put for another."""
TWO = 2
"""Words up to which what stands in the same place is compared as the name of a thing."""
_ARTICLES = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "those", "my", "your", "our", "their", "its", "his", "her"),
        *("each", "every"),
    )
)
_BEFORE_THINGS = _ARTICLES | frozenset(
    (
        *("of", "for", "in", "on", "at", "by", "from", "with", "without", "within", "into", "onto", "per", "via"),
        *("through", "about", "against", "between", "under"),
    )
)
_TAKING = frozenset(("use", "using", "run", "prefer", "install", "choose"))
_BEHIND_TOOLS = frozenset(("to", "for", "when", "before", "after", "in", "on", "as", "instead", "and", "or", "not"))
"""Words behind which the name of a tool stands, and those that follow it."""
FEW = 3
SWAPPED = 0.9
"""What remains of the likeness where a word is put for another and no more than FEW are shared."""
UNNAMED = 0.2
"""How much of the likeness goes when none of the names that the one has are in the other."""
Weigh = Callable[[str], float]
"""Return how much a word tells: the rarer, the more."""


class Likeness(NamedTuple):
    """Say how alike two statements are: 1.0 is the same words. ``left`` and ``right`` are the words only one has.

    ``clash`` names what makes them say different things: number, negation, contrary, opposite or name; it is
    empty where nothing does.
    """

    score: float
    clash: str
    left: frozenset[str]
    right: frozenset[str]


def jaccard(one: frozenset[str], two: frozenset[str], weigh: Weigh) -> float:
    """Return the weight of the shared words over that of all."""
    shared = sum(map(weigh, one & two))
    rest = sum(map(weigh, one ^ two))
    return shared / (shared + rest) if shared else 0.0


@lru_cache(maxsize=4096)
def grams(normal: str) -> Mapping[str, int]:
    """Return the groups of three characters in a text with how often they come."""
    padded = f" {normal} "
    return Counter(padded[index : index + 3] for index in range(len(padded) - 2))


def dice(one: str, two: str) -> float:
    """Return twice the shared groups of three characters over those of both."""
    left, right = grams(one), grams(two)
    if len(left) > len(right):
        left, right = right, left
    shared = sum(min(times, right.get(gram, 0)) for gram, times in left.items())
    return 2 * shared / (max(len(one), 1) + max(len(two), 1))


def like(one: Traits, two: Traits, texts: tuple[str, str], weigh: Weigh) -> Likeness:
    """Return how alike two statements are, given their traits and their normalised texts.

    Of a clash, the likeness is that of what is left when the words that exclude each other are taken out.
    """
    texts = (wording(texts[0]), wording(texts[1]))
    left, right = one.bag - two.bag, two.bag - one.bag
    found = clash(one, two, texts)
    if found:
        away = _excluded(one, two)
        rest = tuple(" ".join(word for word in text.split() if pole_of(word) not in away) for text in texts)
        return Likeness(_score(one.bag - away, two.bag - away, (rest[0], rest[1]), weigh), found, left, right)
    score = _score(one.bag, two.bag, texts, weigh)
    if left and right and len(one.bag & two.bag) <= FEW:
        score *= SWAPPED
    names = one.names | two.names
    if names:
        unnamed = _missing(one.names, two.names, texts[1]) | _missing(two.names, one.names, texts[0])
        score *= 1 - UNNAMED * len(unnamed) / len(names)
    return Likeness(score, "", left, right)


def _score(one: frozenset[str], two: frozenset[str], texts: tuple[str, str], weigh: Weigh) -> float:
    return 0.5 * sqrt(jaccard(one, two, weigh)) + 0.5 * dice(*texts)


def _excluded(one: Traits, two: Traits) -> frozenset[str]:
    """Return the words of two statements of which each has one of an opposed pair and the other has not."""
    mine, yours = one.poles - two.poles, two.poles - one.poles
    opposed = {word for word in mine if POLES[word] & yours} | {word for word in yours if POLES[word] & mine}
    return frozenset(opposed)


def clash(one: Traits, two: Traits, texts: tuple[str, str]) -> str:
    """Return what makes two statements say different things, if anything does."""
    if _denied(one, two, texts) or _only(*texts):
        return "negation"
    if one.numbers != two.numbers and one.numbers and two.numbers:
        return "number"
    mine, yours = one.names | one.proper, two.names | two.proper
    if _missing(mine, yours, texts[1]) and _missing(yours, mine, texts[0]):
        return "name"
    if one.force and two.force and one.force != two.force:
        return "contrary"
    if _excluded(one, two):
        mine, yours = one.poles - two.poles, two.poles - one.poles
        return "contrary" if any(CONTRARY.get(word, frozenset()) & yours for word in mine) else "opposite"
    return "name" if _labels(one, two, texts) else _replaced(one, two, texts)


def _labels(one: Traits, two: Traits, texts: tuple[str, str]) -> bool:
    """Say whether two statements begin with labels of which each has a word that the other statement lacks."""
    mine, yours = normal(one.label), normal(two.label)
    if not mine or not yours or mine == yours:
        return False
    if mine in one.names and yours in two.names:  # code, such as the name of a file that is described
        return not _known(mine, frozenset((yours,)))
    return _spoken(mine, texts[1]) and _spoken(yours, texts[0])


def _spoken(label: str, text: str) -> bool:
    """Say whether a label has a word that a text lacks in any form."""
    said = {pole_of(word) for word in split(text)}
    return any(pole_of(word) not in said for word in split(label))


def _replaced(one: Traits, two: Traits, texts: tuple[str, str]) -> str:
    """Return what stands where the other statement, otherwise in the same order, has something else.

    A name or number in place of another is one, so are words that exclude each other.
    """
    left, right = texts[0].split(), texts[1].split()
    mine, yours = _words_of(one), _words_of(two)
    if max(len(left), len(right)) > LONGEST or _matches(left, right) > MATCHES:
        return ""
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < ORDERED:
        return ""
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "replace":
            before, after = set(left[start:end]), set(right[other_start:other_end])
            if before & mine - after and after & yours - before:
                return "name"
            named = len(before) == len(after) == 1 and (before & mine or after & yours)
            if named and not _known(left[start], frozenset(after)):
                return "name"
            if opposed(before, after):
                return "opposite"
            around = left[start - 1] if start else "", "".join(left[end : end + 1])
            if _exchanged(around, left[start:end], right[other_start:other_end]):
                return "name"
    return ""


def _matches(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many pairs of a word and the same word in the other statement there are."""
    if len(left) * len(right) <= MATCHES:
        return 0
    times = Counter(right)
    return sum(times[word] for word in left)


def within(one: str, two: str) -> bool:
    """Say whether one of two normalised statements begins with all that the other says."""
    less, more = sorted((one, two), key=len)
    return more.startswith(f"{less} ")


def opposed(one: Iterable[str], two: Iterable[str]) -> bool:
    """Say whether some words hold one whose opposite is among others."""
    others = set(map(pole_of, two))
    return any(POLES.get(pole_of(word), frozenset()) & others for word in one)


def _exchanged(around: tuple[str, str], left: Sequence[str], right: Sequence[str]) -> bool:
    """Say whether a thing stands where the other statement has another thing: "of the search service".

    Behind an article or a preposition stands no verb, but for "to", and that one has something behind it; what
    only colours makes no other thing of it. Behind "use" stands a tool where what it is for follows.
    """
    before, behind = around
    things = before in _BEFORE_THINGS or (before == "to" and (not behind or behind in _BEFORE_THINGS - _ARTICLES))
    things = things or (before in _TAKING and (not behind or behind in _BEHIND_TOOLS))
    if not things or not len(left) == len(right) <= TWO:
        return False
    if {*left, *right} & MODIFIERS or set(map(pole_of, left)) & set(map(pole_of, right)):
        return False
    if before == "to" and {*left, *right} & SAME.keys():
        return False
    return all(word.isalpha() and word.isascii() and canonical_of(word) for word in (*left, *right))


def _denied(one: Traits, two: Traits, texts: tuple[str, str]) -> bool:
    """Say whether one statement says no to what the other says; two that begin with their only no are one in it."""
    differing = one.negated ^ two.negated
    if len(one.negated) == len(two.negated) == 1 and all(text.split()[0] in NEGATIVE for text in texts):
        return False
    return CONDITION in differing or bool(differing & one.bag & two.bag)


def _only(one: str, two: str) -> bool:
    """Say whether of two statements with "only" one has "not only"."""
    one, two = f" {one} ", f" {two} "
    return " only " in one and " only " in two and (" not only " in one) != (" not only " in two)


def _words_of(traits: Traits) -> set[str]:
    """Return the single words of the names and numbers of a statement."""
    return {word for name in traits.names | traits.proper for word in normal(name).split()} | set(traits.numbers)


def _missing(names: frozenset[str], others: frozenset[str], text: str) -> set[str]:
    """Return what a statement calls by name and its twin does not mention."""
    padded = f" {text} "
    return {name for name in names - others if f" {normal(name)} " not in padded and not _known(name, others)}


def _known(name: str, others: frozenset[str]) -> bool:
    """Say whether a name stands among others with another ending: README for README.md, tests for test."""
    bare = _EXTENSION.sub("", name)
    return any(bare == _EXTENSION.sub("", other) or stem(bare) == stem(other) for other in others)
