"""Join the findings about two files of which one restates or copies many parts of the other."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from ctxkit.core.lint.document.finding import Fix, LineRange, LintFinding, TextEdit

MAX_SECTIONS = 3
"""Maximum restated or copied parts of two files that are findings of their own: more are one decision about them."""
MIN_TOKENS = 25
"""Minimum tokens of all copied statements of two files: readers knew of a short rule that stands in two, and left it.

The files of a persona are one prompt in parts, in which each statement has one place.
"""


def join_restatements(findings: Iterable[LintFinding]) -> Iterator[LintFinding]:
    """Yield one finding for two files with more than ``MAX_SECTIONS`` near duplicates; other findings as they are.

    The first related place of each finding is the section that stays.
    """
    groups: dict[tuple[str, str, str], list[LintFinding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.path, finding.related[0].path), []).append(finding)
    for (code, _, _), group in groups.items():
        if code == "DUP003" and len(group) > MAX_SECTIONS:
            yield _join_findings(group, "{} sections say nearly what {} says")
        else:
            yield from group


def join_copies(findings: Iterable[LintFinding], persona: Container[str]) -> Iterator[LintFinding]:
    """Yield one finding for two files with more than ``MAX_SECTIONS`` copies; other findings as they are.

    Leave out two files that have only single statements in common, which cost less than ``MIN_TOKENS``, unless one file
    is in ``persona``. The first related place of each finding is what stays.
    """
    groups: dict[tuple[str, str], list[LintFinding]] = {}
    for finding in findings:
        groups.setdefault((finding.path, finding.related[0].path), []).append(finding)
    for (path, keeper), group in groups.items():
        is_single = all(finding.code in ("DUP002", "DUP004") for finding in group)
        is_small = is_single and sum(finding.tokens or 0 for finding in group) < MIN_TOKENS
        copies = [finding for finding in group if finding.code in ("DUP002", "DUP005")]
        if path != keeper and is_small and path not in persona and keeper not in persona:
            continue
        if path == keeper or len(copies) <= MAX_SECTIONS:
            yield from group
        else:
            yield from (finding for finding in group if finding not in copies)
            is_passage = any(finding.code == "DUP005" for finding in copies)
            what = "{} passages and statements are also in {}" if is_passage else "{} statements are also in {}"
            yield _join_findings(copies, what)._replace(code="DUP005" if is_passage else "DUP002")


def _join_findings(findings: Sequence[LintFinding], what: str) -> LintFinding:
    """Return the finding for all parts at the place of the first; the places of the others follow in pairs."""
    group = sorted(findings, key=lambda finding: (finding.line, finding.related[0].line))
    first = group[0]
    keeper = first.related[0].path
    lines = ", ".join(f"{finding.line}/{finding.related[0].line}" for finding in group[:MAX_SECTIONS])
    lines = f"lines {lines} and {len(group) - MAX_SECTIONS} more"
    others = [place for finding in group[1:] for place in (finding.location, finding.related[0])]
    wasted = _add_waste(group)
    edits = _join_edits(group)
    scores = [finding.score for finding in group if finding.score is not None]
    return first._replace(
        severity=max(finding.severity for finding in group),
        message=f"{what.format(len(group), keeper)} ({lines})",
        related=tuple(dict.fromkeys((*first.related, *others))),
        tokens=max((tokens for _, tokens in wasted), default=0),
        wasted=wasted,
        fix=Fix(edits, False, f"remove what {keeper} says in full") if edits else None,
        score=round(sum(scores) / len(scores), 2) if scores else None,
        essence=f"{keeper}\n{first.path}",
    )


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
