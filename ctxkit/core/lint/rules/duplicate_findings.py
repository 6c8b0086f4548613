"""Make the findings about equal files, copied blocks, repeated sections and restated files, in groups."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import INFO, WARNING, Fix, LineRange, LintFinding, TextEdit
from ctxkit.core.lint.document.markdown import Heading, MarkdownDocument
from ctxkit.core.lint.fixes.removal import delete_lines
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.copies import MIN_LINES, CopiedBlock, RepeatedSection, list_section_units
from ctxkit.core.lint.similarity.trees import MirroredFiles, make_mirror_finding

_MAX_OF_FILE = 3
"""Maximum blocks of a file that are findings of their own: more are one decision about the file."""
_PACKAGED = compile_lazily(r"(?:^|/)(?:skills|agents|commands?|prompts)/")
"""Matches files that people keep for several tools or packages: each tool looks for them in a place of its own."""
_MIN_SHARE = 0.75
"""Minimum part of the shorter file that must be copied, if no tool loads both, to call it a copy of the other.

Readers acted on such copies, and left boilerplate and procedures that two files have in common: docs/benchmarks.md.
"""
_MIN_SIMILARITY = 0.25
"""Minimum part of all statements that two files share, if no tool loads both: a rule of five lines is no copy."""
_MAX_NAMED_PLACES = 3
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
        by_hand = [path for path in (keeper, copy) if path not in generated]
        if not by_hand or any({keeper, copy} <= group for group in groups):
            continue
        finding = make_mirror_finding(mirror, loads)
        if finding.wasted:
            yield finding
        elif len(by_hand) > 1 and mirror.similarity >= _MIN_SIMILARITY:
            by_directories.setdefault((_find_top(keeper), _find_top(copy)), []).append(finding)
    yield from _join_by_directories(by_directories)


def _join_by_directories(by_directories: Mapping[tuple[str, str], list[LintFinding]]) -> Iterator[LintFinding]:
    """Yield one finding for the files of each two directories."""
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

    More than ``_MAX_OF_FILE`` blocks of a file that a tool loads twice are one finding. Blocks of which at most one
    file is written by hand are left out if no tool loads them twice.
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
        if len(group) > _MAX_OF_FILE:
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


def _describe_block(block: CopiedBlock) -> str:
    """Return where else the file or the lines of the second place of a block are."""
    keeper, first, *rest = block.places
    if block.is_file:
        return f"the same file as {_name_places([place.path for place in (keeper, *rest)])}"
    others = [f"{place.path}:{place.line}" for place in (keeper, *rest)]
    message = f"{first.end_line - first.line + 1} lines are the same in {_name_places(others)}"
    if block.others:
        count = sum(places[1].end_line - places[1].line + 1 for places in block.others)
        message += f", and {count} more in {len(block.others)} other block{'s' if len(block.others) > 1 else ''}"
    return message


def _make_block_finding(block: CopiedBlock, loads: LoadSetIndex) -> LintFinding:
    keeper, first, *rest = block.places
    message = _describe_block(block)
    wasted = loads.compute_waste(block.places)
    loaded = _is_loaded_twice(block, loads)
    paths = [place.path for place in block.places]
    is_packaged = all(map(_PACKAGED.search, paths)) and len(set(map(_find_top, paths))) > 1
    is_apart = is_packaged or block.share < _MIN_SHARE
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
    named = list(places[:_MAX_NAMED_PLACES])
    if len(places) > _MAX_NAMED_PLACES:
        named.append(f"{len(places) - _MAX_NAMED_PLACES} more")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def make_section_finding(document: MarkdownDocument, section: RepeatedSection, loads: LoadSetIndex) -> LintFinding:
    """Return the finding at a section of which another one says all; its removal is safe if both are equal."""
    kept, copy = (LineRange(document.path, heading.line, heading.end_line) for heading in (section.kept, section.copy))
    wasted = loads.compute_waste((kept, copy))
    says = "stands twice: it is also" if section.is_whole else "is also, with more statements,"
    return LintFinding(
        "DUP001",
        WARNING,
        *(copy.path, copy.line, copy.end_line, f"the section {says} in line {kept.line}"),
        related=(kept,),
        tokens=max((tokens for _, tokens in wasted), default=0),
        wasted=wasted,
        fix=_make_fix(document, section),
        concept=section.copy.title,
        essence="\n".join(unit.normal for unit in list_section_units(document, section.copy)),
    )


def _make_fix(document: MarkdownDocument, section: RepeatedSection) -> Fix:
    first, end_line = section.copy.line, section.copy.end_line
    while end_line == document.lines and first > 1 and not document.at(first - 1).strip():
        first -= 1  # the blank lines before the last section go with it
    texts = (_read_lines(document, heading) for heading in (section.kept, section.copy))
    is_safe = len(set(texts)) == 1 and _has_same_parents(document, section)
    edit = delete_lines(document, first, end_line)
    return Fix((edit,), is_safe, f"remove the section, keep the one in line {section.kept.line}")


def _read_lines(document: MarkdownDocument, heading: Heading) -> tuple[str, ...]:
    """Return the lines of a section with its title that are not blank, without blanks at their ends."""
    lines = (document.at(number).rstrip() for number in range(heading.line, heading.end_line + 1))
    return tuple(filter(None, lines))


def _has_same_parents(document: MarkdownDocument, section: RepeatedSection) -> bool:
    """Return whether both sections stand below the same titles."""
    kept, copy = (list_section_units(document, heading)[0].section for heading in (section.kept, section.copy))
    return kept == copy


MAX_SECTIONS = 3
"""Maximum restated or copied parts of two files that are findings of their own: more are one decision about them."""
_MIN_TOKENS = 50
"""Minimum tokens of all single statements that two files share: readers knew of short rules in both, and left them."""
_SINGLE = ("DUP002", "DUP003", "DUP004")


def join_parts(
    findings: Iterable[LintFinding], persona: Container[str], known_pairs: Container[tuple[str, str]]
) -> Iterator[LintFinding]:
    """Yield one finding for two files of which one copies or restates parts of the other; others as they are.

    Leave out two files that have only single statements in common, which cost less than ``_MIN_TOKENS``, and
    ``known_pairs``, which have a finding. The files of a ``persona`` are one prompt in parts, in which each statement
    has one place: only more than ``MAX_SECTIONS`` near duplicates of two of them are one finding. The first related
    place of each finding is what stays.
    """
    groups: dict[tuple[str, str], list[LintFinding]] = {}
    for finding in findings:
        groups.setdefault((finding.path, finding.related[0].path), []).append(finding)
    for (path, keeper), group in groups.items():
        if path == keeper or path in persona or keeper in persona:
            yield from _join_near(group)
        elif (path, keeper) not in known_pairs and not _is_small(group):
            yield group[0] if len(group) == 1 else _join_kinds(group)


def _join_near(group: Sequence[LintFinding]) -> Iterator[LintFinding]:
    """Yield the findings of two files, more than ``MAX_SECTIONS`` near duplicates as one."""
    near = [finding for finding in group if finding.code == "DUP003"]
    if len(near) <= MAX_SECTIONS:
        yield from group
    else:
        yield from (finding for finding in group if finding not in near)
        yield _join_findings(near, "{} sections say nearly what {} says")


def _is_small(group: Sequence[LintFinding]) -> bool:
    """Return whether two files share only single statements that cost little together."""
    is_single = all(finding.code in _SINGLE for finding in group)
    return is_single and sum(finding.tokens or 0 for finding in group) < _MIN_TOKENS


def _join_kinds(group: Sequence[LintFinding]) -> LintFinding:
    """Return the finding for the copied and the restated parts of two files; a drifted copy counts most."""
    codes = {finding.code for finding in group}
    code = next(code for code in ("DUP006", "DUP005", "DUP002", "DUP004", "DUP003", "DUP007") if code in codes)
    if codes == {"DUP003"}:
        what = "{} sections say nearly what {} says"
    else:
        what = "{} parts are also in {}" + ("" if codes <= {"DUP002", "DUP004", "DUP005"} else ", some in other words")
    return _join_findings(group, what)._replace(code="DUP002" if code == "DUP004" else code)


def _join_findings(findings: Sequence[LintFinding], what: str) -> LintFinding:
    """Return the finding for all parts at the place of the first; the places of the others follow in pairs."""
    group = sorted(findings, key=lambda finding: (finding.line, finding.related[0].line))
    first = group[0]
    keeper = first.related[0].path
    lines = ", ".join(f"{finding.line}/{finding.related[0].line}" for finding in group[:MAX_SECTIONS])
    more = f" and {len(group) - MAX_SECTIONS} more" if len(group) > MAX_SECTIONS else ""
    others = [place for finding in group[1:] for place in (finding.location, finding.related[0])]
    wasted = _add_waste(group)
    edits = _join_edits(group)
    scores = [finding.score for finding in group if finding.score is not None]
    return first._replace(
        severity=max(finding.severity for finding in group),
        message=f"{what.format(len(group), keeper)} (lines {lines}{more})",
        related=tuple(dict.fromkeys((*first.related, *others))),
        tokens=max((tokens for _, tokens in wasted), default=0),
        wasted=wasted,
        fix=Fix(edits, _are_safe(group), f"remove what {keeper} says in full") if edits else None,
        score=round(sum(scores) / len(scores), 2) if scores else None,
        essence=f"{keeper}\n{first.path}",
    )


def _are_safe(group: Sequence[LintFinding]) -> bool:
    return all(finding.fix is not None and finding.fix.safe for finding in group)


def _add_waste(group: Sequence[LintFinding]) -> tuple[tuple[str, int], ...]:
    """Return the wasted tokens by load set; lines that restate two sections count once."""
    total: Counter[str] = Counter()
    counted: list[LineRange] = []
    for finding in group:
        if not any(finding.line <= place.end_line and place.line <= finding.end_line for place in counted):
            counted.append(finding.location)
            total.update(dict(finding.wasted))
    return tuple(total.items())


def _join_edits(group: Sequence[LintFinding]) -> tuple[TextEdit, ...]:
    """Return the edits of all fixes; of fixes that overlap, those of the first."""
    edits: dict[TextEdit, None] = {}
    for finding in group:
        new = [edit for edit in finding.fix.edits if edit not in edits] if finding.fix else []
        if not any(_overlap(edit, other) for edit in new for other in edits):
            edits.update(dict.fromkeys(new))
    return tuple(edits)


def _overlap(first: TextEdit, second: TextEdit) -> bool:
    return first.path == second.path and first.start < second.end and second.start < first.end
