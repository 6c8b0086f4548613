"""Conclusions of the agent, verbatim: sentences with numbers, names or reasons."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.statement import complete_statement, is_stated
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.sentences import split_sentences

_DECISION = re.compile(
    r"\b(?:decided|going with|go with|went with(?! (?:it|them))|chose|choosing|opted for|(?:I|we) (?:opt|choose)"
    r"|settled on"
    r"|approach (?:is|will be)|(?:I|we|I['’]ll|we['’]ll|let['’]?s) (?:\w+ )?switch to|switch(?:ed|ing) to"
    r"|instead of|rather than"
    r"|the fix (?:is|was)|so (?:we|I) (?:should|will|must)"
    r"|I'll use|I will use|we(?:'ll| will| should) use|keep(?:ing)? .{3,40} (?:as|for)|by design"
    r"|entschieden|décidé|decidido|решил\w*|因为|决定|ことにし)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:root cause|because"
    r"|the (?:real |actual |main )?(?:issue|problem|bug|cause|culprit|reason) (?:is|was|here))\b",
    re.IGNORECASE,
)
"""An explanation: a fact, unless the sentence decides something too."""
_CONTRAST = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)
"""Words of a choice that an explanation of what went wrong has too."""
_SPECIFIC = re.compile(
    r"\b[0-9a-f]{7,40}\b|\bv?\d+\.\d+(?:\.\d+)?\b|\b\d{2,}\b|\b\d+ ?(?:%|ms|s|KB|MB|GB|tests?|passed|failed"
    r"|errors?|files?|lines?|tokens?)\b|#\d+"
    r"|\b[A-Z]{2,}-\d+\b|https?://\S+|(?<![\w./-])[.-]*\b[\w.-]+/[\w./-]+\.\w+\b"
)
_RESULT_WORD = re.compile(
    r"\b(?:passed|passes|passing|succeed\w*|failed|fails|fixed|works?|created|added|updated|implemented"
    r"|complete[d]?|found|shows?|confirmed|verified|is now|are now)\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b(?:pass(?:ed|es|ing)|fail(?:ed|s)|succeed\w*|fixed|completed?|is now|are now)\b", re.IGNORECASE
)
_CHOSEN = re.compile(r"(?:we (?:should|will) |let's |please )?(?:use|keep|go with|stick|prefer)\b", re.IGNORECASE)
"""The beginning of an instruction that settles how something is done."""
_CHATTER = re.compile(
    r"^(?:let me|let's|now,? (?:let|i)|i'll|i will|i'm going|i need to|i should|first,|next,|great|perfect|sure"
    r"|ok(?:ay)?\b|alright|you're right|sorry|of course"
    r"|here(?:'s| is| are)|would you|do you|should i|shall i|want me|if you|feel free|looks? like|hmm|wait"
    r"|actually,|if (?:necessary|needed|possible)"
    r"|now that .{1,80}, (?:we|i) (?:can|will|should)\b"
    r"|(?:this|that|it) (?:could|might|may|should|will|would)\b|for example\b|for instance\b|i'm (?:\w+ing)\b"
    r"|i am \w+ing\b|perhaps\b|maybe\b"
    r"|as soon as\b|given (?:the|that|this)\b|looking at\b"
    r"|to \w+ .{1,80}, (?:we|you|i) (?:should|need|can|must|will|have)\b"
    r"|(?:after|once|before|when) .{1,160}, (?:try|run|restart|you(?:['’]ll| can| should| will)|please)\b"
    r"|the (?:request|task|goal|question|user) (?:is to|asks|wants|is asking|must|should|requires|involves)\b"
    r"|.{1,120}\b(?:might|may) be (?:found|available|listed|located)\b)",
    re.IGNORECASE,
)
_PAGE_DUMP = re.compile(
    r"^Address: https?://|\bviewport (?:shows \d+% of|position: Showing page)", re.IGNORECASE | re.MULTILINE
)
"""A web page that an agent reports as a message, as the surfers of AutoGen and Magentic-One do."""
_CHOICE = re.compile(r"(?:I'll|I will) (?:use|go with|keep)\b", re.IGNORECASE)
_LABEL = re.compile(r"^(?:THOUGHT|ANALYSIS|DISCUSSION|REASONING|NOTE|Thought|Analysis|Discussion|Reasoning)s?: ")
"""The label with which an agent begins its reasoning."""
_CHOOSES = re.compile(
    r"^\W*(?:so |then |now |therefore |thus )?(?:I|we|let'?s|use|used|using|switch(?:ed|ing)?|keep|kept"
    r"|replace[sd]?|replacing|changed?|moved?|made|fixed|updated?"
    r"|implemented|instead of|rather than)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence in which an agent chooses, which a mere contrast does not show."""
