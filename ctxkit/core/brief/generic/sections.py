"""Headings of one form: how many there are, and the names of those that fit."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import TextSection
from ctxkit.core.brief.outline import Entry, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.tokens.vocabulary import Tokenizer

ALIKE = 5
"""Number of headings of one form from which they are counted and listed by name."""
MAX_GROUPS = 6
"""Maximum number of forms of headings that are counted."""
COMPARED = 400
"""Number of headings of a group whose text is compared."""
TELLING = 15
"""Number of lines below a heading among which the telling one is looked for."""
FAR_BELOW = 4
"""Number of lines below a heading from which the telling line is not read together with it."""
MAX_COUNTED, COUNTED_WIDTH = 8, 30
"""Maximum number of recurring headings that are counted, and maximum number of characters of each."""
_ADDRESS = compile_lazily(r"0x[0-9a-fA-F]{4,16}\W?\Z")
_LETTER = compile_lazily(r"[^\W\d_]")
_WORD = compile_lazily(r"[^\W\d_]{3,40}")
WIDTH = 90
"""Maximum number of characters of a heading."""


def split_sections(
    sections: Sequence[TextSection], forms: LineForms
) -> tuple[list[list[TextSection]], list[TextSection]]:
    """Return the sections whose headings have one form, the smallest groups first, and those that stand alone."""
    groups: dict[int, list[TextSection]] = {}
    for section in sections:
        groups.setdefault(forms.shapes[forms.form_of(section.start)], []).append(section)
    alike = [rows for rows in groups.values() if len(rows) >= ALIKE]
    alike.sort(key=len, reverse=True)
    kept = {id(rows) for rows in alike[:MAX_GROUPS]}
    single = [row for rows in groups.values() if id(rows) not in kept for row in rows]
    return alike[:MAX_GROUPS][::-1], single


def list_alike(rows: Sequence[TextSection], forms: LineForms, count: Tokenizer, room: int) -> Iterator[Entry]:
    """Yield an entry with the number of headings of one form, and a dense list of those that fit."""
    texts = [clean_line(forms.lines.at(row.start), 300) for row in rows[:COMPARED]]
    prefix, suffix = _find_common(texts)
    same = len(rows) <= COMPARED and all(text == texts[0] for text in texts)
    title = texts[0] if same else f"{prefix[:WIDTH]}\u2026{suffix[-40:]}"
    sizes = sorted(row.end - row.start + 1 for row in rows)
    size = f"{sizes[0]} lines each" if sizes[0] == sizes[-1] else f"{sizes[0]}-{sizes[-1]} lines each"
    exact = same or (prefix != "" and len(rows) <= COMPARED)
    label = f"{len(rows)} \u00d7 `{title[:WIDTH]}`" if exact else f"{len(rows)} headings such as `{texts[0][:WIDTH]}`"
    counted = _count_names(rows, texts, prefix, suffix) if exact and not same else ""
    offset, ordered = _find_telling_line(rows, forms) if same or counted else 0, order_sections(rows)
    named = f", named by line {offset} below it" if offset >= FAR_BELOW else ""
    label = f"{label}, {size}{counted}"
    names: list[Entry] = []
    room -= count(label + named) + 6
    texts = [clean_line(forms.lines.at(min(row.start + offset, row.end)), 300) for row in ordered]
    if not same and not offset and prefix and len(rows) <= COMPARED:
        texts = shorten_names([text[len(prefix) : len(text) - len(suffix)] or text for text in texts])
    if ((same or counted) and not _tell_apart(texts)) or not any(map(_LETTER.search, texts)):
        yield Entry(label, rows[0].start, rows[-1].end)
        return
    for name, row in zip(texts, ordered, strict=True):
        text = name if len(name) <= 60 else f"{name[:40]}\u2026{name[-18:]}"
        room -= count(text) + 4
        if room < 0:
            break
        if text:
            names.append(Entry(text, row.start, row.start, dense=True))
    yield Entry(label + named if names else label, rows[0].start, rows[-1].end)
    yield from sorted(names, key=lambda entry: entry.start)


def _tell_apart(texts: Sequence[str]) -> bool:
    """Return whether most texts have a word that at most a third of them have; numbers alone name no section."""
    words = [set(_WORD.findall(text)) for text in texts]
    counts = Counter(word for row in words for word in row)
    telling = sum(any(counts[word] * 3 <= len(texts) for word in row) for row in words)
    return telling * 2 >= len(texts)


def shorten_names(texts: Sequence[str]) -> list[str]:
    """Return names without the words that all of them have in the same place, and without addresses.

    What is left out is an ellipsis between two words that stay.
    """
    words = [text.split() for text in texts]
    columns = list(zip(*words, strict=False)) if len({len(row) for row in words}) == 1 else []
    kept = [at for at, column in enumerate(columns) if len(set(column)) > 1 and not all(map(_ADDRESS.match, column))]
    if kept and len(kept) < len(columns):
        return [_join_words([row[at] for at in kept], kept) for row in words]
    return list(texts)


def _join_words(words: Sequence[str], places: Sequence[int]) -> str:
    """Return words in one text, with an ellipsis between those that do not stand side by side."""
    text = words[0]
    for word, place, before in zip(words[1:], places[1:], places, strict=False):
        text += f" {word}" if place == before + 1 else f" \u2026 {word}"
    return text


def _count_names(rows: Sequence[TextSection], texts: Sequence[str], prefix: str, suffix: str) -> str:
    """Return how often each heading occurs, and its first line, if few recur: ``; 99 Para, the first at 3``."""
    names: dict[str, list[int]] = {}
    for row, text in zip(rows, texts, strict=True):
        names.setdefault(text[len(prefix) : len(text) - len(suffix)], []).append(row.start)
    if len(names) > MAX_COUNTED or len(names) * ALIKE > len(texts):
        return ""
    ordered = sorted(names.items(), key=lambda item: -len(item[1]))
    return "; " + ", ".join(
        f"{len(numbers)} {name[:COUNTED_WIDTH]}, the first at {numbers[0]}" for name, numbers in ordered
    )


def _find_telling_line(rows: Sequence[TextSection], forms: LineForms) -> int:
    """Return which line below equal headings tells the sections apart, 0 if none does."""
    sample = rows[:COMPARED:8] if len(rows) > 100 else rows[:COMPARED]
    most, best = len(sample) * 3 // 10, 0
    for offset in range(1, TELLING):
        distinct = {forms.form_of(row.start + offset) for row in sample if row.start + offset <= row.end}
        if len(distinct) > most:
            most, best = len(distinct), offset
    return best


def _find_common(texts: Sequence[str]) -> tuple[str, str]:
    """Return what all texts begin with and end with, up to whole words."""
    prefix = _find_prefix(texts)
    while prefix and prefix[-1].isalnum():
        prefix = prefix[:-1]
    suffix = _find_prefix([text[len(prefix) :][::-1] for text in texts])[::-1]
    while suffix and suffix[0].isalnum():
        suffix = suffix[1:]
    return prefix, suffix


def _find_prefix(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    same = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[:same]


def order_sections(rows: Sequence[TextSection]) -> list[TextSection]:
    """Return the first three and the last section, then the oddest, then the others at even distances."""
    odd = sorted(rows, key=lambda row: -row.oddness)[:6]
    ends = [*rows[:3], rows[-1], *(row for row in odd if row.oddness > 1)]
    step, order = len(rows), list(ends)
    while step > 1:
        step //= 2
        order.extend(rows[::step])
        if len(order) > 2_000:
            break
    return list(dict.fromkeys(order))
