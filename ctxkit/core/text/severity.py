"""Severity of lines: the words, negations, marks and levels by which programs state errors, warnings and failures."""

from collections.abc import Iterator
from re import IGNORECASE

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines

SUMMARY, ERROR, WARNING, MENTION = 4, 3, 2, 1
"""Severities: a line that counts failures, states an error, states a warning, or says that something failed."""

FATAL_LEVELS = ("EMERG", "EMERGENCY", "ALERT", "PANIC", "FATAL", "CRIT", "CRITICAL")
ERROR_LEVELS = ("ERROR", "ERR", "SEVERE")
WARNING_LEVELS = ("WARNING", "WARN")
NORMAL_LEVELS = ("NOTICE", "INFO", "INFORMATION", "DEBUG", "TRACE", "VERBOSE")
"""Names of the levels of loggers: syslog, java.util.logging, log4j, Python, Rust, Go."""
_FAILURES = (
    r"errors|fatal error|panicked|fail|failed|failures?|conflict|abort(?:ed)?|exception|traceback|segmentation fault"
    r"|segfault|core dumped|crash(?:ed)?"
)
_ERRORS = "|".join((*ERROR_LEVELS, *FATAL_LEVELS)).lower() + f"|{_FAILURES}"
_WARNINGS = "|".join(WARNING_LEVELS).lower() + "|warnings|deprecated|deprecation"
PHRASES = (
    r"cannot|can't|could not|couldn't|unable to|failed to|not found|no such|denied|refused|timed out|time ?out"
    r"|unreachable|unexpected|undefined|unresolved|unknown|invalid|illegal|mismatch(?:ed)?|missing|not supported"
    r"|unsupported|expired|rejected|cancel+ed|killed|corrupt(?:ed)?|broken|out of memory|overflow|exceeded|not loaded"
    r"|does not exist|is not|self-signed|insecure|unsatisfied|unmet|stale|violat(?:ed|ion)"
)
"""Pattern of words that state why something failed."""
_STATES = (
    r"Killed|BackOff|Failed|Failure|Error|Unhealthy|NotReady|Evicted|Unavailable|Exceeded|Denied|Unreachable|Rejected"
    r"|TimedOut|Timeout|Aborted|Invalid|NotFound|Unauthorized|Forbidden|Mismatch|Degraded|Crash"
)
"""Words of a failed state, as Kubernetes and the APIs of clouds print it: CrashLoopBackOff."""
_ENDED_STATES = "OOM|Dead|Defunct|Offline|Exited|Terminat|Refused|Critical|Fatal|Missing|Lost|Suspend"
"""Words of a state in which nothing goes on, at their beginnings."""
ALARMING_STATE = compile_lazily(
    rf"(?<![A-Za-z])(?i:err|fail|evict|unreach|stopp|timed ?out|not ?ready|{_STATES}|{_ENDED_STATES})"
    rf"|(?<=[a-z])(?:Err|Fail|Backoff|Evict|{_STATES}|{_ENDED_STATES})|ERROR|FAIL|TIMEOUT"
)
"""Pattern of alarming words in a state, at the beginning of a word: not as in herring or classroom."""
RUNTIME_ERROR_CODE = compile_lazily(r"E9\d\d|F[5-7]\d\d|F8(?:11|2\d)|PLE\d{4}|invalid-syntax|SyntaxError")
"""Pattern of codes of flake8 and Ruff for what fails when it runs: a syntax error, a name that is not defined, an
argument that a format lacks. Source: the lists of rules of pycodestyle, pyflakes and Pylint (category E).
"""
_LETTERED = r"(?:[{0}](?:\d{{4}} \d\d:| 0 0)|\d[\d-]{{0,9}} \d[\d:.]{{0,14}} +(?:\d{{1,9}} +){{0,2}}[{0}][ /]\S)"
"""Pattern of a level of one letter: before the date, as Kubernetes logs it, or behind date, time, process and thread,
as Android does; a form has the first as ``E 0 0``."""
_CROSSES = "\u2717\u2718\u2716\u274c\u2715"
NO_ERROR = compile_lazily(
    r"(?<![\w.-])(?:0|no|without|any|zero)\s(?:\w{1,40}\s)?(?:errors?|fail\w{0,20}|exceptions?|problems?|issues?|warnings?)"
    r"|(?:errors?|fail\w{0,20}|warnings?)\W{1,3}(?:0\b|none|null|false)"
    r"|\berrors?\"\s{0,3}:\s{0,3}(?:\{\s{0,3}\}|\[\s{0,3}\]|\"\")"
    r"|\b(?:errors?|failed|failures?|failing) \w{1,40}\s{0,9}[:=]\s{0,40}0\s{0,9}$"
    r"|\bpanic=\w|\berrors?\s{1,2}(?:[<>]=?|==)\s",
    IGNORECASE,
)
"""Pattern of phrases that mention no error: ``0 errors``, ``no failures``, ``"error": {}``, ``mean error <= 0.4``."""
_COUNT = compile_lazily(
    r"(?<![\w.:/-])[1-9][\d,]{0,20}(?<!,)\s{1,4}(?:[^\W_][\w-]{0,40}\s){0,2}(?i:errors?|failed|failures?|failing|problems?|issues?"
    r"|vulnerabilit(?:y|ies)|violations?|offen[cs]es?|findings?|conflicts?|mismatch(?:es)?)\b"
    r"(?!\s{0,4}[:=]\s{0,4}\d|\.\w|\s\(0 errors)"
    r"|(?<![\w#./-])(?i:errors?|failed|failures?)\s{0,4}[:=]\s{0,4}[1-9]\d{0,20}\b"
)
"""Pattern of a count of failures that is not 0; not of a size before the name of a file, ``2026 errors.py``."""

