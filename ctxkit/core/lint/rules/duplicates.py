"""Find copied files, passages and statements within a workspace, and sections that are restated (DUP)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import INFO, WARNING, Fix, LineRange, LintFinding, Rule, TextEdit
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument, Unit
from ctxkit.core.lint.document.roles import is_generated
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.fixes.removal import make_removal_fix
from ctxkit.core.lint.fixes.repetition import repeats
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.rules.duplicate_findings import (
    join_parts,
    make_block_findings,
    make_mirror_findings,
    make_section_finding,
)
from ctxkit.core.lint.rules.value_conflicts import RULES as CONTRADICTIONS
from ctxkit.core.lint.rules.value_conflicts import find_value_conflicts
from ctxkit.core.lint.similarity.compared_statements import is_stub, list_compared_documents, points_to
from ctxkit.core.lint.similarity.copies import (
    CopiedBlock,
    CopiedPassage,
    Copies,
    find_copied_blocks,
    find_copies,
    find_repeated_sections,
    list_section_units,
)
from ctxkit.core.lint.similarity.restatements import Restatement, find_restatements
from ctxkit.core.lint.similarity.trees import MirroredFiles, find_mirrored_files

_DUPLICATES = (
    Rule(
        "DUP001",
        "duplicate-in-file",
        WARNING,
        "safe",
        "A file contains the same statement or section twice, in the same scope; formatting, case and blanks do not "
        "count.",
        "Every turn pays for both copies, and the next edit changes only one of them. The scope of a statement are the "
        "bullets above it, the line that introduces it, and headings that say when or for what it applies: a step "
        "before and after an action, a parameter of two commands or a branch of two decisions is no copy.",
        "- Always run the linter before you commit.\n...\n* **Always** run the linter before you commit",
        "- Always run the linter before you commit.",
        "Without the scope, readers of findings on 61 public workspaces called 4 of 30 useful.",
    ),
    Rule(
        "DUP002",
        "duplicate-across-files",
        WARNING,
        "safe",
        "Two files that an agent loads together contain the same statement, in the same scope.",
        "The cost is computed for each load set: two copies that no agent loads together waste nothing. All copied and "
        "restated parts of two files are one finding, and single statements count from 50 tokens together; in the "
        "files of a persona, each statement is a finding. The linter "
        "keeps the copy in the instructions, else the one in the file about the topic, else the one in the memory. A "
        "fix is safe only if each tool that loads the copy also loads the one that stays.",
        "AGENTS.md:   - Assumptions are forbidden here.\nSOUL.md:     - Assumptions are forbidden here.",
        "AGENTS.md:   - Assumptions are forbidden here.",
        "Without the scope, readers of findings on 61 public workspaces called 5 of 26 useful.",
    ),
    Rule(
        "DUP003",
        "near-duplicate",
        WARNING,
        "unsafe",
        "A section says in other words what a section of another file says, and both are loaded on every turn.",
        "Either several statements have a counterpart with nearly the same words, or one statement alone has most of "
        "its words in one statement, or in a few neighbouring statements that it sums up. Rare words weigh more than "
        "common words. Different numbers, names or negations are no counterparts. Within a file, a checklist or an "
        "overview repeats words on purpose, and is not compared. More than three restated sections of two files are "
        "one finding.",
        "AGENTS.md:   - For each failure: verify it is reproducible before reporting.\n"
        "SOUL.md:     - Always verify a failure is reproducible before reporting it.",
        "AGENTS.md:   - Always verify a failure is reproducible before reporting it.",
        "On 39 public workspaces on which nothing was tuned, a reader called 33 of 44 findings useful, and none false.",
    ),
    Rule(
        "DUP004",
        "said-three-times",
        WARNING,
        "safe",
        "A statement occurs in three or more places of one window, in the same scope.",
        "All places form one finding, so that you can choose the one to keep.",
        "SOUL.md:      - Be concise in all answers.\nAGENTS.md:    - Be concise in all answers.\n"
        "prompt.txt:   - Be concise in all answers.",
        "SOUL.md:      - Be concise in all answers.",
        "Without the scope, readers of findings on 61 public workspaces called 9 of 36 useful.",
    ),
    Rule(
        "DUP005",
        "copied-section",
        WARNING,
        "unsafe",
        "Two files are equal, or three quarters of one are in the other; or, if an agent loads both, they share a "
        "block of 30 lines or three consecutive statements; or half of the statements are in a file for another tool.",
        "All equal files are one finding. The finding says what the copies cost "
        "in each tool and how to do without them: an import (@AGENTS.md), a symbolic link, or nothing if the tool "
        "reads AGENTS.md. If no agent loads both files, no tokens are wasted, but somebody must keep both files in "
        "sync. Templates, examples and archives are not compared.",
        "CLAUDE.md holds the same text as AGENTS.md.",
        "CLAUDE.md:\n@AGENTS.md",
        "Symbolic links counted as copies are a known complaint of other tools (OpenHands/software-agent-sdk 2600).",
    ),
    Rule(
        "DUP006",
        "drifted-copy",
        WARNING,
        "none",
        "A copied passage differs in one of its places: another number, name or path.",
        "Diverging copies are worse than identical ones, because they give the agent two different instructions.",
        "AGENTS.md:   - Build with `make all`.\n             - Port 8080.\n             - Run `make test`.\n"
        "CLAUDE.md:   - Build with `make all`.\n             - Port 9090.\n             - Run `make test`.",
        "One of them, imported by the other.",
        "Maintainers' reports: wshobson/agents 643, anthropics/claude-plugins-official 490.",
    ),
    Rule(
        "DUP007",
        "restated-reference",
        INFO,
        "none",
        "A statement refers to another file and repeats its content.",
        "The other file is already in the window. Either the reference or the repetition is enough.",
        "AGENTS.md:   - Narrate before each tool call, in one short sentence (see SOUL.md).",
        "AGENTS.md:   - Narration: see SOUL.md.",
        "The design document of this linter lists such rows as cross-references.",
    ),
    Rule(
        "DUP009",
        "copied-directory",
        INFO,
        "none",
        "Files that no agent loads together share a block of 30 lines or more, or are equal and kept for several "
        "tools: skills, agents, commands or rules.",
        "Most such copies are there on purpose: each tool looks in its own directory, and skills share a procedure. "
        "They cost no tokens. Somebody must keep them in sync. All files of the same directories are one finding; "
        "those that a program writes, as their first lines say, are none.",
        ".claude/skills and .github/skills hold the same 12 skills.",
        ".claude/skills holds the skills, and .github/skills is a symbolic link to it.",
        "Readers of public workspaces knew of such copies: see docs/benchmarks.md.",
    ),
)
RULES = (*_DUPLICATES, *CONTRADICTIONS)
_PERSONA = (FileRole.PROMPT, FileRole.PERSONA, FileRole.TOOLS, FileRole.CONTEXT, FileRole.MEMORY, FileRole.DAILY)
"""Roles of the files that a host of personas puts together into one prompt."""
_ON_DEMAND = (FileRole.SKILL, FileRole.COMMAND)
_RUBRIC = compile_lazily(r"\b(?:rubrics?|scor(?:e|es|ing)|grading|reviews?|audits?|checklists?)\b", re.IGNORECASE)
"""Matches titles of sections that ask for what other sections demand."""
_SURE_SCORE = 0.75
"""Minimum share of common words of a restated section that is a warning."""
_ROLE_ORDER = (
    *(FileRole.PROMPT, FileRole.INSTRUCTIONS, FileRole.TOOLS, FileRole.PERSONA, FileRole.RULES, FileRole.SKILL),
    *(FileRole.COMMAND, FileRole.DOCS, FileRole.CONTEXT, FileRole.MEMORY, FileRole.DAILY),
)
"""Roles in the order in which a copy is kept: instructions first, then files on one topic, then memory."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield copies and restated sections, and statements that differ only in a value."""
    compared = _ComparedFiles(workspace)
    yield from compared.find_files()
    repeated = [(document, pair) for document in compared.documents for pair in find_repeated_sections(document)]
    yield from (make_section_finding(document, pair, compared.loads) for document, pair in repeated)
    skipped = compared.list_units(are_copies=True)
    skipped |= {unit for document, pair in repeated for unit in list_section_units(document, pair.copy)}
    copies = _find_all_copies(compared.documents, compared.loads, skipped)
    skipped |= {unit for passage in copies.passages for _, unit in passage.pairs}
    skipped |= {unit for group in copies.groups for unit in group[1:]}
    parts = [*compared.find_passages(copies), *compared.find_statements(copies), *compared.find_restatements(skipped)]
    persona = frozenset(path for path, document in compared.by_path.items() if document.role in _PERSONA)
    known_pairs = {*compared.mirrored, *((copy, keeper) for keeper, copy in compared.mirrored)}
    yield from join_parts(parts, persona, known_pairs)
    yield from find_value_conflicts(compared.documents, compared.loads, skipped)


