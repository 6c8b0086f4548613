"""Compact entries for very many test names: common prefixes are written once, several names per line."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.outline import Entry

MAX_SPAN = 120
"""Maximum number of log lines covered by one line of names."""
MIN_PREFIX = 4
"""Minimum number of characters of a common prefix."""
BOUNDS = " /.:[(>\u203a"
"""Characters that may end a common prefix; words are not split, so that names can be searched for."""
SEPARATORS = (", ", "; ", " | ")
"""Separators of names; the first that occurs in none of them is used."""
PlacedName = tuple[int, int, str]
"""The first and the last line of a test's block, and its name."""


def make_packed_entries(rows: Sequence[PlacedName]) -> list[Entry]:
    """Return entries of at most ``MAX_SPAN`` lines, each with the names in its range."""
    return [
        Entry(fold_names([name for _, _, name in pack]), pack[0][0], _find_end(pack), 1) for pack in _split_packs(rows)
    ]


def is_packing_shorter(rows: Sequence[PlacedName]) -> bool:
    """Return whether lines with several names take less space than a number before each name."""
    return len(rows) > 2 * sum(1 for _ in _split_packs(rows))


def _find_end(pack: Sequence[PlacedName]) -> int:
    last = max(end for _, end, _ in pack)
    return min(last, pack[0][0] + MAX_SPAN - 1)


def _split_packs(rows: Sequence[PlacedName]) -> Iterator[list[PlacedName]]:
    """Yield runs of rows within ``MAX_SPAN`` lines; a longer block has a run of its own."""
    pack: list[PlacedName] = []
    for row in rows:
        if pack and max(row[1], row[0]) - pack[0][0] >= MAX_SPAN:
            yield pack
            pack = []
        pack.append(row)
    if pack:
        yield pack


def fold_names(names: Sequence[str]) -> str:
    """Return names on one line: ``TestRead/{Simple, Quotes, Blank}, TestWrite``.

    Braces are used only if no name contains any, so that the line is unambiguous.
    """
    between = next((mark for mark in SEPARATORS if not any(mark.strip() in name for name in names)), SEPARATORS[-1])
    if any("{" in name or "}" in name for name in names):
        return between.join(names)
    return between.join(_fold_run(run, between) for run in _group_by_prefix(names))


def _group_by_prefix(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield runs of neighbours that are shorter with their common prefix written once."""
    run: list[str] = []
    for name in names:
        if run and _count_saved([*run, name]) < max(_count_saved(run), 1):
            yield run
            run = []
        run.append(name)
    if run:
        yield run


def _count_saved(names: Sequence[str]) -> int:
    return len(_find_common_prefix(names)) * (len(names) - 1)


def _find_common_prefix(names: Sequence[str]) -> str:
    """Return the common prefix of all names, up to the end of a word, or an empty string if it is short."""
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)
    same = next((at for at, (left, two) in enumerate(zip(first, last, strict=False)) if left != two), len(first))
    while same and first[same - 1] not in BOUNDS and not _is_numbered(names, same):
        same -= 1
    closing = _find_closing_bracket(first[:same])
    if closing and not all(name.endswith(closing) for name in names):
        same = max(first.rfind(mark, 0, same) for mark in "[(")  # a bracket that closes within the names stays whole
    return first[:same] if same >= MIN_PREFIX else ""


def _is_numbered(names: Sequence[str], same: int) -> bool:
    """Return whether names differ only in a final number, as in parametrized tests."""
    return names[0][same - 1] in "_-" and all(name[same:].isdigit() for name in names)


def _fold_run(run: Sequence[str], between: str) -> str:
    common = _find_common_prefix(run)
    if not common:
        return between.join(run)
    rest = [name[len(common) :] for name in run]
    end = _find_closing_bracket(common)
    end = end if end and all(name.endswith(end) for name in rest) else ""
    inside = between.join(name.removesuffix(end) if end else name for name in rest)
    return f"{common}{{{inside}}}{end}"


def _find_closing_bracket(common: str) -> str:
    """Return the bracket that closes the last bracket opened in the common prefix, if it is still open."""
    at = max(common.rfind("["), common.rfind("("))
    closing = {"[": "]", "(": ")"}.get(common[at], "") if at >= 0 else ""
    return closing if closing and closing not in common[at:] else ""
