"""Find definitions in source code by patterns, one table for each language without a parser."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from ctxkit.core.brief.document import Definition
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import replace


class DefinitionPattern(NamedTuple):
    """Describe the first line of a definition.

    ``pattern`` is matched against the line without its indentation. Its group ``name`` is the name, and its group
    ``kind`` is the kind if the field ``kind`` is empty. ``level`` is added to the indentation, to nest definitions that
    are not indented.
    """

    pattern: str
    kind: str = ""
    level: int = 0


_SQL = (
    r"(?i:create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|unlogged|materialized|external|global|local"
    r"|virtual|public"
    r"|recursive|constraint|clustered|nonclustered|editionable|definer\s*=\s*\S+)\s+)*"
    r"(?P<kind>table|view|index|function|procedure|trigger|type|schema|sequence|extension|database|role|user"
    r"|policy|domain"
    r"|package(?: body)?|aggregate|operator|cast|rule|event|synonym|server)\s+"
    r"(?:if\s+not\s+exists\s+)?(?:concurrently\s+)?(?P<name>[\w.\"`\[\]$]+))"
)
_TARGET = r"(?!\.[A-Z]|(?:if|ifn?eq|ifn?def|else|endif|export|include)\b)@?(?P<name>[\w./%$(){}-]+)[^:=#]*::?(?!=)"
DEFINITION_PATTERNS: dict[str, tuple[DefinitionPattern, ...]] = {
    "asm": (
        DefinitionPattern(r"(?i:(?P<kind>\.macro|%macro|macro|\.section|section|segment)\s+(?P<name>[\w.]+))"),
        DefinitionPattern(r"(?!\w*END)[A-Z_]*(?:ENTRY|FUNC|LEAF|PROC|START)[A-Z_\d]*\s*\(\s*(?P<name>[\w.]+)", "entry"),
        DefinitionPattern(r"(?P<name>\.L\w+):", "label", 1),
        DefinitionPattern(r"(?P<name>[A-Za-z_$@?][\w$@?.]*)(?::(?!=)|\s+(?i:proc)\b)", "label"),
    ),
    "cmake": (
        DefinitionPattern(
            r"(?i:(?P<kind>function|macro|project|add_executable|add_library|add_custom_target|add_subdirectory|option)"
            r"\s*\(\s*(?P<name>[^\s()]+))"
        ),
        DefinitionPattern(r"(?i:add_test\s*\(\s*NAME\s+(?P<name>[^\s()]+))", "test"),
    ),
    "dockerfile": (
        DefinitionPattern(r"(?i:FROM)\s+(?:--\S+\s+)*\S+\s+(?i:AS)\s+(?P<name>\S+)", "stage"),
        DefinitionPattern(r"(?i:FROM)\s+(?:--\S+\s+)*(?P<name>\S+)", "stage"),
        DefinitionPattern(
            r"(?P<kind>ARG|ENV|LABEL|RUN|COPY|ADD|EXPOSE|VOLUME|USER|WORKDIR|CMD|ENTRYPOINT|HEALTHCHECK|ONBUILD|SHELL"
            r"|STOPSIGNAL)\s+(?P<name>[^\s=\\]+)",
            level=1,
        ),
    ),
    "graphql": (
        DefinitionPattern(
            r"(?:extend )?(?P<kind>type|input|interface|enum|union|scalar|directive|query|mutation|subscription"
            r"|fragment)\s+"
            r"@?(?P<name>\w+)"
        ),
        DefinitionPattern(r"(?P<name>schema)\b", "schema"),
        DefinitionPattern(r"(?P<name>[a-z_]\w*)(?:\([^)]{0,400}\)\s*:|\($|\s*:\s*[\[A-Z]\w*[\]!]*)", "field"),
    ),
    "groovy": (
        DefinitionPattern(r"(?:\w+ )*(?P<kind>class|interface|trait|enum)\s+(?P<name>\w+)"),
        DefinitionPattern(r"(?P<kind>task)\s+(?P<name>\w+)"),
        DefinitionPattern(r"tasks\.(?:register|create|named)\(\s*['\"](?P<name>[\w:-]+)", "task"),
        DefinitionPattern(r"(?P<kind>stage)\s*\(\s*['\"](?P<name>[^'\"]+)"),
        DefinitionPattern(
            r"(?!(?:else|return|new|throw|if|for|while|switch"
            r"|catch)\b)(?:[\w<>\[\],.@]+\s+)+(?P<name>\w+)\s*\([^)]*\)\s*\{",
            "method",
        ),
        DefinitionPattern(r"(?!(?:else|try|finally|do)\b)(?P<name>[a-zA-Z]\w*)\s*\{$", "block"),
    ),
    "hcl": (
        DefinitionPattern(r'(?P<kind>[a-z]\w*)(?:\s+"[^"]*")*?\s+"(?P<name>[^"]+)"\s*\{'),
        DefinitionPattern(r"(?P<name>[a-z]\w*)\s*\{$", "block"),
    ),
    "make": (DefinitionPattern(r"define\s+(?P<name>\S+)", "macro"), DefinitionPattern(_TARGET, "rule")),
    "objc": (
        DefinitionPattern(r"@(?P<kind>interface|implementation|protocol)\s+(?P<name>\w+)(?!.*;$)"),
        DefinitionPattern(r"[-+]\s*\([^)]*\)\s*(?P<name>\w+)", "method", 1),
    ),
    "perl": (
        DefinitionPattern(r"(?P<kind>package|class|role)\s+(?P<name>[\w:]+)"),
        DefinitionPattern(r"(?P<kind>sub|method)\s+(?P<name>[\w:']+)", level=1),
    ),
    "powershell": (
        DefinitionPattern(r"(?i:(?P<kind>function|filter|class|enum|workflow|configuration)\s+(?P<name>[\w:-]+))"),
        DefinitionPattern(r"(?:hidden |static )*\[[\w.\[\]]+\]\s*(?:static )?(?P<name>\w+)\s*\(.*\)\s*\{?$", "method"),
    ),
    "protobuf": (DefinitionPattern(r"(?P<kind>message|enum|service|rpc|oneof|extend)\s+(?P<name>[\w.]+)"),),
    "r": (
        DefinitionPattern(r"(?P<name>[`\w.\[\]<>$%+-]+)\s*(?:<-|=|<<-)\s*function\b", "function"),
        DefinitionPattern(
            r"(?:[\w.]+\s*(?:<-|=)\s*)?(?P<kind>setClass|setRefClass|R6Class|setGeneric|setMethod"
            r"|setValidity)\(\s*['\"](?P<name>[^'\"]+)"
        ),
    ),
    "scss": (
        DefinitionPattern(
            r"@(?P<kind>mixin|function|keyframes|media|supports|layer|container|property"
            r"|font-face)\b\s*(?P<name>[^{};(]*[^{};(\s]|\([^{;]*[^{;\s])?"
        ),
        DefinitionPattern(
            r"(?P<name>(?!@|//|/\*|\}|\$|--|.*:\s.*,$|.*[\w\"']:$)[^{};]*?[^{};\s,])\s*(?:\{[^}]*\}?|,)$", "rule"
        ),
    ),
    "solidity": (
        DefinitionPattern(
            r"(?:abstract )?(?P<kind>contract|interface|library|struct|enum|event|error|modifier"
            r"|type)\s+(?P<name>[A-Za-z_$]\w*)"
        ),
        DefinitionPattern(r"(?P<kind>function)\s+(?P<name>[A-Za-z_$]\w*)"),
        DefinitionPattern(r"(?P<name>constructor|receive|fallback)\s*\(", "function"),
    ),
    "sql": (DefinitionPattern(_SQL),),
    "template": (
        DefinitionPattern(
            r"\{%-?\s*(?P<kind>block|macro|include|extends|import|component|snippet|section"
            r"|render)\s+['\"]?(?P<name>[\w./-]+)"
        ),
        DefinitionPattern(
            r"\{\{[#>~]*\s*(?P<kind>#?each|#?if|#?with|partial|block|define|template)\s+['\"]?(?P<name>[\w./-]+)"
        ),
        DefinitionPattern(r"\{\{>\s*(?P<name>[\w./-]+)", "partial"),
        DefinitionPattern(
            r"<%-?=?\s*(?P<kind>render|include|content_for|form_with|form_for)\b[\s(:]*['\"]?(?P<name>[\w./-]+)"
        ),
    ),
}
DEFINITION_PATTERNS["css"] = DEFINITION_PATTERNS["scss"]
_MARGIN_LANGUAGES = frozenset(("make", "asm"))
"""Languages whose definitions begin at the margin."""
_QUOTED_NAME = compile_lazily(r"[\"'`\[]([^\"'`\]]*)[\"'`\]]?")
"""Pattern of a name in quotes of any sort."""
_LEVEL_COLUMNS = 64
"""Number of columns that represent one level."""
WORD = compile_lazily(
    r"([ \t]*)(?:(?:export|default|declare|pub(?:\([^)]*\))?|public|private|protected|internal|fileprivate|static"
    r"|final|abstract|async|unsafe|const|inline|override|open|sealed|virtual|extern(?: \"C\")?|local|partial|data"
    r"|case|suspend|readonly)\s+)*"
    r"(def|defp|defmodule|class|function\*?|func|fn|fun|sub|interface|struct|enum|trait|impl|module|namespace"
    r"|protocol|extension|object|macro_rules!|record|union|mixin|mod|actor)(?:<[^>{]*>)?\s+(?:\(\w+ \*?[\w.\[\]]+\) )?"
    r"(?:<[^>]*> )?([A-Za-z_$][\w$.:]*[?!]?)"
)
"""Pattern of a definition with a keyword."""
_C_LIKE = compile_lazily(
    r"([ \t]*)()(?!(?:return|else|new|throw|typedef|delete|case|goto|await|yield|using|import|package)\b)"
    r"(?:[\w:<>\[\],.?&*~@]{1,80}[ \t]{1,8}){1,8}[*&]*((?:\w+::)*~?\w+)\s?\([^;{}]*(?:\)[^;={}]*\{?|,)\s*"
)
"""Pattern of a function in C and similar languages: types, a name, parameters, no semicolon."""
_SHELL = compile_lazily(r"([ \t]*)()([\w:.-]+)\s?\(\)\s*\{?\s*")
COMMA_LANGUAGES = frozenset(("css", "scss"))
"""Languages in which a line that ends in a comma continues its definition."""
_CONTROL = frozenset(("if", "for", "while", "switch", "catch", "return", "sizeof", "foreach", "lock", "using"))
_C_LIKE_LANGUAGES = frozenset(("c", "cpp", "csharp", "java", "dart", "objc", ""))
"""Languages whose functions have no keyword; the empty string is an unknown language."""
_BLOCK_COMMENT_LANGUAGES = _C_LIKE_LANGUAGES | frozenset(
    (
        "css", "go", "groovy", "hcl", "javascript", "kotlin", "php", "protobuf", "rust", "scala", "scss", "solidity",
        "sql", "swift", "tsx", "typescript",
    )
)
"""Languages with block comments between ``/*`` and ``*/``."""
_STRING_OR_COMMENT = compile_lazily(r'"(?:[^"\\]|\\.)*"|//.*')
"""Pattern of strings and line comments, in which no block comment begins."""
_COMMENT_LINE = compile_lazily(r"\s*\*(?:\s|$)")
"""Pattern of a line that continues a block comment in the usual layout."""
CLOSER = compile_lazily(r"([ \t]*)(?:\}|end\b)")
"""Pattern of a line that closes a block by its indentation."""
_MAX_LINE_LENGTH = 300
"""Maximum number of characters of a line with a signature."""
MAX_SIGNATURE = 160
_UNLIMITED = 1 << 60


def find_definitions(lines: Iterable[tuple[int, str]], language: str, most: int = _UNLIMITED) -> list[Definition]:
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
        inside, comment = comment, _in_comment(line, comment) and language in _BLOCK_COMMENT_LANGUAGES
        start = _parse_start(line, language) if len(line) <= _MAX_LINE_LENGTH and not inside and not listed else None
        listed = line.rstrip().endswith(",") and language in COMMA_LANGUAGES and (listed or start is not None)
        closer = CLOSER.match(line)
        for left in reversed(range(_count_closed(around, closer))):
            index = around.pop()[2]
            definitions[index] = replace(definitions[index], end=last - (left > 0))
        if start is None:
            continue
        indent, kind, name = start
        _end_inner(definitions, around, indent, last - 1)
        around.append((indent, indent % _LEVEL_COLUMNS, len(definitions)))
        signature = " ".join(line.split()).rstrip("{: ")[:MAX_SIGNATURE]
        definitions.append(Definition(name, kind, last, last, len(around) - 1, signature))
    _end_inner(definitions, around, 0, last)
    return definitions


def _end_inner(definitions: list[Definition], around: list[tuple[int, int, int]], indent: int, end: int) -> None:
    """End the open definitions that are indented at least as deep."""
    while around and around[-1][0] >= indent:
        index = around.pop()[2]
        definitions[index] = replace(definitions[index], end=end)


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
    line = _STRING_OR_COMMENT.sub("", line)
    return line.rfind("/*") > line.rfind("*/")


def _parse_start(line: str, language: str) -> tuple[int, str, str] | None:
    """Return (indentation, kind, name) of the definition that a line begins, or None."""
    if language in DEFINITION_PATTERNS and language != "objc":
        is_comment = language not in COMMA_LANGUAGES and _COMMENT_LINE.match(line)
        return None if is_comment else match_definition(line, language)
    match = _match_line(line, language)
    if match is not None:
        return len(match[1].expandtabs(4)), match[2] or "function", match[3].rstrip(":.")
    return match_definition(line, language) if language in DEFINITION_PATTERNS else None


def _match_line(line: str, language: str) -> "re.Match[str] | None":
    match = WORD.match(line)
    if match is None and language in _C_LIKE_LANGUAGES and "(" in line:
        match = _C_LIKE.fullmatch(line)
    if match is None and language == "bash":
        match = _SHELL.fullmatch(line)
    return match if match and match[3] not in _CONTROL else None


@cache
def _compile_patterns(language: str) -> tuple[tuple[re.Pattern[str], str, int], ...]:
    return tuple(
        (re.compile(definition.pattern), definition.kind, definition.level)
        for definition in DEFINITION_PATTERNS.get(language, ())
    )


def match_definition(line: str, language: str) -> tuple[int, str, str] | None:
    """Return (indentation, kind, name) of the definition that a line begins, or None.

    A tab counts as four columns of indentation, and each extra level of a pattern as LEVEL_COLUMNS.
    """
    text = line.lstrip()
    if not text or (language in _MARGIN_LANGUAGES and text is not line):
        return None
    for pattern, kind, level in _compile_patterns(language):
        match = pattern.match(text)
        if match:
            groups = match.groupdict()
            name = _unquote((groups.get("name") or "").strip()) or (groups.get("kind") or "").strip("@.%")
            indent = len(line[: len(line) - len(text)].expandtabs(4))
            return (
                min(indent, _LEVEL_COLUMNS - 1) + _LEVEL_COLUMNS * level,
                (kind or groups.get("kind") or "").lower().strip(".%#"),
                name,
            )
    return None


def _unquote(name: str) -> str:
    """Return a name without its quotes."""
    match = _QUOTED_NAME.fullmatch(name)
    return match[1] if match else name
