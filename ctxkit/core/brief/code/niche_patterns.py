"""Definition patterns of hardware, scripting and host-specific languages, for which grammars are rarely available."""

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
C_FUNCTION = DefinitionPattern(
    r"(?!(?:else|return|if|for|while|switch|case)\b)(?:\w+[ \t*]+){1,6}(?P<name>\w+)\s?\([^;{}]*\)\s*\{?$", "function"
)
NICHE_PATTERNS: dict[str, tuple[DefinitionPattern, ...]] = {
    "abap": (
        DefinitionPattern(
            r"(?i:(?P<kind>class|interface|method|form|function(?:-pool)?|module|program|report|define)\s+"
            r"(?P<name>(?!definition\b)[\w/~<>-]+)(?=[\s.]|$)(?!\s+(?:definition\s+(?:load|deferred)\b|=)))"
        ),
    ),
    "apex": (
        DefinitionPattern(MODIFIED + r"*(?P<kind>class|interface|enum|trigger)\s+(?P<name>\w+))"),
        DefinitionPattern(
            MODIFIED + r"+(?!new\b|return\b)(?:[\w.<>\[\],]+\s+){0,4}(?P<name>\w+)\s*\([^;{}=]*(?:\)\s*(?:\{.*)?|,)$)",
            "method",
        ),
    ),
    "basic": (DefinitionPattern(BASIC),),
    "batch": (DefinitionPattern(r":(?!:)(?P<name>[\w.$-]+)", "label"),),
    "chapel": (
        DefinitionPattern(
            r"(?:(?:private|public|inline|override|extern|export)\s+)*"
            r"(?P<kind>proc|iter|class|record|union|enum|module|interface|operator)\s+"
            r"(?:(?:ref|param|type|this)\s+)*(?P<name>[A-Za-z_][\w.]*)"
        ),
        DefinitionPattern(r"config\s+(?P<kind>const|var|param|type)\s+(?P<name>\w+)"),
    ),
    "coffeescript": (
        DefinitionPattern(r"(?:[\w.@]+\s*=\s*)?(?P<kind>class)\s+(?P<name>[\w.@]+)"),
        DefinitionPattern(r"(?P<name>[@\w.$]+)\s*[:=]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)\s*)?[-=]>", "function"),
    ),
    "coq": (
        DefinitionPattern(
            r"(?:(?:Local|Global|Program|#\[\w+\])\s+)*(?P<kind>Theorem|Lemma|Corollary|Proposition|Fact|Remark"
            r"|Definition|Fixpoint|CoFixpoint|Inductive|CoInductive|Record|Class|Instance|Structure|Module(?: Type)?"
            r"|Section|Axiom|Parameter|Notation|Ltac|Example|Variant)\s+(?P<name>[\w']+|\"[^\"]*\")"
        ),
    ),
    "crystal": (
        DefinitionPattern(
            r"(?:(?:private|protected|abstract)\s+)*(?P<kind>def|class|module|struct|enum|macro|lib|annotation|alias"
            r"|record|fun|union)\s+(?P<name>[\w.:]+[?!=]?|\W{1,3}(?=\())"
        ),
    ),
    "gyp": (
        DefinitionPattern(r"['\"]target_name['\"]\s*:\s*(?P<name>['\"][^'\"]+['\"])", "target"),
        DefinitionPattern(r"(?P<name>['\"][\w%/@<>()!?+=. -]+['\"])\s*:\s*[\[{]$", "section"),
    ),
    "lex": (
        DefinitionPattern(r"%[xs]\s+(?P<name>\w[\w ]*)", "state"),
        DefinitionPattern(r"(?P<name>[A-Z][A-Z_\d]+)\s+(?=[\[({\"\\.^])", "pattern"),
        C_FUNCTION,
    ),
    "matlab": (
        DefinitionPattern(
            r"(?P<kind>function|classdef)\s+(?:\([^)]*\)\s*)?(?:(?:\[[^\]]*\]|\w+)\s*=\s*)?(?P<name>[A-Za-z][\w.]*)"
        ),
    ),
    "nim": (
        DefinitionPattern(
            r"(?P<kind>proc|func|method|template|macro|iterator|converter)\s+(?P<name>`[^`]+`|[A-Za-z]\w*)(?=\W)"
        ),
        DefinitionPattern(
            r"(?:type\s+)?(?P<name>[A-Z]\w*)\*?(?:\s*\{\.[^}]*\})?(?:\s*\[[^\]]*\])?(?:\s*\{\.[^}]*\})?\s*=\s*"
            r"(?:(?:ref|ptr)\s+)?(?P<kind>object|enum|tuple|distinct|concept)\b"
        ),
    ),
    "pascal": (
        DefinitionPattern(
            r"(?i:(?:class\s+)?(?P<kind>procedure|function|constructor|destructor|operator|unit|program|library)"
            r"\s+(?P<name>[A-Za-z_][\w.]*))"
        ),
        DefinitionPattern(
            r"(?i:(?P<name>[A-Za-z_]\w*)(?:<[^>]*>)?\s*=\s*(?:packed\s+)?"
            r"(?P<kind>class|record|interface|dispinterface|object)\b(?!\s*(?:;|of\b)))"
        ),
    ),
    "prolog": (
        DefinitionPattern(r":-\s*(?P<kind>module|dynamic|initialization)\b[\s(]*(?P<name>\w+)"),
        DefinitionPattern(r"(?P<name>[a-z]\w*)(?:\(.*\))?\s*(?::-|-->)", "rule"),
    ),
    "puppet": (
        DefinitionPattern(
            r"(?P<kind>class|define|node|function|type|plan|application)\s+(?P<name>'[^']+'|\"[^\"]+\"|[\w:.]+)"
        ),
        DefinitionPattern(r"@{0,2}(?P<name>[a-z][\w:]*\s*\{\s*(?:'[^']+'|\"[^\"]+\"|\$[\w:]+))\s*:", "declaration"),
    ),
    "smalltalk": (
        DefinitionPattern(r"!?\w+\s+(?:\w+[sS]ubclass|subclass):\s*#(?P<name>\w+)", "class"),
        DefinitionPattern(r"!(?P<name>\w+(?: class)?\s+methodsFor:\s*'[^']*')", "methods"),
    ),
    "starlark": (
        DefinitionPattern(r"(?P<kind>def)\s+(?P<name>\w+)"),
        DefinitionPattern(r"name\s*=\s*(?P<name>\"[^\"]+\"|'[^']+')\s*,", "target"),
        DefinitionPattern(r"(?!load\b)(?P<kind>[a-z]\w*)\(\s*name\s*=\s*(?P<name>\"[^\"]+\"|'[^']+')"),
        DefinitionPattern(r"(?P<name>\w+)\s*=\s*(?P<kind>rule|repository_rule|aspect|provider|macro)\("),
    ),
    "tcl": (
        DefinitionPattern(
            r"(?:::)?(?:oo::|itcl::|snit::)?(?P<kind>proc|method|typemethod|body|namespace eval|class create"
            r"|class|type|widget|test)\s+(?P<name>[\w:.?!*<>=+-]+)"
        ),
        DefinitionPattern(r"(?P<name>constructor|destructor)\s", "method"),
    ),
    "verilog": (
        DefinitionPattern(UNIT + VERILOG),
        DefinitionPattern(ROUTINE + VERILOG, level=1),
        DefinitionPattern(
            r"(?P<kind>always(?:_ff|_comb|_latch)?|initial)\b\s*(?P<name>@\s*(?:\([^)]*\)|\*))?", level=1
        ),
        DefinitionPattern(
            r"(?!(?:input|output|inout|wire|reg|assign|if|else|case\w*|for|begin|end\w*|or|and|not|return|typedef"
            r"|import|export|extern|virtual|parameter|localparam)\b)[A-Za-z_]\w*\s+(?:#\s*\(.*\)\s*)?"
            r"(?P<name>[A-Za-z_]\w*)\s*\($",
            "cell",
            1,
        ),
    ),
    "vhdl": (
        DefinitionPattern(
            r"(?i:(?:pure\s+|impure\s+)?(?P<kind>entity|architecture|package|component|configuration|function"
            r"|procedure|context(?=\s+\w+\s+is\b))\s+(?:body\s+)?(?P<name>\w+|\"[^\"]+\"))"
        ),
        DefinitionPattern(
            r"(?i:(?P<name>\w+)\s*:\s*(?:postponed\s+)?(?P<kind>process|block|entity|component)\b)", level=1
        ),
        DefinitionPattern(r"(?i:(?P<kind>process)\b\s*(?P<name>\([^)]*\))?)", level=1),
    ),
    "yacc": (
        DefinitionPattern(r"%(?P<kind>union|start)\b\s*(?P<name>\w*)"),
        DefinitionPattern(
            r"(?!(?:default|case|public|private|protected)\b)(?P<name>[A-Za-z_][\w.]*)(?=\s*:(?![:=])|\s+->)", "rule"
        ),
        C_FUNCTION,
        DefinitionPattern(
            r"(?!(?:static|int|void|char|long|short|unsigned|signed|double|float|bool|struct|enum|extern|const"
            r"|else|do)$)(?P<name>[a-z_]\w*)$",
            "rule",
        ),
    ),
    "zeek": (
        DefinitionPattern(r"(?:global\s+)?(?P<kind>function|event|hook|module)\s+(?P<name>\w+(?:::\w+)*)"),
        DefinitionPattern(r"(?P<kind>type|redef record|redef enum|const|option)\s+(?P<name>\w+(?:::\w+)*)"),
    ),
}
"""Patterns by language, in the order in which they are tried."""
