"""Delete lines of a document without joining the text before and after them."""


from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import TextEdit
from ctxkit.core.lint.document.markdown import MarkdownDocument

_BEGINS = compile_lazily(r"[ \t]*(?:[-*+•][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}|\||>|<)")
"""Matches text that begins a new statement after any line."""


def delete_lines(document: MarkdownDocument, line: int, end_line: int) -> TextEdit:
    """Return the edit that removes lines, with one of two blank lines around them.

    Keep a blank line if the text after them would continue the text before.
    """
    start, end = document.span(line, end_line)
    before = document.at(line - 1) if line > 1 else ""
    after = document.at(end_line + 1) if end_line < document.lines else ""
    if not before.strip() and not after.strip() and end_line < document.lines:
        return TextEdit(document.path, start, document.span(end_line + 1, end_line + 1)[1], "")
    runs_on = before.strip() and after.strip() and not _BEGINS.match(after)
    return TextEdit(document.path, start, end, document.newline if runs_on else "")
