"""Detection of text that a person pasted: output of programs, answers of an assistant, and documents."""

import re

from ctxkit.core.context.other_languages import is_foreign
from ctxkit.core.context.page_rules import check_code, check_whole
from ctxkit.core.context.sentences import split_sentences

_PASTED = re.compile(
    r"^\W{0,2}(?:\d{1,4}[:/.-]\d|[45]\d\d [A-Z]|\w+:\w+: |hint:|note:|warn(?:ing)?\b|error\b|info\b|debug\b)"
    r"|^\[(?=[^\]\d]*\d)[^\]]*+\]|^<[\w/]|\b(?:warning|error|exception): |(?<![\w/])[\w/]++\.\w{1,5}:\d+"
    r"|^[a-z][\w./-]*(?: [\w./=-]+)* --?[a-z]|\s--help\b|\[Image #\d",
    re.IGNORECASE,
)
"""Output of a program, or a command line, in a message of a person."""
_ANSWER = re.compile(
    r"\bWould you like me to\b|\bDo you want me to\b|\bLet me know (?:if|when)\b|\bI(?:['’]ll| will| can) help you\b"
    r"|\bI can (?:see|spot) the (?:issue|problem|error)\b|\bI apologi[sz]e\b|\bYou['’]re (?:absolutely )?right\b"
    r"|^Certainly[!,]",
    re.MULTILINE,
)
"""What only an assistant says."""
_TO_AGENT = re.compile(r"\b(?:you|your|you['’]re)\b|\bplease\b", re.IGNORECASE)
_ORDER_START = re.compile(
    r"^\W*(?:please |now |we need to |let['’]?s )?(?:add|build|change|continue|create|design|develop|fix"
    r"|implement|improve"
    r"|make|read|refactor|rewrite|solve|update|use|write)\b",
    re.IGNORECASE,
)
MAX_TYPED, HEAD_CHARS, HEAD_SENTENCES = 4_000, 1_500, 8
"""Characters up to which a message counts as typed, and characters and sentences of a longer one that are searched."""
_PASTED_CODE = re.compile(
    r"^\((?:Open file|Current directory)|^bash-\$|^(?:from [\w.]+ import |import [\w.{]+"
    r"|[\w.]+ import \*|\w*(?:[a-z]Error|Exception)\b|(?:\w+ )?[Ee]rror: "
    r"|Traceback )"
    r"|^[\w.\[\]]+ = \S"
)
_ENGLISH = re.compile(
    r"\b(?:the|is|are|was|to|of|and|in|it|you|for|be|on|not|no|use|with|that|this|all|your|any|do|don'?t|never|always"
    r"|only|must|please|should|keep|without|make|write)\b",
    re.IGNORECASE,
)


def is_output(sentence: str) -> bool:
    """Return whether a line looks like output of a program, or is a command line.

    >>> is_output("hint: use --force"), is_output("Fix the parser.")
    (True, False)
    """
    return bool(_PASTED.search(sentence))


def has_english(sentence: str) -> bool:
    """Return whether a sentence contains a common word of English."""
    return bool(_ENGLISH.search(sentence))


def is_answer(text: str) -> bool:
    """Return whether a message quotes the answer of an assistant, whose instructions are not its sender's.

    >>> is_answer("Use a queue. Would you like me to write it?")
    True
    """
    return bool(_ANSWER.search(text))


def is_pasted(sentence: str) -> bool:
    """Return whether a line is output of a program or code that a person pasted.

    >>> is_pasted("230:52 Error: a quote can be escaped"), is_pasted("Fix the parser.")
    (True, False)
    """
    return bool(is_output(sentence) or _PASTED_CODE.search(sentence) or check_code("Facts", sentence))


def is_document(text: str) -> bool:
    """Return whether a long message is a document: nothing at its beginning speaks to the agent or orders work.

    >>> is_document("Use tabs."), is_document("# Scroll of Power" + 500 * " Always glows.")
    (False, True)
    """
    if len(text) <= MAX_TYPED:
        return False
    head = [sentence for _, sentence in zip(range(HEAD_SENTENCES), split_sentences(text[:HEAD_CHARS]), strict=False)]
    is_titled = text.lstrip()[:1] in "#<[{|" or (bool(head) and bool(check_whole("Facts", head[0])))
    if not is_titled or not any(map(has_english, head)) or any(map(is_foreign, head)):
        return False
    return not any(_TO_AGENT.search(sentence) or _ORDER_START.match(sentence) for sentence in head)
