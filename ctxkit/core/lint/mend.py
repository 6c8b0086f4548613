"""Removing the copies of a statement where that loses nothing."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import takewhile

from ctxkit.core.lint.document import Document
from ctxkit.core.lint.finding import Edit, Fix
from ctxkit.core.lint.loads import Loads
from ctxkit.core.lint.normal import letters
from ctxkit.core.lint.traits import turned
from ctxkit.core.lint.unit import Unit

CLEAR = 5
"""Words from which on a statement is taken to mean the same under any heading."""


def removal(
    keeper: Unit, copies: Sequence[Unit], document: Callable[[str], Document | None], loads: Loads, *, exact: bool
) -> Fix | None:
    """Return the fix that removes some copies of a statement, or None where one cannot be cut out.

    It is safe where they are the same but for format, where each window that has a copy has the keeper too, and
    where nothing hangs on the copy: no bullets below it, no number, no line that introduces nothing else.
    """
    edits: list[Edit] = []
    safe = exact
    for copy in copies:
        home = document(copy.path)
        if home is None or copy.path == loads.prompt or copy.sort not in ("bullet", "paragraph"):
            return None
        if _carries(copy, home) or any(home.text[home.starts[copy.line - 1] : copy.start].strip(" \t")):
            return None
        edits.append(Edit(copy.path, *home.span(copy.line, copy.end_line)))
        safe = safe and _harmless(keeper, copy, home, loads)
    what = "the copy" if len(edits) == 1 else f"{len(edits)} copies"
    where = f"{keeper.path}:{keeper.line}"
    return Fix(tuple(edits), safe, f"remove {what}, keep {where}") if edits else None


def _carries(copy: Unit, home: Document) -> bool:
    """Say whether bullets, paragraphs or code stand below a statement as part of it."""
    if copy.lead:
        return True
    place = bisect_right(home.units, copy.end_line, key=_line_of)
    following = home.units[place] if place < len(home.units) else None
    if following is None or following.sort == "heading":
        return False
    if following.list and following.list == copy.list and following.depth > copy.depth:
        return True
    indented = home.at(following.line)[:1] in (" ", "\t")
    return indented and following.depth > copy.depth and copy.sort == "bullet"


def _harmless(keeper: Unit, copy: Unit, home: Document, loads: Loads) -> bool:
    if turned(keeper) != turned(copy):
        return False
    if not loads.within(copy.path, keeper.path) or keeper.path == loads.prompt:
        return False
    if letters(copy.normal) < CLEAR and copy.section[-1:] != keeper.section[-1:]:
        return False
    if copy.under != keeper.under and (copy.under or keeper.under):
        return False
    if copy.sort == "bullet":
        return _has_sibling(copy, home) and not copy.text.lstrip()[:1].isdigit()
    return not home.at(copy.line).lstrip().startswith(">") and _apart(copy, home)


def _line_of(unit: Unit) -> int:
    return unit.line


def _has_sibling(copy: Unit, home: Document) -> bool:
    """Return whether its list has another item as deep; the statements of a list follow each other."""
    place = bisect_left(home.units, copy.line, key=_line_of)
    for places in (range(place - 1, -1, -1), range(place + 1, len(home.units))):
        beside = takewhile(lambda unit: unit.list == copy.list, map(home.units.__getitem__, places))
        if any(unit.depth == copy.depth for unit in beside):
            return True
    return False


def _apart(copy: Unit, home: Document) -> bool:
    """Say whether blank lines, headings or the ends of the file stand around a paragraph."""
    before = home.at(copy.line - 1).strip() if copy.line > 1 else ""
    after = home.at(copy.end_line + 1).strip() if copy.end_line < home.lines else ""
    return not before and not after
