"""Build the fixes that remove copies of a statement."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import takewhile

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import Fix, TextEdit
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.fixes.delete_lines import delete_lines
from ctxkit.core.lint.fixes.dependents import has_dependents
from ctxkit.core.lint.fixes.repetition import repeats
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.loading.tool_files import SHARED, find_tool

_RULE = compile_lazily(
    r"\b(?:never|always|must|shall|should|do(?:es)? not|don'?t|cannot|can'?t|avoid|use|run|keep|prefer|ensure"
    r"|make sure|only|no|not|every|each|before|after|verify|check|read|write|add|remove|follow"
    r"|ask|require[ds]?|need(?:s|ed)?|is|are"
    r"|stop|nie|niemals|immer|nicht|kein\w*|muss|müssen|jamais|toujours|doit|doivent|nunca|siempre|debe\w*|никогда|всегда"
    r"|нельзя|должн\w*)\b|[.!。！][\s*_`)]*$|必须|禁止|不要|不得|不能|务必|請|请|항상|절대|してください|しない",
    re.IGNORECASE,
)
"""Matches a statement that says what to do or how things are; other bullets are things in an enumeration."""
PATTERN_KEYS = ("paths", "globs", "applyTo", "fileMatchPattern", "regex")
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
    values = (document.metadata.get(key, "") for key in PATTERN_KEYS) if document else ()
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
