"""Build the fixes that remove copies of a statement with the text that depends on it, or whole lines."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import takewhile

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import Fix, TextEdit
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument, Unit
from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.fixes.repetition import repeats
from ctxkit.core.lint.loading.hosts import SHARED, find_tool
from ctxkit.core.lint.loading.loads import LoadSetIndex

_INTRODUCES = compile_lazily(
    r"(?:[:：]|\b(?:as follows|the following|like (?:this|so)|for example|e\.g|below)[.!]?"
    r"|如下[。]?|以下[。]?)[\s*_`)]*$",
    re.IGNORECASE,
)
"""Matches the end of a statement that introduces the text after it."""
_BLOCK = compile_lazily(r"[ \t]*(?:`{3}|~{3}|\||<|!\[)|(?: {4}|\t)[ \t]*[^\s\-*+\d]")
"""Matches the first line of a block: a fence, a table, HTML, a picture, indented code."""
_ITEM = compile_lazily(r"[ \t]*(?:[-*+•]|\d{1,4}[.)])[ \t]")
_BEGINS = compile_lazily(r"[ \t]*(?:[-*+•][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}|\||>|<)")
"""Matches text that begins a new statement after any line."""
_RULE = compile_lazily(
    r"\b(?:never|always|must|shall|should|do(?:es)? not|don'?t|cannot|can'?t|avoid|use|run|keep|prefer|ensure"
    r"|make sure|only|no|not|every|each|before|after|verify|check|read|write|add|remove|follow"
    r"|ask|require[ds]?|need(?:s|ed)?|is|are"
    r"|stop|nie|niemals|immer|nicht|kein\w*|muss|müssen|jamais|toujours|doit|doivent|nunca|siempre|debe\w*|никогда|всегда"
    r"|нельзя|должн\w*)\b|[.!。！][\s*_`)]*$|必须|禁止|不要|不得|不能|务必|請|请|항상|절대|してください|しない",
    re.IGNORECASE,
)
"""Matches a statement that says what to do or how things are; other bullets are things in an enumeration."""
_PATTERN_KEYS = ("paths", "globs", "applyTo", "fileMatchPattern", "regex")
"""Keys of front matter that limit the files to which a document applies."""
_ALL_FILES = frozenset(("*", "**", "**/*"))
_GENERAL_ROLES = (
    *(FileRole.INSTRUCTIONS, FileRole.PERSONA, FileRole.TOOLS, FileRole.CONTEXT, FileRole.MEMORY, FileRole.DAILY),
)
"""Roles of files about the whole project; rules and documents have a file for each subject."""


def make_removal_fix(
    keeper: Unit, copies: Sequence[Unit], documents: Mapping[str, MarkdownDocument], loads: LoadSetIndex
) -> Fix | None:
    """Return the fix that removes copies of a statement, or None if a tool would lose something.

    Each tool that loads a copy loads the keeper with it, in all of its windows. The fix is safe if the copies also
    differ only in formatting, and the keeper applies wherever they do. Within a file, both have to stand in one list
    or section: below another heading, a reader looks for the statement there. Also, no other text may depend on a
    copy: no bullets below it, no block that it introduces, no number.
    """
    edits: list[TextEdit] = []
    is_safe = True
    for copy in copies:
        home = documents.get(copy.path)
        if home is None or copy.path == loads.prompt or not _is_removable(copy, home):
            return None
        if _is_for_another_tool(keeper, copy) or not repeats(keeper, copy):
            return None
        if loads.mask(copy.path) and not loads.is_covered_by(copy.path, keeper.path):
            return None  # a tool that loads the copy would lose the statement
        edits.append(delete_lines(home, copy.line, copy.end_line))
        is_safe = is_safe and copy.normal == keeper.normal and _is_safe_removal(keeper, copy, documents, loads)
    return Fix(tuple(edits), is_safe, f"remove the copy, keep {keeper.path}:{keeper.line}") if edits else None


def _is_removable(copy: Unit, home: MarkdownDocument) -> bool:
    """Return whether a statement is prose that begins its line and that no other text depends on.

    A bullet has to be a rule or a sentence: without one of its things, an enumeration is no longer complete.
    """
    if copy.kind not in ("bullet", "paragraph") or has_dependents(copy, home):
        return False
    if copy.kind == "bullet" and (not _RULE.search(copy.text) or copy.text.lstrip()[:1].isdigit()):
        return False  # a numbered list without one of its numbers is not what a person would leave
    return not home.text[home.starts[copy.line - 1] : copy.start].strip(" \t")


def _is_for_another_tool(keeper: Unit, copy: Unit) -> bool:
    """Return whether the kept statement is in a file for one tool, and the copy is not in a file for that tool.

    Tools that read the files of others do so by default or by a setting.
    """
    tool = find_tool(keeper.path)
    return not keeper.path.endswith(SHARED) and tool not in ("", find_tool(copy.path))


def _is_safe_removal(
    keeper: Unit, copy: Unit, documents: Mapping[str, MarkdownDocument], loads: LoadSetIndex
) -> bool:
    home = documents[copy.path]
    if not loads.is_covered_by(copy.path, keeper.path) or keeper.path == loads.prompt:
        return False
    if copy.path != keeper.path and not _applies_wherever(keeper, copy, documents):
        return False
    if copy.parents or copy.intro:
        is_same_place = copy.path == keeper.path and copy.list == keeper.list != 0
    else:
        is_same_place = copy.path != keeper.path or (copy.section, copy.list) == (keeper.section, keeper.list)
    if not is_same_place:
        return False
    if copy.kind == "bullet":
        return _has_sibling(copy, home)
    return not home.at(copy.line).lstrip().startswith(">") and _is_isolated(copy, home)


def _applies_wherever(keeper: Unit, copy: Unit, documents: Mapping[str, MarkdownDocument]) -> bool:
    """Return whether a statement applies to all that its copy in another file applies to.

    The patterns in the front matter limit it, and so do the titles above it, which may name a language, a part of the
    project or a task. The title of a file says nothing of the kind if the file is about the whole project.
    """
    patterns = _list_patterns(documents.get(keeper.path))
    limited = _list_patterns(documents.get(copy.path))
    if patterns and not (limited and limited <= patterns):
        return False
    return _list_subjects(keeper, documents) <= _list_subjects(copy, documents)


def _list_patterns(document: MarkdownDocument | None) -> set[str]:
    """Return the patterns of the files to which a document applies; none if it applies to all."""
    values = (document.metadata.get(key, "") for key in _PATTERN_KEYS) if document else ()
    patterns = {pattern.strip() for value in values for pattern in value.split(",") if pattern.strip()}
    return set() if patterns & _ALL_FILES else patterns


def _list_subjects(unit: Unit, documents: Mapping[str, MarkdownDocument]) -> set[str]:
    """Return the normalized titles above a statement, without the only title of a file about the whole project."""
    home = documents.get(unit.path)
    tops = [heading.title for heading in home.headings if heading.level == 1] if home else []
    is_about_all = home is not None and home.role in _GENERAL_ROLES and unit.section[:1] == tuple(tops)
    return set(map(normalize_text, unit.section[1:] if is_about_all else unit.section))


def _line_of(unit: Unit) -> int:
    return unit.line


def _has_sibling(copy: Unit, home: MarkdownDocument) -> bool:
    """Return whether the list has another item of the same depth; statements of a list are adjacent."""
    place = bisect_left(home.units, copy.line, key=_line_of)
    for places in (range(place - 1, -1, -1), range(place + 1, len(home.units))):
        beside = takewhile(lambda unit: unit.list == copy.list, map(home.units.__getitem__, places))
        if any(unit.depth == copy.depth for unit in beside):
            return True
    return False


def _is_isolated(copy: Unit, home: MarkdownDocument) -> bool:
    """Return whether a paragraph is surrounded by blank lines or the ends of the file."""
    before = home.at(copy.line - 1).strip() if copy.line > 1 else ""
    after = home.at(copy.end_line + 1).strip() if copy.end_line < home.lines else ""
    return not before and not after


def has_dependents(statement: Unit, document: MarkdownDocument) -> bool:
    """Return whether bullets, paragraphs or a block below a statement belong to it."""
    return statement.is_intro or bool(_INTRODUCES.search(statement.text)) or _has_children(statement, document) or (
        _has_block(statement, document)
    )  # fmt: skip


def _has_children(statement: Unit, document: MarkdownDocument) -> bool:
    place = bisect_right(document.units, statement.end_line, key=_line_of)
    following = document.units[place] if place < len(document.units) else None
    if following is None or following.kind == "heading":
        return False
    if following.list and following.list == statement.list and following.depth > statement.depth:
        return True
    indented = document.at(following.line)[:1] in (" ", "\t")
    return indented and following.depth > statement.depth and statement.kind == "bullet"


def _has_block(statement: Unit, document: MarkdownDocument) -> bool:
    """Return whether the next text after a statement is a block, or a list right below a paragraph."""
    line = statement.end_line + 1
    while line <= document.lines and not document.at(line).strip():
        line += 1
    if line > document.lines:
        return False
    text = document.at(line)
    if _BLOCK.match(text) and not text.lstrip().startswith("<!--"):
        return True
    return statement.kind == "paragraph" and line == statement.end_line + 1 and bool(_ITEM.match(text))


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
