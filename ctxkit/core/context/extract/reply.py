"""Messages of a user that state no task: a word, praise, a scolding, output, or an order that only points back."""

import re

from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.sentences import split_sentences

_WORD = re.compile(r"[a-z]{1,16}\W*", re.IGNORECASE)
_PRAISE = re.compile(
    r"(?!(?:please|make|ensure|check|verify|see|test|until|if|when|what|how"
    r"|why)\b)(?:[\w'’./`-]+ ){0,3}(?:seems?|looks?|works?|is|was|are)(?: \w+)? "
    r"(?:ok(?:ay)?|good|great|fine|well|perfect|correct|right|awesome)\W*",
    re.IGNORECASE,
)
_ACCEPTANCE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yes|yeah|sure),? )?(?:(?:that|this|it|all|everything)(?: all)? )?"
    r"(?:works|sounds good|looks good|is (?:good|fine|ok(?:ay)?)|fine|good) (?:for|to|by|with) me\W*",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\W*(?:(?:o{1,4}k(?:ay)?|yes|yeah|sure|go|ahead|and+|please|now|then|so|just|let'?s|can|could|you)[,.]? ){0,7}"
    r"(?:implement|apply|do|make|start|proceed with|go with|continue with)"
    r" (?:it|this|that|all(?: of)?(?: these| those| this)?|these|those|them)"
    r"(?: (?:now|then|fix(?:es)?|changes?|steps?|suggestions?|improvements?|updates?|please))*\W*",
    re.IGNORECASE,
)
"""An order whose object is only a pronoun, or a pronoun with a noun that says nothing."""
_URGING = re.compile(
    r"\W*(?:(?:please|just|and|ok(?:ay)?|keep going|go on|proceed|co[ntiue]{4,8})\W+){0,4}"
    r"(?:do not|don['’]?t|never) stop\W*",
    re.IGNORECASE,
)
"""An order to go on, whose object stands in an earlier message; "continue" is often mistyped."""
_CONTINUING = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yes|please|just|and|now|then|so|you can)\W+){0,4}"
    r"(?:co[ntiue]{4,8}|resume|proceed|go on|keep (?:going|working)|carry on)"
    r"(?: (?:generating|working|writing|coding|on|development|please"
    r"|with (?:it|this|that|your work|the (?:task|work))))?"
    r"(?: from)?(?: where (?:you|we|u) (?:left|stopped|were)(?: off)?)?(?:\W+(?:please|now))?\W*",
    re.IGNORECASE,
)
"""An order to go on that does not say with what."""
_PROMPT_LINE = re.compile(
    r"(?:\([\w.-]{1,40}\) )?[\w.-]{1,60}@[\w.-]{1,60}[: ][^\n#$%>]{0,200}[#$%](?:\s|$)"
    r"|(?:PS )?[A-Za-z]:\\[^\n<>|]{0,200}>"
)
_LOG_LINE = re.compile(
    r"\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d|Traceback \(most recent call last\):|\[[\w.-]{1,60}\]\s*$"
)
_RECORD_LINE = re.compile(
    r"\W{0,3}(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|#\d{1,4} |\[[\w .:/-]{1,40}\]|[\w.-]{2,40} +\| |at [\w.<$]|File \")"
    r"|\W{0,3}(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|FAIL|PASS|npm|Traceback|Caused by|Exception|panic|error"
    r"|warning)\b[:!\s]"
    r"|[\w./\\-]{1,120}:\d+(?::\d+)?\b|\w*(?:Error|Exception): |[=─⎯*#-]{8,}|\W*\d+ (?:passed|failed)"
)
"""A line that a program writes: with a time, a level, a mark, a place or a test result at its beginning."""
_JSON = re.compile(r"\s*\{\s*\"[\w$.-]{1,80}\"\s*:[\s\S]*\}\s*")
"""An object, which a program sent."""
_PATH_LINE = re.compile(r"(?:[A-Za-z]:\\|/)[^\n:*?\"<>|]{1,250}")
"""A line with the prompt of a shell; one of a log, a traceback or a settings file; the path of an open file."""
_SCOLDING = re.compile(
    r"\b(?:dumb|stupid|idiot\w*|wt[fh]|fuck\w*|shit\w*|moron\w*|useless|lazy|you suck|what the hell)\b", re.IGNORECASE
)
_CHOICE = re.compile(
    r"\W*(?:(?:(?:ok(?:ay)?|yes|yeah|let['’]?s|try|do|use)(?: again)?|go with"
    r"|(?:i(?:'d| would)? )?(?:choose|pick|take|prefer)|option|plan|number|variante?|opci[oó]n"
    r"|phương án|cách|方案|选项?|選)\W{0,2})*([A-Ha-h]|\d{1,2})(?:\W+(?:please|đi|吧|thanks))?\W*",
    re.IGNORECASE,
)
"""The letter or number of an option that the agent offered."""
_INTERJECTION = re.compile(r"(?:[^\W\d_a-zA-Z\u00C0-\u052F]\W{0,2}){1,2}[?？!！]+\s*")
"""One or two letters of a script without blanks, with which a user asks back or wonders."""
_ANSWER_LINE = re.compile(r"^[ \t]{0,4}(\d{1,2})[.)][ \t]*([^\n]*)$", re.MULTILINE)
"""A numbered answer to a numbered question."""
MIN_OUTPUT_LINES, MIN_RECORD_LINES, MIN_RECORD_SHARE = 3, 6, 0.7
"""Minimum lines of a copy of a terminal and of a log, and the minimum share of lines in one that a program wrote."""
MAX_LOG, MAX_WORDED = 20_000, 8
"""Characters of a log that are looked at, and lines at each end of it in which a person may ask for something."""
MAX_PRAISE, MAX_POINTING = 80, 120
"""Maximum characters of praise, and of an order that points back."""
MAX_CHOICE, LINE_CHARS = 60, 70
"""Maximum characters of the choice of an option, and maximum mean characters of numbered answers."""


