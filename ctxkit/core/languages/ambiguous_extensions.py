"""Resolve extensions and file names shared by several languages, by patterns that only one of them has."""

import re
from functools import cache

LEX = r"^%(?:%|\{|[xs]\s|option\b)"
VERILOG = (
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
    "l": (("lex", LEX), ("lisp", r"^\((?:de\w*|in-package|load)\b")),
    "ll": (("lex", LEX),),
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
    "sv": (("verilog", VERILOG),),
    "v": (
        ("verilog", VERILOG),
        ("coq", r"^\s*(?:Require|Theorem|Lemma|Definition|Inductive|Fixpoint|Section|Module)\b.*"),
    ),
    "y": (("yacc", r"^%%"),),
    "yy": (("yacc", r"^%%"),),
}
"""Languages with their patterns by extension or file name, tried in order.

An empty pattern always matches; an empty language means none of the known languages.
"""
TEMPLATE_EXTENSIONS = frozenset(("in", "dist", "example", "sample", "orig", "bak", "template"))
"""Extensions after that of the language: files that a build fills in, and copies."""


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
