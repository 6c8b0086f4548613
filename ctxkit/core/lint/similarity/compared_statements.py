"""Select the statements whose copies matter and the documents to search, and recognize those that only refer."""

import re
from collections.abc import Iterator, Sequence, Set

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument, Unit
from ctxkit.core.lint.document.normal import count_words
from ctxkit.core.lint.document.workspace import Workspace

MIN_WORDS = 4
"""Minimum words of a statement whose copies matter."""
_MIN_INTRO_WORDS, _MIN_HEADER_WORDS = 7, 12
"""Minimum words of a line that introduces others, and of the header of a table."""
_MAX_LOG_UNITS = 400
"""Number of statements above which unloaded daily notes are a log."""
_SPEAKER = compile_lazily(r"^(?:[#*>_-]{1,4}\s?)?(?:user|assistant|human)\b[*_]{0,2}:", re.IGNORECASE | re.MULTILINE)
_MIN_SPEAKER_LINES = 6
"""Minimum lines with a speaker's name that make daily notes a transcript."""
_MIN_CODE_LENGTH = 24
"""Minimum characters of a code block."""
_INJECTED_SHARE = 0.7
"""Minimum share of a file's statements in the prompt that shows that the prompt includes the file."""


def is_significant(unit: Unit) -> bool:
    """Return whether a repetition of a statement would matter."""
    if unit.kind == "code":
        return len(unit.normal) >= _MIN_CODE_LENGTH
    if unit.kind == "heading" or _is_code(unit.text):
        return False
    least = MIN_WORDS if not unit.is_intro else _MIN_HEADER_WORDS if unit.kind == "row" else _MIN_INTRO_WORDS
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
        injected = _find_injected(workspace.documents, {unit.normal for unit in workspace.prompt.units})
        units = tuple(unit for unit in workspace.prompt.units if unit.normal not in injected)
        yield workspace.prompt._replace(units=units)


def _find_injected(documents: Sequence[MarkdownDocument], prompt_statements: Set[str]) -> set[str]:
    """Return the statements of the documents that a prompt includes: it has most of their statements."""
    injected: set[str] = set()
    for document in documents:
        statements = [unit.normal for unit in document.units if is_significant(unit)]
        shared = sum(map(prompt_statements.__contains__, statements))
        if len(statements) > 2 and shared >= _INJECTED_SHARE * len(statements):
            injected.update(statements)
    return injected


def _is_log(document: MarkdownDocument) -> bool:
    """Return whether a file is a log: an archive below the daily notes, a very long note, or a transcript."""
    if document.role is not FileRole.DAILY:
        return False
    folder = document.path.rsplit("/", 2)[-2:-1]
    return (
        folder != ["memory"]
        or len(document.units) > _MAX_LOG_UNITS
        or len(_SPEAKER.findall(document.text)) >= _MIN_SPEAKER_LINES
    )


_POINTER = compile_lazily(
    r"\b(?:see|refer to|described in|documented in|defined in|details? (?:are )?in|listed in|covered in|more in"
    r"|as per|according to|cf\.|full (?:list|rules|details) in|vea|véase|ver|siehe|voir)\b|详见|参见|参考|見て|انظر",
    re.IGNORECASE,
)
_FILE = compile_lazily(r"(?<![\w.-])[\w.-]{1,100}\.(?:md|mdc|txt)\b", re.IGNORECASE)
_WORD = compile_lazily(r"[^\W\d_]{2,}")
_ENTRY = compile_lazily(
    r"(?:[-*+]\s{1,4}|\d{1,3}[.)]\s{1,4})?(?:[*_]{0,2}[^`\[\n:—–]{1,60}[*_]{0,2}:[*_]{0,2}\s{1,4})?"
    r"(?:`|[*_]{0,2}\[[^\]\n]{1,120}\]\(|[*_]{1,2}(?=`))`?@?[\w./-]{1,200}\.mdc?\b[`)]",
    re.IGNORECASE,
)
"""Matches the beginning of an entry of an index of Markdown files: an optional label with a colon, and the file."""
_MIN_OWN_WORDS = 9
"""Minimum words besides the names of files that a statement with a pointer needs to say something of its own."""


def is_index_entry(text: str) -> bool:
    """Return whether a statement begins with the name of a Markdown file, as the entries of an index do.

    What follows says what is in the file; another index says that in other words.
    """
    return ".md" in text and _ENTRY.match(text.lstrip()) is not None


def is_bare_pointer(text: str) -> bool:
    """Return whether a statement says only which file to read: another one that says so is no copy of it."""
    if "." not in text or not _FILE.search(text) or not (_POINTER.search(text) or is_index_entry(text)):
        return False
    return len(_WORD.findall(_FILE.sub(" ", text))) < _MIN_OWN_WORDS


def points_to(text: str, path: str) -> bool:
    """Return whether a statement refers to the file of a path for more."""
    name = path.rsplit("/", 1)[-1].casefold()
    if name not in text.casefold() or not _POINTER.search(text):
        return False
    return any(file.casefold() == name for file in _FILE.findall(text))


_MAX_STUB = 8
"""Maximum statements of a file that is there to send its reader to another one."""
_INSTRUCTIONS = compile_lazily(r"(?<![\w-])(?:AGENTS|CLAUDE|GEMINI|copilot-instructions)\.md\b")


def is_stub(document: MarkdownDocument) -> bool:
    """Return whether a short file sends its reader to the instructions: there is one for each tool that needs it."""
    if sum(unit.kind != "heading" for unit in document.units) > _MAX_STUB:
        return False
    named = {match[0] for match in _INSTRUCTIONS.finditer(document.text)}
    return bool(named - {document.path.rsplit("/", 1)[-1]})