_NOT_PROSE = re.compile(
    r"^[^\w`]*$|:$|^\|.*\|$|^File \"|^at \S+\(|^\"[\w_]+\": |^[\w./-]+:\d+|[{};,]$|^Next speaker"
    r"|^!?\[|^[\"*]|\]\(.*\]\(|={5,}|'\w+': |^[\w.]+\(.*\)$"
)
_TITLE = re.compile(r"^(?:[\w'-]+ ){0,4}[\w'-]+$", re.ASCII)
"""A few words without a full stop: a heading, not a decision."""
_SYMBOLS = re.compile(r"^[^\w`]+")
"""Marks and pictures before the first word."""
MIN_SENTENCE, MAX_SENTENCE = 15, 260
PAGE_HEAD = 2_000
"""Characters of a message in which the description of a web page is looked for."""
LATE_MESSAGES, BRIEF_CHARS = 12, 24
"""Number of final agent messages that may contribute facts, and minimum characters of such a message."""
LATEST_SCORE = 715
"""Base score of a sentence in the last agent message."""


def find_conclusion_items(messages: Sequence[tuple[int, str]]) -> Iterator[PageItem]:
    """Yield the agent's latest conclusions: choices as Decisions, sentences with numbers or names as Facts.

    ``messages`` contains the text of each agent message and its index.
    """
    seen: set[str] = set()
    late = _select_messages(messages)[-LATE_MESSAGES:]
    for back, (at, words) in enumerate(reversed(late)):
        for place, sentence in _complete_sentences(words):
            key = sentence.lower()
            if key in seen or not MIN_SENTENCE <= len(sentence) <= MAX_SENTENCE or _NOT_PROSE.search(sentence):
                continue
            item = _make_item(sentence, back, at * 1000 + place)
            if item:
                seen.add(key)
                yield item


def _select_messages(messages: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the agent messages that may contain a conclusion: those with more than a few words, and no web pages."""
    return [
        pair
        for pair in messages
        if (len(pair[1].strip()) > BRIEF_CHARS or _SPECIFIC.search(pair[1]))
        and not _PAGE_DUMP.search(pair[1][:PAGE_HEAD])
    ]


def _make_item(sentence: str, back: int, rank: int) -> PageItem | None:
    talk = bool(_CHATTER.match(_LABEL.sub("", sentence))) or sentence.endswith("?") or not is_stated(sentence)
    telling = len(set(_SPECIFIC.findall(sentence)))
    if telling and not talk and not _orders(sentence) and (back < 4 or _RESULT_WORD.search(sentence)):
        score = (
            (640 if back else LATEST_SCORE) - 14 * back + 8 * min(telling, 4) + 6 * bool(_RESULT_WORD.search(sentence))
        )
        return PageItem("Facts", (sentence,), score, rank)
    if _orders(sentence) and not _CHOSEN.match(sentence):
        return None
    if _concludes(sentence) and not _TITLE.match(sentence) and not (talk and not _CHOICE.match(sentence)):
        return _make_conclusion(sentence, 520 - 12 * back, rank)
    return None


def _concludes(sentence: str) -> bool:
    return _decides(sentence) or bool(_CAUSE.search(sentence))


def _decides(sentence: str) -> bool:
    """Return whether a sentence states a choice; a contrast alone is a choice only of somebody who chooses."""
    if _DECISION.search(_CONTRAST.sub(" ", sentence)):
        return True
    return bool(_CONTRAST.search(sentence) and _CHOOSES.match(sentence) and not _CAUSE.search(sentence))


def _make_conclusion(sentence: str, score: int, rank: int) -> PageItem:
    """Return a decision, or the fact that an explanation states."""
    if _decides(sentence):
        return PageItem("Decisions", (sentence,), score, 10_000_000 + rank)
    return PageItem("Facts", (sentence,), score, rank)


def _orders(sentence: str) -> bool:
    """Return whether a sentence tells another agent, or the user, what to do."""
    return is_instruction(_SYMBOLS.sub("", sentence)) and not _OUTCOME.search(sentence)


def find_decision_items(messages: Sequence[tuple[int, str]]) -> Iterator[PageItem]:
    """Yield the agent's decisions and explanations from before its last messages, latest first."""
    earlier = _select_messages(messages)[:-LATE_MESSAGES]
    decisions = [
        (at * 1000 + place, sentence)
        for at, words in earlier
        for place, sentence in _complete_sentences(words)
        if MIN_SENTENCE <= len(sentence) <= MAX_SENTENCE
        and _concludes(sentence)
        and not _TITLE.match(sentence)
        and not _NOT_PROSE.search(sentence)
        and (_CHOICE.match(sentence) or not _CHATTER.match(_LABEL.sub("", sentence)))
        and sentence[-1] != "?"
        and not _orders(sentence)
        and (_CHOICE.match(sentence) or is_stated(sentence))
    ]
    for back, (rank, sentence) in enumerate(reversed(decisions[-20:])):
        yield _make_conclusion(sentence, 380 - back, rank)


def _complete_sentences(words: str) -> Iterator[tuple[int, str]]:
    """Yield the place of each sentence of a message with its text, joined to the one before it if needed."""
    sentences = list(split_sentences(words))
    for place in range(len(sentences)):
        yield place, complete_statement(sentences, place, MAX_SENTENCE)
