"""What the agent found and settled, in its words: sentences with numbers, names and reasons."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.sentences import sentences

_SETTLED = re.compile(
    r"\b(?:decided|going with|go with|went with|chose|choose|choosing|opted|settled on|approach (?:is|will be)"
    r"|switch(?:ed|ing)? to|instead of|rather than"
    r"|root cause|the (?:real |actual |main )?(?:issue|problem|bug|cause|culprit|reason) (?:is|was|here)"
    r"|the fix (?:is|was)|because|so (?:we|I) (?:should|will|must|can)"
    r"|I'll use|I will use|we(?:'ll| will| should) use|keep(?:ing)? .{3,40} (?:as|for)|by design|trade-?off"
    r"|entschieden|décidé|decidido|решил\w*|因为|决定|ことにし)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b[0-9a-f]{7,40}\b|\bv?\d+\.\d+(?:\.\d+)?\b|\b\d{2,}\b|\b\d+ ?(?:%|ms|s|KB|MB|GB|tests?|passed|failed"
    r"|errors?|files?|lines?|tokens?)\b|#\d+"
    r"|\b[A-Z]{2,}-\d+\b|https?://\S+|(?<![\w./-])[.-]*\b[\w.-]+/[\w./-]+\.\w+\b"
)
_DONE = re.compile(
    r"\b(?:passed|passes|passing|succeed\w*|failed|fails|fixed|works?|created|added|updated|implemented"
    r"|complete[d]?|found|shows?|confirmed|verified|is now|are now)\b",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"^(?:let me|let's|now,? (?:let|i)|i'll|i will|i'm going|i need to|i should|first,|next,|great|perfect|sure"
    r"|ok(?:ay)?\b|alright|you're right|sorry|of course"
    r"|here(?:'s| is| are)|would you|do you|should i|shall i|want me|if you|feel free|looks? like|hmm|wait"
    r"|actually,)",
    re.IGNORECASE,
)
_CHOSEN = re.compile(r"(?:I'll|I will) (?:use|go with|keep)\b", re.IGNORECASE)
_MEAGRE = re.compile(
    r"^[^\w`]*$|:$|^\|.*\|$|^File \"|^at \S+\(|^\"[\w_]+\": |^[\w./-]+:\d+|[{};,]$|^Next speaker"
    r"|^!?\[|^[\"*]|\]\(.*\]\(|={5,}|'\w+': |^[\w.]+\(.*\)$"
)
_TITLE = re.compile(r"^(?:[\w'-]+ ){0,4}[\w'-]+$", re.ASCII)
"""Few words without a full stop: a heading, and nothing that was settled."""
SHORTEST, LONGEST = 15, 260
LATE, BRIEF = 12, 24
"""Messages of the agent, from the last back, whose numbers are told, and characters of one that says too little."""
LATEST = 715
"""What a sentence of the very last of them is worth at least."""


def conclusion_items(said: Sequence[tuple[int, str]]) -> Iterator[Item]:
    """Yield what the agent concluded last: what it settled among Decisions, what has numbers or names among Facts.

    ``said`` are the words of the agent, each with its place.
    """
    told: set[str] = set()
    late = _speaking(said)[-LATE:]
    for back, (at, words) in enumerate(reversed(late)):
        for place, sentence in enumerate(sentences(words)):
            key = sentence.lower()
            if key in told or not SHORTEST <= len(sentence) <= LONGEST or _MEAGRE.search(sentence):
                continue
            item = _item(sentence, back, at * 1000 + place)
            if item:
                told.add(key)
                yield item


def _speaking(said: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the messages of the agent that may conclude something: those of more than a few words."""
    return [pair for pair in said if len(pair[1].strip()) > BRIEF or _TELLING.search(pair[1])]


def _item(sentence: str, back: int, rank: int) -> Item | None:
    talk = bool(_TALK.match(sentence)) or sentence.endswith("?")
    telling = len(set(_TELLING.findall(sentence)))
    if telling and not talk and (back < 4 or _DONE.search(sentence)):
        worth = (640 if back else LATEST) - 14 * back + 8 * min(telling, 4) + 6 * bool(_DONE.search(sentence))
        return Item("Facts", (sentence,), worth, rank)
    if _SETTLED.search(sentence) and not _TITLE.match(sentence) and not (talk and not _CHOSEN.match(sentence)):
        return Item("Decisions", (sentence,), 520 - 12 * back, 10_000_000 + rank)
    return None


def settled_items(said: Sequence[tuple[int, str]]) -> Iterator[Item]:
    """Yield what the agent settled before its last messages, the latest first."""
    earlier = _speaking(said)[:-LATE]
    found = [
        (at * 1000 + place, sentence)
        for at, words in earlier
        for place, sentence in enumerate(sentences(words))
        if SHORTEST <= len(sentence) <= LONGEST
        and _SETTLED.search(sentence)
        and not _TITLE.match(sentence)
        and not _MEAGRE.search(sentence)
        and (_CHOSEN.match(sentence) or not _TALK.match(sentence))
        and sentence[-1] != "?"
    ]
    for back, (rank, sentence) in enumerate(reversed(found[-20:])):
        yield Item("Decisions", (sentence,), 380 - back, 10_000_000 + rank)
