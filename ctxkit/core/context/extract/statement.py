"""Sentences of an agent that state nothing alone: without a subject, about the talk itself, or guessed."""

import re

from ctxkit.core.context.extract.overruling import find_names
from ctxkit.core.context.page_rules import check_whole

_GENERAL_NOUN = (
    r"(?:(?:new|last|same|final|latest) )?(?:change|function|method|adjustment|purpose|approach|fix|step|issue|error"
    r"|problem|behaviou?r|update|solution|modification|process|setup|way|work|code|command|test|result)(?:es|s)?"
)
_POINTING_START = re.compile(
    r"\W*(?:(?:and|but|so|also|then|however|therefore|thus|now|additionally|furthermore),? )*"
    r"(?:it|they|that|those|these|this)(?:['’]\w+)?\b"
    rf"(?:(?= {_GENERAL_NOUN}\b)| (?=(?:is|are|was|were|has|have|had|will|would|should|could|can|may|might|must|does|do"
    r"|did|also|now|only|still|all|just|already|then|always|never|means|meant|\w+s|\w+ed|\w+ly)\b)|(?<=['’][a-z]) "
    r"|(?<=['’][a-z]{2}) )",
    re.IGNORECASE,
)
"""The beginning of a sentence whose subject is a pronoun, or a noun that says nothing after one."""
_GENERAL_START = re.compile(r"\W*the change(?:s)? (?:is|are|was|were|make|makes|ensures?)\b", re.IGNORECASE)
_POINTER = re.compile(
    rf"\b(?:for|call|use|to|with|in|by|of) (?:this|that|these|those) {_GENERAL_NOUN}\b"
    r"|(?<![\w`])(?:it|them)(?![\w`])|\b(?:this|that|these|those) (?:work|change|fix|one)s?\b",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"(?:\w+ly )?(?:Handles|Uses|Returns|Supports|Provides|Adds|Contains|Includes|Runs|Sets|Creates|Checks"
    r"|Ensures|Shows"
    r"|Displays|Calls|Takes|Prevents|Allows|Makes|Keeps|Reads|Writes|Sends|Loads|Saves|Updates|Removes|Replaces|Defines"
    r"|Validates|Converts|Generates|Initializes|handles|uses|returns|supports|provides|adds|includes|sets|creates) "
)
_LOWER_START = re.compile(
    r"(?:is|are|was|were|has|have|had|then|when|where|while|because|so|to|of|in|for|with|by|from|that|instead|rather"
    r"|than|if|it|this|they|these|and|but|or|as|at|on) "
)
"""The beginning of a part of a sentence."""
_GUESS = re.compile(
    r"\bshould now (?:be|work|have|see|show|start)\b|\bthe user (?:might|may|could|probably|seems|is probably)\b"
    r"|\bit seems like\b|^If\b",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"\bhappy to \w+|\byou (?:just |last |have )?(?:provided|shared|sent|pasted|gave me)\b"
    r"|^Once I (?:can|have)\b|^`[^`]+`: To \w|^(?:query|file|path): \S|- (?:Google|Bing|DuckDuckGo) Search$"
    r"|\b(?:process|pid)(?: (?:id|number))?[ :#]{1,2}\d+|^(?:\W*(?:We|I) (?:will|are going to|am going to)"
    r"|(?:We|I)['’]ll) ",
    re.IGNORECASE,
)
"""An offer, what the user sent, a label, the number of a process, or what the agent is about to do."""
_CODE_ALONE = re.compile(r"`[^`]*`\W*")
_LINK = re.compile(
    r"^https?://\S+ ›|\]\([^)\s]{0,200}[?&][\w%]+=|\]\(/search\b|[?&](?:utm_\w+|ved|sca_esv|gclid|fbclid)="
)
"""A link with the parameters of a search or of a tracker."""
_DATE = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)\w*\.?(?: \d{1,2})?|\d+(?:st|nd|rd|th)?|[—–-]",
    re.IGNORECASE,
)
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}|[\u2E80-\U0010FFFF]")
MIN_WORDS, MIN_POINTERS = 2, 2
"""Words beside dates that a statement has, and pointers that leave a sentence without a name unclear."""


def points_back(sentence: str) -> bool:
    """Return whether a sentence needs the one before it, because it does not name what it is about.

    >>> points_back("This involves the rows."), points_back("This parser reads rows.")
    (True, False)
    """
    if _POINTING_START.match(sentence) or _GENERAL_START.match(sentence):
        return True
    pointers = _POINTER.findall(sentence)
    return " purpose" in "".join(pointers) or (len(pointers) >= MIN_POINTERS and not find_names(sentence))


def is_stated(sentence: str) -> bool:
    """Return whether a sentence with a subject states something: no part of a sentence, guess, offer, plan or link.

    >>> is_stated("The parser reads rows."), is_stated("Properly handles rows.")
    (True, False)
    """
    if _CODE_ALONE.fullmatch(sentence) or _NO_SUBJECT.match(sentence) or _LOWER_START.match(sentence):
        return False
    if _GUESS.search(sentence) or _TALK.search(sentence) or _LINK.search(sentence):
        return False
    if check_whole("Facts", f"{sentence[:1].upper()}{sentence[1:]}"):
        return False
    return len(_PLAIN_WORD.findall(_DATE.sub(" ", sentence))) >= MIN_WORDS or "`" in sentence
