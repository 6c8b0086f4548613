"""Languages of source code by the name of a file and by its first lines."""

import re
from functools import cache
from typing import NamedTuple

from ctxkit.core.languages.detection import SCORED_LINES, SCORED_WIDTH, SUPERSETS

_LEX = r"^%(?:%|\{|[xs]\s|option\b)"
_VERILOG = (
    r"^\s*end(?:module|class|package|interface)\b|^\s*`(?:timescale|include|define|ifn?def)\b"
    r"|^\s*module\s+\w+\s*(?:[(#;]|$)(?!\n)"
)
AMBIGUOUS_NAMES: dict[str, tuple[tuple[str, str], ...]] = {
    "BUILD": (("starlark", r"^(?:load|package|[a-z]\w*)\("),),
    "WORKSPACE": (("starlark", r"^(?:load|workspace|[a-z]\w*)\("),),
    "cl": (("lisp", r"^\s*(?:\(|;)"), ("c", r"\bkernel\s|__global\b|^#\s*(?:define|include|if)")),
    "cls": (
        ("", r"\A\s*[%\\]|^\s*\\(?:NeedsTeXFormat|ProvidesClass|LoadClass)"),
        ("basic", r"^VERSION \d|^Attribute VB_|(?i:^\s*(?:public |private )?(?:sub|function|property get) \w+)"),
        ("apex", r"(?i:\b(?:class|interface|enum)\s+\w+[^;\n]*\{?$)"),
    ),
    "cmd": (("batch", r"(?i:^\s*@?(?:echo|rem|set|setlocal|if|call|goto|start|cd|exit|for)\b)|^:[\w:]|^@\w"),),
    "cs": (("smalltalk", r"!\w+(?: class)?\s+methodsFor: ?'|\bsubclass: #\w+"), ("csharp", "")),
    "exp": (("tcl", r"^\s*(?:proc|set|spawn|expect|if \{|load_lib)\b|^#!.*(?:expect|tclsh)"),),
    "hl": (("clojure", r"^\((?:ns|page|def\w*)\b"),),
    "inc": (("php", r"<\?(?:php|=)"),),
    "l": (("lex", _LEX), ("lisp", r"^\((?:de\w*|in-package|load)\b")),
    "ll": (("lex", _LEX),),
    "m": (
        ("objc", r"^\s*(?:#\s*(?:import|include|define)|@(?:interface|implementation|protocol|class|import)\b|//|/\*)"),
        ("matlab", r"^\s*(?:function\b|classdef\b|%)"),
        ("objc", ""),
    ),
    "pl": (("prolog", r"^:-\s|^[a-z]\w*\([^;{}]*\)\s*:-(?:\s|$)"), ("perl", "")),
    "pp": (
        ("pascal", r"(?i:^\s*(?:unit|program|library)\s+[\w.]+(?:\s+\w+)*\s*;)|^\{\$"),
        (
            "puppet",
            r"^\s*(?:class|define)\s+[\w:]+\s*(?:[({]|inherits\b|$)|^\s*node\s+\S+|^\s*[a-z][\w:]*\s*\{\s*['\"$]"
            r"|^\s*\$\w+\s*=|^\s*(?:include|require|contain)\s+[\w:]+$|^(?:function|type|plan)\s+\w+::",
        ),
    ),
    "r": (("", r"\A\s*(?:REBOL|Rebol|Red)\b"), ("r", "")),
    "sch": (("lisp", r"^\((?:define|let|module|import|library)\b|^;"),),
    "sls": (("lisp", r"^\((?:library|import|define)\b"),),
    "st": (("smalltalk", r"^!?\w+.*(?:methodsFor:|ubclass: #)|^(?:Class|Trait) \{"),),
    "sv": (("verilog", _VERILOG),),
    "v": (
        ("verilog", _VERILOG),
        ("coq", r"^\s*(?:Require|Theorem|Lemma|Definition|Inductive|Fixpoint|Section|Module)\b.*"),
    ),
    "y": (("yacc", r"^%%"),),
    "yy": (("yacc", r"^%%"),),
}
"""Languages with their patterns by extension or file name, tried in order.

An empty pattern always matches; an empty language means none of the known languages.
"""
_TEMPLATE_EXTENSIONS = frozenset(("in", "dist", "example", "sample", "orig", "bak", "template"))
"""Extensions after that of the language: files that a build fills in, and copies."""


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
_MODE = re.compile(
    r"-\*-\s*+(?:.{0,80}mode:\s*+)?([\w+-]+)\s*+(?:;.{0,200})?-\*-"
    r"|\bvim?:.{0,200}\b(?:ft|filetype|syntax)=(\w+)"
)
"""Matches the mode line of Emacs or Vim."""
_MODES = {"shell-script": "bash", "sh": "bash", "c++": "cpp", "js": "javascript", "emacs-lisp": "lisp", "cperl": "perl"}
"""Editor modes whose name differs from the language's."""


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
    if suffix in _TEMPLATE_EXTENSIONS and "." in stem:  # init.tcl.in
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
        mode = _MODE.search(first_line)
        word = (mode[1] or mode[2]).lower() if mode else ""
        return _MODES.get(word) or (word if word in LANGUAGES else "")
    words = first_line[2:].split()
    bases = [word.rpartition("/")[2] for word in words if not word.startswith("-") and "=" not in word]
    if bases and bases[0] == "env":
        bases = bases[1:]
    word = bases[0] if bases else ""
    known = _index_field("interpreters")
    return known.get(word) or known.get(word.rstrip("0123456789."), "")


@cache
def _compile_signs(key: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((language, re.compile(sign, re.MULTILINE)) for language, sign in AMBIGUOUS_NAMES[key])


def find_ambiguous_key(name: str) -> str:
    """Return the extension or file name that several languages share, "" if it belongs to one language."""
    base = name.rpartition("/")[2]
    stem, _, suffix = base.rpartition(".")
    if base.isupper() and base in AMBIGUOUS_NAMES:
        return base
    return suffix.lower() if stem and suffix.lower() in AMBIGUOUS_NAMES else ""


def resolve_language(key: str, text: str) -> str:
    """Return the language of a text among those that share ``key``, "" if none matches."""
    return next((language for language, sign in _compile_signs(key) if sign.search(text)), "")
