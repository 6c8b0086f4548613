"""Detection of error lines in command output, and of output that reports a failure."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.powershell_error import find_powershell_message, is_powershell_message
from ctxkit.core.text.ansi import ESCAPE

TRACE = "Traceback (most recent call last)"
_RAISED_ERROR = re.compile(
    r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Failure|NotFound)\b(?::.*)?$", re.MULTILINE
)
_NAMED_ERROR = re.compile(
    r"^(?:[\w.]+\.)?(?:[A-Z]\w*)?(?:Error|Exception)\b(?: \[\w+\])?: \S|^(?:error|fatal|ERROR|FATAL)(?:\[\w+\])?: \S"
)
_STRONG_ERROR = re.compile(
    r"\berror(?:\[\w+\])?\s*[:!]|\berror TS\d+|\bfatal\b|\bpanic(?:ked)?\b|\b[A-Z]\w*(?:Error|Exception)\b|ERR!"
    r"|\bE {3,}|^\d+:\d+\s+error\b|^FAILED |^(?:--- )?FAIL\b"
    r"|command not found|No such file|not found|[Cc]annot |[Cc]an't |[Cc]ould not |[Uu]nable to|denied|refused"
    r"|timed out|undefined reference|is not recognized|cannot be loaded",
    re.MULTILINE,
)
_ANY_ERROR = re.compile(r"error|fail|fatal|exception|panic|not found|no such|denied|cannot", re.IGNORECASE)
_ERROR = re.compile(r"error|exception|failed|failure|fatal|cannot|no such|not found|denied|panic", re.IGNORECASE)
_WEAK_ERROR = re.compile(r"^No \b|\berror|\bfail|\binvalid|\bunexpected|\bmissing|\bwarning|\bnot\b", re.IGNORECASE)
_FINAL_ERROR = re.compile(
    # the last message of a program, after its name or the location of the error
    r"^(?:[\w./@+-]+(?:\[\d+\])?: ){0,3}(?:line \d+: )?(?:fatal|error|panic|uncaught|fatal error|internal error)"
    r"(?:\[\w+\])?:\s+\S|^(?:E: |\[ERROR\] )\S"
    r"|^[^\s:]+(?::\d+(?::\d+)?:|\(\d+(?:,\d+)?\):?) (?:fatal )?error\b|\berror TS\d+: "
    r"|^(?:Caused by: |Exception in thread \S+ |Uncaught )?(?:[\w$]+[.:]+)*[A-Z]\w*(?:Error|Exception)\b(?:: |$)"
    # the last lines of test runners and build tools
    r"|^(?:--- |test result: )?FAIL(?:ED|URE|URES)?\b(?!\W*0\b)|\bBUILD FAILED\b"
    r"|^(?:\w+: )?(?:build|compilation) failed\b"
    r"|^[^\w\s]*\s*(?:Tests?|Test Suites|Test Files|Failed tests)\b:? .*\b[1-9]\d* failed\b"
    r"|^[=\W]*[1-9]\d* (?:tests? )?fail(?:ed|ing|ures?)\b|\b[1-9]\d* (?:failed|failures?|errors? in \d)\b"
    r"|^Found [1-9]\d* errors?\b(?!.*\b0 remaining)"
    r"|^\W*[1-9]\d* problems? \([1-9]|^[1-9]\d* errors? generated"
    r"|^(?:g?make|mingw32-make)(?:\[\d+\])?: \*\*\*|^ninja: build stopped|errors occurred!$"
    r"|^npm (?:ERR!|error)|\bELIFECYCLE\b|Command failed with exit code [1-9]|^thread '.*' panicked"
    # messages of shells and kernels
    r"|^[^\s:]+: .*(?:command not found|No such file or directory|Is a directory)$"
    r"|^[^\s:]+: .*(?:Permission denied|Connection refused)\b|^Automatic merge failed"
    r"|^(?:Segmentation fault|Killed|Aborted|Bus error|Terminated)\W*$|\(core dumped\)$|^curl: \(\d+\) ",
    re.IGNORECASE,
)
_SUMMARY_LINE = re.compile(
    r"make(?:\[\d+\])?: \*\*\*|ninja: build stopped|could not compile|errors occurred|aborting due to"
    r"|^npm (?:ERR!|error)|(?<!\d)\d+ (?:errors?|failed|failing|failures?|problems?)\b|^(?:FAIL|FAILED)\W*$"
    r"|ELIFECYCLE|exit code",
    re.IGNORECASE,
)
_SUCCESS = re.compile(
    r"^\W*(?:ok|done|success\w*|passed|all \w+ (?:passed|checks)|build succeeded|\d+ passed)\b", re.IGNORECASE
)
_NOISE = re.compile(
    r"^\s*(?:$|\(no output\)$|[-=~_*#^|+.]+$|</?(?:output|returncode|stdout|stderr|tool_use_error|error)>\s*$"
    r"|<returncode>\s*-?\d+</returncode>"
    r"|(?:Error: )?(?:Process |Command )?(?:exited|finished)? ?(?:with )?exit ?(?:code|status):? ?-?\d+\W*$"
    r"|Command exited with code -?\d+$|dpkg-preconfigure: unable to re-open stdin\b.*"
    r"|exitcode: .*|Code output:\s*$|\(Open file: .*|\(Current directory: .*|bash-\$\s*$"
    r"|Traceback \(most recent call last\):"
    r"|(?:Wall time|Chunk ID|Total output lines|Original token count): .*|Output:\s*$|Process exited with code .*"
    r"|Errors?:\s*$|Failures:\s*$|npm (?:ERR!|error) A complete log.*|npm (?:ERR!|error) *$|npm (?:ERR!"
    r"|error) (?:Lifecycle script|path|command|errno|workspace|location|Node\.js v|code \d|file://| *at ).*"
    r"|\[(?:The command|Command finished|Python interpreter|Current working|Jupyter).*)",
    re.IGNORECASE,
)
_PROFILE_LINE = re.compile(
    r"(?:-?(?:ba|z|da|k)?sh: )?(?:[/~]\S{0,200}/\.|/etc/|~/\.)"
    r"(?:profile|bashrc|bash_(?:profile|login|aliases)|bash\.bashrc|zshrc|zshenv|zprofile|zlogin|kshrc"
    r"|zsh/\w{1,40}|profile\.d/[\w.-]{1,80})(?:: line \d+: |:(?:\w+:)?\d+: ).*",
)
"""A complaint of a shell about the profile that it reads before a command: it is not of the command."""
_NPM_MESSAGE = re.compile(r"npm (?:ERR!|error) (?!code\b|syscall\b)\S", re.IGNORECASE)
"""A line of npm's message, which begins with what is wrong."""
_ANSI = re.compile(ESCAPE)
_STATUS_ONLY = re.compile(
    r"\W*(?:the )?(?:command |process |script )?(?:failed|exited|finished)?(?: with)? ?(?:exit|return|status)[ _]?"
    r"(?:code|status)?\W{0,3}-?\d+\W*$",
    re.IGNORECASE,
)
"""A line that only states the exit status."""
_PROGRESS = re.compile(r"^[\d\s:.kMG-]++(?=curl: \()")
_OUTPUT_LABEL = re.compile(r"\A(?:<untrusted_context>\s{0,4})?Output: (?=\S)")
"""What Gemini CLI puts in front of the output of a command."""
_FRAME = re.compile(r"^(?:at \S|\.\.\. \d+ more|File \"|goroutine \d|Node\.js v\d|note: run with|\^+$|[\[\]{}()]+$)")
_SOURCE = re.compile(
    r"^\d+[:|-]\s|^<(?!/?(?:tool_use_error|error|output|stderr|stdout|returncode|exit_code)>)/?\w[^<>]*>"
    r"|^(?:raise|throw)\b|^[A-Z]\w*(?:Error|Exception)\(|^(?:PASSED|ok)\b|^\"[\w-]+\": "
)
"""A line of a program, of a report in XML or of passed tests: it contains a word for an error and reports none."""
_LETTER = re.compile(r"[^\W\d_]")
MAX_LINE = 500
"""Maximum characters of an error line; longer lines are code or data."""
MAX_ANNOUNCEMENT = 140
"""Maximum characters of a line with the one that it announces; a bullet does not cut an error line of this length."""
TAIL_LINES, TAIL_CHARS = 4, 8_000
"""Lines at the end of an output that determine whether the command failed, and the characters searched for them."""


