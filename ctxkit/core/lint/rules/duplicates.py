"""Find copied files, passages and statements within a workspace, and sections that are restated (DUP)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import Fix, LineRange, LintFinding
from ctxkit.core.lint.document.generated import is_generated
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import INFO, WARNING
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.fixes.copy_removal import make_removal_fix
from ctxkit.core.lint.fixes.repetition import repeats
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.rules.copied_files import make_block_findings, make_mirror_findings
from ctxkit.core.lint.rules.duplicate_texts import RULES as DUPLICATES
from ctxkit.core.lint.rules.repeated_sections import make_section_finding
from ctxkit.core.lint.rules.restated_files import join_parts
from ctxkit.core.lint.rules.value_conflicts import RULES as CONTRADICTIONS
from ctxkit.core.lint.rules.value_conflicts import find_value_conflicts
from ctxkit.core.lint.similarity.compared_statements import list_compared_documents
from ctxkit.core.lint.similarity.copied_blocks import CopiedBlock, find_copied_blocks
from ctxkit.core.lint.similarity.copies import CopiedPassage, Copies, find_copies
from ctxkit.core.lint.similarity.pointers import is_stub, points_to
from ctxkit.core.lint.similarity.repeated_sections import find_repeated_sections, list_section_units
from ctxkit.core.lint.similarity.restatements import Restatement, find_restatements
from ctxkit.core.lint.similarity.trees import MirroredFiles, find_mirrored_files

RULES = (*DUPLICATES, *CONTRADICTIONS)
_PERSONA = (FileRole.PROMPT, FileRole.PERSONA, FileRole.TOOLS, FileRole.CONTEXT, FileRole.MEMORY, FileRole.DAILY)
"""Roles of the files that a host of personas puts together into one prompt."""
_ON_DEMAND = (FileRole.SKILL, FileRole.COMMAND)
_RUBRIC = compile_lazily(r"\b(?:rubrics?|scor(?:e|es|ing)|grading|reviews?|audits?|checklists?)\b", re.IGNORECASE)
"""Matches titles of sections that ask for what other sections demand."""
SURE_SCORE = 0.75
"""Minimum share of common words of a restated section that is a warning."""
ROLE_ORDER = (
    *(FileRole.PROMPT, FileRole.INSTRUCTIONS, FileRole.TOOLS, FileRole.PERSONA, FileRole.RULES, FileRole.SKILL),
    *(FileRole.COMMAND, FileRole.DOCS, FileRole.CONTEXT, FileRole.MEMORY, FileRole.DAILY),
)
"""Roles in the order in which a copy is kept: instructions first, then files on one topic, then memory."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield copies and restated sections, and statements that differ only in a value."""
    loads = LoadSetIndex(workspace)
    always = frozenset(path for loaded in workspace.load_sets if loaded.always for path in loaded.paths)

    def rank(document: MarkdownDocument) -> tuple[int, bool, int, str]:
        """Return the place among the documents whose copies are kept; rules that are always loaded come first."""
        return (ROLE_ORDER.index(document.role), document.path not in always, document.path.count("/"), document.path)

    documents = sorted(list_compared_documents(workspace), key=rank)
    by_path = {document.path: document for document in documents}
    mirrors = find_mirrored_files(workspace, loads)
    mirrored = {(mirror.keeper.path, mirror.copy.path) for mirror in mirrors}
    blocks = find_copied_blocks(sorted(workspace.documents, key=rank))
    other_blocks = [block for block in blocks if not _is_mirrored(block, mirrored)]
    generated = frozenset(document.path for document in workspace.documents if is_generated(document))
    stubs = frozenset(document.path for document in workspace.documents if is_stub(document))
    other_mirrors = [mirror for mirror in mirrors if not {mirror.keeper.path, mirror.copy.path} <= stubs]
    listed_blocks = [block for block in other_blocks if not {place.path for place in block.places} <= stubs]
    yield from make_mirror_findings(other_mirrors, listed_blocks, loads, generated)
    yield from make_block_findings(listed_blocks, loads, generated)
    skipped = _list_units(by_path, mirrors, blocks, are_copies=True)
    repeated = [(document, pair) for document in documents for pair in find_repeated_sections(document)]
    yield from (make_section_finding(document, pair, loads) for document, pair in repeated)
    skipped |= {unit for document, pair in repeated for unit in list_section_units(document, pair.copy)}
    shared = _list_units(by_path, mirrors, blocks, are_copies=False)
    groups = [{place.path for place in block.places} for block in other_blocks]
    copies = _find_all_copies(documents, loads, skipped)
    findings_of_copies = [_make_passage_finding(passage, by_path, loads) for passage in copies.passages]
    for statements in _join_adjacent(copies, documents):
        paths = {unit.path for group in statements for unit in group}
        if len(paths) > 1 and (paths <= stubs or any(paths <= group for group in groups)):
            continue  # the finding about these files says more, or each tool has one of them
        finding = _make_copy_finding(statements, by_path, loads)
        is_shared = any(unit in shared for group in statements for unit in group[1:])
        findings_of_copies.append(finding._replace(fix=None) if is_shared else finding)
    skipped |= {unit for passage in copies.passages for _, unit in passage.pairs}
    skipped |= {unit for group in copies.groups for unit in group[1:]}
    restatements = [
        _make_restatement_finding(restatement, by_path, loads)
        for restatement in find_restatements(documents, loads, skipped, workspace.notice)
        if not (_is_restated_mirror(restatement, mirrored) or _is_apart(restatement, by_path))
    ]
    persona = frozenset(path for path in by_path if by_path[path].role in _PERSONA)
    known_pairs = {*mirrored, *((copy, keeper) for keeper, copy in mirrored)}
    yield from join_parts([*findings_of_copies, *filter(None, restatements)], persona, known_pairs)
    yield from find_value_conflicts(documents, loads, skipped)


