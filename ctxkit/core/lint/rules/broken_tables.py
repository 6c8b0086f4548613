"""Find tables that Markdown does not read as their author means (STR009)."""

from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.inline import text_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import INFO, WARNING, Rule
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.references.paths import is_archived

RULES = (
    Rule(
        "STR009",
        "table-broken",
        WARNING,
        "none",
        "The header of a table has another number of cells than the line of hyphens below it, or a row has more cells "
        "than the header.",
        "Markdown shows such a table as text, and drops the cells of a row that has too many. Most often a | inside of "
        "a cell is not escaped.",
        "| Command | Use |\n|---|---|\n| `a | b` | pipes |",
        "| Command | Use |\n|---|---|\n| `a \\| b` | pipes |",
        "GitHub Flavored Markdown, 'Tables': a | splits cells also in code, unless a backslash stands before it.",
    ),
)
_DELIMITER = compile_lazily(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)++\|?[ \t]*+$")


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield tables whose lines do not have the same number of cells."""
    for document in workspace.documents:
        if is_archived(document.path):
            continue
        if document.role is not FileRole.PROMPT and "|" in document.text and "-|" in document.text.replace(" ", ""):
            yield from _check_tables(document)


def _check_tables(document: MarkdownDocument) -> Iterator[LintFinding]:
    previous, last, columns = "", 0, 0
    for number, line in text_lines(document):
        if "|" not in line or number > last + 1:
            columns = 0
        if columns:
            if (count := count_cells(line)) > columns:
                message = f"this row has {count} cells, and its table {columns}: write a | inside of a cell as \\|"
                yield LintFinding("STR009", INFO, document.path, number, number, message)
        elif "|" in previous and number == last + 1 and _DELIMITER.match(line):
            columns, header = count_cells(line), count_cells(previous)
            if header != columns:
                message = f"the header of this table has {header} cells and the line below it {columns}: it is no table"
                yield LintFinding("STR009", WARNING, document.path, number - 1, number, message)
                columns = max(header, columns)
        previous, last = line, number


def count_cells(line: str) -> int:
    """Return the number of cells of a line of a table; a pipe behind a backslash does not split a cell."""
    text = line.strip().replace("\\|", "  ")
    return text.removeprefix("|").removesuffix("|").count("|") + 1
