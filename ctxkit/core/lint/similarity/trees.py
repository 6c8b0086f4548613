"""Find files for different tools that mirror each other: copies, or files that say mostly the same."""

from collections import Counter
from collections.abc import Iterator, Sequence
from posixpath import dirname
from typing import NamedTuple

from ctxkit.core.lint.document.finding import INFO, WARNING, LineRange, LintFinding
from ctxkit.core.lint.document.imports import find_imports
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument, Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.hosts import find_tool, suggest_sharing
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.compared_statements import is_significant

MIN_SHARED = 0.5
"""Minimum share of the smaller file's statements that are also in the other file."""
MIN_COPY = 0.6
"""Minimum share of equal statements in two files of which one is a drifted copy."""
MIN_STATEMENTS = 5
"""Minimum statements of such files."""
MAX_NAMED_TOOLS = 3
"""Maximum load sets whose cost a message names."""


class MirroredFiles(NamedTuple):
    """Two files of one directory, for different tools, that share statements; ``keeper`` is the one to keep."""

    keeper: MarkdownDocument
    copy: MarkdownDocument
    kept_units: dict[str, Unit]
    copied_units: dict[str, Unit]

    @property
    def common_statements(self) -> list[str]:
        """Return the normalized statements of both files, in the order of the copy."""
        return [normal for normal in self.copied_units if normal in self.kept_units]

    @property
    def similarity(self) -> float:
        """Return the share of all statements that both files contain."""
        return len(self.common_statements) / len(self.copied_units.keys() | self.kept_units.keys())


def find_mirrored_files(workspace: Workspace, loads: LoadSetIndex) -> list[MirroredFiles]:
    """Return each file with the earlier file for another tool that it shares most statements with.

    A file that some tool loads together with it comes first: only its copies cost tokens.
    """
    by_directory: dict[str, list[tuple[MarkdownDocument, dict[str, Unit]]]] = {}
    for document in workspace.documents:
        if document.role in (FileRole.INSTRUCTIONS, FileRole.RULES):
            units = {unit.normal: unit for unit in reversed(document.units) if is_significant(unit)}
            if len(units) >= MIN_STATEMENTS:
                entry = (document, dict(reversed(units.items())))
                by_directory.setdefault(_target_directory(document.path), []).append(entry)
    return [mirror for entries in by_directory.values() for mirror in _find_mirrors(sorted(entries, key=_rank), loads)]


def _rank(entry: tuple[MarkdownDocument, dict[str, Unit]]) -> tuple[bool, str]:
    path = entry[0].path
    return not path.endswith("AGENTS.md"), path


def _find_mirrors(
    entries: Sequence[tuple[MarkdownDocument, dict[str, Unit]]], loads: LoadSetIndex
) -> Iterator[MirroredFiles]:
    places: dict[str, list[int]] = {}
    for number, (document, units) in enumerate(entries):
        counts = Counter(place for normal in units for place in places.get(normal, ()))
        shares = (
            (loads.has_common_set(entries[place][0].path, document.path), count, -place)
            for place, count in counts.items()
            if count >= MIN_SHARED * min(len(units), len(entries[place][1]))
            and find_tool(entries[place][0].path) != find_tool(document.path)
        )
        best = max(shares, default=None)
        if best is not None:
            keeper, kept_units = entries[-best[2]]
            yield MirroredFiles(keeper, document, kept_units, units)
        for normal in units:
            if len(known := places.setdefault(normal, [])) < MAX_PLACES:
                known.append(number)


MAX_PLACES = 20
"""Maximum files of a directory with the same statement that are compared."""


def _target_directory(path: str) -> str:
    """Return the directory that a file applies to: for .github or .cursor/rules, their parent."""
    head = f"/{path}"
    for folder in ("/.github/", "/.cursor/", "/.claude/", "/.windsurf/", "/.clinerules/"):
        head = head.partition(folder)[0] + "/x" if folder in head else head
    return dirname(head)


def make_mirror_finding(mirror: MirroredFiles, loads: LoadSetIndex) -> LintFinding:
    """Return the finding for two mirrored files: what they share, what that costs, and how to share one file."""
    keeper, copy, common = mirror.keeper.path, mirror.copy.path, mirror.common_statements
    wasted = _sum_waste(mirror, loads)
    similarity = mirror.similarity
    drifted = MIN_COPY <= similarity < 1.0
    total = len(mirror.copied_units)
    what = f"{len(common)} of {total} statements as in {keeper}" if similarity < 1.0 else f"same statements as {keeper}"
    if drifted and (others := len(mirror.kept_units) - len(common)):
        what += f", which has {others} {'other' if others == 1 else 'others'}"
    parts = [what, _describe_cost(wasted), _suggest(mirror)]
    return LintFinding(
        "DUP006" if drifted else "DUP005",
        WARNING if wasted else INFO,
        *(copy, 1, mirror.copy.lines),
        "; ".join(filter(None, parts)),
        related=(LineRange(keeper, 1, mirror.keeper.lines),),
        tokens=max((tokens for _, tokens in wasted), default=0),
        wasted=wasted,
        concept=f"{keeper} and {copy}",
        score=None if similarity == 1.0 else round(similarity, 2),
        essence=f"{keeper}\n{copy}",
    )


def _sum_waste(mirror: MirroredFiles, loads: LoadSetIndex) -> tuple[tuple[str, int], ...]:
    if not loads.has_common_set(mirror.keeper.path, mirror.copy.path):
        return ()
    waste: Counter[str] = Counter()
    for normal in mirror.common_statements:
        units = (mirror.kept_units[normal], mirror.copied_units[normal])
        waste.update(dict(loads.compute_waste(LineRange(unit.path, unit.line, unit.end_line) for unit in units)))
    return tuple(waste.items())


def _describe_cost(wasted: Sequence[tuple[str, int]]) -> str:
    """Return the cost of the copies in each load set, the highest first."""
    if not wasted:
        return "no tool loads both, but somebody must keep them in sync"
    ordered = sorted(wasted, key=lambda pair: -pair[1])
    named = [f"{tokens} tokens in {name}" for name, tokens in ordered[:MAX_NAMED_TOOLS]]
    more = f" and {len(ordered) - MAX_NAMED_TOOLS} more" if len(ordered) > MAX_NAMED_TOOLS else ""
    return f"the copies cost {', '.join(named)}{more}"


def _suggest(mirror: MirroredFiles) -> str:
    """Return what to do about two mirrored files, "" if that is not known."""
    keeper, copy = mirror.keeper, mirror.copy
    targets = {item.path for item in find_imports(copy)}
    if not targets.isdisjoint({keeper.path, *keeper.aliases}):
        return f"{copy.path} imports {keeper.path} already, so remove them from {copy.path}"
    return suggest_sharing(copy.path, keeper.path)
