"""Find conflicts between two statements: a different number, name or negation, or words that exclude each other."""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from difflib import SequenceMatcher
from functools import lru_cache

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.normal import normalize_text, split_tokens
from ctxkit.core.lint.similarity.statement_traits import CONDITION, Traits, canonical_of, pole_of, split_words
from ctxkit.core.lint.similarity.vocabulary import CONTRARY, MODIFIERS, NEGATIVE, POLES, SYNONYMS, stem

_PLACEHOLDER = compile_lazily(
    r"<[^<>]{1,40}>|\{[^{}]{1,40}\}|\[[^\[\]]{1,40}\]|(?<=[a-z0-9][-_])(?:n|x+)(?![a-z0-9])|(?<![a-z0-9])yyyy-mm-dd(?![a-z0-9])"
)
MAX_LENGTH, _MAX_PLACEHOLDERS = 200, 3
"""Maximum characters and placeholders of a name."""
_MIN_LITERAL = 8
"""Minimum characters of a pattern outside of its placeholders."""
_EXTENSION = compile_lazily(r"(?<=\w)\.[a-z]{1,4}$|\(\)$|^\.?/|/$")
_MAX_ORDERED_WORDS = 400
"""Maximum words of statements whose order is compared."""
_MAX_EQUAL_PAIRS = 10_000
"""Maximum pairs of equal words: 400 words of prose have 1,300, of two alternating words 80,000."""
_MIN_ORDER_RATIO = 0.7
"""Minimum share of words in the same order in which a replaced word is a conflict."""
_MAX_THING_WORDS = 2
"""Maximum words in the same place that are compared as the name of a thing."""
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
_TOOL_VERBS = frozenset(("use", "using", "run", "prefer", "install", "choose"))
_BEHIND_TOOLS = frozenset(("to", "for", "when", "before", "after", "in", "on", "as", "instead", "and", "or", "not"))
"""Words after which the name of a tool follows, and words that follow the name."""


def _find_opposites(first: Traits, second: Traits) -> frozenset[str]:
    """Return the words of both statements that are opposites of a word in the other statement."""
    mine, yours = first.poles - second.poles, second.poles - first.poles
    opposites = {word for word in mine if POLES[word] & yours} | {word for word in yours if POLES[word] & mine}
    return frozenset(opposites)


def find_conflict(first: Traits, second: Traits, texts: tuple[str, str]) -> str:
    """Return the kind of the conflict between two statements, or ""."""
    if _is_negation_conflict(first, second, texts) or _is_only_conflict(*texts):
        return "negation"
    if _differ(first.numbers, second.numbers):
        return "number"
    mine, yours = first.names | first.proper, second.names | second.proper
    if _find_missing_names(mine, yours, texts[1]) and _find_missing_names(yours, mine, texts[0]):
        return "name"
    if _differ(first.force, second.force):
        return "contrary"
    if _find_opposites(first, second):
        mine, yours = first.poles - second.poles, second.poles - first.poles
        return "contrary" if any(CONTRARY.get(word, frozenset()) & yours for word in mine) else "opposite"
    return "name" if _has_label_conflict(first, second, texts) else _find_replacement(first, second, texts)


def _has_label_conflict(first: Traits, second: Traits, texts: tuple[str, str]) -> bool:
    """Return whether two statements begin with labels that each have a word missing in the other statement."""
    mine, yours = normalize_text(first.label), normalize_text(second.label)
    if not mine or not yours or mine == yours:
        return False
    if mine in first.names and yours in second.names:  # code, such as the name of a described file
        return not _is_name_variant(mine, frozenset((yours,)))
    return _has_new_word(mine, texts[1]) and _has_new_word(yours, texts[0])


def _has_new_word(label: str, text: str) -> bool:
    """Return whether a label has a word that a text lacks in any form."""
    known_words = {pole_of(word) for word in split_words(text)}
    return any(pole_of(word) not in known_words for word in split_words(label))


def _differ(first: object, second: object) -> bool:
    """Return whether both statements have a trait, and not the same."""
    return bool(first and second and first != second)


