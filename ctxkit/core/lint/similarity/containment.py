"""Recognize that a statement says all that a shorter one says, in the same order and close together."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.similarity.placeholders import is_same_pattern
from ctxkit.core.lint.similarity.similarity import Similarity
from ctxkit.core.lint.similarity.statement_traits import CONDITIONS, Traits, canonical_of, split_words
from ctxkit.core.lint.similarity.vocabulary import strip_filler

MIN_WORDS = 4
"""Minimum different content words of the shorter statement."""
MAX_WORDS = 200
"""Maximum content words of statements that are aligned."""
MIN_ORDER = 0.7
"""Minimum share of the shorter statement's words in the same order in the longer one."""
MAX_WINDOW = 1.6
"""Maximum length of the part of the longer statement, in lengths of the shorter one."""
NAMED_SIMILARITY = 0.63
"""Minimum similarity of two statements about the same name, of which the shorter has one other word at most."""
MANY_WORDS, MANY_SHARE = 7, 0.75
"""Minimum shared words, and their share of the shorter statement, that make their order irrelevant."""
MIN_NAME_LENGTH = 8
"""Minimum characters of a path, URL, command or identifier that two statements can be about."""
MAX_POSITIONS = 4
"""Maximum places of a repeated word that are aligned."""
_LIMITS = CONDITIONS | {"except", "until", "only"}
"""Words that limit a statement: one that has more of them does not say what the other says."""


def is_contained(similarity: Similarity, traits: tuple[Traits, Traits], texts: tuple[str, str], label: str) -> bool:
    """Return whether one of two statements without a conflict says all that the other says.

    The words of ``label``, the name in front of either statement, need not be repeated.
    """
    shorter, longer = sorted(map(_content_words, texts), key=lambda words: (len(set(words)), words))
    if max(len(shorter), len(longer)) > MAX_WORDS or _limits(*texts):
        return False
    unlabelled = list(dict.fromkeys(_drop_label(shorter, longer, label)))
    words = set(unlabelled)
    missing = {word for word in words.difference(longer) if not _has_instance(word, longer)}
    if len(words) < MIN_WORDS or _window_length(words, longer) > MAX_WINDOW * len(unlabelled):
        return False
    if missing and not _is_same_subject(similarity, traits, missing):
        return _is_reordered(similarity, traits, words, missing)
    return _is_ordered(unlabelled, longer)


def _has_instance(word: str, words: Sequence[str]) -> bool:
    """Return whether a path with a placeholder, or an example of it, is among words."""
    if len(word) < MIN_NAME_LENGTH or word.isalpha():
        return False
    return is_same_pattern(word, (other for other in words if len(other) >= MIN_NAME_LENGTH))


def _is_reordered(similarity: Similarity, traits: tuple[Traits, Traits], words: set[str], missing: set[str]) -> bool:
    """Return whether two statements share so many words that their order does not matter."""
    names = traits[0].names | traits[0].proper | traits[1].names | traits[1].proper
    shared = len(words) - len(missing)
    many = shared >= MANY_WORDS and shared >= MANY_SHARE * len(words)
    return many and similarity.score >= NAMED_SIMILARITY and missing.isdisjoint(map(canonical_of, names))


def _is_same_subject(similarity: Similarity, traits: tuple[Traits, Traits], missing: set[str]) -> bool:
    """Return whether two statements about the same name differ in one word, which is no name itself."""
    names = traits[0].names | traits[0].proper | traits[1].names | traits[1].proper
    few = len(missing) == 1 and missing.isdisjoint(map(canonical_of, names))
    return few and similarity.score >= NAMED_SIMILARITY and _share_name(*traits)


def _content_words(text: str) -> list[str]:
    return [word for token in split_words(strip_filler(text)) if (word := canonical_of(token))]


def _drop_label(shorter: Sequence[str], longer: Sequence[str], label: str) -> list[str]:
    """Return the words without those of the label that the longer statement lacks."""
    unshared = set(_content_words(normalize_text(label))).difference(longer) if label else set()
    return [word for word in shorter if word not in unshared]


def _limits(first: str, second: str) -> bool:
    """Return whether the statements have different conditions or exceptions."""
    return _LIMITS.intersection(first.split()) != _LIMITS.intersection(second.split())


def _share_name(first: Traits, second: Traits) -> bool:
    """Return whether two statements have a long name in common; a path may begin with a slash."""
    names = {name.removeprefix(".").removeprefix("/") for name in first.names}
    shared = names.intersection(name.removeprefix(".").removeprefix("/") for name in second.names)
    return any(len(name) >= MIN_NAME_LENGTH and not name.isalpha() for name in shared)


def _window_length(words: set[str], longer: Sequence[str]) -> int:
    """Return the length of the shortest part of a statement with all words that it shares with another."""
    needed = words.intersection(longer)
    counts: Counter[str] = Counter()
    start, shortest, present = 0, len(longer), 0
    for end, word in enumerate(longer, 1):
        counts[word] += 1
        present += word in needed and counts[word] == 1
        while present == len(needed) and start < end:
            shortest = min(shortest, end - start)
            counts[longer[start]] -= 1
            present -= longer[start] in needed and not counts[longer[start]]
            start += 1
    return shortest


def _is_ordered(shorter: Sequence[str], longer: Sequence[str]) -> bool:
    """Return whether most words of a statement follow each other in the other one, too."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(longer):
        if len(known := places.setdefault(word, [])) < MAX_POSITIONS:
            known.append(place)
    ends: list[int] = []  # the lowest last place of a sequence of each length
    for word in shorter:
        for place in reversed(places.get(word, ())):
            position = bisect_left(ends, place)
            ends[position : position + 1] = [place]
    return len(ends) >= MIN_ORDER * len(shorter)
