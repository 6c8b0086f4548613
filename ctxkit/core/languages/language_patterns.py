"""Define patterns of the lines of source code in each language, for code without a name."""

from typing import NamedTuple


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
C_LIKE = (
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
        C_LIKE,
        r'#\s*(?:include [<\"]|define \w+|ifn?def \w+|endif\b)|typedef (?:struct|enum|union|unsigned)'
        r"|(?:const |static |unsigned |struct )*[A-Za-z]\w* \*+\w+(?: = .*)?;$|\w+->\w+.*[;({]$|if \(!?\w+->"
        r"|\(void\) ?\w|(?:if|while|return|assert|free)\b.*\bNULL\b|.*\bsizeof\(|(?:u?int\d+_t|size_t|bool|int"
        r"|unsigned) \w+(?: = .*)?;$"
        r"|static (?:inline )?(?:const )?(?:int|void|char|struct|bool|size_t)\b|(?:struct|enum) \w+ \{$"
        r"|(?:int|void|char|size_t|unsigned|uint\d+_t) \**\w+\(",
    ),
    "cpp": LanguagePattern(
        C_LIKE,
        r'#\s*include [<\"]|template ?<|namespace \w*|using namespace |(?:public|private|protected):$|std::'
        r"|(?:const )?auto[&*]* \w+ =|class \w+.*[{;]$|\w[\w:<>]* \w+::~?\w+\(|constexpr |virtual "
        r"|explicit ",
    ),
    "csharp": LanguagePattern(
        C_LIKE,
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
        C_LIKE,
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
        C_LIKE,
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
        C_LIKE,
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
        C_LIKE,
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
