"""Find duplicated statements within a workspace (DUP)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ctxkit.core.lint.document.finding import Fix, LineRange, LintFinding, TextEdit
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.rule import INFO
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.fixes.copy_removal import make_removal_fix
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.rules.contradictions import RULES as CONTRADICTIONS
from ctxkit.core.lint.rules.contradictions import find_contradictions
from ctxkit.core.lint.rules.copy_order import rank_places
from ctxkit.core.lint.rules.copy_severity import choose_code, is_pointer_pair
from ctxkit.core.lint.rules.duplicate_texts import RULES as DUPLICATES
from ctxkit.core.lint.similarity.duplicate_groups import Duplicates, StatementConflict, find_duplicates
from ctxkit.core.lint.similarity.paraphrase import find_pointers, find_source_copies
from ctxkit.core.lint.similarity.runs import MIN_RUN, CopyRun, find_runs
from ctxkit.core.lint.similarity.statement_groups import DuplicateGroup
from ctxkit.core.lint.similarity.trees import find_mirrored_files, group_paths, make_mirror_finding

RULES = (*DUPLICATES, *CONTRADICTIONS)


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield duplicated statements, and statements that contradict each other."""
    loads = LoadSetIndex(workspace)
    documents = {document.path: document for document in workspace.documents}
    if workspace.prompt:
        documents[workspace.prompt.path] = workspace.prompt
    mirrors = find_mirrored_files(workspace, loads)
    groups = group_paths(mirrors)
    duplicates = find_duplicates(workspace, loads)
    reported: set[Unit] = set()
    drifted: set[Unit] = set()
    listed_units: set[Unit] = set()
    for run in find_runs(duplicates.groups, duplicates.conflicts, duplicates.order, loads.has_common_set):
        for part in _split_run(run):
            if not _is_mirrored(part, groups):
                yield _restrict_fix(_make_finding(part, documents, loads), groups)
                listed_units.update(_list_units(part))
        reported.update(_list_units(run))
        drifted.update(unit for link in run.drifted_links for unit in link.units)
    for run in find_runs(_keep_one_mirror(duplicates.groups, groups), (), duplicates.order, loads.has_common_set):
        unlisted = (part for part in _split_run(run) if not listed_units.issuperset(_list_units(part)))
        yield from (_restrict_fix(_make_finding(part, documents, loads), groups) for part in unlisted)
    yield from find_contradictions(workspace, _open_conflicts(duplicates, drifted))
    yield from (make_mirror_finding(mirror, loads) for mirror in mirrors)
    yield from _find_pointers(workspace, loads, reported)
    yield from _find_restatements(workspace)


def _list_units(run: CopyRun) -> list[Unit]:
    return [unit for link in run.links for unit in link.units]


def _keep_one_mirror(duplicates: Iterable[DuplicateGroup], groups: Mapping[str, int]) -> Iterator[DuplicateGroup]:
    """Yield the groups with copies in mirrored files, without those in all such files but the first.

    What is left are the copies inside of that file, and those in other files.
    """
    for group in duplicates:
        firsts: dict[int, str] = {}
        for unit in group.units:
            firsts.setdefault(groups.get(unit.path, -1), unit.path)
        units = tuple(
            unit for unit in group.units if unit.path not in groups or firsts[groups[unit.path]] == unit.path
        )
        if 1 < len(units) < len(group.units):
            exact = all(unit.normal == units[0].normal for unit in units)
            yield DuplicateGroup(units, 1.0 if exact else group.score)


def _is_mirrored(run: CopyRun, groups: Mapping[str, int]) -> bool:
    """Return whether a run only repeats that files mirror each other, which is a finding of its own."""
    paths = [unit.path for unit in run.links[0].units]
    same_group = len({groups.get(path, -1) for path in paths}) == 1 and paths[0] in groups
    return same_group and len(set(paths)) == len(paths) and not run.drifted_links


def _restrict_fix(finding: LintFinding, groups: Mapping[str, int]) -> LintFinding:
    """Return a finding without its fix if that removes lines that keep two mirrored files equal."""
    places = {place.path for place in (finding.location, *finding.related)}
    numbers = [groups[path] for path in places if path in groups]
    if finding.fix is None or len(numbers) == len(set(numbers)):
        return finding
    return finding._replace(fix=None)


def _open_conflicts(duplicates: Duplicates, drifted: set[Unit]) -> tuple[StatementConflict, ...]:
    """Return the conflicts that are not part of a drifted copy."""
    return tuple(clash for clash in duplicates.conflicts if clash.first not in drifted)


