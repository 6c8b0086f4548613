"""A pattern-based finder of definitions, for source code that cannot be parsed."""

import re
from collections.abc import Iterable, Sequence

from ctxkit.core.brief.code.definition_patterns import (
    DEFINITION_PATTERNS,
    LEVEL_COLUMNS,
    match_definition,
)
from ctxkit.core.brief.document import Definition
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace

WORD = compile_lazily(
    r"([ \t]*)(?:(?:export|default|declare|pub(?:\([^)]*\))?|public|private|protected|internal|fileprivate|static"
    r"|final|abstract|async|unsafe|const|inline|override|open|sealed|virtual|extern(?: \"C\")?|local|partial|data"
    r"|case|suspend|readonly)\s+)*"
    r"(def|defp|defmodule|class|function\*?|func|fn|fun|sub|interface|struct|enum|trait|impl|module|namespace"
    r"|protocol|extension|object|macro_rules!|record|union|mixin|mod|actor)(?:<[^>{]*>)?\s+(?:\(\w+ \*?[\w.\[\]]+\) )?"
    r"(?:<[^>]*> )?([A-Za-z_$][\w$.:]*[?!]?)"
)
"""Pattern of a definition with a keyword."""
C_LIKE = compile_lazily(
    r"([ \t]*)()(?!(?:return|else|new|throw|typedef|delete|case|goto|await|yield|using|import|package)\b)"
    r"(?:[\w:<>\[\],.?&*~@]{1,80}[ \t]{1,8}){1,8}[*&]*((?:\w+::)*~?\w+)\s?\([^;{}]*(?:\)[^;={}]*\{?|,)\s*"
)
"""Pattern of a function in C and similar languages: types, a name, parameters, no semicolon."""
SHELL = compile_lazily(r"([ \t]*)()([\w:.-]+)\s?\(\)\s*\{?\s*")
COMMA_LANGUAGES = frozenset(("css", "scss"))
"""Languages in which a line that ends in a comma continues its definition."""
CONTROL = frozenset(("if", "for", "while", "switch", "catch", "return", "sizeof", "foreach", "lock", "using"))
C_LIKE_LANGUAGES = frozenset(("c", "cpp", "csharp", "java", "dart", "objc", ""))
"""Languages whose functions have no keyword; the empty string is an unknown language."""
BLOCK_COMMENT_LANGUAGES = C_LIKE_LANGUAGES | frozenset(
    (
        "css", "go", "groovy", "hcl", "javascript", "kotlin", "php", "protobuf", "rust", "scala", "scss", "solidity",
        "sql", "swift", "tsx", "typescript",
    )
)
"""Languages with block comments between ``/*`` and ``*/``."""
STRING_OR_COMMENT = compile_lazily(r'"(?:[^"\\]|\\.)*"|//.*')
"""Pattern of strings and line comments, in which no block comment begins."""
COMMENT_LINE = compile_lazily(r"\s*\*(?:\s|$)")
"""Pattern of a line that continues a block comment in the usual layout."""
CLOSER = compile_lazily(r"([ \t]*)(?:\}|end\b)")
"""Pattern of a line that closes a block by its indentation."""
MAX_LINE_LENGTH = 300
"""Maximum number of characters of a line with a signature."""
MAX_SIGNATURE = 160
UNLIMITED = 1 << 60


def find_definitions(lines: Iterable[tuple[int, str]], language: str, most: int = UNLIMITED) -> list[Definition]:
    """Return the lines that look like definitions, nested by their indentation; stop after ``most`` and one more.

    Each definition ends at its closing line, or before the next definition that is not indented deeper.
    """
    definitions: list[Definition] = []
    around: list[tuple[int, int, int]] = []  # (depth, indentation, index in definitions) of the open definitions
    last = 0
    comment, listed = False, False
    for last, line in lines:
        if len(definitions) > most:
            break
        inside, comment = comment, _in_comment(line, comment) and language in BLOCK_COMMENT_LANGUAGES
        start = _parse_start(line, language) if len(line) <= MAX_LINE_LENGTH and not inside and not listed else None
        listed = line.rstrip().endswith(",") and language in COMMA_LANGUAGES and (listed or start is not None)
        closer = CLOSER.match(line)
        for left in reversed(range(_count_closed(around, closer))):
            index = around.pop()[2]
            definitions[index] = replace(definitions[index], end=last - (left > 0))
        if start is None:
            continue
        indent, kind, name = start
        while around and around[-1][0] >= indent:
            index = around.pop()[2]
            definitions[index] = replace(definitions[index], end=last - 1)
        around.append((indent, indent % LEVEL_COLUMNS, len(definitions)))
        signature = " ".join(line.split()).rstrip("{: ")[:MAX_SIGNATURE]
        definitions.append(Definition(name, kind, last, last, len(around) - 1, signature))
    for _, _, index in around:
        definitions[index] = replace(definitions[index], end=last)
    return definitions


def _count_closed(around: Sequence[tuple[int, int, int]], closer: "re.Match[str] | None") -> int:
    """Return the number of open definitions that a line closes: its own and all inside that."""
    if closer is None:
        return 0
    column = len(closer[1].expandtabs(4))
    for count, (_, begun, _) in enumerate(reversed(around), 1):
        if begun <= column:
            return count if begun == column else 0
    return 0


def _in_comment(line: str, inside: bool) -> bool:
    """Return whether a block comment continues after a line, by its last unquoted comment mark."""
    if inside:
        line = line.partition("*/")[2] if "*/" in line else "/*"
    line = STRING_OR_COMMENT.sub("", line)
    return line.rfind("/*") > line.rfind("*/")


def _parse_start(line: str, language: str) -> tuple[int, str, str] | None:
    """Return (indentation, kind, name) of the definition that a line begins, or None."""
    if language in DEFINITION_PATTERNS and language != "objc":
        return match_definition(line, language) if language in COMMA_LANGUAGES or not COMMENT_LINE.match(line) else None
    match = _match_line(line, language)
    if match is not None:
        return len(match[1].expandtabs(4)), match[2] or "function", match[3].rstrip(":.")
    return match_definition(line, language) if language in DEFINITION_PATTERNS else None


def _match_line(line: str, language: str) -> "re.Match[str] | None":
    match = WORD.match(line)
    if match is None and language in C_LIKE_LANGUAGES and "(" in line:
        match = C_LIKE.fullmatch(line)
    if match is None and language == "bash":
        match = SHELL.fullmatch(line)
    return match if match and match[3] not in CONTROL else None