def _find_all_copies(
    documents: Sequence[MarkdownDocument], loads: LoadSetIndex, skipped: frozenset[Unit]
) -> Copies:
    """Return the copies in each skill and command, and among all other documents.

    A skill is used without the instructions and without other skills, too: it may repeat them.
    """
    alone = ([document] for document in documents if document.role in _ON_DEMAND)
    parts = ([document for document in documents if document.role not in _ON_DEMAND], *alone)
    all_copies = [find_copies(part, loads, skipped) for part in parts]
    passages = tuple(passage for copies in all_copies for passage in copies.passages)
    return Copies(passages, tuple(group for copies in all_copies for group in copies.groups))


def _is_mirrored(block: CopiedBlock, mirrored: set[tuple[str, str]]) -> bool:
    """Return whether a block only says that files mirror each other, which is a finding of its own for each two.

    Equal files must all mirror the first one: a finding for the group says more than one for each two of them.
    """
    first, *others = (place.path for place in block.places)
    reached, apart = {first}, set(others)
    while near := {path for path in apart if any({(path, other), (other, path)} & mirrored for other in reached)}:
        reached |= near
        apart -= near
        if block.is_file:
            break
    return not apart


def _is_restated_mirror(restatement: Restatement, mirrored: set[tuple[str, str]]) -> bool:
    """Return whether two files mirror each other, which is a finding of its own."""
    kept, copy = restatement.pairs[0]
    return not mirrored.isdisjoint(((kept.path, copy.path), (copy.path, kept.path)))


def _is_apart(restatement: Restatement, by_path: Mapping[str, MarkdownDocument]) -> bool:
    """Return whether a section is there to say again what another says: in a skill, a rubric, rules or a directory.

    Rules for a subject, and the instructions of a directory, give in detail what the instructions sum up.
    """
    kept, copy = restatement.pairs[0]
    roles = [by_path[unit.path].role for unit in (kept, copy)]
    is_skill = kept.path != copy.path and all(role in _ON_DEMAND for role in roles)
    is_detail = kept.path != copy.path and (FileRole.RULES in roles or dirname(kept.path) != dirname(copy.path))
    titles = (title for unit in (kept, copy) for title in unit.section)
    return is_skill or is_detail or any(map(_RUBRIC.search, titles))


