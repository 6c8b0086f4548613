"""Detection of instructions: sentences that tell an agent to do something."""

import re

_VERBS = """
add adjust allow analyse analyze answer apply ask assume avoid backport benchmark browse build bump calculate call
change check choose clarify clean cleanup close collect combine commit compare compile complete compute configure
connect consider
continue convert copy correct cover create cut debug declare define delete deploy describe design determine
diagnose disable display do document download drop edit emit enable enforce ensure evaluate examine exclude execute
expand explain explore export expose extend extract fetch figure fill filter find finish fix focus follow format
gather generate get give go group guard handle help hide hook identify ignore implement import improve include
increase initialize inline insert inspect install instruct integrate introduce investigate invoke isolate join keep
launch leave link lint list load locate lock log look lower make map mark measure mend merge migrate mirror mock modify
monitor move name navigate normalize note notice obtain open optimise optimize organize output override package parse
pass patch perform pick pin plan point polish port prefer prepare preserve prevent print proceed produce propose prove
provide publish pull push put query quote raise read rebase record redo reduce refactor refer regenerate register
release reload remember remove rename render reorder repair repeat replace reply report reproduce request require
research reset resolve respond restart restore restructure retrieve retry return reuse revert review rework rewrite
run sanitize save scan schedule scroll search secure select send separate serve set setup ship shorten show simplify
skip solve sort specify speed split start stick stop store stream strip submit suggest summarise summarize support
switch sync take tell test throw tidy track translate treat trim try turn tweak uncomment undo unify uninstall update
upgrade upload use utilize validate verify visit wait walk warn watch wire work wrap write
"""
_LEAD = (
    r"(?:(?:please|pls|now|then|also|and|next|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|afterwards"
    r"|ok(?:ay)?"
    r"|so|but|just|instead|again|after (?:that|this)"
    r"|directly|only|always|never|simply|kindly|do not|don'?t|let'?s),? ){0,4}"
)
_IMPERATIVE = re.compile(rf"[\s\"'*_>“-]*{_LEAD}(?:{'|'.join(_VERBS.split())})\b(?!:|[/._-]\w)(?!\w*')", re.IGNORECASE)
_PROHIBITION = re.compile(r"[\W_]*(?:please |also |and |but )?(?:never|do not|don'?t|no \w|not? more)\b", re.IGNORECASE)
_REQUEST = re.compile(
    r"\bplease\b|^\W*(?:can|could|would|will) (?:you|we)\b"
    r"|\b(?:I|we) (?:also |really |still )?(?:want|need|would like|wish)\b"
    r"|\b(?:I|we)'d like\b|\byou (?:should|must|need to|have to|can now|may)\b|^\W*make sure\b"
    r"|\byour task is\b|\bI'?d (?:appreciate|love) (?:it )?if you\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"^\W*(?:(?:and|but|so|because|since|well|ok(?:ay)?|yes|no|hmm|actually|currently),? ){0,2}"
    r"(?:I|it|that|this|there|they|he|she|we|which|these|those)(?:'\w+)? ",
    re.IGNORECASE,
)
_DEMANDING = re.compile(
    r"\b(?:must|should(?:n'?t)?|shall|wants?|needs?|prefer|like|has to|have to|expect|please|do not|don'?t|not allowed"
    r"|may not"
    r"|can'?t|cannot|require[sd]?|required|forbidden|mandatory|insist|stop|never)\b",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"^\W*(?:please )?(?:use|keep|stay|stick|work)\b|\b(?:directly|yourself|manually|by hand|one by one|step by step"
    r"|carefully|in parallel|in place|alone|exactly(?! (?:what|where|how|which|why|when))|verbatim|brief(?:ly)?"
    r"|concise(?:ly)?|locally|inline)\b",
    re.IGNORECASE,
)
"""Words that say how to work, rather than what to do."""
MAX_HALF_WORDS = 12
"""Maximum words of an instruction that a prohibition beside it makes a demand."""


def is_imperative(sentence: str) -> bool:
    """Return whether a sentence begins with a verb in the imperative, or forbids something."""
    return bool(_IMPERATIVE.match(sentence) or _PROHIBITION.match(sentence))


def is_instruction(sentence: str) -> bool:
    """Return whether a sentence asks for something: in the imperative, or politely; a mere question does not.

    >>> is_instruction("Fix the parser."), is_instruction("Why does the parser fail?")
    (True, False)
    """
    if _REQUEST.search(sentence):
        return True
    return not sentence.endswith("?") and is_imperative(sentence)


def is_manner(sentence: str) -> bool:
    """Return whether an instruction says how to work, rather than what to do."""
    return bool(_MANNER.search(sentence))


def is_prohibition(sentence: str) -> bool:
    """Return whether a sentence begins with a prohibition.

    >>> is_prohibition("Do not use subagents.")
    True
    """
    return bool(_PROHIBITION.match(sentence))


def is_report(sentence: str) -> bool:
    """Return whether a sentence tells how something is, and demands nothing.

    >>> is_report("It only works on Linux."), is_report("It must work on Linux.")
    (True, False)
    """
    return bool(_REPORT.match(sentence)) and not _DEMANDING.search(sentence)


def is_other_half(sentence: str, neighbour: str) -> bool:
    """Return whether a short instruction about the way to work belongs to the prohibition beside it.

    >>> is_other_half("Read files directly.", "Do not use subagents.")
    True
    """
    is_short = len(sentence.split()) <= MAX_HALF_WORDS and not sentence.endswith(("?", ":"))
    return is_short and is_prohibition(neighbour) and is_imperative(sentence) and bool(_MANNER.search(sentence))
