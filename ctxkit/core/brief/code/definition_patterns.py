"""Patterns of the first line of definitions, by language, for use without a grammar."""

import re
from functools import cache

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple


class DefinitionPattern(NamedTuple):
    """Describe the first line of a definition.

    ``pattern`` is matched against the line without its indentation. Its group ``name`` is the name, and its group
    ``kind`` is the kind if the field ``kind`` is empty. ``level`` is added to the indentation, to nest definitions that
    are not indented.
    """

    pattern: str
    kind: str = ""
    level: int = 0


SQL = (
    r"(?i:create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|unlogged|materialized|external|global|local"
    r"|virtual|public"
    r"|recursive|constraint|clustered|nonclustered|editionable|definer\s*=\s*\S+)\s+)*"
    r"(?P<kind>table|view|index|function|procedure|trigger|type|schema|sequence|extension|database|role|user"
    r"|policy|domain"
    r"|package(?: body)?|aggregate|operator|cast|rule|event|synonym|server)\s+"
    r"(?:if\s+not\s+exists\s+)?(?:concurrently\s+)?(?P<name>[\w.\"`\[\]$]+))"
)
TARGET = r"(?!\.[A-Z]|(?:if|ifn?eq|ifn?def|else|endif|export|include)\b)@?(?P<name>[\w./%$(){}-]+)[^:=#]*::?(?!=)"
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
    "make": (DefinitionPattern(r"define\s+(?P<name>\S+)", "macro"), DefinitionPattern(TARGET, "rule")),
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
    "sql": (DefinitionPattern(SQL),),
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
MARGIN_LANGUAGES = frozenset(("make", "asm"))
"""Languages whose definitions begin at the margin."""


QUOTED_NAME = compile_lazily(r"[\"'`\[]([^\"'`\]]*)[\"'`\]]?")
"""Pattern of a name in quotes of any sort."""
LEVEL_COLUMNS = 64
"""Number of columns that represent one level."""


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
    if not text or (language in MARGIN_LANGUAGES and text is not line):
        return None
    for pattern, kind, level in _compile_patterns(language):
        match = pattern.match(text)
        if match:
            groups = match.groupdict()
            name = _unquote((groups.get("name") or "").strip()) or (groups.get("kind") or "").strip("@.%")
            indent = len(line[: len(line) - len(text)].expandtabs(4))
            return (
                min(indent, LEVEL_COLUMNS - 1) + LEVEL_COLUMNS * level,
                (kind or groups.get("kind") or "").lower().strip(".%#"),
                name,
            )
    return None


def _unquote(name: str) -> str:
    """Return a name without its quotes."""
    match = QUOTED_NAME.fullmatch(name)
    return match[1] if match else name
