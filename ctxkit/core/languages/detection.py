"""Detect the language of source code by its name, its first line, or its text."""

import re
from functools import cache

from ctxkit.core.languages.language_patterns import LANGUAGE_PATTERNS

SUPERSETS = {
    "javascript": (
        "typescript",
        re.compile(
            r"(?:export )?(?:declare )?(?:interface \w+|type \w+.* =|enum \w+)|import type |.* as [A-Z]\w+"
            r"|.*\w\)?\??: (?:string|number|boolean|void|unknown|any|never|[A-Z]\w*)\b[^'\"]*[,;={)]$"
            r"|(?:private|public|protected|readonly) \w+"
        ),
    ),
    "css": ("scss", re.compile(r"\$[\w-]+:|@(?:mixin|include|extend|use|function|each|if)\b|&[:.\w-]|.*\$[\w-]+")),
    "scala": (
        "kotlin",
        re.compile(
            r"(?:(?:private|override|public|internal|open|inline|suspend|protected) )*fun (?:<.*> )?[\w.<>?]+\("
        ),
    ),
    "c": ("cpp", re.compile(r"class \w|namespace\b|template ?<|using |.*\bstd::|(?:public|private):|.*\w::\w")),
}
"""Languages with a superset, and patterns of lines that only the superset has."""
SCORED_LINES = 250
"""Maximum number of lines that are scored."""
SCORED_WIDTH = 200
"""Maximum characters of a line that are scored."""
EMPTY_STRINGS = ('""', "''")
"""Lines of a string alone, after its content is removed; they are no evidence of a language."""
THRESHOLDS = ((4, 0.08, 0.4), (4, 0.03, 0.6), (5, 0.05, 0.5), (2, 0.13, 0.45))
"""Sufficient combinations: different first words of strong lines, share of strong lines, share of code."""
MIN_CODE_LINES = 8
"""Minimum lines of code for a detection."""
QUOTED = re.compile(
    r'(?P<block>(?m:^=[a-z]\w+\b)|"""|\'\'\'|(?<!\S)/\*)'
    r'|"(?:[^"\\\n]|\\.){0,300}+"|\'(?:[^\'\\\n]|\\.){0,300}+\'|`[^`\n]{0,300}+`'
)
"""Matches strings, and the beginnings of block comments and long strings, of most languages.

A string has at most 300 characters: in a line of escaped quotation marks, each would be read to the end of the line.
"""
STRING = re.compile(r'"(?:[^"\\\n]|\\.){0,300}+"|\'(?:[^\'\\\n]|\\.){0,300}+\'')
CLOSINGS = {"=": ("\n=cut", 30_000), '"': ('"""', 20_000), "'": ("'''", 20_000), "/": ("*/", 6_000)}
"""End of a block by its first character, and its maximum length in characters."""
QUOTED_CODE_SIGNS = re.compile(
    r"^(?:diff --git |@@ -\d|[<>]{7}|={5,} .* ={3,}$|_{5,} .* _{3,}$|```|\$ \w|> \S+@\d|>>> |Traceback \("
    r"|#{1,4} [A-Z].*[^#;]$\n\n(?:[A-Z][a-z]+ [a-z]|[-*\d]+[.)]? \S)|FAILED |PASSED |ok \d|not ok \d"
    r"|commit [0-9a-f]{40}|index [0-9a-f]{7,}\.\."
    r"|(?:on|jobs|steps|services):$|<(?:!DOCTYPE|html|\?xml))",
    re.MULTILINE,
)
"""Matches lines of diffs, test runs, transcripts and documents that quote code; one is enough."""
LOG_LINE = re.compile(
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d:|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:|[\w./+-]+:\d+[:-]"
    r"|\d+(?:[\t|\u2192]|:(?! ?[\[({]?['\"]))|\S* ?\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\]?[ :]"
)
"""Matches lines of logs, grep output and numbered listings; a few in a hundred are enough."""


