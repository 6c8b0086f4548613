"""Detect the language of source code by its name, its first line, or its text."""

import re
from functools import cache
from typing import NamedTuple

from ctxkit.core.languages.ambiguous_extensions import TEMPLATE_EXTENSIONS, find_ambiguous_key, resolve_language
from ctxkit.core.languages.language_patterns import LANGUAGE_PATTERNS


class Language(NamedTuple):
    """The extensions, file names and interpreters of a language, each separated by blanks."""

    extensions: str
    names: str = ""
    interpreters: str = ""


LANGUAGES = {
    "abap": Language("abap"),
    "apex": Language("apex apxc trigger"),
    "asm": Language("s asm nasm"),
    "astro": Language("astro"),
    "bash": Language(
        "sh bash zsh ksh bats",
        names=".bashrc .profile .zshrc .bash_profile .bash_aliases configure PKGBUILD",
        interpreters="sh bash zsh ksh dash ash bats",
    ),
    "basic": Language("vb bas vbs frm"),
    "batch": Language("bat"),
    "c": Language("c h"),
    "chapel": Language("chpl"),
    "clojure": Language("clj cljs cljc bb", interpreters="bb clojure"),
    "cmake": Language("cmake", names="CMakeLists.txt"),
    "coffeescript": Language("coffee iced", names="Cakefile", interpreters="coffee"),
    "coq": Language(""),
    "cpp": Language("cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl cu cuh ino"),
    "crystal": Language("cr", interpreters="crystal"),
    "csharp": Language("csx", interpreters="dotnet-script"),
    "css": Language("css"),
    "dart": Language("dart", interpreters="dart"),
    "dockerfile": Language("dockerfile containerfile", names="Dockerfile Containerfile"),
    "elixir": Language("ex exs", names="mix.lock", interpreters="elixir"),
    "elm": Language("elm"),
    "erlang": Language("erl hrl", interpreters="escript"),
    "fortran": Language("f f90 f95 f03 f08 for"),
    "fsharp": Language("fs fsx fsi"),
    "go": Language("go"),
    "graphql": Language("graphql gql graphqls"),
    "groovy": Language("groovy gradle gvy", names="Jenkinsfile", interpreters="groovy"),
    "gyp": Language("gyp gypi"),
    "haskell": Language("hs lhs", interpreters="runghc runhaskell stack"),
    "hcl": Language("tf tfvars hcl nomad"),
    "java": Language("java", interpreters="java"),
    "javascript": Language("js mjs cjs jsx es6", interpreters="node nodejs bun deno"),
    "julia": Language("jl", interpreters="julia"),
    "just": Language("just", names="justfile Justfile .justfile", interpreters="just"),
    "kotlin": Language("kt kts", interpreters="kotlin"),
    "lex": Language("lpp flex"),
    "lisp": Language("lisp lsp el scm rkt ss sld asd", interpreters="sbcl guile racket"),
    "lua": Language("lua rockspec", interpreters="lua luajit lua5.1 lua5.3 lua5.4"),
    "make": Language("mk mak", names="Makefile makefile GNUmakefile"),
    "matlab": Language("", interpreters="octave"),
    "nim": Language("nim nims nimble", interpreters="nim"),
    "nix": Language("nix"),
    "objc": Language("mm"),
    "ocaml": Language("ml mli", interpreters="ocaml"),
    "pascal": Language("pas dpr lpr dpk"),
    "perl": Language("pm t pod", interpreters="perl"),
    "php": Language("php phtml php5", interpreters="php"),
    "powershell": Language("ps1 psm1 psd1", interpreters="pwsh powershell"),
    "prolog": Language("prolog", interpreters="swipl"),
    "protobuf": Language("proto"),
    "puppet": Language(""),
    "python": Language(
        "py pyi pyw pyx",
        names="SConstruct SConscript wscript",
        interpreters="python python2 python3 pypy pypy3 uv",
    ),
    "r": Language("", names=".Rprofile", interpreters="Rscript"),
    "ruby": Language(
        "rb rake gemspec ru",
        names="Rakefile Gemfile Guardfile Vagrantfile Podfile Fastfile",
        interpreters="ruby jruby rake",
    ),
    "rust": Language("rs", interpreters="rust-script cargo"),
    "scala": Language("scala sc sbt", interpreters="scala amm"),
    "scss": Language("scss less sass"),
    "smalltalk": Language(""),
    "solidity": Language("sol"),
    "sql": Language("sql ddl"),
    "starlark": Language("star bzl sky bazel", names="BUCK Tiltfile"),
    "svelte": Language("svelte"),
    "swift": Language("swift", interpreters="swift"),
    "tcl": Language("tcl tk itcl", interpreters="tclsh wish expect"),
    "template": Language("j2 jinja jinja2 twig liquid njk hbs handlebars mustache erb ejs"),
    "tsx": Language("tsx"),
    "typescript": Language("ts mts cts", interpreters="ts-node tsx"),
    "verilog": Language("svh vh"),
    "vhdl": Language("vhd vhdl"),
    "vue": Language("vue"),
    "yacc": Language("ypp yrl"),
    "zeek": Language("zeek bro"),
    "zig": Language("zig zon", interpreters="zig"),
}
"""Every language that briefings support, by the word that --type accepts."""
MODE = re.compile(
    r"-\*-\s*+(?:.{0,80}mode:\s*+)?([\w+-]+)\s*+(?:;.{0,200})?-\*-"
    r"|\bvim?:.{0,200}\b(?:ft|filetype|syntax)=(\w+)"
)
"""Matches the mode line of Emacs or Vim."""
MODES = {"shell-script": "bash", "sh": "bash", "c++": "cpp", "js": "javascript", "emacs-lisp": "lisp", "cperl": "perl"}
"""Editor modes whose name differs from the language's."""
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
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`[^`\n]*`'
)
"""Matches strings, and the beginnings of block comments and long strings, of most languages."""
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
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


@cache
def _index_field(field: str) -> dict[str, str]:
    return {word: name for name, row in LANGUAGES.items() for word in getattr(row, field).split()}


def language_of_name(name: str, text: str = "") -> str:
    """Return the language of a file name, "" if unknown.

    If several languages share the name, ``text``, the beginning of the file, decides.
    """
    base = name.rpartition("/")[2]
    if base in _index_field("names"):
        return _index_field("names")[base]
    if shared := find_ambiguous_key(base):
        return resolve_language(shared, text)
    stem, _, suffix = base.rpartition(".")
    first = base.partition(".")[0]
    if first[:1].isupper() and first in _index_field("names"):  # Dockerfile.dev, Makefile.am
        return _index_field("names")[first]
    if suffix in TEMPLATE_EXTENSIONS and "." in stem:  # init.tcl.in
        return language_of_name(stem, text)
    return _index_field("extensions").get(suffix.lower(), "") if stem else ""


def language_of_header(text: str) -> str:
    """Return "cpp" for a C header with at least two lines that only C++ has, else "c"."""
    language, only = SUPERSETS["c"]
    matches = sum(1 for line in text.split("\n")[: 4 * SCORED_LINES] if only.match(line.strip()[:SCORED_WIDTH]))
    return language if matches >= 2 else "c"


def language_of_shebang(first_line: str) -> str:
    """Return the language of the interpreter after ``#!``, or of an editor's mode line, "" without either."""
    if not first_line.startswith("#!"):
        mode = MODE.search(first_line)
        word = (mode[1] or mode[2]).lower() if mode else ""
        return MODES.get(word) or (word if word in LANGUAGES else "")
    words = first_line[2:].split()
    bases = [word.rpartition("/")[2] for word in words if not word.startswith("-") and "=" not in word]
    if bases and bases[0] == "env":
        bases = bases[1:]
    word = bases[0] if bases else ""
    known = _index_field("interpreters")
    return known.get(word) or known.get(word.rstrip("0123456789."), "")


def language_of_text(text: str) -> tuple[str, float]:
    """Return the most likely language of ``text`` and the confidence, ("", 0) in doubt.

    Most lines must look like code, and enough of them like code of this language. Text that quotes code, such as a test
    run, a diff or a page of documentation, has no language.
    """
    bare = _strip_quoted(text)
    if QUOTED_CODE_SIGNS.search(bare) or "\0" in text:
        return "", 0.0
    lines = [line.strip()[:SCORED_WIDTH] for line in bare.split("\n")]
    lines = [line for line in lines if line]
    lines = [line for line in lines if not line.startswith(("//", "*", "--[["))][:SCORED_LINES] or lines[:SCORED_LINES]
    if len(lines) < MIN_CODE_LINES or sum(1 for line in lines if LOG_LINE.match(line)) > len(lines) / 40:
        return "", 0.0
    scores = {name: _score_language(lines, name) for name in LANGUAGE_PATTERNS}
    name = max(scores, key=lambda one: scores[one])
    return (_refine_language(name, lines), scores[name]) if scores[name] else ("", 0.0)


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
def _compile_patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    idiom = LANGUAGE_PATTERNS[name]
    return re.compile(idiom.strong), re.compile(idiom.common)


def _score_language(lines: list[str], name: str) -> float:
    """Return how much of ``lines`` is code of one language, 0 unless most is."""
    strong, common = _compile_patterns(name)
    comment = LANGUAGE_PATTERNS[name].comment
    code = [line.partition(f" {comment}")[0].rstrip() for line in lines if not line.startswith((comment, "*"))]
    code = [line for line in code if line.rstrip(",") not in EMPTY_STRINGS]
    sure = {line for line in code if strong.match(line)}
    certain = sum(1 for line in code if line in sure)
    begun = len({line.partition(" ")[0] for line in sure})
    if len(code) < MIN_CODE_LINES or not any(
        begun >= kinds and certain / len(code) >= lines for kinds, lines, _ in THRESHOLDS
    ):
        return 0.0  # the other lines take most of the time
    likely = sum(1 for line in code if line not in sure and common.match(line))
    strict, share = certain / len(code), (certain + likely) / len(code)
    # few kinds of strong lines, or few strong lines, need a larger share of code
    if not any(begun >= kinds and strict >= lines and share >= most for kinds, lines, most in THRESHOLDS):
        return 0.0
    return min(0.5 + 0.5 * (certain + likely / 4) / len(code), 0.9)
