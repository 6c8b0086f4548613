"""Definitions found by the look of their first line, for source code that cannot be parsed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ctxkit.core.brief.code.definition_patterns import (
    CLAUSE_LANGUAGES,
    DEFINITION_PATTERNS,
    LEVEL_COLUMNS,
    match_definition,
)
from ctxkit.core.brief.document import Definition

WORD = re.compile(
    r"([ \t]*)(?:(?:export|default|declare|pub(?:\([^)]*\))?|public|private|protected|internal|fileprivate|static"
    r"|final|abstract|async|unsafe|const|inline|override|open|sealed|virtual|extern(?: \"C\")?|local|partial|data"
    r"|case|suspend|readonly)\s+)*"
    r"(def|defp|defmodule|class|function\*?|func|fn|fun|sub|interface|struct|enum|trait|impl|module|namespace"
    r"|protocol|extension|object|macro_rules!|record|union|mixin|mod|actor)(?:<[^>{]*>)?\s+(?:\(\w+ \*?[\w.\[\]]+\) )?"
    r"(?:<[^>]*> )?([A-Za-z_$][\w$.:]*[?!]?)"
)
"""A definition that a keyword announces."""
C_LIKE = re.compile(
    r"([ \t]*)()(?!(?:return|else|new|throw|typedef|delete|case|goto|await|yield|using|import|package)\b)"
    r"(?:[\w:<>\[\],.?&*~@]{1,80}[ \t]{1,8}){1,8}[*&]*((?:\w+::)*~?\w+)\s?\([^;{}]*(?:\)[^;={}]*\{?|,)\s*"
)
"""A function of C and of what took after it: types, a name, parameters, no semicolon."""
SHELL = re.compile(r"([ \t]*)()([\w:.-]+)\s?\(\)\s*\{?\s*")
COMMA_LANGUAGES = frozenset(("css", "scss"))
"""Languages in which a line that ends in a comma goes on with what it defines."""
CONTROL = frozenset(("if", "for", "while", "switch", "catch", "return", "sizeof", "foreach", "lock", "using"))
C_LIKE_LANGUAGES = frozenset(("c", "cpp", "csharp", "java", "dart", "objc", ""))
"""Languages whose functions no keyword announces; empty is an unknown one."""
BLOCK_COMMENT_LANGUAGES = C_LIKE_LANGUAGES | frozenset(
    (
        "apex", "chapel", "css", "go", "groovy", "hcl", "javascript", "kotlin", "php", "protobuf", "rust", "scala",
        "scss", "solidity", "sql", "swift", "tsx", "typescript", "verilog",
    )
)
"""Languages with block comments between a slash and a star."""
STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//.*')
"""Strings and comments to the end of a line, in which no block comment begins."""
COMMENT_LINE = re.compile(r"\s*\*(?:\s|$)")
"""A line that goes on with a block comment, as most lay them out."""
CLOSER = re.compile(r"([ \t]*)(?:\}|end\b)")
"""A line that closes what its indentation opened."""
PARENTHESISED = frozenset(("clojure", "lisp"))
"""Languages in which a parenthesis at the margin begins something new."""
CLOSERS = {
    "abap": re.compile(r"([ \t]*)(?i:end(?:class|interface|method|form|function|module))\b"),
    "basic": re.compile(r"([ \t]*)(?i:end (?!if|select|with|try|while|get|set|using|synclock)\w+)"),
    "verilog": re.compile(r"([ \t]*)end(?:(?P<unit>module|interface|package|program)|class|function|task)\b"),
    "vhdl": re.compile(r"([ \t]*)(?i:end\b(?!\s+(?:if|loop|case|record|generate)))"),
}
"""The same where ``end`` is written otherwise, or closes blocks that are not indented.

A ``unit`` closes all that it holds, even where that is indented no deeper.
"""
MAX_LINE_LENGTH = 300
"""Characters of a line past which it is no signature."""
MAX_SIGNATURE = 160


def find_definitions(lines: Iterable[tuple[int, str]], language: str) -> list[Definition]:
    """Return what looks like a definition, nested as it is indented.

    Each is taken to end before the next line that is indented no deeper, as far as such lines are definitions.
    """
    definitions: list[Definition] = []
    around: list[tuple[int, int, int]] = []  # (depth, indentation, index in found) of what is still open
    last = 0
    comment, listed = False, False
    for last, line in lines:
        inside, comment = comment, _in_comment(line, comment) and language in BLOCK_COMMENT_LANGUAGES
        start = _parse_start(line, language) if len(line) <= MAX_LINE_LENGTH and not inside and not listed else None
        listed = line.rstrip().endswith(",") and language in COMMA_LANGUAGES and (listed or start is not None)
        if language in PARENTHESISED and line[:1] == "(":
            for _, _, index in around:  # what stands at the margin is inside nothing
                definitions[index] = replace(definitions[index], end=last - 1)
            around.clear()
        closer = CLOSERS.get(language, CLOSER).match(line)
        for left in reversed(range(_count_closed(around, closer))):
            index = around.pop()[2]
            definitions[index] = replace(definitions[index], end=last - (left > 0))
        if start is None or (language in CLAUSE_LANGUAGES and definitions and definitions[-1].name == start[2]):
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
    """Return how many open definitions a line closes: what it is the end of, and all inside that."""
    if closer is None:
        return 0
    column, whole = len(closer[1].expandtabs(4)), "unit" in closer.re.groupindex and closer["unit"]
    for count, (depth, begun, _) in enumerate(reversed(around), 1):
        if begun < column:
            return 0
        if begun == column and (depth < LEVEL_COLUMNS or not whole):
            return count
    return 0


def _in_comment(line: str, inside: bool) -> bool:
    """Tell whether a block comment goes on after a line, by the last mark on it that is not quoted."""
    if inside:
        line = line.partition("*/")[2] if "*/" in line else "/*"
    line = STRING_OR_COMMENT.sub("", line)
    return line.rfind("/*") > line.rfind("*/")


def _parse_start(line: str, language: str) -> tuple[int, str, str] | None:
    """Return (indentation, kind, name) of what a line begins to define."""
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