# What a line states at the place where programs print it.
_AT = r"(?:\A\s{0,12}\W{0,4}|(?:(?<=[:\])>|!])|(?<=\.\.\.))\s{1,2}|\[|<|\A[^\s:]{1,60}(?:\s[^\s:]{1,30})?\s)"
"""Pattern of where a level stands: at the start of a line, after a colon, bracket or dots, after a program's name."""
_ERROR_LEVEL = compile_lazily(
    rf"{_AT}(?![A-Z][a-z]+ [A-Z][a-z])(?i:{_ERRORS})"  # not a name: Limited Error Raster
    r"(?:[!:\]>)]|\[|\s*\Z| - |\b(?=\s[A-Z\[(:'\"`]))(?!\s*(?:=|0\b|\d+\s*\Z))"
    r"|\A(?:[\w.$]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Warning)\b(?::|\s*\Z)|\A\s*E[: ] |\AE:|\bERR!"
    rf"|\A\s{{0,12}}(?:[{_CROSSES}]|\[!{{1,3}}\]\s)|\A(?:npm|yarn|pip|error|npx) error\b"
    r"|(?<![\w/.-])(?:ERROR|FATAL|SEVERE|CRITICAL|PANIC|FAILED|FAIL)(?![\w/.=-])"
    r"|\A[\w.-]{1,40}(?:\[\d{1,4}\])?: \*\*\* "  # as make ends
    r"|\A(?:(?:Unhandled|Uncaught) )?(?i:error|exception) (?:occurred|raised|ignored|in|during|while)\b(?!.{0,60} =)"
    rf"|\A{_LETTERED.format('EF')}"
)
_STATE = compile_lazily(
    rf"(?:[:=] {{1,40}}|  )(?=[A-Z])[A-Za-z]{{0,30}}?(?:{_STATES})[A-Za-z]{{0,20}}(?= {{0,40}}\Z|  )"
)
"""Pattern of a failed state as the value of a key, or as a cell."""
_WARNING_LEVEL = compile_lazily(
    rf"{_AT}(?i:{_WARNINGS})(?:[!:\]>)]|\[|\s*\Z|\b(?=\s\S))|\AW: |\A\s*W[: ] "
    r"|(?<![\w/.-])(?:WARN|WARNING)(?![\w/.=-])|\A\s{0,12}\(!{1,3}\)\s"
    rf"|:\s[A-Z]\w{{0,60}}Warning:\s|\A{_LETTERED.format('W')}"
)
_CAUSE_AT = r"(?:\A\W{0,20}|:\s{1,2}|\A\s{0,12}[\w.,'()-]{1,40}\s)(?:[\w'-]{1,30}\s){0,3}"
_AFTER = r"(?![\w/.=-])(?!\s*(?:=>|=|[<>]=?\s|:\s*(?:0\b|none\b|null\b|false\b|off\b|\d+\s*\Z)))"
_CAUSE = compile_lazily(rf"{_CAUSE_AT}(?<!\S)(?i:{PHRASES}|{_ERRORS}){_AFTER}(?=[\s.,:;)!]|\Z)")
_CODE_START, _CODE_END = ("#", "*", "/", ";"), ("{", "}", ";", ",")

