"""The quotation of a long request: its whole sentences that say most of what is to be done, in their order."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ctxkit.core.context.extract.pasted_output import is_output_line
from ctxkit.core.context.extract.request_text import clean_text, clip_closed, replace_blocks
from ctxkit.core.context.instructions import is_instruction, is_prohibition
from ctxkit.core.context.other_languages import asks_in_other_language, demands_in_other_language, is_foreign
from ctxkit.core.context.page_rules import find_fault
from ctxkit.core.context.sentences import split_sentences

_ITEM_NAMES = r"(?:fix|issue|task|step|phase|part|problem|bug|finding|item|todo)\W{0,2}\d"
_ITEM_HEAD = re.compile(
    rf"^ {{0,3}}(?:(?:#{{1,6}}[ \t]+|\*\*|\d{{1,2}}[.)][ \t]+)(?=\S)|(?={_ITEM_NAMES}))[^\n]{{3,400}}",
    re.MULTILINE | re.IGNORECASE,
)
"""A heading, or a numbered item, as far as it stands at the margin."""
_LEADING_MARK = re.compile(r"[#*\s]+|\d{1,2}[.)]\s+")
_NUMBERED = re.compile(rf"^\W*(?:{_ITEM_NAMES}|\d{{1,2}}[.)]\s)", re.IGNORECASE)
"""A heading that begins with the number of an item."""
_DUTY = re.compile(
    r"\b(?:should|must|shall|needs? to|has to|have to|required?|want|wish|expect(?:ed)?)\b", re.IGNORECASE
)
_LABEL_ENDS = (":", "：")
_STOPS = (".", "?", "!", ":", ";", "。", "？", "！", "：", "；", "…", ",")
MAX_CHARS, END_CHARS = 40_000, 600
"""Maximum characters of a request whose sentences are ranked, and of the end of a sentence that is searched."""
SENTENCE_CHARS, HEAD_CHARS, KEY_CHARS = 240, 140, 40
"""Maximum characters of a sentence, of the first words of an item, and of the beginning that tells one line."""
SENTENCE_SHARE, MIN_CHARS = 0.6, 60
"""Maximum share of a quotation for one sentence, and the characters that a sentence may always have."""
LAST_ORDERS, HEAD_WORDS = 2, 3
"""Orders at the end that are among the most telling sentences, and minimum words of a heading that is an order."""
JOINT_CHARS, MIN_SENTENCES = 3, 2
"""Characters of the mark between sentences, and minimum sentences that tell what a long request says."""
MIN_NAMES, NAME_WORDS, MAX_ORDER_SHARE = 20, 5, 0.5
"""Minimum lines of a pasted list of names such as tags, maximum words of a name, and share of names that may order."""
_FIRST, _HEAD, _ORDER, _DUTY_RANK, _REST, _NEVER = range(6)
"""Ranks of sentences, the most telling ones first."""


class _Sentence(NamedTuple):
    """A sentence of a request: its text, its maximum characters, its rank, its place, and whether it orders or asks."""

    text: str
    max_chars: int
    rank: int
    at: int
    is_order: bool


class RankedRequest(NamedTuple):
    """The sentences of a request in their order."""

    sentences: Sequence[_Sentence]

    def quote(self, max_chars: int) -> str:
        """Return a statement of the most telling sentences and the number of the others, empty for too few."""
        selected = self._choose(max_chars)
        number = len(self.sentences) - len(selected)
        if len(selected) < MIN_SENTENCES or not any(sentence.rank < _REST for sentence in selected):
            return ""
        left_out = f" ({number:,} {'sentence is' if number == 1 else 'sentences are'} left out)" if number else ""
        speaker = "The request" if self.has_order else "The user sent a text that"
        return f'{speaker} says "{_join(selected)}"{left_out}.'

    def select(self, max_chars: int) -> str:
        """Return the most telling sentences in their order, with marks for those between them."""
        return _join(self._choose(max_chars))

    def _choose(self, max_chars: int) -> list[_Sentence]:
        """Return the most telling sentences that fit, in their order."""
        selected: list[_Sentence] = []
        left = max_chars
        limit = max(int(SENTENCE_SHARE * max_chars), MIN_CHARS)
        for sentence in sorted(self.sentences, key=lambda sentence: (sentence.rank, sentence.at)):
            if sentence.rank == _NEVER or left <= JOINT_CHARS:
                break
            max_length = min(limit, sentence.max_chars)
            if min(len(sentence.text), max_length // 2) + JOINT_CHARS > left:
                continue
            shown = _shorten(sentence.text, max_length)
            if shown and len(shown) + JOINT_CHARS <= left:
                selected.append(sentence._replace(text=shown))
                left -= len(shown) + JOINT_CHARS
        return list(_drop_labels(sorted(selected, key=lambda sentence: sentence.at)))

    @property
    def has_order(self) -> bool:
        """Return whether a sentence of the request orders or asks something, as far as its language is known."""
        return any(sentence.is_order or is_foreign(sentence.text) for sentence in self.sentences)


def rank_sentences(text: str, task: str) -> RankedRequest:
    """Return the sentences of a request with their ranks; ``task`` is the sentence that best says what to do.

    >>> rank_sentences("It fails on CI.\\nIt is slow.\\nPlease fix it.", "Please fix it.").quote(34)
    'The request says "It fails on CI. … Please fix it." (1 sentence is left out).'
    """
    body = "\n".join(replace_blocks(clean_text(text[:MAX_CHARS]).split("\n"))).replace('"', "'")
    heads = {_make_key(match[0]): bool(_NUMBERED.match(match[0].lstrip("#* "))) for match in _ITEM_HEAD.finditer(body)}
    sentences = list(_join_labels([part for part in split_sentences(body) if any(map(str.isalpha, part))]))
    names = _find_name_lists(sentences)
    orders = [at for at, sentence in enumerate(sentences) if at not in names and _is_order(sentence)]
    closing = [at for at in orders if not sentences[at].endswith(_LABEL_ENDS)]
    task = task.replace('"', "'")
    best = {0, *closing[-LAST_ORDERS:], *(at for at, sentence in enumerate(sentences) if sentence.endswith(task))}
    ranked = _rank_all(sentences, heads, best, frozenset(orders))
    return RankedRequest(tuple(part._replace(rank=_NEVER) if part.at in names else part for part in ranked))


def _find_name_lists(sentences: Sequence[str]) -> frozenset[int]:
    """Return the places of the names in long lists of them, such as pasted tags, which say nothing to be done."""
    places: set[int] = set()
    for is_name, group in groupby(enumerate(sentences), lambda pair: _is_name(pair[1])):
        names = dict(group)
        if is_name and len(names) >= MIN_NAMES:
            is_list = sum(map(_is_order, names.values())) < MAX_ORDER_SHARE * len(names)
            places.update(names if is_list else ())
    return frozenset(places)


def _is_name(sentence: str) -> bool:
    """Return whether a sentence is a few words without a stop."""
    return len(sentence.split()) <= NAME_WORDS and not (sentence.endswith(_STOPS) or is_foreign(sentence))


def _join_labels(sentences: Sequence[str]) -> Iterator[str]:
    """Yield sentences; a label and the short sentence after it are one sentence."""
    label = ""
    for sentence in sentences:
        if label and len(label) + len(sentence) <= SENTENCE_CHARS:
            yield f"{label} {sentence}"
            label = ""
            continue
        if label:
            yield label
        label = sentence if sentence.endswith(_LABEL_ENDS) else ""
        if not label:
            yield sentence
    if label:
        yield label


def _rank_all(
    sentences: Sequence[str], heads: dict[str, bool], best: set[int], orders: frozenset[int]
) -> Iterator[_Sentence]:
    seen: set[str] = set()
    for at, sentence in enumerate(sentences):
        bare = sentence.replace("**", "")
        is_head = _make_key(sentence) in heads
        max_chars = HEAD_CHARS if is_head and at not in best else SENTENCE_CHARS
        rank = _NEVER if bare in seen else _FIRST if at in best else _rank(sentence, heads)
        seen.add(bare)
        yield _Sentence(bare, max_chars, rank, at, at in orders)


def _rank(sentence: str, heads: dict[str, bool]) -> int:
    is_numbered = heads.get(_make_key(sentence))
    is_order = is_instruction(sentence) and len(sentence.split()) >= HEAD_WORDS
    if is_numbered or (is_numbered is not None and is_order):
        return _HEAD
    if is_output_line(sentence) or (" " not in sentence.strip() and not is_foreign(sentence)):
        return _NEVER
    if _is_order(sentence):
        return _ORDER
    return _DUTY_RANK if _DUTY.search(sentence) or is_prohibition(sentence) else _REST


def _is_order(sentence: str) -> bool:
    """Return whether a sentence orders or asks something; a prohibition only limits what is to be done."""
    sentence = sentence[-END_CHARS:]
    if is_foreign(sentence):
        return asks_in_other_language(sentence) or demands_in_other_language(sentence)
    asks = sentence.endswith("?") or is_instruction(sentence)
    return asks and not (is_prohibition(sentence) or is_output_line(sentence))


def _make_key(line: str) -> str:
    """Return the beginning of a line without the marks of a heading or an item before its words."""
    bare = line.strip()
    while match := _LEADING_MARK.match(bare):
        bare = bare[match.end() :]
    return bare.replace("**", "")[:KEY_CHARS]


def _shorten(sentence: str, max_chars: int) -> str:
    """Return a sentence, or its beginning with a mark, empty if a bracket or code stays open."""
    shown = clip_closed(sentence, max_chars)
    if find_fault("Task", f'x ("{shown}")') and (address := sentence.find("://")) > 0:
        shown = clip_closed(sentence, min(max_chars, max(sentence.rfind(" ", 0, address), 0)))
    return shown if shown and not find_fault("Task", f'x ("{shown}")') else ""


def _drop_labels(sentences: Sequence[_Sentence]) -> Iterator[_Sentence]:
    """Yield sentences without the labels of sentences that are not there."""
    places = {sentence.at for sentence in sentences}
    for sentence in sentences:
        if sentence.rank <= _HEAD or not sentence.text.endswith(_LABEL_ENDS) or sentence.at + 1 in places:
            yield sentence


def _join(sentences: Sequence[_Sentence]) -> str:
    """Return sentences on one line; a mark stands for those between them."""
    parts: list[str] = []
    for at, sentence in enumerate(sentences):
        following = sentences[at + 1] if at + 1 < len(sentences) else None
        is_gap = following is not None and following.at != sentence.at + 1 and not sentence.text.endswith("…")
        stop = "" if sentence.text.endswith(_STOPS) or following is None else ";"
        parts.append(f"{sentence.text}{stop}{' …' if is_gap else ''}")
    return " ".join(parts).rstrip(".")