def _split_run(run: CopyRun) -> Iterator[CopyRun]:
    """Yield a long run as it is, and a short run as one run per statement."""
    if len(run.links) >= MIN_RUN:
        yield run
    else:
        yield from (run._replace(links=(link,)) for link in run.links if not link.has_drifted)


def _make_finding(run: CopyRun, documents: Mapping[str, MarkdownDocument], loads: LoadSetIndex) -> LintFinding:
    """Return the finding for a run, at the first place that may be removed."""
    keeper, spare, known = rank_places(run, documents, loads)
    every = run.places
    places = [every[number] for number in (keeper, *spare, *known)]
    code, severity = choose_code(run, places)
    wasted = loads.compute_waste(every[number] for number in (keeper, *spare))
    first, rest = places[1], places[2:]
    return LintFinding(
        code,
        severity,
        first.path,
        first.line,
        first.end_line,
        _format_message(run, places),
        related=(places[0], *rest),
        tokens=max((tokens for _, tokens in wasted), default=0),
        wasted=wasted,
        fix=_make_fix(run, (keeper, *spare), documents, loads) if code != "DUP007" else None,
        concept=run.links[0].units[spare[0]].text,
        score=None if run.score == 1.0 or code == "DUP007" else round(run.score, 2),
        essence="\n".join(sorted({unit.normal for link in run.links for unit in link.units})),
    )


def _format_message(run: CopyRun, places: Sequence[LineRange]) -> str:
    keeper, first, *rest = places
    where = _format_place(keeper, first)
    if rest:
        where += f" and {len(rest)} other place{'s' if len(rest) > 1 else ''}"
    if run.drifted_links:
        lines = ", ".join(f"{link.units[0].line}/{link.units[1].line}" for link in run.drifted_links)
        return f"differs from its copy in {where} (lines {lines})"
    if is_pointer_pair(run, places):
        return f"refers to {keeper.path} and repeats its line {keeper.line}"
    many = len(run.links) > 1
    if run.score == 1.0:
        return f"{len(run.links)} consecutive statements are also in {where}" if many else f"also in {where}"
    alike = f"{run.score:.0%} similar to {where}"
    return f"{len(run.links)} consecutive statements are {alike}" if many else alike


def _format_place(place: LineRange, reference: LineRange) -> str:
    """Return a place for a message; only its line if the reference is in the same file."""
    if place.path != reference.path:
        return f"{place.path}:{place.line}"
    return f"line {place.line}"


def _make_fix(
    run: CopyRun, order: Sequence[int], documents: Mapping[str, MarkdownDocument], loads: LoadSetIndex
) -> Fix | None:
    """Return the fix that removes all copies but the first; None for a copy that drifted or that says much more."""
    if run.drifted_links:
        return None
    edits: list[TextEdit] = []
    safe = True
    for link in run.links:
        keeper, *others = (link.units[number] for number in order)
        fix = make_removal_fix(keeper, others, documents.get, loads, exact=link.score == 1.0)
        if fix is None:
            return None
        edits.extend(fix.edits)
        safe = safe and fix.safe and len(run.links) == 1
    return Fix(tuple(edits), safe, fix.description) if fix else None


def _find_pointers(workspace: Workspace, loads: LoadSetIndex, reported: set[Unit]) -> Iterator[LintFinding]:
    for unit, other in find_pointers(workspace, loads):
        if unit not in reported:
            place = LineRange(other.path, other.line, other.end_line)
            wasted = loads.compute_waste((LineRange(unit.path, unit.line, unit.end_line), place))
            yield LintFinding(
                *("DUP007", INFO, unit.path, unit.line, unit.end_line),
                f"refers to {other.path} and repeats its line {other.line}",
                related=(place,),
                tokens=max((tokens for _, tokens in wasted), default=0),
                wasted=wasted,
                concept=unit.text,
                essence=unit.normal,
            )


def _find_restatements(workspace: Workspace) -> Iterator[LintFinding]:
    for unit, other, score in find_source_copies(workspace):
        yield LintFinding(
            *("DUP008", INFO, unit.path, unit.line, unit.end_line),
            f"repeats {other.path}:{other.line}",
            related=(LineRange(other.path, other.line, other.end_line),),
            concept=unit.text,
            score=None if score == 1.0 else round(score, 2),
            essence=unit.normal,
        )
