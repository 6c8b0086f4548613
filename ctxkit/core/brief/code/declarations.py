"""How definitions begin in languages of hardware, of scripts, of one host: hardly any grammar is at hand for them."""

from typing import NamedTuple


class Announcement(NamedTuple):
    """Say how a line begins that defines something.

    ``pattern`` is matched against the line without its indentation; its group ``name`` is the name, ``kind`` what
    it is where ``kind`` is empty. ``level`` adds to the indentation: what stands in what, where blanks do not tell.
    """

    pattern: str
    kind: str = ""
    level: int = 0


BASIC = (
    r"(?i:(?:<[^>]*>\s*)*(?:(?:public|private|protected|friend|shared|static|overridable|overrides|mustoverride"
    r"|notoverridable|overloads|partial|mustinherit|notinheritable|shadows|default|readonly|writeonly|async|iterator"
    r"|declare|ptrsafe|widening|narrowing|global|custom|delegate)\s+)*"
    r"(?P<kind>class|module|namespace|structure|interface|enum|sub|function|property(?:\s+(?:get|let|set)(?=\s+\w))?"
    r"|operator|type|event)\s+(?P<name>[\w.]+)(?!\s*=))"
)
MODIFIED = (
    r"(?i:(?:(?:public|private|protected|global|static|override|virtual|abstract|final|transient|webservice"
    r"|testmethod|(?:with|without|inherited) sharing|@\w+(?:\([^)]*\))?)\s+)"
)
UNIT = r"(?P<kind>module|macromodule|interface|package|program|primitive|checker)\s+"
ROUTINE = r"(?:(?:virtual|static|local|protected|extern|pure)\s+)*(?P<kind>function|task|covergroup|class)\s+"
VERILOG = (
    r"(?:(?:automatic|static|virtual|signed|unsigned|void|integer|int|logic|reg|bit|byte|string|real)\s+"
    r"|\[[^\]]*\]\s*)*(?P<name>[A-Za-z_][\w:]*)"
)
C_FUNCTION = Announcement(
    r"(?!(?:else|return|if|for|while|switch|case)\b)(?:\w+[ \t*]+){1,6}(?P<name>\w+)\s?\([^;{}]*\)\s*\{?$", "function"
)
DECLARED: dict[str, tuple[Announcement, ...]] = {
    "abap": (
        Announcement(
            r"(?i:(?P<kind>class|interface|method|form|function(?:-pool)?|module|program|report|define)\s+"
            r"(?P<name>(?!definition\b)[\w/~<>-]+)(?=[\s.]|$)(?!\s+(?:definition\s+(?:load|deferred)\b|=)))"
        ),
    ),
    "apex": (
        Announcement(MODIFIED + r"*(?P<kind>class|interface|enum|trigger)\s+(?P<name>\w+))"),
        Announcement(
            MODIFIED + r"+(?!new\b|return\b)(?:[\w.<>\[\],]+\s+){0,4}(?P<name>\w+)\s*\([^;{}=]*(?:\)\s*(?:\{.*)?|,)$)",
            "method",
        ),
    ),
    "basic": (Announcement(BASIC),),
    "batch": (Announcement(r":(?!:)(?P<name>[\w.$-]+)", "label"),),
    "chapel": (
        Announcement(
            r"(?:(?:private|public|inline|override|extern|export)\s+)*"
            r"(?P<kind>proc|iter|class|record|union|enum|module|interface|operator)\s+"
            r"(?:(?:ref|param|type|this)\s+)*(?P<name>[A-Za-z_][\w.]*)"
        ),
        Announcement(r"config\s+(?P<kind>const|var|param|type)\s+(?P<name>\w+)"),
    ),
    "coffeescript": (
        Announcement(r"(?:[\w.@]+\s*=\s*)?(?P<kind>class)\s+(?P<name>[\w.@]+)"),
        Announcement(r"(?P<name>[@\w.$]+)\s*[:=]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)\s*)?[-=]>", "function"),
    ),
    "coq": (
        Announcement(
            r"(?:(?:Local|Global|Program|#\[\w+\])\s+)*(?P<kind>Theorem|Lemma|Corollary|Proposition|Fact|Remark"
            r"|Definition|Fixpoint|CoFixpoint|Inductive|CoInductive|Record|Class|Instance|Structure|Module(?: Type)?"
            r"|Section|Axiom|Parameter|Notation|Ltac|Example|Variant)\s+(?P<name>[\w']+|\"[^\"]*\")"
        ),
    ),
    "crystal": (
        Announcement(
            r"(?:(?:private|protected|abstract)\s+)*(?P<kind>def|class|module|struct|enum|macro|lib|annotation|alias"
            r"|record|fun|union)\s+(?P<name>[\w.:]+[?!=]?|\W{1,3}(?=\())"
        ),
    ),
    "gyp": (
        Announcement(r"['\"]target_name['\"]\s*:\s*(?P<name>['\"][^'\"]+['\"])", "target"),
        Announcement(r"(?P<name>['\"][\w%/@<>()!?+=. -]+['\"])\s*:\s*[\[{]$", "section"),
    ),
    "lex": (
        Announcement(r"%[xs]\s+(?P<name>\w[\w ]*)", "state"),
        Announcement(r"(?P<name>[A-Z][A-Z_\d]+)\s+(?=[\[({\"\\.^])", "pattern"),
        C_FUNCTION,
    ),
    "matlab": (
        Announcement(
            r"(?P<kind>function|classdef)\s+(?:\([^)]*\)\s*)?(?:(?:\[[^\]]*\]|\w+)\s*=\s*)?(?P<name>[A-Za-z][\w.]*)"
        ),
    ),
    "nim": (
        Announcement(
            r"(?P<kind>proc|func|method|template|macro|iterator|converter)\s+(?P<name>`[^`]+`|[A-Za-z]\w*)(?=\W)"
        ),
        Announcement(
            r"(?:type\s+)?(?P<name>[A-Z]\w*)\*?(?:\s*\{\.[^}]*\})?(?:\s*\[[^\]]*\])?(?:\s*\{\.[^}]*\})?\s*=\s*"
            r"(?:(?:ref|ptr)\s+)?(?P<kind>object|enum|tuple|distinct|concept)\b"
        ),
    ),
    "pascal": (
        Announcement(
            r"(?i:(?:class\s+)?(?P<kind>procedure|function|constructor|destructor|operator|unit|program|library)"
            r"\s+(?P<name>[A-Za-z_][\w.]*))"
        ),
        Announcement(
            r"(?i:(?P<name>[A-Za-z_]\w*)(?:<[^>]*>)?\s*=\s*(?:packed\s+)?"
            r"(?P<kind>class|record|interface|dispinterface|object)\b(?!\s*(?:;|of\b)))"
        ),
    ),
    "prolog": (
        Announcement(r":-\s*(?P<kind>module|dynamic|initialization)\b[\s(]*(?P<name>\w+)"),
        Announcement(r"(?P<name>[a-z]\w*)(?:\(.*\))?\s*(?::-|-->)", "rule"),
    ),
    "puppet": (
        Announcement(
            r"(?P<kind>class|define|node|function|type|plan|application)\s+(?P<name>'[^']+'|\"[^\"]+\"|[\w:.]+)"
        ),
        Announcement(r"@{0,2}(?P<name>[a-z][\w:]*\s*\{\s*(?:'[^']+'|\"[^\"]+\"|\$[\w:]+))\s*:", "declaration"),
    ),
    "smalltalk": (
        Announcement(r"!?\w+\s+(?:\w+[sS]ubclass|subclass):\s*#(?P<name>\w+)", "class"),
        Announcement(r"!(?P<name>\w+(?: class)?\s+methodsFor:\s*'[^']*')", "methods"),
    ),
    "starlark": (
        Announcement(r"(?P<kind>def)\s+(?P<name>\w+)"),
        Announcement(r"name\s*=\s*(?P<name>\"[^\"]+\"|'[^']+')\s*,", "target"),
        Announcement(r"(?!load\b)(?P<kind>[a-z]\w*)\(\s*name\s*=\s*(?P<name>\"[^\"]+\"|'[^']+')"),
        Announcement(r"(?P<name>\w+)\s*=\s*(?P<kind>rule|repository_rule|aspect|provider|macro)\("),
    ),
    "tcl": (
        Announcement(
            r"(?:::)?(?:oo::|itcl::|snit::)?(?P<kind>proc|method|typemethod|body|namespace eval|class create"
            r"|class|type|widget|test)\s+(?P<name>[\w:.?!*<>=+-]+)"
        ),
        Announcement(r"(?P<name>constructor|destructor)\s", "method"),
    ),
    "verilog": (
        Announcement(UNIT + VERILOG),
        Announcement(ROUTINE + VERILOG, level=1),
        Announcement(r"(?P<kind>always(?:_ff|_comb|_latch)?|initial)\b\s*(?P<name>@\s*(?:\([^)]*\)|\*))?", level=1),
        Announcement(
            r"(?!(?:input|output|inout|wire|reg|assign|if|else|case\w*|for|begin|end\w*|or|and|not|return|typedef"
            r"|import|export|extern|virtual|parameter|localparam)\b)[A-Za-z_]\w*\s+(?:#\s*\(.*\)\s*)?"
            r"(?P<name>[A-Za-z_]\w*)\s*\($",
            "cell",
            1,
        ),
    ),
    "vhdl": (
        Announcement(
            r"(?i:(?:pure\s+|impure\s+)?(?P<kind>entity|architecture|package|component|configuration|function"
            r"|procedure|context(?=\s+\w+\s+is\b))\s+(?:body\s+)?(?P<name>\w+|\"[^\"]+\"))"
        ),
        Announcement(r"(?i:(?P<name>\w+)\s*:\s*(?:postponed\s+)?(?P<kind>process|block|entity|component)\b)", level=1),
        Announcement(r"(?i:(?P<kind>process)\b\s*(?P<name>\([^)]*\))?)", level=1),
    ),
    "yacc": (
        Announcement(r"%(?P<kind>union|start)\b\s*(?P<name>\w*)"),
        Announcement(
            r"(?!(?:default|case|public|private|protected)\b)(?P<name>[A-Za-z_][\w.]*)(?=\s*:(?![:=])|\s+->)", "rule"
        ),
        C_FUNCTION,
        Announcement(
            r"(?!(?:static|int|void|char|long|short|unsigned|signed|double|float|bool|struct|enum|extern|const"
            r"|else|do)$)(?P<name>[a-z_]\w*)$",
            "rule",
        ),
    ),
    "zeek": (
        Announcement(r"(?:global\s+)?(?P<kind>function|event|hook|module)\s+(?P<name>\w+(?:::\w+)*)"),
        Announcement(r"(?P<kind>type|redef record|redef enum|const|option)\s+(?P<name>\w+(?:::\w+)*)"),
    ),
}
"""Announcements by language, those of one language in the order in which they are tried."""
