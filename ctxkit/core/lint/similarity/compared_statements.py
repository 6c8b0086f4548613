"""Select the statements of a workspace whose copies matter, and the documents that are searched for them."""

import re
from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.normal import count_words
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace

MIN_WORDS = 4
"""Minimum words of a statement whose copies matter."""
MIN_INTRO_WORDS, MIN_HEADER_WORDS = 7, 12
"""Minimum words of a line that introduces others, and of the header of a table."""
MAX_LOG_UNITS = 400
"""Number of statements above which unloaded daily notes are a log."""
_SPEAKER = compile_lazily(r"^(?:[#*>_-]{1,4}\s?)?(?:user|assistant|human)\b[*_]{0,2}:", re.IGNORECASE | re.MULTILINE)
MIN_SPEAKER_LINES = 6
"""Minimum lines with a speaker's name that make daily notes a transcript."""
MIN_CODE_LENGTH = 24
"""Minimum characters of a code block."""
INJECTED_SHARE = 0.7
"""Minimum share of a file's statements in the prompt that shows that the prompt includes the file."""


def is_significant(unit: Unit) -> bool:
    """Return whether a repetition of a statement would matter."""
    if unit.kind == "code":
        return len(unit.normal) >= MIN_CODE_LENGTH
    if unit.kind == "heading" or _is_code(unit.text):
        return False
    least = MIN_WORDS if not unit.is_intro else MIN_HEADER_WORDS if unit.kind == "row" else MIN_INTRO_WORDS
    return count_words(unit.normal) >= least


def _is_code(text: str) -> bool:
    """Return whether a statement ends like a line of code outside of a fence."""
    if not text.endswith(";"):
        return text.endswith(("{", "}"))
    last = text[text.rfind(";", 0, -1) + 1 :]
    return any(sign in last for sign in ":=(")


def list_compared_documents(workspace: Workspace) -> Iterator[MarkdownDocument]:
    """Yield the documents without unloaded logs, and the prompt without the documents that it includes."""
    loaded = {path for load_set in workspace.load_sets for path in load_set.paths}
    yield from (document for document in workspace.documents if document.path in loaded or not _is_log(document))
    if workspace.prompt:
        prompt_statements = {unit.normal for unit in workspace.prompt.units}
        injected: set[str] = set()
        for document in workspace.documents:
            statements = [unit.normal for unit in document.units if is_significant(unit)]
            if len(statements) > 2 and sum(
                statement in prompt_statements for statement in statements
            ) >= INJECTED_SHARE * len(statements):
                injected.update(statements)
        units = tuple(unit for unit in workspace.prompt.units if unit.normal not in injected)
        yield workspace.prompt._replace(units=units)


def _is_log(document: MarkdownDocument) -> bool:
    """Return whether a file is a log: an archive below the daily notes, a very long note, or a transcript."""
    if document.role is not FileRole.DAILY:
        return False
    folder = document.path.rsplit("/", 2)[-2:-1]
    return (
        folder != ["memory"]
        or len(document.units) > MAX_LOG_UNITS
        or len(_SPEAKER.findall(document.text)) >= MIN_SPEAKER_LINES
    )