def _list_units(
    by_path: dict[str, MarkdownDocument],
    mirrors: Sequence[MirroredFiles],
    blocks: Sequence[CopiedBlock],
    *,
    are_copies: bool,
) -> frozenset[Unit]:
    """Return the statements of which the findings about files say that they are copies, or that others repeat them.

    A copy has its finding already, and to remove a statement that another file repeats would make the files differ.
    """
    part = slice(1, None) if are_copies else slice(1)
    sides = ((mirror, mirror.copy if are_copies else mirror.keeper) for mirror in mirrors)
    mirrored = (unit for mirror, side in sides for unit in _find_common_units(mirror, side))
    places = (places[part] for block in blocks for places in block.list_places())
    return frozenset((*mirrored, *(unit for some in places for unit in _find_units(some, by_path))))


def _find_common_units(mirror: MirroredFiles, document: MarkdownDocument) -> Iterator[Unit]:
    common = frozenset(mirror.common_statements)
    return (unit for unit in document.units if unit.normal in common)


def _find_units(places: Sequence[LineRange], by_path: dict[str, MarkdownDocument]) -> Iterator[Unit]:
    for place in places:
        if place.path in by_path:
            yield from by_path[place.path].units_in(place.line, place.end_line)


def _join_adjacent(copies: Copies, documents: Sequence[MarkdownDocument]) -> Iterator[list[tuple[Unit, ...]]]:
    """Yield the groups of copies; groups whose statements stand side by side in all their places together."""
    order = {unit: place for place, unit in enumerate(unit for document in documents for unit in document.units)}
    groups = sorted(copies.groups, key=lambda group: [order[unit] for unit in group])
    waiting: list[tuple[Unit, ...]] = []
    for group in groups:
        if waiting and [order[unit] + 1 for unit in waiting[-1]] != [order[unit] for unit in group]:
            yield waiting
            waiting = []
        waiting.append(group)
    if waiting:
        yield waiting


def _join_lines(units: Sequence[Unit]) -> LineRange:
    return LineRange(units[0].path, min(unit.line for unit in units), max(unit.end_line for unit in units))


def _make_copy_finding(
    groups: Sequence[tuple[Unit, ...]], documents: dict[str, MarkdownDocument], loads: LoadSetIndex
) -> LintFinding:
    """Return the finding for adjacent copied statements, at the first place that may be removed."""
    places = [_join_lines(units) for units in zip(*groups, strict=True)]
    keeper, first, *rest = places
    is_one_file = len({place.path for place in places}) == 1
    where = f"line {keeper.line}" if keeper.path == first.path else f"{keeper.path}:{keeper.line}"
    more = f" and {len(rest)} other place{'s' if len(rest) > 1 else ''}" if rest else ""
    many = f"{len(groups)} consecutive statements are " if len(groups) > 1 else ""
    fixes = [make_removal_fix(group[0], group[1:], documents, loads) for group in groups]
    edits = tuple(edit for fix in fixes if fix for edit in fix.edits)
    is_safe = all(fix is not None and fix.safe for fix in fixes)
    description = f"remove {'the copy' if not rest else f'{len(rest) + 1} copies'}, keep {keeper.path}:{keeper.line}"
    wasted = loads.compute_waste(places)
    return LintFinding(
        "DUP004" if rest else "DUP001" if is_one_file else "DUP002",
        WARNING,
        *(first.path, first.line, first.end_line),
        f"{many}also in {where}{more}",
        related=(keeper, *rest),
        tokens=_find_most(wasted),
        wasted=wasted,
        fix=Fix(edits, is_safe, description) if all(fixes) else None,
        concept=groups[0][1].text,
        essence="\n".join(sorted(group[0].normal for group in groups)),
    )