def drop_profile_lines(text: str) -> str:
    """Return an output without the complaints of a shell about its profile.

    >>> drop_profile_lines("/home/me/.profile: line 6: compdef: command not found\\nok")
    'ok'
    """
    return "\n".join(line for line in text.split("\n") if not _PROFILE_LINE.match(line))


def has_error_word(line: str) -> bool:
    """Return whether a line contains a word for an error."""
    return bool(_ERROR.search(line))


def is_telling(line: str) -> bool:
    """Return whether a line says what went wrong, rather than that something did, or something else.

    >>> is_telling("sh: 1: vitest: not found"), is_telling("--- log ---")
    (True, False)
    """
    return not _STATUS_ONLY.match(line) and bool(
        _ERROR.search(line)
        or _STRONG_ERROR.search(line)
        or _WEAK_ERROR.search(line)
        or _FINAL_ERROR.search(line)
        or is_powershell_message(line)
    )


def is_failed_output(text: str) -> bool:
    """Return whether an output ends with error lines."""
    late = [line for line in _meaningful_lines(_ANSI.sub("", text[-TAIL_CHARS:])) if not _FRAME.match(line)][
        -TAIL_LINES:
    ]
    return any(_FINAL_ERROR.search(line) for line in late) and not _SUCCESS.search(late[-1])


