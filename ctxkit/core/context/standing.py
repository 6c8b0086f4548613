"""Detection of standing demands: instructions of how to work, not jobs, reports or text that a person pasted."""

import re

from ctxkit.core.context.instructions import is_imperative, is_instruction, is_manner, is_prohibition

_OBLIGATION = re.compile(
    r"\b(?:must|should(?! (?:help|resolve|fix|solve|now|work|allow|be (?:fixed|resolved)))|shall|ought to|ha(?:s"
    r"|ve) to|needs? to|required?|mandatory|(?<!method )not allowed|forbidden|permitted"
    r"|may not|prefer|please|let'?s|insist|expect)\b"
    r"|\b(?:we|you) (?:also |still |just )?(?:don'?t|do not|never|always|only|cannot|can'?t|can only)\b",
    re.IGNORECASE,
)
"""Words of a duty, or of what a team does and does not do."""
_REPORT_START = re.compile(
    r"^\W*(?:(?:so|but|and|ok(?:ay)?|well|hm+|now|yes|no|actually),? )*"
    r"(?:I|it|this|that|there|he|she|they|everything|eveything|nothing|something)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that tells something about its speaker or a thing."""
_WISH_START = re.compile(
    r"^\W*(?:\w+,? ){0,3}I(?:['’]d| would| only| really| just)* (?:like|want|prefer|need)\b", re.IGNORECASE
)
_INTENT = re.compile(
    r"\b(?:I|we)(?:['’]re|['’]m|['’]ll| am| are| will)? ?(?:think|guess|gonna|going to|will|might|probably)\b"
    r"|^\W*(?:whatever|however|except|as long as it)\b|\b(?:I|we)['’]ll\b",
    re.IGNORECASE,
)
"""What the speaker supposes or is about to do."""
_START = re.compile(
    r"^\W*(?:(?:please|also|and|but|so|then),? )*(?:always|never|only|avoid|no|don['’]?t|do not|without|make sure"
    r"|under no)\b",
    re.IGNORECASE,
)
"""The beginning of a demand, whatever verb follows."""
_CLAUSE = re.compile(r"[;,:—]\s+|\s[-–]\s|\s(?:but|and|so|then)\s")
_LOOSE = re.compile(r"\W*(?:never|no|not)\b", re.IGNORECASE)
"""A word that denies in a report as it forbids in a demand."""
_PASTED = re.compile(
    r"^\W{0,2}(?:\d{1,4}[:/.-]\d|[45]\d\d [A-Z]|\w+:\w+: |hint:|note:|warn(?:ing)?\b|error\b|info\b|debug\b)"
    r"|^\[(?=[^\]\d]*\d)[^\]]*+\]|^<[\w/]|\b(?:warning|error|exception): |(?<![\w/])[\w/]++\.\w{1,5}:\d+"
    r"|^[a-z][\w./-]*(?: [\w./=-]+)* --?[a-z]|\s--help\b|\[Image #\d",
    re.IGNORECASE,
)
"""Output of a program, or a command line, in a message of a person."""
_LASTING = re.compile(
    r"\b(?:never|always|do not|don'?t|must ?n[o'’]t|avoid|refrain|only|prefer|keep|stick|each|every|whenever|anything"
    r"|going forward|from now on|until|as long as|instead of|rather than|no more than|at most|at least|in general"
    r"|except|unless)\b",
    re.IGNORECASE,
)
"""Words of an instruction that holds after the piece of work that it comes with."""
_ORDER_OF_WORK = re.compile(
    r"^\W*(?:(?:now|so|also|then|and|ok|yes|hi|hello|please),? ){0,3}(?:I|we)(?:['’]d| would)? (?:also |still |just )?"
    r"(?:like|want|need)(?: you)? to (?!be\b|use\b|keep\b|avoid\b|stick\b|stay\b|always\b|never\b)\w+",
    re.IGNORECASE,
)
"""The beginning of a wish for a piece of work."""
_FOR_EVER = re.compile(r"\b(?:always|never|every time|from now on|going forward|don['’]?t|do not)\b", re.IGNORECASE)
MIN_FOREIGN_WORDS = 3
"""Words from which an ASCII sentence without common English words counts as one of another language."""
_ANSWER = re.compile(
    r"\bWould you like me to\b|\bDo you want me to\b|\bLet me know (?:if|when)\b|\bI(?:['’]ll| will| can) help you\b"
    r"|\bI can (?:see|spot) the (?:issue|problem|error)\b|\bI apologi[sz]e\b|\bYou['’]re (?:absolutely )?right\b"
    r"|^Certainly[!,]",
    re.MULTILINE,
)
"""What only an assistant says."""
_CHANGE = re.compile(
    r"`|\b[a-z]+[A-Z]\w*|\w_\w|\b[\w-]+\.[a-z]{2,4}\b|\b(?i:keep) (?:only )?the (?:first|second|last|existing"
    r"|current|\w+ method)\b",
)
"""Names of code, or the part that stays, in an instruction to change a program."""
_OTHER_LANGUAGE = re.compile(r"[^\W\d_a-zA-Z]")
_ENGLISH = re.compile(
    r"\b(?:the|is|are|was|to|of|and|in|it|you|for|be|on|not|no|use|with|that|this|all|your|any|do|don'?t|never|always"
    r"|only|must|please|should|keep|without|make|write)\b",
    re.IGNORECASE,
)


def is_demand(sentence: str) -> bool:
    """Return whether a sentence with a word of a rule demands something; a report with such a word does not.

    Sentences that are not in English count as demands: their grammar is unknown here.

    >>> is_demand("Read only the first file."), is_demand("The sessions are returned only on request.")
    (True, False)
    """
    if _PASTED.search(sentence):
        return False
    if _OTHER_LANGUAGE.search(sentence) or not _ENGLISH.search(sentence):
        return not sentence.isascii() or len(sentence.split()) >= MIN_FOREIGN_WORDS
    if _REPORT_START.match(sentence) and not _WISH_START.match(sentence):
        return bool(_OBLIGATION.search(sentence)) and not _INTENT.search(sentence)
    if _INTENT.search(sentence) and not is_imperative(sentence):
        return False
    if _START.match(sentence) or is_instruction(sentence) or _OBLIGATION.search(sentence):
        return True
    return _has_order(sentence)


def is_answer(text: str) -> bool:
    """Return whether a message quotes the answer of an assistant, whose instructions are not its sender's.

    >>> is_answer("Use a queue. Would you like me to write it?")
    True
    """
    return bool(_ANSWER.search(text))


def is_one_off(sentence: str) -> bool:
    """Return whether an instruction asks for one piece of work, which holds until it is done.

    >>> is_one_off("Review the docs to ensure there are no open tasks."), is_one_off("Never edit the lock file.")
    (True, False)
    """
    if _ORDER_OF_WORK.match(sentence):
        return not _FOR_EVER.search(sentence)
    if is_prohibition(sentence) or _FOR_EVER.search(sentence):
        return False
    if _CHANGE.search(sentence):
        return True
    if _LASTING.search(sentence) or is_manner(sentence):
        return False
    return is_instruction(sentence) or _has_order(sentence)


def _has_order(sentence: str) -> bool:
    """Return whether a clause after the first one is in the imperative."""
    return any(is_imperative(clause) and not _LOOSE.match(clause) for clause in _CLAUSE.split(sentence)[1:])
