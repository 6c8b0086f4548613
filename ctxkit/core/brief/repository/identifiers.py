"""Identifiers that source code uses, outside comments and strings."""

import re
from functools import cache

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple

HASH_LANGUAGES = frozenset(
    (
        *("bash", "cmake", "coffeescript", "crystal", "dockerfile", "elixir", "graphql", "gyp", "hcl", "julia"),
        *("just", "make", "nim", "nix", "perl", "powershell", "puppet", "python", "r", "ruby", "starlark", "tcl"),
    )
)
"""Languages whose comments begin with ``#``."""
DASH_LANGUAGES = frozenset(("elm", "haskell", "lua", "sql", "vhdl"))
"""Languages whose comments begin with ``--``."""
QUOTE_LANGUAGES = frozenset(
    (
        *("bash", "coffeescript", "crystal", "dart", "groovy", "javascript", "lua", "perl", "php", "powershell"),
        *("python", "r", "ruby", "sql", "starlark", "svelte", "tsx", "typescript", "vue"),
    )
)
"""Languages with strings between single quotes; in others, these hold one character or begin a name."""
DOLLAR_LANGUAGES = frozenset(("coffeescript", "javascript", "svelte", "tsx", "typescript", "vue"))
"""Languages in which a dollar sign is part of a name."""
_IDENTIFIER = r"(?P<name>[^\W\d]\w*)"
_DOLLAR_IDENTIFIER = r"(?P<name>(?:[^\W\d]|\$)[\w$]*)"
_TRIPLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?' + r"|'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?"
_DOUBLE = r'"(?P<double>(?:[^"\\\n]|\\.)*+)"?'
_SINGLE = r"'(?P<single>(?:[^'\\\n]|\\.)*+)'?"
_CHARACTER = r"'(?P<single>\\.[^'\n]{0,8}|[^'\\\n])'"
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
"""Strings and comments that never end reach the end of their line or of the text, so that time stays linear."""
_PATH = compile_lazily(r"[\w@./:<>\\-]{2,120}")
_WORD = compile_lazily(r"(?:[^\W\d]|\$)[\w$-]*")


_FROM_IMPORT = compile_lazily(r"^[ \t]*+from\s++[\w.]++\s++import\s++(\([^)]{0,3000}\)|[^\n]*)", re.MULTILINE)
"""Statements of Python that import names; ``import`` alone names modules."""
_IMPORT = compile_lazily(
    r"^[ \t]*+((?:import|export)\b[^;\n{(]*+(?:\{[^}]{0,3000}\})?"
    r"|(?:pub(?:\([\w ]{1,80}\))?\s++)?use\s++[^;]{1,3000};|(?:using|require|include)\b[^\n;]*"
    r"|(?:const|let|var)\s*+\{[^}]{0,3000}\}\s*+=\s*+require\b)",
    re.MULTILINE,
)
"""Statements of other languages that import names."""


class UsedNames(NamedTuple):
    """The identifiers in a file, those that it imports, and the words of paths that it quotes."""

    identifiers: frozenset[str]
    imported: frozenset[str]
    path_words: frozenset[str]


@cache
def _compile_pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of comments, strings and identifiers of a language."""
    if language in HASH_LANGUAGES:
        parts = [r"#[^\n]*"]
    elif language in DASH_LANGUAGES:
        parts = [r"--[^\n]*", _BLOCK]
    else:
        parts = [r"//[^\n]*", _BLOCK]
    parts += [_TRIPLE] if language in ("python", "starlark") else []
    parts += [_DOUBLE, _SINGLE if language in QUOTE_LANGUAGES else _CHARACTER]
    parts += [_DOLLAR_IDENTIFIER if language in DOLLAR_LANGUAGES else _IDENTIFIER]
    return re.compile("|".join(parts), re.DOTALL)


def find_used_names(text: str, language: str) -> UsedNames:
    """Return the names that source code uses."""
    identifiers: set[str] = set()
    strings: set[str] = set()
    pattern = _compile_pattern(language)
    name, double, single = (pattern.groupindex[group] - 1 for group in ("name", "double", "single"))
    for groups in pattern.findall(text):
        if groups[name]:
            identifiers.add(groups[name])
        elif quoted := groups[double] or groups[single]:
            strings.add(quoted)
    paths = (string for string in strings if _PATH.fullmatch(string))
    statements = (_FROM_IMPORT if language == "python" else _IMPORT).findall(text)
    imported = frozenset(word for statement in statements for word in _WORD.findall(statement))
    path_words = frozenset(word for path in paths for word in _WORD.findall(path))
    return UsedNames(frozenset(identifiers), imported & identifiers, path_words)
