"""The definitions of a file, and the names that it uses."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from ctxkit.core.brief.code.definition_finder import find_definitions
from ctxkit.core.brief.code.definition_tree import CONTAINERS
from ctxkit.core.brief.document import Definition, MissingGrammar, Parser
from ctxkit.core.brief.kinds.source import GENERATED, GRAMMARS, TOP
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Role, Symbol, find_role, is_readme
from ctxkit.core.languages.language_names import language_of_header, language_of_name, language_of_shebang
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.tokens.token_count import decode_content

_HASH_LANGUAGES = frozenset(
    (
        *("bash", "cmake", "coffeescript", "crystal", "dockerfile", "elixir", "graphql", "gyp", "hcl", "julia"),
        *("just", "make", "nim", "nix", "perl", "powershell", "puppet", "python", "r", "ruby", "starlark", "tcl"),
    )
)
"""Languages whose comments begin with ``#``."""
_DASH_LANGUAGES = frozenset(("elm", "haskell", "lua", "sql", "vhdl"))
"""Languages whose comments begin with ``--``."""
_QUOTE_LANGUAGES = frozenset(
    (
        *("bash", "coffeescript", "crystal", "dart", "groovy", "javascript", "lua", "perl", "php", "powershell"),
        *("python", "r", "ruby", "sql", "starlark", "svelte", "tsx", "typescript", "vue"),
    )
)
"""Languages with strings between single quotes; in others, these hold one character or begin a name."""
_DOLLAR_LANGUAGES = frozenset(("coffeescript", "javascript", "svelte", "tsx", "typescript", "vue"))
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


_MAX_MEAN_LINE = 500
"""Mean characters of a line above which content counts as minified."""
_MAX_SYMBOLS = 5_000
"""Maximum definitions of a file: one with more is data, and would take too much memory."""
_MAX_NAME = 80
"""Maximum characters of a name; longer ones, such as selectors of style sheets, are left out."""
_MAX_SIGNATURE = 240
"""Maximum characters of a signature."""
_COMPARED = 8_000
"""Characters from the line of a definition in which its signature must occur."""
_MAX_HEADINGS = 12
_HEADING = compile_lazily(r"#{1,2} (\S.{0,70}\S?)\s*")
_BLANK = compile_lazily(r"\s+")
_COMMA = compile_lazily(r",(?=[)\]}>])")
_OVERLOADING = frozenset(("tsx", "typescript"))
"""Languages in which overloads are declared on the lines before a function."""
_RECEIVER = compile_lazily(r"func \((?:\w+ )?\*?(\w+)")
"""The type that a method of Go belongs to."""


def guess_language(path: str) -> str:
    """Return the language of a file by its name, "" if it is not source code."""
    return language_of_name(path)


def scan_file(path: str, data: bytes, parse: Parser) -> RepositoryFile:
    """Return a file with its definitions and the names that it uses; a binary file has neither."""
    if b"\0" in data[:8_192] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return RepositoryFile(path, len(data), find_role(path, ""))
    text = decode_content(data)
    lines = text.split("\n")
    total = len(lines) - (lines[-1] == "")
    language = _detect_language(path, text)
    role = find_role(path, language)
    if is_readme(path):
        return RepositoryFile(path, len(data), role, "", total, tuple(_find_headings(lines)))
    if not language:
        return RepositoryFile(path, len(data), role, "", total)
    if reason := _find_derivation(lines, len(text)):
        return RepositoryFile(path, len(data), Role.DERIVED, language, total, skipped=reason)
    definitions = parse(text.encode("utf-8", "replace"), GRAMMARS.get(language, language))
    if definitions is None or isinstance(definitions, MissingGrammar):
        definitions = find_definitions(enumerate(lines[:total], 1), language, _MAX_SYMBOLS)
    if len(definitions) > _MAX_SYMBOLS:
        reason = f"over {_MAX_SYMBOLS:,} definitions"
        return RepositoryFile(path, len(data), Role.DERIVED, language, total, skipped=reason)
    used = find_used_names(text, language)
    symbols = tuple(_make_symbols(definitions, lines, total))
    if language in _OVERLOADING:
        symbols = tuple(_merge_overloads(symbols))
    return RepositoryFile(
        path, len(data), role, language, total, symbols, used.identifiers, used.imported, used.path_words
    )


