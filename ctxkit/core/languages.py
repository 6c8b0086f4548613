"""Telling what language source code is in, by its name, its first line, or its words."""

import re
from functools import cache
from typing import NamedTuple

from ctxkit.core.idioms import IDIOMS


class Language(NamedTuple):
    """Hold the extensions, file names and interpreters of a language, each separated by blanks."""

    extensions: str
    names: str = ""
    interpreters: str = ""


LANGUAGES = {
    "bash": Language(
        "sh bash zsh ksh bats",
        names=".bashrc .profile .zshrc .bash_profile .bash_aliases configure PKGBUILD",
        interpreters="sh bash zsh ksh dash ash bats",
    ),
    "c": Language("c h"),
    "cpp": Language("cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl cu cuh ino"),
    "csharp": Language("cs csx", interpreters="dotnet-script"),
    "css": Language("css scss less"),
    "dart": Language("dart", interpreters="dart"),
    "elixir": Language("ex exs", names="mix.lock", interpreters="elixir"),
    "go": Language("go"),
    "haskell": Language("hs lhs", interpreters="runghc runhaskell stack"),
    "hcl": Language("tf tfvars hcl"),
    "java": Language("java", interpreters="java"),
    "javascript": Language("js mjs cjs jsx es6", interpreters="node nodejs bun deno"),
    "julia": Language("jl", interpreters="julia"),
    "kotlin": Language("kt kts", interpreters="kotlin"),
    "lua": Language("lua rockspec", interpreters="lua luajit lua5.1 lua5.3 lua5.4"),
    "make": Language("mk mak", names="Makefile makefile GNUmakefile"),
    "nix": Language("nix"),
    "objc": Language("m mm"),
    "ocaml": Language("ml mli", interpreters="ocaml"),
    "perl": Language("pl pm t pod", interpreters="perl"),
    "php": Language("php phtml php5 inc", interpreters="php"),
    "powershell": Language("ps1 psm1 psd1", interpreters="pwsh powershell"),
    "python": Language(
        "py pyi pyw pyx",
        names="SConstruct SConscript wscript",
        interpreters="python python2 python3 pypy pypy3 uv",
    ),
    "ruby": Language(
        "rb rake gemspec ru",
        names="Rakefile Gemfile Guardfile Vagrantfile Podfile Fastfile",
        interpreters="ruby jruby rake",
    ),
    "rust": Language("rs", interpreters="rust-script cargo"),
    "scala": Language("scala sc sbt", interpreters="scala amm"),
    "sql": Language("sql ddl"),
    "swift": Language("swift", interpreters="swift"),
    "tsx": Language("tsx"),
    "typescript": Language("ts mts cts", interpreters="ts-node tsx"),
    "zig": Language("zig zon", interpreters="zig"),
}
"""Every language that a map knows, by the word that --type takes."""
FINER = {
    "javascript": (
        "typescript",
        re.compile(
            r"(?:export )?(?:declare )?(?:interface \w+|type \w+.* =|enum \w+)|import type |.* as [A-Z]\w+"
            r"|.*\w\)?\??: (?:string|number|boolean|void|unknown|any|never|[A-Z]\w*)\b[^'\"]*[,;={)]$"
            r"|(?:private|public|protected|readonly) \w+"
        ),
    ),
    "c": ("cpp", re.compile(r"class \w|namespace\b|template ?<|using |.*\bstd::|(?:public|private):|.*\w::\w")),
}
"""Languages that a larger one contains, with lines that only the larger one has."""
LOOKED_AT = 250
"""Lines that are scored."""
WIDEST = 200
"""Characters of a line that are scored."""
FEWEST = 8
"""Lines of code below which nothing is said."""
QUOTED = re.compile(
    r'"""(?s:.{0,4000}?)"""|\'\'\'(?s:.{0,4000}?)\'\'\'|(?<!\S)/\*(?s:.{0,2000}?)\*/'
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`[^`\n]*`'
)
"""Strings and block comments of most languages: what they hold is not code."""
FOREIGN = re.compile(
    r"^(?:diff --git |@@ -\d|[<>]{7}|={5,} .* ={3,}$|_{5,} .* _{3,}$|```|\$ \w|> \S+@\d|>>> |Traceback \("
    r"|#{1,4} [A-Z].*[^#;]$\n\n[A-Z\d-]|FAILED |PASSED |ok \d|not ok \d|commit [0-9a-f]{40}|index [0-9a-f]{7,}\.\."
    r"|(?:on|jobs|steps|services):$|<(?:!DOCTYPE|html|\?xml))",
    re.MULTILINE,
)
"""Lines of diffs, test runs, transcripts and documents that quote code: one is enough."""
LOGGED = re.compile(
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d:|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:|[\w./+-]+:\d+[:-]"
    r"|\d+[\t|:\u2192]|\S* ?\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\]?[ :]"
)
"""Lines of logs, of grep and of numbered listings: a few in a hundred are enough."""


