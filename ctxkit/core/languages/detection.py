"""Detect the language of source code by its name, its first line, or its text."""

import re
from functools import cache
from typing import NamedTuple

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
_EMPTY_STRINGS = ('""', "''")
"""Lines of a string alone, after its content is removed; they are no evidence of a language."""
_THRESHOLDS = ((4, 0.08, 0.4), (4, 0.03, 0.6), (5, 0.05, 0.5), (2, 0.13, 0.45))
"""Sufficient combinations: different first words of strong lines, share of strong lines, share of code."""
_MIN_CODE_LINES = 8
"""Minimum lines of code for a detection."""
QUOTED = re.compile(
    r'(?P<block>(?m:^=[a-z]\w+\b)|"""|\'\'\'|(?<!\S)/\*)'
    r'|"(?:[^"\\\n]|\\.){0,300}+"|\'(?:[^\'\\\n]|\\.){0,300}+\'|`[^`\n]{0,300}+`'
)
"""Matches strings, and the beginnings of block comments and long strings, of most languages.

A string has at most 300 characters: in a line of escaped quotation marks, each would be read to the end of the line.
"""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.){0,300}+"|\'(?:[^\'\\\n]|\\.){0,300}+\'')
_CLOSINGS = {"=": ("\n=cut", 30_000), '"': ('"""', 20_000), "'": ("'''", 20_000), "/": ("*/", 6_000)}
"""End of a block by its first character, and its maximum length in characters."""
_QUOTED_CODE_SIGNS = re.compile(
    r"^(?:diff --git |@@ -\d|[<>]{7}|={5,} .* ={3,}$|_{5,} .* _{3,}$|```|\$ \w|> \S+@\d|>>> |Traceback \("
    r"|#{1,4} [A-Z].*[^#;]$\n\n(?:[A-Z][a-z]+ [a-z]|[-*\d]+[.)]? \S)|FAILED |PASSED |ok \d|not ok \d"
    r"|commit [0-9a-f]{40}|index [0-9a-f]{7,}\.\."
    r"|(?:on|jobs|steps|services):$|<(?:!DOCTYPE|html|\?xml))",
    re.MULTILINE,
)
"""Matches lines of diffs, test runs, transcripts and documents that quote code; one is enough."""
_LOG_LINE = re.compile(
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
    if _QUOTED_CODE_SIGNS.search(bare) or "\0" in text:
        return "", 0.0
    lines = _choose_lines(bare)
    if len(lines) < _MIN_CODE_LINES or sum(1 for line in lines if _LOG_LINE.match(line)) > len(lines) / 40:
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
            string = None if end else _STRING.match(text, start)
            if not end and not string:
                at = start + 1
                continue
            at = end or (string.end() if string else at)
        parts += (text[copied:start], _empty_string(text[start:at]))
        copied = at
    return "".join([*parts, text[copied:]])


def _find_block_end(text: str, at: int, sign: str, ends: dict[str, int]) -> int:
    """Return the end of a block whose content begins at an offset; 0 if there is none or it is too far."""
    mark, most = _CLOSINGS[sign]
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
    return [line for line in code if line.rstrip(",") not in _EMPTY_STRINGS]


def _is_enough(begun: int, strict: float, share: float = 1.0) -> bool:
    """Return whether different first words and the shares of strong lines and of code together prove a language."""
    return any(begun >= kinds and strict >= lines and share >= most for kinds, lines, most in _THRESHOLDS)


def _score_language(code: list[str], name: str) -> float:
    """Return how much of the lines ``code`` is code of one language, 0 unless most is."""
    strong = _compile_strong(name)
    sure = {line for line in code if strong.match(line)}
    certain = sum(1 for line in code if line in sure)
    begun = len({line.partition(" ")[0] for line in sure})
    if len(code) < _MIN_CODE_LINES or not _is_enough(begun, certain / len(code)):
        return 0.0  # the other lines take most of the time
    common = _compile_common(name)
    likely = sum(1 for line in code if line not in sure and common.match(line))
    strict, share = certain / len(code), (certain + likely) / len(code)
    # few kinds of strong lines, or few strong lines, need a larger share of code
    if not _is_enough(begun, strict, share):
        return 0.0
    return min(0.5 + 0.5 * (certain + likely / 4) / len(code), 0.9)


class LanguagePattern(NamedTuple):
    """Patterns for the beginning of a line: ``common`` code, and ``strong`` evidence.

    ``comment`` begins a comment that runs to the end of its line.
    """

    common: str
    strong: str
    comment: str = "//"


BLOCK = (
    r"\}? ?(?:else|catch|finally)\b.*\{$|(?:if|for|while|switch) ?\(.*\) ?\{$|return\b.*;$|\}[;,)]*$"
)
"""Matches statements with braces."""
_C_LIKE = (
    BLOCK + r"|case .*:$|default:$|(?:break|continue|goto \w+);$|[\w>\])*&]+ [*&]*\w+(?:\[.*\])? = .*;$"
    r"|[\w.\[\]>-]+ [-+|&]?= .*;$|[\w.:>-]+\(.*\);$|(?:const |unsigned |struct )*[\w:<>]+[ \t]+[*&]*\w+(?:\[.*\])?;$"
    r"|if \(.*\)(?: .*;)?$|[\w.\[\]>-]+(?:\+\+|--);$|(?:&&|\|\|) .*|[\w.:>-]+\(.*[,(]$"
    r"|[\w.:>\[\]-]+[ (].*\)\)*[,;{]$|[{}]$"
    r"|(?:try|do) \{$"
)
"""Matches statements of C and similar languages."""
LANGUAGE_PATTERNS = {
    "bash": LanguagePattern(
        r"(?:if|elif|while|for|until) .*(?:; (?:then|do))?$|fi$|done$|esac$|then$|do$|else$|;;$|echo "
        r"|local |export \w+=|\w+=\S*$",
        r"if \[\[? .* \]\]?; then$|(?:function )?[\w-]+ ?\(\) ?\{$|(?:local|readonly|declare) \w+|fi$|done$"
        r"|esac$|;;$|set -[euxo]",
        "#",
    ),
    "c": LanguagePattern(
        _C_LIKE,
        r'#\s*(?:include [<\"]|define \w+|ifn?def \w+|endif\b)|typedef (?:struct|enum|union|unsigned)'
        r"|(?:const |static |unsigned |struct )*[A-Za-z]\w* \*+\w+(?: = .*)?;$|\w+->\w+.*[;({]$|if \(!?\w+->"
        r"|\(void\) ?\w|(?:if|while|return|assert|free)\b.*\bNULL\b|.*\bsizeof\(|(?:u?int\d+_t|size_t|bool|int"
        r"|unsigned) \w+(?: = .*)?;$"
        r"|static (?:inline )?(?:const )?(?:int|void|char|struct|bool|size_t)\b|(?:struct|enum) \w+ \{$"
        r"|(?:int|void|char|size_t|unsigned|uint\d+_t) \**\w+\(",
    ),
    "cpp": LanguagePattern(
        _C_LIKE,
        r'#\s*include [<\"]|template ?<|namespace \w*|using namespace |(?:public|private|protected):$|std::'
        r"|(?:const )?auto[&*]* \w+ =|class \w+.*[{;]$|\w[\w:<>]* \w+::~?\w+\(|constexpr |virtual "
        r"|explicit ",
    ),
    "csharp": LanguagePattern(
        _C_LIKE,
        r"using [A-Z][\w.]*;$|namespace [\w.]+;?$|(?:public|private|protected|internal) (?:static |sealed "
        r"|abstract |partial |override |async |readonly |virtual )*[\w<>\[\]?]+ \w+"
        r"|.*\{ get; (?:\w+ )?(?:set|init); \}|\[\w+(?:\(.*\))?\]$|foreach \(",
    ),
    "css": LanguagePattern(
        r"[\w-]+: .*;$|[\w.#&:*>~+\[-][^;{}]*[{,]$|\}$|\$[\w-]+: .*;$|@\w[\w-]* .*[;{]$",
        r"(?:color|display|margin|padding|font|background|border|width|height|position|top|left|right|bottom"
        r"|flex|overflow"
        r"|z-index|opacity|transition|transform|line-height|text|content|cursor|float|box-shadow|align"
        r"|justify)[\w-]*: ?.*;$"
        r"|@(?:media|include|mixin|import|font-face|keyframes|supports|extend|function|return|each)\b.*[;{]$"
        r"|[.#&][\w:.&>~+ -]+ \{$|:root \{$|\$[\w-]+: .*;$",
    ),
    "dart": LanguagePattern(
        _C_LIKE,
        r"import '(?:package|dart):|@override$|(?:final|late) [\w<>?]+ \w+|class \w+ extends State"
        r"|Widget build\(|part of |library ",
    ),
    "elixir": LanguagePattern(
        r"end$|(?:if|case|cond|with|fn|for) .*(?:do|->)$|.* -> ?.*$|\|> |use |alias |import |@\w+ ",
        r"defmodule [\w.]+ do$|defp? \w+.*(?: do$|, do:)|@(?:moduledoc|doc|spec|impl|behaviour)\b"
        r"|\|> [\w.]+|alias [A-Z][\w.]+",
        "#",
    ),
    "go": LanguagePattern(
        r"\}? ?else .*\{$|(?:if|for|switch|select)\b.*\{$|return\b|\}[),]*$|case .*:$|[\w.,\s]+ :?= .*"
        r"|[\w.]+\(.*\)$|\w+ [\w.*\[\]]+$",
        r"package \w+$|import \(?|func (?:\(\w+ \*?\w+\) )?\w*\(|type \w+ (?:struct|interface) \{"
        r"|if err != nil \{$|.* := |defer |go func|var \w+ |const \(?",
    ),
    "graphql": LanguagePattern(
        r"\w+(?:\(.*\))?: \[?[A-Z]\w*[\]!]*(?: [=@].*)?$|\w+\($|\): \[?[A-Z]\w*[\]!]*"
        r"|[A-Z][A-Z\d_]+(?: @.*)?$|[|&] [A-Z]\w*$|\}$",
        r"(?:extend )?(?:(?:type|interface|input|enum|union) [A-Z]\w*(?: implements [\w &,]+)?(?: @.*)?(?: \{| =.*)?$"
        r"|schema \{$|scalar [A-Z]\w*)|directive @\w+|\w+(?:\(.*\))?: \[?[A-Z]\w*(?:!\]?!?|\]!)"
        r"|(?:query|mutation|fragment|subscription) \w+.*\{$",
        "#",
    ),
    "haskell": LanguagePattern(
        r"\w+'? ::|where$|let |in |\| |case .* of$|do$|\w+ .* = ",
        r"module [\w.]+.*|import (?:qualified )?[A-Z][\w.]*|\w+'? :: .*->|data [A-Z]\w* |newtype "
        r"|instance .* where$|class .* where$|\{-# LANGUAGE|deriving",
        "--",
    ),
    "java": LanguagePattern(
        _C_LIKE,
        r"package [\w.]+;$|import (?:static )?[\w.*]+;$|(?:public|private|protected) (?:static |final "
        r"|abstract |synchronized )*[\w<>\[\], ?.]+[({;=]|@(?:Override|Test|Nullable|Deprecated"
        r"|SuppressWarnings|Autowired)\b|(?:final )?[\w<>]+ \w+ = new \w+|.*\bthrows [A-Z]\w*|throw new [A-Z]"
        r"|for \((?:final )?[A-Z][\w<>]* \w+ : |.*\binstanceof [A-Z]"
        r"|(?:final )?[A-Z]\w*(?:<[\w<>, ?]*>)? \w+ = [\w.(]+.*;$"
        r"|\} catch \(\w+ \w+\) \{$",
    ),
    "javascript": LanguagePattern(
        BLOCK
        + r"|(?:const|let|var) .* ?=|[\w.\[\]]+ [-+*/]?= .*;$|[\w.\[\]]+\(.*[;{(]$|\w+,$|[\w'\"]+: .*[,{\[(]$"
          r"|case .*:$|(?:break|continue);$"
        r"|(?:if|for|while) ?\(.*|try \{$|[}{]$|\} else \{$|\w+\(.*\) \{$|\.\w+\(.*|return\b.*",
        r"(?:const|let|var) [\w{\[ ,}\]]+ = |this\.[\w.]+ = |\w[^$]* [!=]== [^$=]*$|[\w.]+\.prototype\.\w+ = "
        r"|[^$]*\bfunction ?\([^$]*\{$|[^$]*\btypeof \w|[\w.]+(?: =|\() new \w+\("
        r"|(?:export )?(?:default )?(?:async )?function\*? ?\w*\("
        r"""|import .* from ['\"]|.*=> ?[{(]?$|(?:module\.)?exports\b|.*require\(['\"]"""
        r"|export (?:const|class|default|\{)|\}\)[;,(]|console\.",
    ),
    "kotlin": LanguagePattern(
        r"\}? ?else\b.*|(?:if|for|while|when) ?\(.*|return\b|\}[),]*$|[\w.]+ = .*|[\w.]+\(.*\)$|\w+ -> ",
        r"package [\w.]+$|import [\w.*]+$|(?:private |internal |override |public |suspend |inline "
        r"|protected |open )*fun (?:<.*> )?[\w.<>?]+\(|va[lr] \w+(?:: [\w<>?]+)? =|(?:data |sealed |open "
        r"|abstract )*class \w+|(?:companion )?object\b|when \(",
    ),
    "lua": LanguagePattern(
        r"end[,)]*$|if .* then$|elseif .* then$|for .* do$|while .* do$|return\b|[\w.:]+\(.*\)$"
        r"|[\w.\[\]]+ = ",
        r"local (?:function )?[\w, ]+|function [\w.:]+\(|(?:else)?if .* then$|for .* do$"
        r"""|.*\bfunction ?\(.*\)$|require ?[(\"']""",
        "--",
    ),
    "objc": LanguagePattern(
        _C_LIKE,
        r"#import |@(?:interface|implementation|property|end|protocol|synthesize)\b|[-+] ?\(\w+.*\)\w+"
        r"|.*\[\w+ \w+.*\];$",
    ),
    "perl": LanguagePattern(
        BLOCK
        + r"|(?:unless|foreach|elsif)\b.*|[$@%][\w>{}\[\]-]+ \.?= .*;$",
        r"use (?:strict|warnings|[\w:]+.*;$)|my [$@%(]|sub \w+|package [\w:]+;$|.*\$self->",
        "#",
    ),
    "php": LanguagePattern(
        BLOCK
        + r"|\$\w+.*;$|foreach \(",
        r"<\?php|\$\w+(?:->\w+|\[.*\])* \.?= |use [A-Z][\w\\]+;$|namespace [\w\\]+;$|(?:public|private"
        r"|protected) (?:static )?(?:function|\?*\w* ?\$)|function \w+\(.*\$|.*\$this->",
    ),
    "protobuf": LanguagePattern(
        r"(?:(?:repeated|optional|required) )?[\w.]+ \w+ = \d+(?: \[.*)?[;\[]?$"
        r"|\w+ = -?(?:\d+|0x[\da-f]+)(?: \[.*)?;$|returns \(|[\w.()]+ ?[=:] ?.*;?$|\}[;,\]]*$|reserved .*;$",
        r"syntax = ;$|edition = ;$|(?:message|enum|service|oneof|extend) [\w.]+ ?\{|rpc \w+ ?\("
        r"|option [\w.()]+ =|map ?<|(?:repeated|optional|required) [\w.]+ \w+ = \d+"
        r"|(?:string|bytes|bool|u?int\d\d|sint\d\d|s?fixed\d\d|double|float|google\.protobuf\.\w+) \w+ = \d+"
        r"|package [\w.]+;$|import (?:public )?;$",
    ),
    "python": LanguagePattern(
        r"""(?:if|elif|for|while|with|except|try|else|finally)\b.*:$|return\b|raise \w|[\w.\[\]'\", ]+ [-+*/"""
        r'|&]?= \S|[\w.]+\(.*\)?,?$|pass$|yield\b|assert |\)[:,]?$|\"\"\"',
        r"(?:async )?def \w+\(|class \w+.*:$|import [\w.]+(?: as \w+)?$|from [\w.]+ import "
        r"|@\w[\w.]*(?:\(.*\))?$|self\.\w+|elif .*:$|except\b.*:$|if __name__ ==|with .* as \w+:$",
        "#",
    ),
    "ruby": LanguagePattern(
        r"end$|(?:if|unless|case|when|while|else|elsif|rescue|ensure|begin)\b|return\b"
        r"|[\w.@\[\]]+ (?:\|\|)?= |[\w.]+(?:\(.*\))? (?:do|\{)(?: \|.*\|)?$",
        r"""def (?:self\.)?\w+[?!=]?|require(?:_relative)? ['\"]|module [A-Z]\w*$"""
        r"|class [A-Z]\w*(?: < [\w:]+)?$|attr_\w+ :|@\w+ (?:\|\|)?=|.* do \|.*\|$|elsif ",
        "#",
    ),
    "rust": LanguagePattern(
        BLOCK
        + r"|let .*|[\w.:*]+ [-+]?= .*;$|[\w:.]+!?\(.*\)[;?]*$|.* => .*,?$|(?:if|for|while|match"
        r"|loop)\b.*\{$|\}[;,)?]*$|\w+,$|\w+: .*,$",
        r"(?:pub(?:\(\w+\))? )?(?:async |unsafe |const )*fn \w+|use [\w:{}*, ]+;$|let (?:mut )?\w+.* ="
        r"|impl\b.*\{$|(?:pub )?(?:struct|enum|trait|mod) \w+|#!?\[\w+|match .*\{$|.* => .*,?$|\w+!\(",
    ),
    "scala": LanguagePattern(
        r"\}? ?else\b.*|(?:if|for|while) ?\(.*|case .* =>.*|\}[),]*$|[\w.]+\(.*\)$",
        r"package [\w.]+$|import [\w.{}, _*=>]+$|(?:private |override |implicit |protected |final "
        r"|lazy )*(?:def|val|var) \w+|(?:case |abstract |sealed )*(?:class|object|trait) \w+|case .* =>",
    ),
    "solidity": LanguagePattern(
        _C_LIKE,
        r"pragma solidity|(?:abstract )?(?:contract|library) \w+.*\{$|function \w+\(.*|event \w+\(|modifier \w+"
        r"|emit \w+\("
        r"|error \w+\(|mapping ?\(|(?:u?int\d*|address|bytes\d*|bool)(?:\[\])? (?:\w+ )*\w+(?: = .*)?;$"
        r"|require\(|revert \w+"
        r"|\) (?:public|external|internal|private)\b|(?:public|external|internal|view|pure|virtual|override)\b",
    ),
    "sql": LanguagePattern(
        r"(?i:(?:from|where|and|or|on|(?:left |right |inner |outer )*join|group by|order by|having|limit|values"
        r"|set|union|primary key"
        r"|foreign key|constraint|references|end|begin|when|then|else|returning|unique|check)\b.*)|\);?$|\(.*\)[,;]$"
        r"|(?i:[\w`\"]+ (?:int|integer|bigint|smallint|serial|varchar|char|text|boolean|bool|date|timestamp"
        r"|numeric|decimal|uuid"
        r"|jsonb?|real|double|float|blob|bytea)\b.*)",
        r"(?i:create (?:or replace )?(?:temp |temporary |unique )*(?:table|index|view|function|trigger|type"
        r"|schema|procedure|extension)\b"
        r"|alter table|insert into|drop (?:table|index|view|function|trigger|schema)|select\b.*|update \w+ set"
        r"|delete from"
        r"|grant \w+|comment on|with \w+ as \(|commit;|begin;)",
        "--",
    ),
    "swift": LanguagePattern(
        r"\}? ?else\b.*\{$|(?:if|for|while|switch|guard)\b.*\{$|return\b|\}[),]*$|[\w.]+ = .*|[\w.]+\(.*\)$"
        r"|case \..*:$",
        r"import [A-Z]\w+$|(?:public |private |internal |open |static |override |fileprivate |final "
        r"|@\w+ )*(?:func \w+|init\??\(|(?:class|struct|enum|protocol|extension) \w+.*\{$)|guard .* else"
        r"|if let |(?:let|var) \w+(?:: | = )",
    ),
    "typescript": LanguagePattern(
        BLOCK
        + r"|(?:const|let|var) .* =|[\w.]+ = .*;?$|[\w.]+\(.*[;{(]$|\w+,$|\w+\??: [\w<>\[\]|' ]+[;,]$",
        r"""import (?:type )?.* from ['\"]|export (?:const|class|default|type|interface|async|function"""
        r"|abstract|\{)|(?:export )?interface \w+|(?:export )?type \w+.* =|(?:private|public|protected"
        r"|readonly) (?:\w+ )*\w+[(:?]|(?:const|let) \w+: |(?:async )?\w+\(.*\): [\w<>\[\]| ]+ \{$"
        r"|\w+\??: (?:string|number|boolean|unknown|any|void)\b",
    ),
    "zig": LanguagePattern(
        BLOCK
        + r"|[\w.]+ [-+]?= .*;$|.* => .*,?$|[\w.]+\(.*\);$|\}[;,)]*$",
        r"(?:pub )?(?:inline |export |extern )*fn \w+\(|const \w+ = @import\(|(?:pub )?const \w+ = "
        r'|var \w+: |try \w|@\w+\(|test \"',
    ),
}
"""Patterns by language, matched at the beginning of a line without indentation and strings."""
