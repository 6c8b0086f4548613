"""Groups of consecutive paths by their common directories."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice, pairwise

from ctxkit.core.brief.grids.grid import RANGE_LINES
from ctxkit.core.brief.outline import Entry
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.quantity import pluralize

PATH_WIDTH = 50
"""Maximum number of characters of a path that a group is called by."""
FEW = 4
"""Maximum number of paths in a group that is not called by its first and last path."""


@dataclass(frozen=True, slots=True)
class PathItem:
    """Hold one path, its lines, a note, and its weight: the heaviest paths rank first."""

    path: str
    start: int
    end: int
    note: str = ""
    weight: int = 0


TOKENS_PER_DIRECTORY = 60
"""Number of tokens of the target for each directory: twice what its entry takes."""
MAX_PARTS = 1_000
"""Number of parts from which a run is not divided: its paths are in no order."""

FormatTotal = Callable[[Sequence[PathItem]], str]
"""Return a total for items, such as ``+40 -12``, or an empty string."""


def make_directory_entries(
    items: Sequence[PathItem], most: int, format_total: FormatTotal, rank: int = 0
) -> tuple[Entry, ...]:
    """Return entries for about ``most`` directories, with their items as dense children.

    Directories share ``rank``; items rank after them, the last item first, then by weight.
    """
    order = sorted(range(len(items)), key=lambda at: (at != len(items) - 1, -items[at].weight, at))
    ranks = {id(items[at]): rank + 1 + step for step, at in enumerate(order)}
    groups = group_by_directory(items, most)
    counts = Counter(name for name, _ in groups)
    entries = []
    for name, run in groups:
        label = _label_run(name, run, format_total, is_unique=bool(name) and counts[name] == 1)
        entries.append(_make_directory_entry(label, len(name), run, ranks, rank))
    return tuple(entries)


def _label_run(name: str, run: Sequence[PathItem], format_total: FormatTotal, *, is_unique: bool) -> str:
    """Return the directory of a run with its totals; without one of its own, its first and last path."""
    if len(run) == 1:
        return _format_path(run[0].path, run[0].note)
    counts = ", ".join(part for part in (pluralize(len(run), "file"), format_total(run)) if part)
    title = name or ("(several directories)" if any("/" in item.path for item in run) else "(no directory)")
    if not is_unique and len(run) > FEW:
        title = f"{name}{_cut_path(run[0].path[len(name) :])} to {_cut_path(run[-1].path[len(name) :])}"
    return f"{title} ({counts})"


def _make_directory_entry(label: str, cut: int, run: Sequence[PathItem], ranks: dict[int, int], rank: int) -> Entry:
    """Return an entry for a run, with the paths of its items after the first ``cut`` characters."""
    if len(run) == 1:
        return Entry(label, run[0].start, run[0].end, rank, dense=True)
    children = tuple(
        Entry(_format_path(item.path[cut:], item.note), item.start, item.end, ranks[id(item)], dense=True)
        for item in run
    )
    end = max(item.end for item in run)
    return Entry(label, run[0].start, end, rank, dense=True, children=children, counts_children=True)


def _cut_path(path: str) -> str:
    """Return a path with its middle cut out, if it is long."""
    return path if len(path) <= PATH_WIDTH else f"{path[: PATH_WIDTH // 2]}...{path[-PATH_WIDTH // 2 :]}"


def _format_path(path: str, note: str) -> str:
    return f"{path} {note}" if note else path


def group_by_directory(items: Sequence[PathItem], most: int) -> list[tuple[str, Sequence[PathItem]]]:
    """Return runs of neighbours with their common directory: the largest are divided as long as ``most`` allow it."""
    groups = [items] if items else []
    divisible = list(groups)
    while divisible and len(groups) < most:
        run = max(divisible, key=len)
        divisible.remove(run)
        parts = _join_small(list(islice(_split_below(run), MAX_PARTS)), most - len(groups) + 1)
        if len(parts) > 1:
            at = next(at for at, group in enumerate(groups) if group is run)
            groups[at : at + 1] = parts
            divisible += [part for part in parts if len(part) > 1]
    if len(groups) == 1 and most > 1 and items[-1].end - items[0].start >= RANGE_LINES:
        size = -(-len(items) // most)
        groups = [items[at : at + size] for at in range(0, len(items), size)]
    return [(_find_shared_directory(run), run) for run in groups]


def _join_small(parts: Sequence[Sequence[PathItem]], most: int) -> list[Sequence[PathItem]]:
    """Return at most ``most`` runs: the largest parts, and between them the neighbours of what is smaller."""
    if len(parts) == MAX_PARTS:
        return []
    for least in sorted({len(part) for part in parts}):
        small = [len(part) < least for part in parts]
        if len(parts) - sum(map(all, pairwise(small))) <= most:
            runs = (list(group) for _, group in groupby(enumerate(small), lambda pair: -1 if pair[1] else pair[0]))
            return [[item for at, _ in run for item in parts[at]] for run in runs]
    return []


def _split_below(items: Sequence[PathItem]) -> Iterator[Sequence[PathItem]]:
    """Yield runs of neighbours in the same directory below the common one; files directly in it are a run too."""
    cut = len(_find_shared_directory(items))
    begin, before = 0, None
    for at, item in enumerate(items):
        folder, slash, _ = item.path[cut:].partition("/")
        head = folder if slash else ""
        if before is not None and head != before:
            yield items[begin:at]
            begin = at
        before = head
    yield items[begin:]


def _find_shared_directory(run: Sequence[PathItem]) -> str:
    """Return the common directory of all paths in a run, with its slash, or an empty string."""
    first = run[0].path.split("/")[:-1]
    for item in run[1:]:
        parts = item.path.split("/")[:-1]
        same = 0
        while same < min(len(first), len(parts)) and first[same] == parts[same]:
            same += 1
        first = first[:same]
    return "/".join(first) + "/" if first else ""
