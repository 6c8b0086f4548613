"""Lines that state trouble: a level, a mark or a count of failures where programs print them."""

import re

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.ansi import strip_escapes

SUMMARY, ERROR, WARNING, MENTION = 4, 3, 2, 1
"""Severities: a line that counts failures, states an error, states a warning, or says that something failed."""
_ERRORS = (
    r"errors?|fatal(?: error)?|panic|panicked|critical|crit|emerg|alert|severe|fail|failed|failures?|conflict"
    r"|abort(?:ed)?|exception|traceback|err|segmentation fault|segfault|core dumped|crash(?:ed)?"
)
_WARNINGS = r"warn|warning|warnings|deprecated|deprecation"
PHRASES = (
    r"cannot|can't|could not|couldn't|unable to|failed to|not found|no such|denied|refused|timed out|time ?out"
    r"|unreachable|unexpected|undefined|unresolved|unknown|invalid|illegal|mismatch(?:ed)?|missing|not supported"
    r"|unsupported|expired|rejected|cancel+ed|killed|corrupt(?:ed)?|broken|out of memory|overflow|exceeded|not loaded"
    r"|does not exist|is not|self-signed|insecure|unsatisfied|unmet|stale|violat(?:ed|ion)"
)
"""Pattern of words that state why something failed."""
_STATUS_WORDS = (
    r"Killed|BackOff|Failed|Failure|Error|Unhealthy|NotReady|Evicted|Unavailable|Exceeded|Denied|Unreachable|Rejected"
    r"|TimedOut|Timeout|Aborted|Invalid|NotFound|Unauthorized|Forbidden|Mismatch|Degraded|Crash"
)
"""Words of a status, as Kubernetes and the APIs of clouds print it: CrashLoopBackOff."""
_MARKS = "[\u2717\u2718\u2716\u274c\u2715]"
FORM_WORDS = compile_lazily(
    rf"(?<![A-Za-z])(?i:{_ERRORS}|{_WARNINGS}|{PHRASES})(?![a-z])|Error\b|Exception\b|[A-Za-z](?:{_STATUS_WORDS})|\bE:|\bW:|{_MARKS}|[\[(]!{{1,3}}[\])]\s"
)
"""Pattern of forms whose lines are worth a closer look."""
_CLUES = (
    "err fatal panic crit emerg alert severe fail conflict abort except traceback segfault segmentation dumped"
    " crash warn deprecat can't cannot could unable not no\0such denied refused time\0out timeout timed unreachable"
    " unexpected undefined unresolved unknown invalid illegal mismatch missing unsupported expired rejected cancel"
    " killed corrupt broken memory overflow exceeded self-signed insecure unsatisfied unmet stale violat backoff"
    " unhealthy evicted unavailable unauthorized forbidden degraded e: w: (! [!"
)
CLUES = tuple(clue.replace("\0", " ") for clue in _CLUES.split())
"""Texts of which each ASCII form has one, in small letters, in which FORM_WORDS occurs: quicker to look for."""
_AFTER = r"(?![\w/.=-])(?!\s*(?:=>|=|[<>]=?\s|:\s*(?:0\b|none\b|null\b|false\b|off\b|\d+\s*\Z)))"
_STATES = r"(?:\A\s{0,12}\W{0,4}|(?:(?<=[:\])>|!])|(?<=\.\.\.))\s{1,2}|\[|<|\A[^\s:]{1,60}(?:\s[^\s:]{1,30})?\s)"
"""Pattern of where a level stands: at the start of a line, after a colon, bracket or dots, after a program's name."""
_ERROR_LEVEL = compile_lazily(
    rf"{_STATES}(?i:{_ERRORS})"
    r"(?:[!:\]>)]|\[|\s*\Z| - |\b(?=\s[A-Z\[(:'\"`]))(?!\s*(?:=|0\b|\d+\s*\Z))"
    r"|\A(?:[\w.$]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Warning)\b(?::|\s*\Z)|\A\s*E[: ] |\AE:|\bERR!"
    rf"|\A\s{{0,12}}(?:{_MARKS}|\[!{{1,3}}\]\s)|\A(?:npm|yarn|pip|error|npx) error\b"
    r"|(?<![\w/.-])(?:ERROR|FATAL|SEVERE|CRITICAL|PANIC|FAILED|FAIL)(?![\w/.=-])"
    r"|\A[\w.-]{1,40}(?:\[\d{1,4}\])?: \*\*\* "  # as make ends
)
_STATUS = compile_lazily(
    rf"(?:[:=] {{1,40}}|  )(?=[A-Z])[A-Za-z]{{0,30}}?(?:{_STATUS_WORDS})[A-Za-z]{{0,20}}(?= {{0,40}}\Z|  )"
)
"""Pattern of a status as the value of a key, or as a cell."""
_WARNING_LEVEL = compile_lazily(
    rf"{_STATES}(?i:{_WARNINGS})(?:[!:\]>)]|\[|\s*\Z|\b(?=\s\S))|\AW: |\A\s*W[: ] "
    r"|(?<![\w/.-])(?:WARN|WARNING)(?![\w/.=-])|\A\s{0,12}\(!{1,3}\)\s"
    r"|:\s[A-Z]\w{0,60}Warning:\s"
)
_COUNT = compile_lazily(
    r"(?<![\w.:/-])[1-9][\d,]{0,20}\s{1,4}(?:[^\W_][\w-]{0,40}\s){0,2}(?i:errors?|failed|failures?|failing|problems?|issues?"
    r"|vulnerabilit(?:y|ies)|violations?|offen[cs]es?|findings?|conflicts?|mismatch(?:es)?)\b"
    r"|(?<![\w#./-])(?i:errors?|failed|failures?)\s{0,4}[:=]\s{0,4}[1-9]\d{0,20}\b"
)
_PLACE = r"(?:\A\W{0,20}|:\s{1,2}|\A\s{0,12}[\w.,'()-]{1,40}\s)(?:[\w'-]{1,30}\s){0,3}"
_PHRASE = compile_lazily(rf"{_PLACE}(?<!\S)(?i:{PHRASES}|{_ERRORS}){_AFTER}(?=[\s.,:;)!]|\Z)")
_NONE = compile_lazily(
    r"(?<![\w.-])(?:0|no|without|any|zero)\s(?:\w{1,40}\s)?(?:errors?|fail\w{0,20}|exceptions?|problems?|issues?|warnings?)"
    r"|(?:errors?|fail\w{0,20}|warnings?)\W{1,3}(?:0\b|none|null|false)",
    re.IGNORECASE,
)
_CODE_START, _CODE_END = ("#", "*", "/", ";"), ("{", "}", ";", ",")


def mentions_trouble(form: str) -> bool:
    """Return whether lines of a form are worth a closer look."""
    if form.isascii():
        small = form.lower()
        if not any(clue in small for clue in CLUES):
            return False
    return FORM_WORDS.search(form) is not None


def rate_trouble(text: str) -> int:
    """Return the severity of a line, 0 if it states no trouble."""
    text = text[:400]
    if "\x1b" in text:
        text = strip_escapes(text)
    if _COUNT.search(text):
        return SUMMARY
    if _NONE.search(text):
        return 0
    if _ERROR_LEVEL.search(text) or _STATUS.search(text):
        return ERROR
    if _WARNING_LEVEL.search(text):
        return WARNING
    return MENTION if _PHRASE.search(text) and not _is_code(text) else 0


def _is_code(text: str) -> bool:
    """Return whether a line looks like code, data or a URL rather than a sentence."""
    if text.lstrip().startswith(_CODE_START) or text.rstrip().endswith(_CODE_END):
        return True
    return "://" in text or " = " in text or "=>" in text
