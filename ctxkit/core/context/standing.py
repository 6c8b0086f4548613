"""Detection of standing demands: instructions of how to work, not jobs or reports."""

import re

from ctxkit.core.context.instructions import is_imperative, is_instruction, is_manner, is_prohibition
from ctxkit.core.context.other_languages import demands_in_other_language, is_foreign
from ctxkit.core.context.pasted_text import has_english, is_output

_DUTY_OF_AGENT = re.compile(
    r"\b(?:you|your \w+|(?:the|this) (?:agent|assistant|answer|output|response|reply|code|script|command|commands))"
    r" (?:must|should|shall|may not|cannot|can'?t|can only|need to|have to|are not allowed to"
    r"|are (?:only )?allowed to)\b"
    r"|\bwe (?:also |still |just )?(?:don'?t|do not|never|always|only)\b|\bplease\b|\blet'?s\b",
    re.IGNORECASE,
)
"""Words of a duty of the agent, and of what a team does and does not do."""
_SPECIFICATION = re.compile(
    r"(?:(?:if|when|for|in|on|after|before) [^,]{1,80}, )?(?!(?:I|we|he|she|it|they|there|that|this|these|those"
    r"|who|which"
    r"|what|but|and|so|because|it['’]s|you)\b)[\w`\"'/.-]+(?: [\w`\"'/().-]+){0,7}?"
    r" (?:must|should|shall|may not|(?:is|are) (?:not allowed|forbidden))\b"
    r"(?! (?:have been|help|resolve|fix|solve|now|work|allow|be (?:fixed|resolved)))",
    re.IGNORECASE,
)
"""A sentence that says how a thing has to be: a noun and a word of duty."""
_REPORT_START = re.compile(
    r"^\W*(?:(?:so|but|and|ok(?:ay)?|well|hm+|now|yes|no|actually),? )*"
    r"(?:I|it|this|that|there|he|she|they|these|those|everything|eveything|nothing|something)(?:['’]\w+)?\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that tells something about its speaker or a thing."""
_WE_START = re.compile(r"\W*we (?:know|saw|have|are|were|had|found|noticed?|think)\b", re.IGNORECASE)
_PRONOUN_DUTY = re.compile(
    r"^\W*(?:\w+,? ){0,2}(?:it|this|they|these) (?:must|should|shall|may not)\b(?! (?:have been|help|resolve"
    r"|fix|solve|now|work|allow|be (?:fixed|resolved)))",
    re.IGNORECASE,
)
_WISH_START = re.compile(
    r"^\W*(?:\w+,? ){0,3}I(?:(?:['’]d| would)(?: only| really| just)* (?:like|prefer)|(?: only| really| just)*"
    r" (?:want|prefer|need))\b",
    re.IGNORECASE,
)
_INTENT = re.compile(
    r"\b(?:I|we)(?:['’]re|['’]m|['’]ll| am| are| will)? ?(?:think|guess|gonna|going to|will|might|probably)\b"
    r"|^\W*(?:whatever|however|except|as long as it)\b|\b(?:I|we)['’]ll\b",
    re.IGNORECASE,
)
"""What the speaker supposes or is about to do."""
_START = re.compile(
    r"^\W*(?:(?:please|also|and|but|so|then),? )*(?:never \w|avoid \w|always (?!\w+(?:ed|ing|able|ible)\b"
    r"|(?:active|on|there|the|an?)\b)\w|no (?:new|more|other|extra|external|additional|unit)\b"
    r"(?!.*\b(?:is|are|was|were|needed|required)\b)|(?:don['’]?t|do not) (?!think|see|know|get|understand"
    r"|believe|have|care|mind)\w|without \w|make sure\b|under no\b"
    r"|(?:from now on|going forward),? (?!(?:I|we|it|they|the|this|that|there|an?)\b)\w"
    r"|(?-i:MUST \w))",
    re.IGNORECASE,
)
"""The beginning of a demand, whatever verb follows."""
_DOUBT = re.compile(
    r"\W*(?:don['’]?t|do not) (?:think|see|know|get|understand|believe|have|care|mind)\b", re.IGNORECASE
)
"""The beginning of a sentence whose subject "I" is left out."""
_CONDITION = re.compile(
    r"\W*(?:(?:if|when(?:ever)?|before|after|until|unless|while|for|in|on|during|once)\b"
    r"|[\w`.-]{3,60}: (?:always|never) )",
    re.IGNORECASE,
)
"""The beginning of a sentence that says when, or for what, its order holds."""
_UNCLEAR = re.compile(
    r"[.,;:)\]]|\W*we (?:don['’]?t|do not) (?:actually |really )?(?:need|have|know|see)\b"
    r"|\W*(?:\w+ ){1,3}(?:it|this|them|that)(?: \w+){0,6}[.!]?$",
    re.IGNORECASE,
)
"""The rest of a sentence, a report of what is not needed, or a short demand about a pronoun."""
_CLAUSE = re.compile(r"[;,:—]\s+|\s[-–]\s|\s(?:but|and|so|then)\s")
_LOOSE = re.compile(r"\W*(?:never|no|not)\b", re.IGNORECASE)
"""A word that denies in a report as it forbids in a demand."""
_LASTING = re.compile(
    r"\b(?:never|always|do not|don'?t|must ?n[o'’]t|avoid|refrain|only|prefer|keep|stick|each|every|whenever|anything"
    r"|going forward|from now on|until|as long as|instead of|rather than|no more than|at most|at least|in general"
    r"|except|unless|everywhere|everything)\b",
    re.IGNORECASE,
)
"""Words of an instruction that holds after the piece of work that it comes with."""
_ORDER_OF_WORK = re.compile(
    r"^\W*(?:(?:now|so|also|then|and|ok|yes|hi|hello|please),? ){0,3}(?:I|we)(?:['’]d| would)? (?:also |still |just )?"
    r"(?:like|want|need)(?: you)? to (?!be\b|use\b|keep\b|avoid\b|stick\b|stay\b|always\b|never\b)\w+",
    re.IGNORECASE,
)
"""The beginning of a wish for a piece of work."""
_WORK = re.compile(
    r"^\W*(?:(?:please|now|so|also|then|and|ok(?:ay)?|can you|could you|let['’]?s),? ){0,3}(?:add|address|build|change"
    r"|assert|check|clear|confirm|continue|convert|investigate|proceed|verify"
    r"|create|fix|generate|implement|improve|install|make (?!sure)|move|refactor|remove|rename|replace|review"
    r"|rewrite|save"
    r"|set up|update|write)\b",
    re.IGNORECASE,
)
"""The beginning of an order of work, which holds until the work is done, whatever words follow."""
_LASTING_DUTY = re.compile(r"\b(?:must|shall|never|always|not|no|any|each|every|all)\b", re.IGNORECASE)
_DUTY = re.compile(r"\b(?:must|shall|not allowed)\b|^\W*no (?:\w+ ){1,4}(?:should|may|can)\b", re.IGNORECASE)
_WORK_IN_OTHER_LANGUAGE = re.compile(
    r"\W*(?:utilise[rz]?|garde[rz]?)\b(?!.*\b(?:toujours|jamais))|.*は不要です", re.IGNORECASE
)
"""A demand of one piece of work in a grammar that also makes lasting ones."""
_FOR_EVER = re.compile(r"\b(?:always|never|every time|from now on|going forward|don['’]?t|do not)\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"`|\b[a-z]+[A-Z]\w*|\w_\w|\b[\w-]+\.[a-z]{2,4}\b|\b(?i:keep) (?:only )?the (?:first|second|last|existing"
    r"|current|\w+ method)\b",
)
"""Names of code, or the part that stays, in an instruction to change a program."""
_AGENT_DUTY = re.compile(
    r"^\W*(?:\w+,? ){0,2}(?:please\b|you (?:must|should|may not|need to|have to|cannot|can only)\b)", re.IGNORECASE
)


def is_demand(sentence: str) -> bool:
    """Return whether a sentence with a word of a rule demands something; a report with such a word does not.

    >>> is_demand("Read only the first file."), is_demand("The sessions are returned only on request.")
    (True, False)
    """
    if is_output(sentence) or _UNCLEAR.match(sentence):
        return False
    if is_foreign(sentence) or not has_english(sentence):
        return demands_in_other_language(sentence) or _is_english_demand(sentence)
    return _is_english_demand(sentence)


def _is_english_demand(sentence: str) -> bool:
    if _REPORT_START.match(sentence) and not _WISH_START.match(sentence):
        return bool(_PRONOUN_DUTY.match(sentence))
    if _INTENT.search(sentence) and not is_imperative(sentence):
        return False
    if is_imperative(sentence) and not _LOOSE.match(sentence) and not _DOUBT.match(sentence):
        return not sentence.endswith("?") or bool(_DUTY_OF_AGENT.search(sentence))
    if _START.match(sentence) or _WISH_START.match(sentence):
        return True
    if _DUTY_OF_AGENT.search(sentence) or _SPECIFICATION.match(sentence):
        return True
    return bool(_CONDITION.match(sentence)) and _has_order(sentence)


def is_statement_start(sentence: str) -> bool:
    """Return whether a sentence begins as one that tells something about its speaker or a thing.

    >>> is_statement_start("We know the cause."), is_statement_start("I want a test.")
    (True, False)
    """
    starts = _REPORT_START.match(sentence) or _WE_START.match(sentence)
    return bool(starts) and not _WISH_START.match(sentence)


def is_order(sentence: str) -> bool:
    """Return whether a demand speaks to the agent: in the imperative, as a wish, or about what "you" do.

    >>> is_order("Never push to main."), is_order("The resistance must move at once.")
    (True, False)
    """
    if demands_in_other_language(sentence) or (is_imperative(sentence) and not _LOOSE.match(sentence)):
        return True
    return bool(_START.match(sentence) or _WISH_START.match(sentence) or _AGENT_DUTY.match(sentence))


def is_one_off(sentence: str) -> bool:
    """Return whether an instruction asks for one piece of work, which holds until it is done.

    >>> is_one_off("Review the docs to ensure there are no open tasks."), is_one_off("Never edit the lock file.")
    (True, False)
    """
    if _ORDER_OF_WORK.match(sentence):
        return not _FOR_EVER.search(sentence)
    if _WORK.match(sentence):
        return True
    if is_prohibition(sentence) or _FOR_EVER.search(sentence):
        return False
    if _CHANGE.search(sentence):
        return True
    if _SPECIFICATION.match(sentence) and not _LASTING_DUTY.search(sentence):
        return True
    if _LASTING.search(sentence) or is_manner(sentence):
        return False
    return is_instruction(sentence) or _has_order(sentence)


def is_lasting(sentence: str) -> bool:
    """Return whether a demand forbids something, or contains a word of what holds after a piece of work.

    >>> is_lasting("Use tabs everywhere."), is_lasting("Use line numbers for the changes.")
    (True, False)
    """
    if demands_in_other_language(sentence):
        return not _WORK_IN_OTHER_LANGUAGE.match(sentence)
    return is_prohibition(sentence) or any(
        (_START.match(sentence), _LASTING.search(sentence), _DUTY.search(sentence), _FOR_EVER.search(sentence))
    )


def _has_order(sentence: str) -> bool:
    """Return whether a clause after the first one is in the imperative."""
    return any(is_imperative(clause) and not _LOOSE.match(clause) for clause in _CLAUSE.split(sentence)[1:])