# Forms of which lines are looked at.
FORM_WORDS = compile_lazily(
    rf"(?<![A-Za-z])(?i:{_ERRORS}|{_WARNINGS}|{PHRASES})(?![a-z])|Error\b|Exception\b|[A-Za-z](?:{_STATES})"
    rf"|\bE:|\bW:|[{_CROSSES}]|[\[(]!{{1,3}}[\])]\s|\A{_LETTERED.format('EFW')}"
)
"""Pattern of forms whose lines are worth a closer look."""
_CLUES = (
    "err fatal panic crit emerg alert severe fail conflict abort except traceback segfault segmentation dumped"
    " crash warn deprecat can't cannot could unable not no\0such denied refused time\0out timeout timed unreachable"
    " unexpected undefined unresolved unknown invalid illegal mismatch missing unsupported expired rejected cancel"
    " killed corrupt broken memory overflow exceeded self-signed insecure unsatisfied unmet stale violat backoff"
    " unhealthy evicted unavailable unauthorized forbidden degraded e: w: (! [!"
    " 0\0e\0 0\0f\0 0\0w\0 0\0e/ 0\0w/ e\x000\x000 f\x000\x000 w\x000\x000"
)
CLUES = tuple(clue.replace("\0", " ") for clue in _CLUES.split())
"""Texts of which each ASCII form has one, in small letters, in which FORM_WORDS occurs: quicker to look for."""

