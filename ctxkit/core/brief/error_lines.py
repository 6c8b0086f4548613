"""Detection of lines that report errors, in any text."""

from collections.abc import Iterator
from re import IGNORECASE, compile

from ctxkit.core.text.lines import IndexedLines

ERROR_WORDS = ("error", "fail", "fatal", "panic", "exception", "traceback", "critical", "abort", "segfault", "crash")
"""Words of error lines in lower case, as test runners, compilers and loggers use them."""
NO_ERROR = compile(
    r"\b(?:0|no|without|any) (?:\w{1,40} )?(?:errors?|fail\w{0,20}|exceptions?)"
    r"|(?:errors?|fail\w{0,20})\W{1,3}(?:0\b|none|null|false)"
    r"|\b(?:errors?|failed|failures?|failing) \w{1,40}\s{0,9}[:=]\s{0,40}0\s{0,9}$"
    r"|\bpanic=\w|\berrors?\s{1,2}(?:[<>]=?|==)\s",
    IGNORECASE,
)
"""Pattern of phrases that mention no error: ``0 errors``, ``no failures``, ``"error": null``, ``mean error <= 0.4``."""

PASSED = compile(
    r"[\u2713\u2714\u2611]"
    r"|^(?:\x1b\[[\d;]*m|[\s\[-])*(?:ok (?:\d|- )|ok {2}\t|OK \]|PASS(?:ED)?(?:\b|_)(?! *=?\d))"
    r"|:PASS$|\.\.\. (?:\x1b\[[\d;]*m)*ok\b|(?<!\d) (?:passed \([\d.]+ s\w*\)|PASSED(?: +\[ *\d+%\])?)\W*$"
)
"""Pattern of a passed test, even if its name mentions an error: a tick, TAP's ok, ``PASS``, ``... ok``, ``passed (1
s)``.
"""
FAILED = compile(r"\b[1-9]\d* (?i:fail|error)|[\u2717\u2718\u2716\u274c\u00d7]|\bFAIL(?:ED|URES?)?\b")
"""Pattern of a failure in such a line: a count, a cross, ``FAILED``."""
MENTIONS = compile(
    r"(?<![\w./\\+$-])[\w./\\+$-]{1,400}\.(?:l?o|obj|d|[chmS]|cc|cpp|cxx|c\+\+|hh|hpp|hxx|mm|java|class|kt|scala|swift|rs"
    r"|go|py|pyc|rb|php|cs|fs|vb|[cm]?[jt]sx?|vue|lua|pl|pm|exs?|erl|hs|ml|dart|zig|s?css|html?|md|rst|json|ya?ml|xml"
    r"|toml)(?![\w/.-]{0,400}\w)"
    r"|\bthrows +[\w.]+(?: *, *[\w.]+)* *(?:[{;]|$)|\bcatch *\((?:final )?[\w.| ]+\)|^\W*(?:import|using) [\w.:]+;"
    r"|(?:^|[\s+])echo +[\"'].*|\b(?:is|are|be) critical\b|(?<![\w.@/-])(?:@[\w.-]{1,80}/)?[\w.-]{1,80}@\d[\w.+-]*"
)
"""Pattern of text that only mentions errors: files, exceptions that code declares or catches, an echoed ``echo``, a
critical label, packages with their versions."""

ERROR_SIGN = compile(
    rf"(?<![A-Za-z])(?i:(?:{'|'.join(ERROR_WORDS[:-1])}|crashed)(?<!exception(?=[a-rt-z])))|Error|Fail|Fatal|Exception|ERROR|FAIL|FATAL|EXCEPTION|ABORT|CRASH"
)
"""Pattern of the words at the start of a word part, as in ``ValueError`` or ``test_failed``, not in ``liberror``."""
_ASCII_LOWER = {ord(letter): ord(letter) + 32 for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def find_error_lines(lines: IndexedLines, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of the lines from ``start`` to ``end`` that look like errors."""
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


def is_error_line(text: str) -> bool:
    """Return whether a line reports an error, not just mentions one of the words."""
    if ERROR_SIGN.search(text) is None or NO_ERROR.search(text) is not None:
        return False
    if PASSED.search(text) is not None:
        return FAILED.search(text) is not None
    return ERROR_SIGN.search(MENTIONS.sub(" ", text)) is not None
