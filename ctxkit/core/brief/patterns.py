"""Definitions found by the look of their first line, for source code that cannot be parsed."""

import re
from collections.abc import Iterable
from dataclasses import replace

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
CONTROL = frozenset(("if", "for", "while", "switch", "catch", "return", "sizeof", "foreach", "lock", "using"))
TYPED = frozenset(("c", "cpp", "csharp", "java", "dart", "objc", ""))
"""Languages whose functions no keyword announces; empty is an unknown one."""
SLASHED = TYPED | {"javascript", "typescript", "tsx", "go", "rust", "php", "scala", "kotlin", "swift", "css"}
"""Languages with block comments between a slash and a star."""
NO_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|//.*')
"""Strings and comments to the end of a line, in which no block comment begins."""
CLOSER = re.compile(r"([ \t]*)(?:\}|end\b)")
"""A line that closes what its indentation opened."""
WIDEST = 300
"""Characters of a line past which it is no signature."""
CUT = 160


def matched(lines: Iterable[tuple[int, str]], language: str) -> list[Definition]:
    """Return what looks like a definition, nested as it is indented.

    Each is taken to end before the next line that is indented no deeper, as far as such lines are definitions.
    """
    found: list[Definition] = []
    around: list[tuple[int, int]] = []  # (indentation, index in found) of what is still open
    last = 0
    comment = False
    for last, line in lines:
        inside, comment = comment, _in_comment(line, comment) and language in SLASHED
        match = _match(line, language) if len(line) <= WIDEST and not inside else None
        closer = CLOSER.match(line)
        if closer and around and around[-1][0] == len(closer[1].expandtabs(4)):
            index = around.pop()[1]
            found[index] = replace(found[index], end=last)
        if match is None:
            continue
        indent = len(match[1].expandtabs(4))
        while around and around[-1][0] >= indent:
            index = around.pop()[1]
            found[index] = replace(found[index], end=last - 1)
        around.append((indent, len(found)))
        signature = " ".join(line.split()).rstrip("{: ")[:CUT]
        found.append(Definition(match[3].rstrip(":."), match[2] or "function", last, last, len(around) - 1, signature))
    for _, index in around:
        found[index] = replace(found[index], end=last)
    return found


def _in_comment(line: str, inside: bool) -> bool:
    """Tell whether a block comment goes on after a line, by the last mark on it that is not quoted."""
    if inside:
        line = line.partition("*/")[2] if "*/" in line else "/*"
    line = NO_MARK.sub("", line)
    return line.rfind("/*") > line.rfind("*/")


def _match(line: str, language: str) -> "re.Match[str] | None":
    match = WORD.match(line)
    if match is None and language in TYPED and "(" in line:
        match = C_LIKE.fullmatch(line)
    if match is None and language == "bash":
        match = SHELL.fullmatch(line)
    return match if match and match[3] not in CONTROL else None
