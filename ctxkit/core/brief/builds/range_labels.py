"""Labels of codes, files and ranges in outlines of build logs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from ctxkit.core.brief.builds.build_counts import (
    MAX_LINE_LENGTH,
    RANGE_LINES,
    Chunk,
    ClosingLines,
    CodeGroup,
    OutputRange,
)
from ctxkit.core.brief.outline import Entry, clean_line, quote
from ctxkit.core.text.lines import IndexedLines

MAX_PATH_PARTS = 12
"""Maximum number of path parts compared to tell files apart."""
MAX_CODES = 4
"""Maximum number of codes listed for one range."""
MANY_PARTS = 6
"""Number of ranges of one file behind each other from which they are stated as one."""
MIN_LINES = 3
"""Minimum number of lines without findings that are listed as a range."""
MAX_NAMED_LINES, MAX_NAME_WIDTH = 8, 50
"""Number of lines among which the first words of a range are looked for, and maximum number of their characters."""
MAX_MESSAGE_WIDTH = 70
"""Maximum number of characters of a message that replaces a code."""


def name_output(lines: IndexedLines, start: int, end: int) -> str:
    """Return the first words of a range of other output: ``linking a.o ...``."""
    for _, text in lines.enumerate_lines(start, min(end, start + MAX_NAMED_LINES)):
        words = clean_line(text, MAX_LINE_LENGTH)
        if any(map(str.isalpha, words)):
            return f"{words[:MAX_NAME_WIDTH].rstrip()} ..."
    return "other output"


def make_sort_key(group: CodeGroup) -> tuple[bool, int, int]:
    """Return the sort key of a code: what fails at run time first, and then the most frequent."""
    return not group.is_runtime_error, -group.count, group.first.number


def format_count(group: CodeGroup) -> str:
    """Return ``12x E501``, or the count with the common part of the messages if the findings have no code."""
    if group.code or group.message_form == "others":
        return f"{group.count:,}x {group.code or 'other messages'}"
    return f"{group.count:,}x {clean_line(group.message_form, MAX_MESSAGE_WIDTH)!r}"


def join_counts(groups: Sequence[CodeGroup]) -> Iterator[Entry]:
    """Yield entries with several counts each."""
    for at in range(0, len(groups), 12):
        part = groups[at : at + 12]
        rank = 1 if part[0].code or at < 48 else 3
        yield Entry(", ".join(map(format_count, part)), rank=rank, hidden_count=len(part))


def quote_closing(closing: ClosingLines, rank: int) -> Iterator[Entry]:
    """Yield a closing line; of several with the same words, the first and the last."""
    yield quote(closing.first.number, closing.first.text, rank=rank, width=300)
    if closing.count > 2:
        between = f"{closing.count - 2:,} more like the one above"
        yield Entry(between, closing.first.number + 1, closing.last.number - 1, max(rank, 1))
    if closing.count > 1:
        yield quote(closing.last.number, closing.last.text, rank=rank, width=300)


def sort_by_line(files: dict[str, list[Chunk]]) -> list[Chunk]:
    """Return the ranges of all files in the order of the log."""
    return sorted((chunk for chunks in files.values() for chunk in chunks), key=lambda chunk: (chunk.start, chunk.end))


def join_chunks(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return ranges in which those of one file that follow each other are one if they are many: they are alike."""
    joined: list[Chunk] = []
    for _, group in groupby(chunks, lambda chunk: set(chunk.paths)):
        run = list(group)
        joined += run if len(run) <= MANY_PARTS else [_join_run(run)]
    return joined


def _join_run(run: Sequence[Chunk]) -> Chunk:
    paths, codes = Counter[str](), Counter[str]()
    for chunk in run:
        paths += chunk.paths
        codes += chunk.codes
    return Chunk(run[0].start, max(c.end for c in run), paths, codes, sum(c.errors for c in run))