# Error words anywhere in a line.
ERROR_WORDS = ("error", "fail", "fatal", "panic", "exception", "traceback", "critical", "abort", "segfault", "crash")
"""Beginnings of the words of error lines in small letters, as test runners, compilers and loggers use them."""
ERROR_SIGN = compile_lazily(
    rf"(?<![A-Za-z])(?i:(?:{'|'.join(ERROR_WORDS[:-1])}|crashed)(?<!exception(?=[a-rt-z])))"
    r"|Error|Fail|Fatal|Exception|ERROR|FAIL|FATAL|EXCEPTION|ABORT|CRASH"
)
"""Pattern of the words at the start of a word part, as in ``ValueError`` or ``test_failed``, not in ``liberror``."""
_PASSED = compile_lazily(
    r"[\u2713\u2714\u2611]"
    r"|^[\s\[-]*(?:ok (?:\d|- )|ok {2}\t|OK \]|PASS(?:ED)?(?:\b|_)(?! *=?\d))"
    r"|:PASS$|\.\.\. ok\b|(?<!\d) (?:passed \([\d.]+ s\w*\)|PASSED(?: +\[ *\d+%\])?)\W*$"
)
"""Pattern of a passed test, even if its name mentions an error: a tick, TAP's ok, ``PASS``, ``... ok``, ``passed (1
s)``.
"""
FAILED = compile_lazily(rf"\b[1-9]\d* (?i:fail|error)|[{_CROSSES}\u00d7]|\bFAIL(?:ED|URES?)?\b")
"""Pattern of a failure, also in a line that says that something passed: a count, a cross, ``FAILED``."""
_MENTIONS = compile_lazily(
    r"(?<![\w./\\+$-])[\w./\\+$-]{1,400}\.(?:l?o|obj|d|[chmS]|cc|cpp|cxx|c\+\+|hh|hpp|hxx|mm|java|class|kt|scala|swift|rs"
    r"|go|py|pyc|rb|php|cs|fs|vb|[cm]?[jt]sx?|vue|lua|pl|pm|exs?|erl|hs|ml|dart|zig|s?css|html?|md|rst|json|ya?ml|xml"
    r"|toml)(?![\w/.-]{0,400}\w)"
    r"|\bthrows +[\w.]+(?: *, *[\w.]+)* *(?:[{;]|$)|\bcatch *\((?:final )?[\w.| ]+\)|^\W*(?:import|using) [\w.:]+;"
    r"|(?:^|[\s+])echo +[\"'].*|\b(?:is|are|be) critical\b|(?<![\w.@/-])(?:@[\w.-]{1,80}/)?[\w.-]{1,80}@\d[\w.+-]*"
)
"""Pattern of text that only mentions errors: files, exceptions that code declares or catches, an echoed ``echo``, a
critical label, packages with their versions."""
_ASCII_LOWER = {ord(letter): ord(letter) + 32 for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def mentions_trouble(form: str) -> bool:
    """Return whether lines of a form are worth a closer look."""
    if form.isascii():
        small = form.lower()
        if not any(clue in small for clue in CLUES):
            return False
    return FORM_WORDS.search(form) is not None


def rate_severity(text: str) -> int:
    """Return the severity of what a line states where programs state it, 0 if it states no trouble."""
    text = text[:400]
    if "\x1b" in text:
        text = strip_escapes(text)
    if _COUNT.search(text):
        return SUMMARY
    if NO_ERROR.search(text):
        return 0
    if _ERROR_LEVEL.search(text) or _STATE.search(text):
        return ERROR
    if _WARNING_LEVEL.search(text):
        return WARNING
    return MENTION if _CAUSE.search(text) and not _is_code(text) else 0


def _is_code(text: str) -> bool:
    """Return whether a line looks like code, data or a URL rather than a sentence."""
    if text.lstrip().startswith(_CODE_START) or text.rstrip().endswith(_CODE_END):
        return True
    return "://" in text or " = " in text or "=>" in text


def is_error_line(text: str) -> bool:
    """Return whether a line reports an error with one of the words anywhere in it, not just mentions the word."""
    if "\x1b" in text:
        text = strip_escapes(text)
    if ERROR_SIGN.search(text) is None:
        return False
    if _PASSED.search(text) is not None:
        return FAILED.search(text) is not None and NO_ERROR.search(text) is None
    if _COUNT.search(text) is not None:
        return True
    return NO_ERROR.search(text) is None and ERROR_SIGN.search(_MENTIONS.sub(" ", text)) is not None


def find_error_lines(lines: IndexedLines, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of the lines from ``start`` to ``end`` that report errors."""
    number = start
    for block in lines.blocks(start, end):
        lower = block.lower()
        if len(lower) != len(block):  # some letters grow in lower case, and positions must agree
            lower = block.translate(_ASCII_LOWER)
        yield from _find_in_block(block, lower, number)
        number += block.count("\n") + 1


def _find_in_block(block: str, lower: str, number: int) -> Iterator[tuple[int, str]]:
    """Yield the error lines of a block, each once, in order."""
    position, counted = 0, 0
    following = {word: lower.find(word) for word in ERROR_WORDS}
    while True:
        positions = [at for at in following.values() if at >= 0]
        if not positions:
            return
        begin = block.rfind("\n", 0, min(positions)) + 1
        stop = block.find("\n", begin)
        stop = len(block) if stop < 0 else stop
        counted += block.count("\n", position, begin)
        position = begin
        text = block[begin:stop]
        if is_error_line(text):
            yield number + counted, text
        for word, at in following.items():
            if 0 <= at < stop:
                following[word] = lower.find(word, stop)