def find_error_lines(text: str) -> list[str]:
    """Return up to three error lines of a text, best first, stripped of colours, tags and surrounding blanks.

    The second is the last line with an error word, the third the first line that is certainly an error. Without either,
    the list contains only the best line.
    """
    text = _OUTPUT_LABEL.sub("", _ANSI.sub("", text))
    lines = _meaningful_lines(text)
    if message := find_powershell_message(lines):
        return message
    short = [line for line in lines if len(line) <= MAX_LINE] or lines
    if not short:
        return []
    plain = _meaningful_lines("\n".join(_skip_indented(text))) if TRACE in text else short
    signs = [line for line in plain if len(line) <= MAX_LINE and _ANY_ERROR.search(line) and not _SOURCE.match(line)]
    first = next(([line] for line in signs if _STRONG_ERROR.search(line) or _FINAL_ERROR.search(line)), [])
    candidates = [_find_best_line(text, short), *signs[-1:], *first]
    whole = [_add_announced_line(line, lines) for line in candidates]
    return list(dict.fromkeys(filter(None, map(_strip_tags, whole))))


def _add_announced_line(line: str, lines: Sequence[str]) -> str:
    """Return a line that ends in a colon with the line below it that it announces, any other line as it is."""
    at = lines.index(line) + 1 if line.endswith(":") and line in lines else len(lines)
    follower = next((below for below in lines[at : at + 1] if _LETTER.search(below) and not _FRAME.match(below)), "")
    return f"{line} {follower}" if follower and len(line) + len(follower) < MAX_ANNOUNCEMENT else line


def _skip_indented(text: str) -> Iterator[str]:
    """Yield the lines of a text without indented ones, such as the source lines of a traceback."""
    yield from (line for line in text.splitlines() if not line[:1].isspace())


def _meaningful_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if not _NOISE.match(line)]


def _find_best_line(text: str, lines: Sequence[str]) -> str:
    """Return the line that names the error: the raised exception, a final error, or the first likely line."""
    if TRACE in text and (raised := [match[0] for match in _RAISED_ERROR.finditer(text)]):
        return raised[-1].strip()
    return next(_rank_candidates(lines), lines[-1])


def _rank_candidates(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines that may name the error, most likely first; summary lines come after specific ones."""
    ends = [line for line in reversed(lines[-TAIL_LINES:]) if _FINAL_ERROR.search(line)]
    yield from (line for line in ends if not _SUMMARY_LINE.search(line))
    yield from (line for line in lines if _NAMED_ERROR.search(line))
    yield from (line for line in lines if _STRONG_ERROR.search(line))
    yield from (line for line in lines if _NPM_MESSAGE.match(line))
    yield from ends
    yield from (line for line in lines if _WEAK_ERROR.search(line))


def _strip_tags(line: str) -> str:
    """Return a line without the tags that hosts add to errors, and without the progress before a message of curl."""
    line = _PROGRESS.sub("", line)
    return re.sub(r"</?(?:tool_use_error|error|output|stderr|stdout)>", "", line).strip()
