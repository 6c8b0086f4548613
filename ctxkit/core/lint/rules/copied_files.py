"""Make the findings about equal files and copied blocks, one for each group, or for each pair of directories."""

from collections.abc import Iterator, Sequence

from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.rule import INFO, WARNING
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.copied_blocks import CopiedBlock

MAX_NAMED_PLACES = 3
"""Maximum places that a message names."""


def make_block_findings(blocks: Sequence[CopiedBlock], loads: LoadSetIndex) -> Iterator[LintFinding]:
    """Yield a finding for each block; equal files of two directories with the same names are one finding."""
    by_directories: dict[tuple[str, ...], list[CopiedBlock]] = {}
    for block in blocks:
        key = _find_directories(block) if block.is_file else ()
        if key:
            by_directories.setdefault(key, []).append(block)
        else:
            yield _make_block_finding(block, loads)
    for directories, files in by_directories.items():
        if len(files) == 1:
            yield _make_block_finding(files[0], loads)
        else:
            yield _make_directory_finding(directories, files)


def _find_directories(block: CopiedBlock) -> tuple[str, ...]:
    """Return the directories below which equal files have the same path; empty if they do not."""
    parts = [place.path.split("/") for place in block.places]
    common = 0
    while common < min(map(len, parts)) - 1 and len({path[-1 - common] for path in parts}) == 1:
        common += 1
    return tuple("/".join(path[: len(path) - common]) for path in parts) if common else ()


def _make_block_finding(block: CopiedBlock, loads: LoadSetIndex) -> LintFinding:
    keeper, first, *rest = block.places
    if block.is_file:
        message = f"the same file as {_name_places([place.path for place in (keeper, *rest)])}"
    else:
        others = [f"{place.path}:{place.line}" for place in (keeper, *rest)]
        message = f"{first.end_line - first.line + 1} lines are the same in {_name_places(others)}"
    wasted = loads.compute_waste(block.places)
    loaded = any(loads.has_common_set(keeper.path, place.path) for place in (first, *rest))
    return LintFinding(
        "DUP005",
        WARNING if loaded else INFO,
        *(first.path, first.line, first.end_line),
        message if loaded else f"{message}; no tool loads them together, but somebody must keep them in sync",
        related=(keeper, *rest),
        tokens=max((tokens for _, tokens in wasted), default=0) if loaded else 0,
        wasted=wasted if loaded else (),
        concept=f"{keeper.path} and {first.path}",
        essence="\n".join(place.path for place in block.places),
    )


def _make_directory_finding(directories: Sequence[str], files: Sequence[CopiedBlock]) -> LintFinding:
    keeper, *others = directories
    first = files[0].places[1]
    return LintFinding(
        "DUP005",
        INFO,
        *(first.path, first.line, first.end_line),
        f"{len(files)} files below {others[0]} are the same as below "
        f"{_name_places([keeper, *others[1:]])}; somebody must keep them in sync",
        related=tuple(place for block in files for place in _without_second(block)),
        concept=f"{keeper} and {others[0]}",
        essence="\n".join(directories),
    )


def _without_second(block: CopiedBlock) -> tuple[LineRange, ...]:
    return (block.places[0], *block.places[2:])


def _name_places(places: Sequence[str]) -> str:
    """Return the first places for a message, and the number of the others."""
    named = list(places[:MAX_NAMED_PLACES])
    if len(places) > MAX_NAMED_PLACES:
        named.append(f"{len(places) - MAX_NAMED_PLACES} more")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