def says_nothing(text: str) -> bool:
    """Return whether a message names no task: one word, praise with or without output below it, or a pointing order.

    >>> says_nothing("conitnue"), says_nothing("go ahead and implement these fixes"), says_nothing("Fix a.py")
    (True, True, False)
    """
    is_short = len(text) <= MAX_POINTING
    if is_short and (_WORD.fullmatch(text) or is_pointing(text)):
        return True
    if is_interjection(text) or is_continuing(text) or (is_short and _ACCEPTANCE.fullmatch(text)):
        return True
    if is_output(text):
        return True
    first, _, rest = text.strip().partition("\n")
    is_praise = len(first) <= MAX_PRAISE and bool(_PRAISE.fullmatch(first))
    return is_praise and not any(sentence[-1] == "?" or is_instruction(sentence) for sentence in split_sentences(rest))


def is_output(text: str) -> bool:
    """Return whether a message is a copy of a log, of an object, or of a terminal: from a prompt to a prompt.

    >>> is_output("root@a:~# ls\\na.txt\\nroot@a:~#"), is_output("root@a:~# ls\\na.txt\\nWhy is b.txt gone?")
    (True, False)
    """
    if _is_log(text) or _JSON.fullmatch(text):
        return True
    if not is_prompt_line(text.rstrip().rpartition("\n")[2]):
        return False
    lines = text.strip().split("\n")
    lines = [line for line in lines[1:] if line.strip()] if _PATH_LINE.fullmatch(lines[0].strip()) else lines
    return len(lines) >= MIN_OUTPUT_LINES and (is_prompt_line(lines[0]) or bool(_LOG_LINE.match(lines[0])))


def is_prompt_line(line: str) -> bool:
    """Return whether a line begins with the prompt of a shell.

    >>> is_prompt_line("root@a:~# ls"), is_prompt_line("a: b")
    (True, False)
    """
    return bool(_PROMPT_LINE.match(line))


def is_record_line(line: str) -> bool:
    """Return whether a program wrote a line: with a time, a level, a mark, a place or a test result at its beginning.

    >>> is_record_line("api-1 | Running migrations:"), is_record_line("The table is the same.")
    (True, False)
    """
    return bool(_RECORD_LINE.match(line))


def _is_log(text: str) -> bool:
    """Return whether a program wrote most lines of a message, and no other line asks for something."""
    lines = [line.strip() for line in text[:MAX_LOG].split("\n") if line.strip()]
    if len(lines) < MIN_RECORD_LINES or len(text) > MAX_LOG:
        return False
    others = [line for line in lines if not _RECORD_LINE.match(line)]
    if len(others) > (1 - MIN_RECORD_SHARE) * len(lines):
        return False
    ends = {*lines[:MAX_WORDED], *lines[-MAX_WORDED:]}
    return not any(line in ends and (line[-1] in "?？" or is_instruction(line)) for line in others)


def is_interjection(text: str) -> bool:
    """Return whether a text only asks back, or wonders, in a script without blanks.

    >>> is_interjection("哈？"), is_interjection("Ok?"), is_interjection("怎么办？")
    (True, False, False)
    """
    return bool(_INTERJECTION.fullmatch(text.strip()[:MAX_CHOICE]))


def is_continuing(text: str) -> bool:
    """Return whether a message is an order to go on, or not to stop, that does not say with what.

    >>> is_continuing("please keep working"), is_continuing("yes")
    (True, False)
    """
    return len(text) <= MAX_POINTING and bool(_CONTINUING.fullmatch(text) or _URGING.fullmatch(text))


def is_pointing(text: str) -> bool:
    """Return whether a message is an order that only points back to what the agent proposed.

    >>> is_pointing("go ahead and implement these fixes"), is_pointing("Implement the parser")
    (True, False)
    """
    return len(text) <= MAX_POINTING and bool(_POINTING.fullmatch(text))


def is_scolding(sentence: str) -> bool:
    """Return whether a sentence only scolds the agent.

    >>> is_scolding("you are DUMB this morning"), is_scolding("Remove the stupid cache.")
    (True, False)
    """
    return bool(_SCOLDING.search(sentence)) and not is_instruction(sentence)


def find_choice(text: str) -> str:
    """Return the letter or number of the option that a message chooses, empty if it chooses none.

    >>> find_choice("go with option B please"), find_choice("Build it")
    ('B', '')
    """
    choice = _CHOICE.fullmatch(text.strip()) if len(text) <= MAX_CHOICE else None
    return choice[1] if choice else ""


def is_answer_list(text: str) -> bool:
    """Return whether a message numbers short answers, and no orders.

    >>> is_answer_list("1. recommended\\n2. yes"), is_answer_list("1. Fix a.py\\n2. Fix b.py")
    (True, False)
    """
    lines = [line for line in text.strip().split("\n") if line.strip()]
    answers = _ANSWER_LINE.findall(text)
    if len(answers) < 2 or len(answers) < len(lines) or len(text) > LINE_CHARS * len(answers):
        return False
    return not is_instruction(answers[0][1])