class _ComparedFiles:
    """The documents that are compared, in the order in which copies are kept, and which are copied as a whole."""

    def __init__(self, workspace: Workspace) -> None:
        always = frozenset(path for loaded in workspace.load_sets if loaded.always for path in loaded.paths)

        def rank(document: MarkdownDocument) -> tuple[int, bool, int, str]:
            """Return the place among the documents whose copies are kept; rules that are always loaded come first."""
            path = document.path
            return (_ROLE_ORDER.index(document.role), path not in always, path.count("/"), path)

        self.loads = LoadSetIndex(workspace)
        self.documents = sorted(list_compared_documents(workspace), key=rank)
        self.by_path = {document.path: document for document in self.documents}
        self.mirrors = find_mirrored_files(workspace, self.loads)
        self.mirrored = {(mirror.keeper.path, mirror.copy.path) for mirror in self.mirrors}
        self.blocks = find_copied_blocks(sorted(workspace.documents, key=rank))
        self._other_blocks = [block for block in self.blocks if not _is_mirrored(block, self.mirrored)]
        self._stubs = frozenset(document.path for document in workspace.documents if is_stub(document))
        self._workspace = workspace

    def find_files(self) -> Iterator[LintFinding]:
        """Yield files that mirror each other, and blocks that stand in several; not files that only refer."""
        stubs, loads = self._stubs, self.loads
        generated = frozenset(document.path for document in self._workspace.documents if is_generated(document))
        mirrors = [mirror for mirror in self.mirrors if not {mirror.keeper.path, mirror.copy.path} <= stubs]
        blocks = [block for block in self._other_blocks if not {place.path for place in block.places} <= stubs]
        yield from make_mirror_findings(mirrors, blocks, loads, generated)
        yield from make_block_findings(blocks, loads, generated)

    def list_units(self, *, are_copies: bool) -> frozenset[Unit]:
        """Return the statements that findings about files call copies, or those that are repeated by others.

        A copy has its finding already, and to remove a statement that another file repeats would make the files differ.
        """
        part = slice(1, None) if are_copies else slice(1)
        sides = ((mirror, mirror.copy if are_copies else mirror.keeper) for mirror in self.mirrors)
        mirrored = (unit for mirror, side in sides for unit in _find_common_units(mirror, side))
        places = (places[part] for block in self.blocks for places in block.list_places())
        return frozenset((*mirrored, *(unit for some in places for unit in _find_units(some, self.by_path))))

    def find_passages(self, copies: Copies) -> Iterator[LintFinding]:
        """Yield the passages that another file contains."""
        return (_make_passage_finding(passage, self.by_path, self.loads) for passage in copies.passages)

    def find_statements(self, copies: Copies) -> Iterator[LintFinding]:
        """Yield the copied statements, without those about whose files a finding says more, or that tools share."""
        shared = self.list_units(are_copies=False)
        groups = [self._stubs, *({place.path for place in block.places} for block in self._other_blocks)]
        for statements in _join_adjacent(copies, self.documents):
            paths = {unit.path for group in statements for unit in group}
            if len(paths) > 1 and any(paths <= group for group in groups):
                continue  # the finding about these files says more, or each tool has one of them
            finding = _make_copy_finding(statements, self.by_path, self.loads)
            is_shared = any(unit in shared for group in statements for unit in group[1:])
            yield finding._replace(fix=None) if is_shared else finding

    def find_restatements(self, skipped: frozenset[Unit]) -> Iterator[LintFinding]:
        """Yield the sections that say what others say, without what mirrored files and detailed rules repeat."""
        for restatement in find_restatements(self.documents, self.loads, skipped, self._workspace.notice):
            if not (_is_restated_mirror(restatement, self.mirrored) or _is_apart(restatement, self.by_path)):
                finding = _make_restatement_finding(restatement, self.by_path, self.loads)
                if finding is not None:
                    yield finding


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
    where = f"line {keeper.line}" if keeper.path == first.path else f"{keeper.path}:{keeper.line}"
    many = f"{len(groups)} consecutive statements are " if len(groups) > 1 else ""
    code = "DUP001" if len({place.path for place in places}) == 1 else "DUP002"
    more, removed = "", "the copy"
    if rest:
        code, removed = "DUP004", f"{len(rest) + 1} copies"
        more = f" and {len(rest)} other place{'s' if len(rest) > 1 else ''}"
    fixes = [make_removal_fix(group[0], group[1:], documents, loads) for group in groups]
    wasted = loads.compute_waste(places)
    return LintFinding(
        code,
        WARNING,
        *(first.path, first.line, first.end_line),
        f"{many}also in {where}{more}",
        related=(keeper, *rest),
        tokens=_find_most(wasted),
        wasted=wasted,
        fix=_join_fixes(fixes, f"remove {removed}, keep {keeper.path}:{keeper.line}"),
        concept=groups[0][1].text,
        essence="\n".join(sorted(group[0].normal for group in groups)),
    )


