"""What a user demands or forbids, in English: one grammar."""

import re
from collections.abc import Iterator

from ctxkit.core.summary.sentences import split_sentences

_HARD = re.compile(
    r"\b(?:(?:never|always|only)(?! \w*[^\Ws]s\b)|don['’]?t|do not|must(?:n['’]t| not)?|not allowed|forbidden"
    r"|under no circumstances|no more than"
    r"|at most|at least|mandatory|strictly|exactly|avoid|refrain|should(?:n['’]t| not)?|cannot|no need to|without"
    r"|unless|from now on|going forward|except|make sure|ensure|stick to|leave\b.*\balone|instead(?: of)?|rather than"
    r"|prefer(?:ably)?|keep|(?:has|have|needs?) to|(?<!to )use|please"
    r"|no (?:new|other|more|extra|unit|external)|I(?:['’]d| would)? (?:want|like|prefer))\b",
    re.IGNORECASE,
)
"""Words of a demand."""
_STANDING = re.compile(
    r"\b(?:from now on|going forward|in (?:all|any|every|each) \w+|for (?:all|any|every|each) \w+|at all times"
    r"|until further notice|every time|whenever|in (?:this|the) (?:whole )?(?:session|conversation))\b",
    re.IGNORECASE,
)
"""Words with which a demand says that it holds beyond the current task."""
_BINDING = re.compile(
    r"\b(?:never|don['’]?t|do not|must|always|only|not allowed|forbidden|avoid|make sure|ensure|use|keep|without"
    r"|prefer)\b",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:never|don['’]?t|do not|must|always|only|not allowed|forbidden|under no circumstances|no more than|at most"
    r"|at least|mandatory|strictly|avoid|refrain|cannot|should(?:n['’]t| not)|from now on|going forward|instead of"
    r"|rather than|prefer\w*|without)\b",
    re.IGNORECASE,
)
"""Words of a demand that is not done with once."""
_BEGINNING = re.compile(
    r"\W*(?:never|don['’]?t|do not|must|always|only|no|avoid|refrain|make sure|ensure|keep|use|please|prefer|run|when"
    r"|if|you (?:must|should|need|have|cannot|can['’]t))\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"^\W*(?:(?:and|but|so|because|since|well|yes|no|h+m+|actually|ok(?:ay)?|alright|oh),? ){0,2}"
    r"(?:I|it|that|this|there|they|he|she)(?:['’]\w+)? "
    r"(?!(?:want|need|would|['’]d|must|should|has to|needs to|have to)\b)"
    r"|^\W*the (?:(?!\b(?:must|should|never|always|only|not|to)\b).){1,80}\b(?:is|are|was|were)\b"
    r"(?!.*\b(?:must|should|never|always|only|please|use|keep)\b)"
    r"|^\W*only\b(?:(?!\b(?:what|that|which|where|who|if|when)\b).){1,80}\b(?:is|are|was|were|has|have)\b(?! to\b)",
    re.IGNORECASE,
)
"""The beginning of a sentence that tells how things are."""
_OUTPUT = re.compile(
    r"^\s*(?:[+-] ?\d+ |\d+ [-+|] |at |File \"|\d{4}-\d\d-\d\d|\w*(?:Error|Exception)\b|[\w./-]+:\d+|[$>#|] )"
    r"|[{};]\s*$|^\W*$|^\d{3}\b|^\S+ \d\d:\d\d|\b[45]\d\d [A-Z]|^\[[^\]]{1,60}\] "
)
"""A line of a program, a log or a trace that a person pasted."""
_GOING_ON = re.compile(r"(?:(?:instead|otherwise|if (?:so|not)),?|(?:do|use) (?:this|that|it)) ", re.IGNORECASE)
"""The beginning of a sentence that means nothing without the one before it."""
MIN_SENTENCE, MAX_SENTENCE = 6, 320
"""Characters of a demand: a longer sentence is other text."""


def find_demands(text: str) -> Iterator[str]:
    """Yield the sentences of a text that demand or forbid something, verbatim.

    >>> list(find_demands("The build is slow. Never push to main."))
    ['Never push to main.']
    """
    joined: list[tuple[str, bool]] = []
    for sentence in split_sentences(text):
        before, demanded = joined[-1] if joined else ("", False)
        if _GOING_ON.match(sentence) and before[-1:] in (".", "!"):
            if len(before) + len(sentence) < MAX_SENTENCE:
                joined[-1] = (f"{before} {sentence}", demanded or is_demand(sentence))
        else:
            joined.append((sentence, is_demand(sentence)))
    return (sentence for sentence, demanded in joined if demanded)


def is_demand(sentence: str) -> bool:
    """Return whether a sentence demands or forbids something."""
    if not MIN_SENTENCE <= len(sentence) <= MAX_SENTENCE or sentence[-1] in ":?":
        return False
    return bool(_HARD.search(sentence)) and not (is_output(sentence) or _STATEMENT.match(sentence))


def is_binding(sentence: str) -> bool:
    """Return whether a demand limits what is done later too, unlike one to do something once.

    >>> is_binding("Never push."), is_binding("Please add a theme.")
    (True, False)
    """
    return _STRICT.search(sentence) is not None


def begins_as_demand(sentence: str) -> bool:
    """Return whether a sentence begins with a word of a demand, and so is no description.

    >>> begins_as_demand("**Never** push"), begins_as_demand("The tab shows only one row.")
    (True, False)
    """
    return _BEGINNING.match(sentence) is not None


def is_output(sentence: str) -> bool:
    """Return whether a sentence is a line of a program, a log or a trace."""
    return _OUTPUT.search(sentence) is not None


def is_standing_rule(sentence: str) -> bool:
    """Return whether a demand says that it holds beyond the current task.

    >>> is_standing_rule("From now on, only use tabs."), is_standing_rule("Use tabs.")
    (True, False)
    """
    return _STANDING.search(sentence) is not None and _BINDING.search(sentence) is not None and is_demand(sentence)