def language_of_text(text: str) -> tuple[str, float]:
    """Return the most likely language of ``text`` and the confidence, ("", 0) in doubt.

    Most lines must look like code, and enough of them like code of this language. Text that quotes code, such as a test
    run, a diff or a page of documentation, has no language.
    """
    bare = _strip_quoted(text)
    if QUOTED_CODE_SIGNS.search(bare) or "\0" in text:
        return "", 0.0
    lines = _choose_lines(bare)
    if len(lines) < MIN_CODE_LINES or sum(1 for line in lines if LOG_LINE.match(line)) > len(lines) / 40:
        return "", 0.0
    comments = {idiom.comment for idiom in LANGUAGE_PATTERNS.values()}
    codes = {comment: _strip_comments(lines, comment) for comment in comments}
    scores = {name: _score_language(codes[idiom.comment], name) for name, idiom in LANGUAGE_PATTERNS.items()}
    name = max(scores, key=lambda score: scores[score])
    return (_refine_language(name, lines), scores[name]) if scores[name] else ("", 0.0)


def _choose_lines(bare: str) -> list[str]:
    """Return the lines that are scored: those that are no comments, if there are any."""
    lines = [line.strip()[:SCORED_WIDTH] for line in bare.split("\n")]
    lines = [line for line in lines if line]
    return [line for line in lines if not line.startswith(("//", "*", "--[["))][:SCORED_LINES] or lines[:SCORED_LINES]


def _refine_language(name: str, lines: list[str]) -> str:
    """Return the superset if at least two lines are only possible in it."""
    larger, pattern = SUPERSETS.get(name, (name, None))
    return larger if pattern and sum(1 for line in lines if pattern.match(line)) > 1 else name


def _strip_quoted(text: str) -> str:
    """Return a text without the content of strings and block comments.

    Each end of a block is looked up once, so that a text of many beginnings takes linear time.
    """
    parts: list[str] = []
    ends: dict[str, int] = {}
    at = copied = 0
    while match := QUOTED.search(text, at):
        start, at = match.span()
        if match["block"]:
            end = _find_block_end(text, at, match[0][0], ends)
            string = None if end else STRING.match(text, start)
            if not end and not string:
                at = start + 1
                continue
            at = end or (string.end() if string else at)
        parts += (text[copied:start], _empty_string(text[start:at]))
        copied = at
    return "".join([*parts, text[copied:]])


def _find_block_end(text: str, at: int, sign: str, ends: dict[str, int]) -> int:
    """Return the end of a block whose content begins at an offset; 0 if there is none or it is too far."""
    mark, most = CLOSINGS[sign]
    position = ends.get(sign, 0)
    if 0 <= position < at:
        position = text.find(mark, at)
        while position >= 0 and sign == "=" and text[position + len(mark) : position + len(mark) + 1] not in ("", "\n"):
            position = text.find(mark, position + 1)
        ends[sign] = position
    inside = position + (sign == "=")
    return position + len(mark) if position >= 0 and inside - at <= most else 0


def _empty_string(string: str) -> str:
    """Return the replacement of a string: its quotes and its newlines."""
    return "" if string.startswith(("/*", "=")) else string[0] + "\n" * string.count("\n") + string[-1]


@cache
def _compile_strong(name: str) -> re.Pattern[str]:
    return re.compile(LANGUAGE_PATTERNS[name].strong)


@cache
def _compile_common(name: str) -> re.Pattern[str]:
    return re.compile(LANGUAGE_PATTERNS[name].common)


def _strip_comments(lines: list[str], comment: str) -> list[str]:
    """Return the lines with code, without the comments after it."""
    code = [line.partition(f" {comment}")[0].rstrip() for line in lines if not line.startswith((comment, "*"))]
    return [line for line in code if line.rstrip(",") not in EMPTY_STRINGS]


def _is_enough(begun: int, strict: float, share: float = 1.0) -> bool:
    """Return whether different first words and the shares of strong lines and of code together prove a language."""
    return any(begun >= kinds and strict >= lines and share >= most for kinds, lines, most in THRESHOLDS)


def _score_language(code: list[str], name: str) -> float:
    """Return how much of the lines ``code`` is code of one language, 0 unless most is."""
    strong = _compile_strong(name)
    sure = {line for line in code if strong.match(line)}
    certain = sum(1 for line in code if line in sure)
    begun = len({line.partition(" ")[0] for line in sure})
    if len(code) < MIN_CODE_LINES or not _is_enough(begun, certain / len(code)):
        return 0.0  # the other lines take most of the time
    common = _compile_common(name)
    likely = sum(1 for line in code if line not in sure and common.match(line))
    strict, share = certain / len(code), (certain + likely) / len(code)
    # few kinds of strong lines, or few strong lines, need a larger share of code
    if not _is_enough(begun, strict, share):
        return 0.0
    return min(0.5 + 0.5 * (certain + likely / 4) / len(code), 0.9)