def _find_replacement(first: Traits, second: Traits, texts: tuple[str, str]) -> str:
    """Return the kind of conflict if a word is replaced in statements of the same order, or "".

    A replaced name or number is a conflict, and so are words that exclude each other.
    """
    left, right = split_tokens(texts[0]), split_tokens(texts[1])
    mine, yours = _name_words(first), _name_words(second)
    if max(len(left), len(right)) > _MAX_ORDERED_WORDS or _count_equal_pairs(left, right) > _MAX_EQUAL_PAIRS:
        return ""
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _MIN_ORDER_RATIO:
        return ""
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "replace":
            before, after = set(left[start:end]), set(right[other_start:other_end])
            if _lacks_names(before & mine, after) and _lacks_names(after & yours, before):
                return "name"
            named = len(before) == len(after) == 1 and (before & mine or after & yours)
            if named and not _is_name_variant(left[start], frozenset(after)):
                return "name"
            if _is_foreign_exchange(before, after) or _is_foreign_exchange(after, before):
                return "name"
            if has_opposite(before, after):
                return "opposite"
            around = left[start - 1] if start else "", "".join(left[end : end + 1])
            if _is_thing_exchange(around, left[start:end], right[other_start:other_end]):
                return "name"
    return ""


def _lacks_names(names: Set[str], words: Set[str]) -> bool:
    """Return whether any name is not among words in any form."""
    return any(not _is_name_variant(name, frozenset(words)) for name in names - words)


def _is_foreign_exchange(first: Set[str], second: Set[str]) -> bool:
    """Return whether a Latin word, such as a product, stands where the other statement has another script only."""
    return any(word.isascii() and word.isalpha() for word in first) and not any(word.isascii() for word in second)


def _count_equal_pairs(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the number of pairs of equal words in the two statements."""
    if len(left) * len(right) <= _MAX_EQUAL_PAIRS:
        return 0
    times = Counter(right)
    return sum(times[word] for word in left)


def has_opposite(first: Iterable[str], second: Iterable[str]) -> bool:
    """Return whether any word has an opposite among the others."""
    others = set(map(pole_of, second))
    return any(POLES.get(pole_of(word), frozenset()) & others for word in first)


def _is_thing_exchange(around: tuple[str, str], left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether the replaced words name two different things, as in "of the search service".

    A word after an article or preposition is not a verb; after "to", another word must follow. Modifiers do not make a
    different thing. After "use" comes a tool, if its purpose follows.
    """
    before, behind = around
    things = before in _BEFORE_THINGS or (before == "to" and (not behind or behind in _BEFORE_THINGS - _ARTICLES))
    things = things or (before in _TOOL_VERBS and (not behind or behind in _BEHIND_TOOLS))
    if not things or not len(left) == len(right) <= _MAX_THING_WORDS:
        return False
    if {*left, *right} & MODIFIERS or set(map(pole_of, left)) & set(map(pole_of, right)):
        return False
    if before == "to" and {*left, *right} & SYNONYMS.keys():
        return False
    return all(word.isalpha() and word.isascii() and canonical_of(word) for word in (*left, *right))


def _is_negation_conflict(first: Traits, second: Traits, texts: tuple[str, str]) -> bool:
    """Return whether only one statement negates; ignore two that each begin with their only negation."""
    differing = first.negated_words ^ second.negated_words
    if len(first.negated_words) == len(second.negated_words) == 1 and all(
        text.split()[0] in NEGATIVE for text in texts
    ):
        return False
    return CONDITION in differing or bool(differing & first.bag & second.bag)


def _is_only_conflict(first: str, second: str) -> bool:
    """Return whether one of two statements with "only" has "not only"."""
    first, second = f" {first} ", f" {second} "
    return " only " in first and " only " in second and (" not only " in first) != (" not only " in second)


def _name_words(traits: Traits) -> set[str]:
    """Return the single words of the names and numbers of a statement."""
    return {word for name in traits.names | traits.proper for word in normalize_text(name).split()} | set(
        traits.numbers
    )


def _find_missing_names(names: frozenset[str], others: frozenset[str], text: str) -> set[str]:
    """Return the names of a statement that the other statement does not mention."""
    padded = f" {text} "
    return {
        name
        for name in names - others
        if f" {normalize_text(name)} " not in padded and not _is_name_variant(name, others)
    }


def _is_name_variant(name: str, others: frozenset[str]) -> bool:
    """Return whether a name is among others with another ending, or as the example of a pattern.

    The same are README and README.md, tests and test, docs/sprint-N/log.md and docs/sprint-1/log.md.
    """
    bare = _EXTENSION.sub("", name)
    if any(bare == _EXTENSION.sub("", other) or stem(bare) == stem(other) for other in others):
        return True
    return is_same_pattern(name, others)


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
    clear = len(parts) <= _MAX_PLACEHOLDERS + 1 and sum(map(len, parts)) >= _MIN_LITERAL
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
