"""Make the findings about equal files and copied blocks, one for each group, or for each pair of directories."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.rule import INFO, WARNING
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.copied_blocks import MIN_LINES, CopiedBlock
from ctxkit.core.lint.similarity.trees import MirroredFiles, make_mirror_finding

MAX_OF_FILE = 3
"""Maximum blocks of a file that are findings of their own: more are one decision about the file."""
_PACKAGED = compile_lazily(r"(?:^|/)(?:skills|agents|commands?|prompts)/")
"""Matches files that people keep for several tools or packages: each tool looks for them in a place of its own."""
MIN_SHARE = 0.75
"""Minimum part of the shorter file that must be copied, if no tool loads both, to call it a copy of the other.

Readers acted on such copies, and left boilerplate and procedures that two files have in common: docs/benchmarks.md.
"""
MIN_SIMILARITY = 0.25
"""Minimum part of all statements that two files share, if no tool loads both: a rule of five lines is no copy."""
MAX_NAMED_PLACES = 3
"""Maximum places that a message names."""


def make_mirror_findings(
    mirrors: Sequence[MirroredFiles], blocks: Sequence[CopiedBlock], loads: LoadSetIndex, generated: Container[str]
) -> Iterator[LintFinding]:
    """Yield a finding for each two mirrored files that cost tokens, and one for all others of the same directories.

    Those of a larger group of equal files are left out: the group is a finding. So are files of which a program, as
    their first lines say, writes both, or one of two that cost nothing: the program keeps them in sync.
    """
    groups = [{place.path for place in block.places} for block in blocks if block.is_file and len(block.places) > 2]
    by_directories: dict[tuple[str, str], list[LintFinding]] = {}
    for mirror in mirrors:
        keeper, copy = mirror.keeper.path, mirror.copy.path
        if any(keeper in group and copy in group for group in groups) or (keeper in generated and copy in generated):
            continue
        finding = make_mirror_finding(mirror, loads)
        if finding.wasted:
            yield finding
        elif keeper not in generated and copy not in generated and mirror.similarity >= MIN_SIMILARITY:
            by_directories.setdefault((_find_top(keeper), _find_top(copy)), []).append(finding)
    for (home, other), findings in by_directories.items():
        if len(findings) == 1 or home == other:
            yield from findings
        else:
            yield _join_mirrors(home or ".", other or ".", findings)


def _join_mirrors(home: str, other: str, findings: Sequence[LintFinding]) -> LintFinding:
    """Return the finding for files of two directories that mirror each other, at the first one that has changed."""
    drifted = [finding for finding in findings if finding.code == "DUP006"]
    first, *rest = sorted(findings, key=lambda finding: (finding not in drifted, finding.path))
    equal = sum(finding.score is None for finding in findings)
    if equal == len(findings):
        what = f"{equal} files below {other} have the same statements as those below {home}"
    else:
        what = f"{len(findings)} files below {other} have half of their statements or more from those below {home}"
        what += f", {equal} of them all" if equal else ""
    places = (*first.related, *(place for finding in rest for place in (finding.location, *finding.related)))
    return first._replace(
        code="DUP009",
        message=f"{what}; no tool loads both, but somebody must keep them in sync",
        related=tuple(dict.fromkeys(places)),
        concept=f"{home} and {other}",
        score=None,
        essence=f"{home}\n{other}",
    )


def make_block_findings(
    blocks: Sequence[CopiedBlock], loads: LoadSetIndex, generated: Container[str] = ()
) -> Iterator[LintFinding]:
    """Yield a finding for each block that a tool loads twice, and one for all others of the same directories.

    More than ``MAX_OF_FILE`` blocks of a file that a tool loads twice are one finding. Blocks of which at most one file
    is written by hand are left out if no tool loads them twice.
    """
    by_directories: dict[tuple[str, ...], list[CopiedBlock]] = {}
    by_keeper: dict[str, list[CopiedBlock]] = {}
    for block in blocks:
        if _is_loaded_twice(block, loads):
            by_keeper.setdefault(block.places[0].path, []).append(block)
        elif sum(place.path not in generated for place in block.places) > 1:
            key = tuple(dict.fromkeys(_find_top(place.path) for place in block.places))
            by_directories.setdefault(key, []).append(block)
    for group in by_keeper.values():
        if len(group) > MAX_OF_FILE:
            yield _make_file_finding(group, loads)
        else:
            yield from (_make_block_finding(block, loads) for block in group)
    for directories, group in by_directories.items():
        if len(group) == 1:
            yield _make_block_finding(group[0], loads)
        else:
            yield _make_directory_finding(directories, group)


def _is_loaded_twice(block: CopiedBlock, loads: LoadSetIndex) -> bool:
    keeper, *copies = block.places
    return any(loads.has_common_set(keeper.path, place.path) for place in copies)


def _find_top(path: str) -> str:
    """Return the directory, at most two levels deep, that a file is below: .claude/skills, packages/web."""
    return "/".join(path.split("/")[:-1][:2])


def _make_block_finding(block: CopiedBlock, loads: LoadSetIndex) -> LintFinding:
    keeper, first, *rest = block.places
    if block.is_file:
        message = f"the same file as {_name_places([place.path for place in (keeper, *rest)])}"
    else:
        others = [f"{place.path}:{place.line}" for place in (keeper, *rest)]
        message = f"{first.end_line - first.line + 1} lines are the same in {_name_places(others)}"
        if block.others:
            count = sum(places[1].end_line - places[1].line + 1 for places in block.others)
            message += f", and {count} more in {len(block.others)} other block{'s' if len(block.others) > 1 else ''}"
    wasted = loads.compute_waste(block.places)
    loaded = _is_loaded_twice(block, loads)
    paths = [place.path for place in block.places]
    is_packaged = all(map(_PACKAGED.search, paths)) and len(set(map(_find_top, paths))) > 1
    is_apart = is_packaged or block.share < MIN_SHARE
    return LintFinding(
        "DUP009" if is_apart and not loaded else "DUP005",
        WARNING if loaded else INFO,
        *(first.path, first.line, first.end_line),
        message if loaded else f"{message}; no tool loads them together, but somebody must keep them in sync",
        related=(keeper, *rest),
        tokens=max((tokens for _, tokens in wasted), default=0) if loaded else 0,
        wasted=wasted if loaded else (),
        concept=f"{keeper.path} and {first.path}",
        essence="\n".join(place.path for place in block.places),
    )


def _make_file_finding(group: Sequence[CopiedBlock], loads: LoadSetIndex) -> LintFinding:
    """Return the finding for a file of which many blocks stand again in files that a tool loads with it."""
    keeper, first = group[0].places[:2]
    copies = {place.path for block in group for place in block.places[1:]}
    where = _name_places(sorted({_find_top(path) or "." for path in copies}))
    what = f"{len(group)} blocks of {MIN_LINES} lines or more of {keeper.path}"
    waste: Counter[str] = Counter()
    for block in group:
        waste.update(dict(loads.compute_waste(block.places)))
    return LintFinding(
        "DUP005",
        WARNING,
        *(first.path, first.line, first.end_line),
        f"{what} stand again in {len(copies)} files below {where}",
        related=tuple(dict.fromkeys(place for block in group for place in block.places if place != first)),
        tokens=max(waste.values(), default=0),
        wasted=tuple(waste.items()),
        concept=keeper.path,
        essence=f"{keeper.path}\n{where}",
    )


def _make_directory_finding(directories: Sequence[str], group: Sequence[CopiedBlock]) -> LintFinding:
    """Return the finding for files of some directories that no tool loads together."""
    first = group[0].places[1]
    copies = {place.path for block in group for place in block.places[1:]}
    equal = {place.path for block in group if block.is_file for place in block.places[1:]}
    where = [directory or "." for directory in directories]
    home, others = where[0], _name_places(where[1:] or where)
    if equal == copies:
        which = "others" if len(where) == 1 else "those"
        message = f"{len(copies)} files below {others} are the same as {which} below {home}"
    else:
        message = (
            f"{len(copies)} files below {others} share blocks of {MIN_LINES} lines or more with files below {home}"
        )
        message += f", and {len(equal)} of them are the same" if equal else ""
    return LintFinding(
        "DUP009",
        INFO,
        *(first.path, first.line, first.end_line),
        f"{message}; somebody must keep them in sync",
        related=tuple(dict.fromkeys(place for block in group for place in block.places if place != first)),
        concept=" and ".join(where),
        essence="\n".join(directories),
    )


def _name_places(places: Sequence[str]) -> str:
    """Return the first places for a message, and the number of the others."""
    named = list(places[:MAX_NAMED_PLACES])
    if len(places) > MAX_NAMED_PLACES:
        named.append(f"{len(places) - MAX_NAMED_PLACES} more")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
