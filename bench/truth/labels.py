"""Labels of ranges and signatures: their words have to stand in the lines that they speak of."""

import ast
import re

from bench.truth.source_text import SourceText, squeeze
from bench.truth.statements import Statement

NAME = re.compile(r"[\w.+-]*[^\W\d_][\w+-]*[_/.:][\w./:+-]*\w")
"""A name in a label: a path, or a word with a dot or an underscore."""
FROM = re.compile(r"^from (?P<name>\S.*?)(?: \(.*\))?$")
SPAN = re.compile(r"^(?P<column>[\w%-]+) (?P<first>\S+) to (?P<last>\S+)$")
TRIMMED = re.compile(r"^\.\.\.|\.\.\.$|…|\[\+\d+ chars?\]$")
SIGNATURE = re.compile(
    r"^(?P<text>(?:(?:async )?def|class|fn|func|function|pub fn|pub(?:\([\w:]+\))? (?:async )?fn|struct|impl|interface)"
    r" .+?)(?: at line (?P<line>\d+))?$"
)
DEF = re.compile(r"^(?:async )?def (?P<name>\w+)\((?P<parameters>.*)\)(?: ->.*)?$")


def check_label(statement: Statement, source: SourceText) -> str:
    """Return why a label is not so of its range, empty if it may be."""
    if not statement.start or not 1 <= statement.start <= statement.end <= len(source.lines):
        return ""
    return _check_from(statement, source) or _check_span(statement, source) or _check_names(statement, source)


def _check_from(statement: Statement, source: SourceText) -> str:
    """Check `from NAME`: the first line of the range with a word in it holds the name."""
    match = FROM.match(statement.text)
    if not match:
        return ""
    name = TRIMMED.sub("", re.sub(r" \(\d+ more .*", "", match["name"]).strip("'\"")).strip()
    row = next((row for row in source.visible_lines[statement.start - 1 : statement.end] if re.search(r"\w", row)), "")
    line = f"{row} {' '.join(row.split())}"
    values = [word for word in name.split() if word in line]  # a row of values is shown without what divides them
    if name in line or name.rpartition("/")[2] in line or values == name.split():
        return ""
    return f"line {statement.start} does not hold {name!r}"


def _check_span(statement: Statement, source: SourceText) -> str:
    """Check `COLUMN FIRST to LAST`: the values stand on the first and the last line of the range."""
    match = SPAN.match(statement.text) if "by line" in statement.section else None
    if not match:
        return ""
    for number, value in ((statement.start, match["first"]), (statement.end, match["last"])):
        if value.strip("'\"") not in source.visible_lines[number - 1]:
            return f"line {number} does not hold {value}"
    return ""


def _check_names(statement: Statement, source: SourceText) -> str:
    """Check that at least one of the names in a label stands in the input."""
    names = [match[0] for match in NAME.finditer(statement.text) if not match[0].startswith("...")]
    if not names or any(_holds(source, name) for name in names):
        return ""
    return f"the input holds none of {', '.join(names[:3])}"


def _holds(source: SourceText, name: str) -> bool:
    """Return whether the input holds a name, or its last part."""
    last = re.split(r"[/:]|\.(?=\w)", name.strip("./:"))[-1]
    return name in source.text or (len(last) > 1 and last in source.text)


def check_signature(statement: Statement, source: SourceText, definitions: dict[str, set[str]]) -> str:
    """Return why a signature is not what the source says, empty if it is; ``definitions`` are Python's by name."""
    match = SIGNATURE.match(statement.text)
    if not match or "..." in match["text"] or "Rows that differ" in statement.section:
        return ""  # a column may be called class name (module)
    signature = match["text"].partition(" — ")[0]
    python = DEF.match(signature.rstrip(":"))
    if definitions and python:
        return _check_python(python, definitions)
    signature, _, fields = signature.partition(" { ")
    missing = [field for field in fields.rstrip(" }").split("; ") if squeeze(field) not in source.dense_text]
    if missing and "," not in missing[0] and "more" not in missing[0]:
        return f"the source has no field {missing[0]}"
    if squeeze(signature) in source.dense_text:
        return ""
    return "the source has no such signature" if match["line"] or (statement.start and "(" in signature) else ""


def _check_python(match: "re.Match[str]", definitions: dict[str, set[str]]) -> str:
    expected = definitions.get(match["name"], set())
    if not expected:
        return f"nothing defines {match['name']}"
    names = _parameter_names(match["parameters"])
    return "" if names in expected or "[+" in match[0] else f"parameters are {' or '.join(sorted(expected)[:2])}"


def _parameter_names(parameters: str) -> str:
    """Return the names of a parameter list with its stars, the text itself if Python cannot read it."""
    try:
        tree = ast.parse(f"def f({parameters}): pass")
    except SyntaxError:
        return parameters
    function = tree.body[0]
    return _format_arguments(function.args) if isinstance(function, ast.FunctionDef) else parameters


def _format_arguments(arguments: ast.arguments) -> str:
    """Return the names in order, with `/`, `*`, `*args` and `**kwargs` where they stand."""
    names = [argument.arg for argument in arguments.posonlyargs]
    names += ["/"] if names else []
    names += [argument.arg for argument in arguments.args]
    names += [f"*{arguments.vararg.arg}"] if arguments.vararg else ["*"] if arguments.kwonlyargs else []
    names += [argument.arg for argument in arguments.kwonlyargs]
    names += [f"**{arguments.kwarg.arg}"] if arguments.kwarg else []
    return ", ".join(names)


def read_definitions(source: SourceText) -> dict[str, set[str]]:
    """Return the parameter lists of every function of a Python source by its name, empty for other texts."""
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    definitions: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            definitions.setdefault(node.name, set()).add(_format_arguments(node.args))
    return definitions