@cache
def _index(field: str) -> dict[str, str]:
    return {word: name for name, row in LANGUAGES.items() for word in getattr(row, field).split()}


def language_of_name(name: str) -> str:
    """Return the language that a file name tells of, empty when it tells of none."""
    base = name.rpartition("/")[2]
    if base in _index("names"):
        return _index("names")[base]
    stem, _, suffix = base.rpartition(".")
    return _index("extensions").get(suffix.lower(), "") if stem else ""


def language_of_header(text: str) -> str:
    """Return whether a C header is one of C++ after all, by two lines that only C++ has."""
    language, only = FINER["c"]
    found = sum(1 for line in text.split("\n")[: 4 * LOOKED_AT] if only.match(line.strip()[:WIDEST]))
    return language if found >= 2 else "c"


def language_of_shebang(first_line: str) -> str:
    """Return the language of the interpreter that ``#!`` names, empty when there is none."""
    if not first_line.startswith("#!"):
        return ""
    words = first_line[2:].split()
    bases = [word.rpartition("/")[2] for word in words if not word.startswith("-") and "=" not in word]
    if bases and bases[0] == "env":
        bases = bases[1:]
    word = bases[0] if bases else ""
    known = _index("interpreters")
    return known.get(word) or known.get(word.rstrip("0123456789."), "")


def language_of_text(text: str) -> tuple[str, float]:
    """Return the language that ``text`` reads like and how sure that is, 0 when in doubt.

    Most of its lines must look like code, and enough of them like code of that language; a text
    that only contains code, such as a test run, a diff or a page of documentation, is none.
    """
    bare = QUOTED.sub(_hollow, text)
    if FOREIGN.search(bare) or "\0" in text:
        return "", 0.0
    lines = [line.strip()[:WIDEST] for line in bare.split("\n")]
    lines = [line for line in lines if line][:LOOKED_AT]
    if len(lines) < FEWEST or sum(1 for line in lines if LOGGED.match(line)) > len(lines) / 40:
        return "", 0.0
    scores = {name: _score(lines, name) for name in IDIOMS}
    name = max(scores, key=lambda one: scores[one])
    return (_finer(name, lines), scores[name]) if scores[name] else ("", 0.0)


def _finer(name: str, lines: list[str]) -> str:
    """Return the larger language when some lines are only possible in it."""
    larger, pattern = FINER.get(name, (name, None))
    return larger if pattern and sum(1 for line in lines if pattern.match(line)) > 1 else name


def _hollow(match: re.Match[str]) -> str:
    """Return what stands for a string: its quotes and its line ends."""
    found = match[0]
    return "" if found.startswith("/*") else found[0] + "\n" * found.count("\n") + found[-1]


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    idiom = IDIOMS[name]
    return re.compile(idiom.strong), re.compile(idiom.common)


def _score(lines: list[str], name: str) -> float:
    """Return how much of ``lines`` is code of one language, 0 unless most is."""
    strong, common = _patterns(name)
    comment = IDIOMS[name].comment
    code = [line.partition(f" {comment}")[0].rstrip() for line in lines if not line.startswith((comment, "*"))]
    sure = {line for line in code if strong.match(line)}
    certain = sum(1 for line in code if line in sure)
    likely = sum(1 for line in code if line not in sure and common.match(line))
    if (
        len(code) < FEWEST
        or len({line.partition(" ")[0] for line in sure}) < 4
        or certain < 0.08 * len(code)
        or certain + likely < 0.4 * len(code)
    ):
        return 0.0
    return min(0.5 + 0.5 * (certain + likely / 4) / len(code), 0.9)