def _make_passage_finding(
    passage: CopiedPassage, documents: dict[str, MarkdownDocument], loads: LoadSetIndex
) -> LintFinding:
    """Return the finding for a passage that another file contains, perhaps with another number, name or path."""
    keeper, copy = passage.keeper, passage.copy
    wasted = loads.compute_waste((keeper, copy))
    message = f"{len(passage.pairs)} consecutive statements are also in {keeper.path}:{keeper.line}"
    fix = None
    if passage.drifted:
        lines = ", ".join(f"{kept.line}/{other.line}" for kept, other in passage.drifted)
        message = f"differs from its copy in {keeper.path}:{keeper.line} (lines {lines})"
    else:
        fixes = [make_removal_fix(kept, (other,), documents, loads) for kept, other in passage.pairs]
        if all(fixes):
            edits = tuple(edit for fix in fixes if fix for edit in fix.edits)
            fix = Fix(edits, False, f"remove the copy, keep {keeper.path}:{keeper.line}")
    return LintFinding(
        "DUP006" if passage.drifted else "DUP005",
        WARNING,
        *(copy.path, copy.line, copy.end_line),
        message,
        related=(keeper,),
        tokens=_find_most(wasted),
        wasted=wasted,
        fix=fix,
        concept=passage.pairs[0][1].text,
        essence="\n".join(sorted({unit.normal for pair in passage.pairs for unit in pair})),
    )


def _make_restatement_finding(
    restatement: Restatement, documents: dict[str, MarkdownDocument], loads: LoadSetIndex
) -> LintFinding | None:
    """Return the finding for a section that restates another, at the statements that may be removed.

    Return None for a reference to the other file, unless it repeats all that the statement there says.
    """
    kept_units = list(dict.fromkeys(map(itemgetter(0), restatement.pairs)))
    copied_units = list(dict.fromkeys(map(itemgetter(1), restatement.pairs)))
    if len(kept_units) == 1 and points_to(kept_units[0].text, copied_units[0].path):
        kept_units, copied_units = copied_units, kept_units
    keeper, copy = _join_lines(kept_units), _join_lines(copied_units)
    is_pointer = points_to(copied_units[0].text, keeper.path)
    if is_pointer and len(copied_units) == 1 and not repeats(copied_units[0], kept_units[0]):
        return None
    wasted = loads.compute_waste((keeper, copy))
    where = f"{keeper.path}:{keeper.line}"
    count = len(copied_units)
    if is_pointer and count == 1:
        code, message = "DUP007", f"refers to {keeper.path} and repeats its line {keeper.line}"
    elif count == 1:
        code, message = "DUP003", f"says nearly what {where} says ({restatement.score:.0%} of the words)"
    else:
        code = "DUP003"
        message = f"{count} statements say nearly what {where} says ({restatement.score:.0%} of the words)"
    fixes = [
        make_removal_fix(kept, (other,), documents, loads)
        for kept, other in {other: (kept, other) for kept, other in restatement.pairs if repeats(kept, other)}.values()
    ]
    edits = tuple(edit for fix in fixes if fix for edit in fix.edits)
    return LintFinding(
        code,
        INFO if code == "DUP007" or restatement.score < SURE_SCORE else WARNING,
        *(copy.path, copy.line, copy.end_line),
        message,
        related=(keeper,),
        tokens=_find_most(wasted),
        wasted=wasted,
        fix=Fix(edits, False, f"remove what {where} says in full") if edits and code != "DUP007" else None,
        concept=copied_units[0].text,
        score=min(round(restatement.score, 2), 0.99),
        essence="\n".join(sorted({unit.normal for pair in restatement.pairs for unit in pair})),
    )


def _find_most(wasted: Sequence[tuple[str, int]]) -> int:
    return max((tokens for _, tokens in wasted), default=0)
