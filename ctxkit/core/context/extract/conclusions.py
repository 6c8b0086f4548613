"""Reports of the agent on its work, verbatim: what it changed, what tests said, and what it chose."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.overruling import find_names
from ctxkit.core.context.extract.statement import is_stated, points_back
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.sentences import split_sentences

_CHANGE = re.compile(
    r"(?:(?:I|we)(?:['’]ve| have)? (?:also |now |successfully |then )?|(?:also |successfully |now ))?"
    r"(?:added|bumped|changed|cleaned up|configured|converted|created|deleted|dropped|enabled|disabled|extended"
    r"|extracted|fixed|hardened|implemented|increased|installed|integrated|introduced|merged|migrated|moved|pinned"
    r"|pushed|raised|reduced|refactored|removed|renamed|replaced|restored|reverted|rewrote|set up|split|switched"
    r"|tightened|updated|upgraded|wired|wrote)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence in which an agent says what it changed."""
_NO_OBJECT = re.compile(
    r"(?:added|changed|configured|created|deleted|dropped|extended|extracted|implemented|installed|integrated|introduced"
    r"|moved|removed|renamed|replaced|wired) (?:as|at|by|for|from|in|into|on|through|to|via|with|within)\b",
    re.IGNORECASE,
)
"""The beginning of a report that does not say what was changed."""
_FILE = re.compile(r"/|\w\.[A-Za-z]{1,5}(?::\d+)?$")
_PRODUCT = re.compile(r"(?:[A-Z]\w*|d3)\.(?:js|JS|io|NET|ai)")
"""The name of a library or a service, which looks like that of a file."""
_TESTS = re.compile(
    r"\b(?:all )?\d+(?:/\d+| of \d+)? (?:\w+ )?(?:tests?|checks?|specs?|assertions?|cases)\b[^.;]{0,40}"
    r"\b(?:pass(?:es|ed|ing)?|fail(?:s|ed|ing)?|succeed(?:s|ed)?|green)\b"
    r"|\ball (?:\w+ )?tests\b[^.;]{0,40}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\b.{0,20}\d"
    r"|\b\d+ (?:passed|passing|failed|failing)\b",
    re.IGNORECASE,
)
"""A result of tests with its number."""
_CHOICE = re.compile(r"(?:I|we)(?:['’]ve| have)? (?:decided|chose|chosen|opted|settled on|went with)\b", re.IGNORECASE)
_UNCERTAIN = re.compile(
    r"\b(?:if|would|could|might|may|should|probably|perhaps|likely|maybe|seems?|try|will|need(?:s|ed)? to|temporar\w+"
    r"|for now|almost|not yet|let me|let['’]s|(?:background |sub-?)agents?)\b",
    re.IGNORECASE,
)
"""Words of a guess, a plan or a condition, and of other agents whose work is reported second hand."""
_SYMBOLS = re.compile(r"^[^\w`]+")
"""Marks and pictures before the first word."""
_NOT_PROSE = re.compile(r"[:：,;{}…]$|^\|.*\||[|]{1}.*[|]|\]\(|={5,}|^[\w.]+\(.*\)$|\?$")
MIN_SENTENCE, MAX_SENTENCE = 20, 260
LATE_TURNS = 4
"""Number of last turns whose final message may contribute facts."""
LATEST_SCORE, EARLIER_SCORE, CHOICE_SCORE = 715, 640, 520
"""Scores of a report in the last turn, in an earlier turn, and of a choice."""


def find_conclusion_items(
    messages: Sequence[tuple[int, str]], turn_ends: Sequence[int], late_turns: int = LATE_TURNS
) -> Iterator[PageItem]:
    """Yield what the agent reports at the end of its last turns: changes and tests as Facts, choices as Decisions.

    ``messages`` contains the text of each agent message and its position, ``turn_ends`` the positions after which the
    user spoke. A result of tests holds only in the last turn.
    """
    seen: set[str] = set()
    finals = list(_find_final_messages(messages, turn_ends))[-late_turns:]
    for back, (at, words) in enumerate(reversed(finals)):
        for place, sentence in enumerate(split_sentences(words)):
            item = _make_item(sentence, at * 1000 + place, back)
            if item and item.forms[0].lower() not in seen:
                seen.add(item.forms[0].lower())
                yield item


def _find_final_messages(messages: Sequence[tuple[int, str]], turn_ends: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield the last message with words of each turn, in order."""
    final: tuple[int, str] | None = None
    ends = iter([*sorted(turn_ends), float("inf")])
    end = next(ends)
    for at, words in messages:
        while at > end:
            if final:
                yield final
            final, end = None, next(ends)
        if words.strip():
            final = (at, words)
    if final:
        yield final


def _make_item(sentence: str, rank: int, back: int) -> PageItem | None:
    """Return the item of a sentence that reports work, None for any other sentence."""
    text = _SYMBOLS.sub("", sentence).replace("**", "")
    if not MIN_SENTENCE <= len(text) <= MAX_SENTENCE or _NOT_PROSE.search(text) or not _is_certain(text):
        return None
    if _CHOICE.match(text):
        return PageItem("Decisions", (text,), CHOICE_SCORE - back, 10_000_000 + rank)
    is_change = bool(_CHANGE.match(text)) and not _NO_OBJECT.match(text) and any(map(_is_file, find_names(text)))
    if is_change or (back == 0 and _TESTS.search(text)):
        return PageItem("Facts", (text,), (EARLIER_SCORE - 14 * back) if back else LATEST_SCORE, rank)
    return None


def _is_file(name: str) -> bool:
    return bool(_FILE.search(name)) and not _PRODUCT.fullmatch(name)


def _is_certain(text: str) -> bool:
    """Return whether a sentence states something alone: it neither guesses, plans, points back nor instructs."""
    return not (_UNCERTAIN.search(text) or points_back(text) or is_instruction(text)) and is_stated(text)