def shorten_names(files: dict[str, list[Chunk]]) -> dict[str, str]:
    """Return the shortest unique end of each path."""
    names: dict[str, str] = {}
    left = [path for path in files if path]
    for parts in range(1, MAX_PATH_PARTS + 1):
        ends = {path: "/".join(path.split("/")[-parts:]) for path in left}
        times = Counter(ends.values())
        names.update((path, end) for path, end in ends.items() if times[end] == 1)
        left = [path for path in left if path not in names]
    return names | {path: path for path in left}


def format_place(chunk: Chunk, form: str, names: dict[str, str]) -> str:
    """Return the files in a range, or the file and its codes if there is only one."""
    if form == "ends" and len(chunk.paths) > 2:
        labels = [names.get(path, path) for path in chunk.paths if path]
        return f"{labels[0]} ... {labels[-1]} ({len(chunk.paths)} files)" if labels else "no file named"
    if form in ("window", "names", "ends"):
        return _format_files(chunk, names, counted=form == "window")
    path = next(iter(chunk.paths), "") or "no file named"
    total = chunk.paths.total()
    if form == "file" or set(chunk.codes) <= {""}:
        return f"{path}: {total}"
    most = chunk.codes.most_common()
    labels = [f"{count}x {code}" if count > 1 else code for code, count in most[:MAX_CODES] if code]
    more = [f"{total - sum(count for code, count in most[:MAX_CODES] if code)} more"] if len(most) > len(labels) else []
    return f"{path}: {', '.join([*labels, *more])}"


def _format_files(chunk: Chunk, names: dict[str, str], *, counted: bool) -> str:
    """Return the files of a range, grouped by directory: ``lib/: a.js 2, b.js; c.js``."""
    folders: dict[str, list[str]] = {}
    for path, count in chunk.paths.items():
        folder, _, base = names.get(path, path).rpartition("/")
        folders.setdefault(folder, []).append(f"{base or 'no file'}{f' {count}' if counted and count > 1 else ''}")
    return "; ".join(
        f"{folder}/: {', '.join(files)}" if folder else ", ".join(files) for folder, files in folders.items()
    )


def split_parts(steps: Sequence[OutputRange], others: Sequence[OutputRange]) -> Iterator[OutputRange]:
    """Yield the steps, split into ranges of limited length; without steps, the ranges between findings."""
    if not steps:
        yield from (other for other in others if other.lines >= MIN_LINES)
        return
    if others and others[0].start < steps[0].start:
        yield OutputRange("before the first step", others[0].start, steps[0].start - 1)
    for at, step in enumerate(steps):
        end = max(step.end, steps[at + 1].start - 1) if at + 1 < len(steps) else step.end
        parts = (end - step.start) // RANGE_LINES + 1
        yield OutputRange(step.title, step.start, min(end, step.start + RANGE_LINES - 1))
        for part in range(1, min(parts, 200)):
            start = step.start + part * RANGE_LINES
            yield OutputRange(
                f"{step.title[:40]} (part {part + 1} of {parts})",
                start,
                end if part == 199 else min(end, start + RANGE_LINES - 1),
            )


def merge_ranges(output_ranges: Sequence[OutputRange], lines: IndexedLines) -> Iterator[OutputRange]:
    """Yield merged neighbours, up to the maximum length of a range, if there are too many to list separately."""
    run: list[OutputRange] = []
    for output_range in output_ranges:
        if run and output_range.end - run[0].start >= RANGE_LINES:
            yield join_ranges(run, lines)
            run = []
        run.append(output_range)
    if run:
        yield join_ranges(run, lines)


def join_ranges(run: Sequence[OutputRange], lines: IndexedLines) -> OutputRange:
    """Return one range for several consecutive ones."""
    if len(run) == 1:
        return run[0]
    first, last = (
        clean_line(part.title, 45) if part.title else name_output(lines, part.start, part.end)
        for part in (run[0], run[-1])
    )
    title = f"{first} to {last} ({len(run)} parts)" if first != last else f"{first} ({len(run)} parts)"
    return OutputRange(title, run[0].start, run[-1].end)
