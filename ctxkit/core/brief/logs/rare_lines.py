"""An index of a log's rare lines: their places, with words that distinguish them."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.logs.templates import LEVELS, Template
from ctxkit.core.brief.logs.timestamps import find_timestamp
from ctxkit.core.brief.outline import Entry, Section
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.vocabulary import Tokenizer

SPAN, TOGETHER = 120, 12
"""Maximum number of lines covered by an index entry, and maximum number of forms in it."""
NAMED = 6
"""Maximum number of forms whose words are shown for a dense group."""
WORDS = (8, 5, 3, 2, 1, 0)
"""Numbers of words per form, for shorter and shorter indexes; 0 shows only the number of forms."""
WIDEST = 24
"""Maximum number of characters of a word."""
COMMON = 3
"""Inverse of the share of forms above which a word is too common to show."""
MOST = 4_000
"""Maximum number of indexed forms; the others are given as one range."""


def make_index(title: str, forms: Sequence[Template], count: Tokenizer, room: int, rank: int) -> Section:
    """Return an index of ``forms`` of at most about ``room`` tokens, with as many words of each as fit."""
    forms = sorted(forms, key=lambda form: form.first)
    groups = list(_group_neighbours(forms[:MOST]))
    words_by_form = _select_words(forms[:MOST])
    entries: list[Entry] = []
    for words in WORDS:
        entries = [_make_entry(group, words_by_form, words, rank) for group in groups]
        if count("\n".join(f"- Lines {entry.start}-{entry.end}: {entry.label}" for entry in entries)) <= room:
            break
    rest = forms[MOST:]
    if rest:
        entries.append(Entry(f"{len(rest):,} forms more", rest[0].first, max(form.last for form in rest), rank))
    return Section(title, tuple(entries), noun="ranges")


def _group_neighbours(forms: Sequence[Template]) -> Iterator[list[Template]]:
    """Yield groups of neighbours for one entry each: a dense group of any size, or else at most TOGETHER forms."""
    group: list[Template] = []
    for form in [*forms, None]:
        if group and (form is None or form.first - group[0].first >= SPAN):
            step = len(group) if _is_dense(group) else TOGETHER
            yield from (group[at : at + step] for at in range(0, len(group), step))
            group = []
        if form is not None:
            group.append(form)


def _is_dense(group: Sequence[Template]) -> bool:
    """Return whether most lines between the first and the last form of the group are first lines of forms."""
    return len(group) > TOGETHER and len(group) * 2 > group[-1].first - group[0].first


def _select_words(forms: Sequence[Template]) -> dict[int, list[str]]:
    """Return the words of each form by its first line, without words that many forms share."""
    words = {form.first: list(_split_words(form.text)) for form in forms}
    many = Counter(word for row in words.values() for word in dict.fromkeys(row))
    most = max(len(forms) // COMMON, 2)
    return {first: [word for word in row if many[word] <= most] or row[-2:] for first, row in words.items()}


def _split_words(text: str) -> Iterator[str]:
    """Yield the words after the timestamp and the level of a line, except words with a digit."""
    match = find_timestamp(text)
    rest = text[match.end() :] if match else text
    for word in (rest if rest.isprintable() else strip_escapes(rest)).split():
        bare = word.strip("[](){}<>:;,.\"'|=*-")
        if bare and bare.upper() not in LEVELS and not any(char.isdigit() for char in bare):
            yield bare[:WIDEST]


def _make_entry(group: Sequence[Template], words_by_form: dict[int, list[str]], words: int, rank: int) -> Entry:
    if not words:
        return Entry(pluralize(len(group), "form"), group[0].first, group[-1].first, rank)
    if _is_dense(group):
        few = (" ".join(words_by_form[form.first][:words]) for form in group[:: -(-len(group) // NAMED)])
        label = f"{len(group)} forms, most lines another: {'; '.join(few)}"
        return Entry(label, group[0].first, group[-1].first, rank)
    if len(group) == 1:
        return Entry(" ".join(words_by_form[group[0].first][:words]) or "1 form", group[0].first, group[0].first, rank)
    named = (f"{form.first} {' '.join(words_by_form[form.first][:words])}".rstrip() for form in group)
    return Entry("; ".join(named), group[0].first, group[-1].first, rank)