def _find_derivation(lines: Sequence[str], size: int) -> str:
    """Return why text is not the work of a person, "" if it is."""
    if size > _MAX_MEAN_LINE * len(lines):
        return "minified"
    return "generated" if any(map(GENERATED.search, lines[:TOP])) else ""


def _detect_language(path: str, text: str) -> str:
    head = text[:4_096]
    language = language_of_name(path, head) or language_of_shebang(head.partition("\n")[0])
    return language_of_header(text) if language == "c" and path.endswith(".h") else language


def _find_headings(lines: Sequence[str]) -> Iterator[Symbol]:
    """Yield the first headings of a README outside code."""
    fenced, number_of_headings = False, 0
    for number, line in enumerate(lines, 1):
        fenced ^= line.startswith(("```", "~~~"))
        match = None if fenced else _HEADING.fullmatch(line)
        if match and number_of_headings < _MAX_HEADINGS:
            number_of_headings += 1
            yield Symbol(match[1], "heading", number, number, line.count("#", 0, 2) - 1, "", line.strip())


def _make_symbols(definitions: Sequence[Definition], lines: Sequence[str], total: int) -> Iterator[Symbol]:
    """Yield a symbol for each definition that has a place and a name of usual length.

    Local definitions of functions are left out, and overloads of Python without a body.
    """
    around: list[Definition] = []
    for definition in definitions:
        del around[definition.depth :]
        is_local = any(outer.kind not in CONTAINERS for outer in around)
        owner = around[-1].name if around else ""
        around.append(definition)
        name = " ".join(definition.name.split())
        is_placed = 1 <= definition.start <= definition.end <= total and 0 < len(name) <= _MAX_NAME
        if is_placed and not is_local and not _is_overload(definition, lines):
            signature = _quote_signature(definition, lines)
            receiver = _RECEIVER.match(signature)
            owner = receiver[1] if receiver and not owner else owner
            yield Symbol(name, definition.kind, definition.start, definition.end, definition.depth, owner, signature)


def _merge_overloads(symbols: Sequence[Symbol]) -> Iterator[Symbol]:
    """Yield symbols without declarations on one line that the same name on the next line follows."""
    for at, symbol in enumerate(symbols):
        after = symbols[at + 1] if at + 1 < len(symbols) else None
        is_repeated = after is not None and (after.name, after.owner) == (symbol.name, symbol.owner)
        if not (is_repeated and after is not None and symbol.end == symbol.start == after.start - 1):
            yield symbol


def _is_overload(definition: Definition, lines: Sequence[str]) -> bool:
    """Return whether the line before a definition is the decorator of an overload."""
    before = lines[definition.start - 2].strip() if definition.start > 1 else ""
    return before.endswith("overload") and before.startswith("@")


def _quote_signature(definition: Definition, lines: Sequence[str]) -> str:
    """Return the signature if it is text from its line on, else that line."""
    first = lines[definition.start - 1]
    signature = definition.signature
    if signature not in first and not _occurs(signature, lines, definition.start):
        signature = " ".join(first.split())
    return signature if len(signature) <= _MAX_SIGNATURE else f"{signature[:_MAX_SIGNATURE].rstrip()}..."


def _occurs(signature: str, lines: Sequence[str], start: int) -> bool:
    """Return whether a signature occurs in the lines from ``start``, apart from blanks and commas before brackets."""
    text = "\n".join(lines[start - 1 : start + 60])[:_COMPARED]
    return _squeeze(signature.removesuffix("...")) in _squeeze(text)


def _squeeze(text: str) -> str:
    return _COMMA.sub("", _BLANK.sub("", text))


@cache
def _compile_pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of comments, strings and identifiers of a language."""
    if language in _HASH_LANGUAGES:
        parts = [r"#[^\n]*"]
    elif language in _DASH_LANGUAGES:
        parts = [r"--[^\n]*", _BLOCK]
    else:
        parts = [r"//[^\n]*", _BLOCK]
    parts += [_TRIPLE] if language in ("python", "starlark") else []
    parts += [_DOUBLE, _SINGLE if language in _QUOTE_LANGUAGES else _CHARACTER]
    parts += [_DOLLAR_IDENTIFIER if language in _DOLLAR_LANGUAGES else _IDENTIFIER]
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
