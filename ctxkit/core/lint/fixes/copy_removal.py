"""Build the fixes that remove copies of a statement."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import takewhile

from ctxkit.core.lint.document.finding import Fix, TextEdit
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.normal import count_words
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.fixes.dependents import has_dependents
from ctxkit.core.lint.fixes.repetition import find_repeated_spans, repeats
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.loading.tool_files import SHARED, find_tool
from ctxkit.core.lint.similarity.heading_polarity import is_negated_by_heading

CLEAR_WORDS = 5
"""Minimum words of a statement that means the same under any heading."""


def make_removal_fix(
    keeper: Unit,
    copies: Sequence[Unit],
    document: Callable[[str], MarkdownDocument | None],
    loads: LoadSetIndex,
    *,
    exact: bool,
) -> Fix | None:
    """Return the fix that removes what copies repeat of a statement, or None if something would be lost.

    A copy that says more loses only the sentences that the statement contains. The fix is safe if the copies differ
    only in formatting and each window with a copy has the keeper too. Also, no other text may depend on a copy: no
    bullets below it, no block that it introduces, no number.
    """
    edits: list[TextEdit] = []
    safe = exact
    for copy in copies:
        copy_document = document(copy.path)
        if copy_document is None or copy.path == loads.prompt or not _is_removable(copy, copy_document):
            return None
        if is_negated_by_heading(keeper) != is_negated_by_heading(copy) or _is_for_another_tool(keeper, copy):
            return None
        if repeats(keeper, copy):
            edits.append(TextEdit(copy.path, *copy_document.span(copy.line, copy.end_line)))
            safe = safe and _is_safe_removal(keeper, copy, copy_document, loads)
        elif cuts := find_repeated_spans(keeper, copy_document.text[copy.start : copy.end]):
            edits += [TextEdit(copy.path, copy.start + start, copy.start + end) for start, end in cuts]
            safe = False
        else:
            return None
    return Fix(tuple(edits), safe, _describe(keeper, copies)) if edits else None


def _is_removable(copy: Unit, home: MarkdownDocument) -> bool:
    """Return whether a statement is prose that begins its line and that no other text depends on."""
    if copy.kind not in ("bullet", "paragraph") or has_dependents(copy, home):
        return False
    return not home.text[home.starts[copy.line - 1] : copy.start].strip(" \t")


def _is_for_another_tool(keeper: Unit, copy: Unit) -> bool:
    """Return whether the kept statement is in a file for one tool, and the copy is not in a file for that tool.

    Tools that read the files of others do so by default or by a setting.
    """
    tool = find_tool(keeper.path)
    return not keeper.path.endswith(SHARED) and tool not in ("", find_tool(copy.path))


def _describe(keeper: Unit, copies: Sequence[Unit]) -> str:
    count = len(copies)
    where = f"{keeper.path}:{keeper.line}"
    if not all(repeats(keeper, copy) for copy in copies):
        return f"remove the repeated sentences, keep {where}"
    return f"remove {'the copy' if count == 1 else f'{count} copies'}, keep {where}"


def _is_safe_removal(keeper: Unit, copy: Unit, home: MarkdownDocument, loads: LoadSetIndex) -> bool:
    if not loads.is_covered_by(copy.path, keeper.path) or keeper.path == loads.prompt:
        return False
    if count_words(copy.normal) < CLEAR_WORDS and copy.section[-1:] != keeper.section[-1:]:
        return False
    if copy.intro != keeper.intro and (copy.intro or keeper.intro):
        return False
    if copy.kind == "bullet":
        return _has_sibling(copy, home) and not copy.text.lstrip()[:1].isdigit()
    return not home.at(copy.line).lstrip().startswith(">") and _is_isolated(copy, home)


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
