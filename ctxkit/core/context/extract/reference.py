"""What a task refers to without naming it: an item of a list, a subject, or an error in pasted output."""

import re
from collections.abc import Sequence

_ITEM_NUMBER = re.compile(
    r"\b(?:for|do|fix|item|number|option|point|step|observation|finding|issue|implement|address"
    r"|add)s? #?(\d{1,2})(?!\S*[\w%])\W*$",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"^[ \t]{0,8}(?:[-*+#>]{1,4} )?\*{0,2}(?:[A-Za-z]{3,12} )?#?(\d{1,2})[.):]\*{0,2} (\S[^\n]{0,400})",
    re.MULTILINE,
)
"""An item of a numbered list, or a numbered heading."""
_NOUNS = r"(challenge|puzzle|exercise|ticket|task|problem)"
_GENERAL_NOUN = re.compile(rf"\bthe {_NOUNS}\b(?! (?:in|of|with|from|that))", re.IGNORECASE)
_NAMED = re.compile(rf"the (?:\w+ ){{0,2}}{_NOUNS} is (?!to\b|given\b|located\b)\S", re.IGNORECASE)
"""The beginning of a sentence that says what the challenge or the task is."""
_STATUS = re.compile(r"[✓✔☑✅○●]|--?[A-Za-z]|(?!.*\.$).*\\$")
"""A mark with which a program says that all is well, or a line of a command."""
_ERROR = re.compile(r"\b(?:\w*Error|error|fatal|panic)\b.{0,12}: \S")
MAX_BRIEF, MAX_BACK, FEW_WORDS = 80, 100, 4
"""Characters of a request that may refer to an item, messages in which it is looked for, and words that say little."""


def find_numbered_item(request: str, messages: Sequence[str]) -> str:
    """Return a quotation of the item to which a short request refers by its number, empty if there is none.

    The item stands in one of the last messages of the agent.

    >>> find_numbered_item("Let's add tests for 2", ["1. a.py is slow.\\n2. b.py has no tests."])
    '2: "b.py has no tests"'
    """
    number = _ITEM_NUMBER.search(request) if len(request) <= MAX_BRIEF else None
    if number is None:
        return ""
    for words in reversed(messages[-MAX_BACK:]):
        for item in _ITEM.finditer(words):
            if item[1] == number[1]:
                text = item[2].replace('"', "'").replace("**", "").strip(" .:")
                return f'{item[1]}: "{text[:200].rsplit(" ", 1)[0] if len(text) > 200 else text}"'
    return ""


def find_named_subject(sentences: Sequence[str], task: str) -> str:
    """Return the first sentence that says what the challenge or the task of a task sentence is, empty if none does.

    >>> find_named_subject(['The challenge is named "Katy".', "Good luck."], "Solve the challenge.")
    'The challenge is named "Katy".'
    """
    noun = _GENERAL_NOUN.search(task)
    if noun is None:
        return ""
    for sentence in sentences:
        named = _NAMED.match(sentence) if len(sentence) <= 2 * MAX_BRIEF else None
        if named and named[1].lower() == noun[1].lower():
            return sentence
    return ""


def is_status(sentence: str) -> bool:
    """Return whether a sentence is a line of a program that says that all is well, or a line of a command."""
    return bool(_STATUS.match(sentence))


def find_error_sentence(sentences: Sequence[str]) -> str:
    """Return the first line with an error of output whose first line says little, empty if there is none."""
    if not sentences or len(sentences[0].split()) > FEW_WORDS:
        return ""
    return next((sentence for sentence in sentences if _ERROR.search(sentence)), "")