def _join_fixes(fixes: Sequence[Fix | None], description: str) -> Fix | None:
    """Return one fix that does what all do, safe if all are; None if one is missing."""
    some = [fix for fix in fixes if fix]
    if len(some) < len(fixes):
        return None
    return Fix(tuple(edit for fix in some for edit in fix.edits), all(fix.safe for fix in some), description)


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
        fix = _join_fixes(fixes, f"remove the copy, keep {keeper.path}:{keeper.line}")
        fix = fix and fix._replace(safe=False)
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
    kept_units, copied_units = _order_sides(restatement)
    keeper, copy = _join_lines(kept_units), _join_lines(copied_units)
    is_pointer = len(copied_units) == 1 and points_to(copied_units[0].text, keeper.path)
    if is_pointer and not repeats(copied_units[0], kept_units[0]):
        return None
    wasted = loads.compute_waste((keeper, copy))
    where = f"{keeper.path}:{keeper.line}"
    many = f"{len(copied_units)} statements say" if len(copied_units) > 1 else "says"
    code, message = "DUP003", f"{many} nearly what {where} says ({restatement.score:.0%} of the words)"
    if is_pointer:
        code, message = "DUP007", f"refers to {keeper.path} and repeats its line {keeper.line}"
    edits = _list_removals(restatement, documents, loads) if code == "DUP003" else ()
    is_sure = code == "DUP003" and restatement.score >= _SURE_SCORE
    return LintFinding(
        code,
        WARNING if is_sure else INFO,
        *(copy.path, copy.line, copy.end_line),
        message,
        related=(keeper,),
        tokens=_find_most(wasted),
        wasted=wasted,
        fix=Fix(edits, False, f"remove what {where} says in full") if edits else None,
        concept=copied_units[0].text,
        score=min(round(restatement.score, 2), 0.99),
        essence="\n".join(sorted({unit.normal for pair in restatement.pairs for unit in pair})),
    )


def _order_sides(restatement: Restatement) -> tuple[list[Unit], list[Unit]]:
    """Return the statements that are kept and those that may be removed; a single reference is removed."""
    kept = list(dict.fromkeys(map(itemgetter(0), restatement.pairs)))
    copied = list(dict.fromkeys(map(itemgetter(1), restatement.pairs)))
    is_reference = len(kept) == 1 and points_to(kept[0].text, copied[0].path)
    return (copied, kept) if is_reference else (kept, copied)


def _list_removals(
    restatement: Restatement, documents: dict[str, MarkdownDocument], loads: LoadSetIndex
) -> tuple[TextEdit, ...]:
    """Return the edits that remove the statements that the other section repeats in full."""
    repeated = {other: kept for kept, other in restatement.pairs if repeats(kept, other)}
    fixes = (make_removal_fix(kept, (other,), documents, loads) for other, kept in repeated.items())
    return tuple(edit for fix in fixes if fix for edit in fix.edits)


def _find_most(wasted: Sequence[tuple[str, int]]) -> int:
    return max((tokens for _, tokens in wasted), default=0)
