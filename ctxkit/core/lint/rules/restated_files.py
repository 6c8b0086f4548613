"""Join the findings about two files of which one restates or copies many parts of the other."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from ctxkit.core.lint.document.finding import Fix, LineRange, LintFinding, TextEdit

MAX_SECTIONS = 3
"""Maximum restated or copied parts of two files that are findings of their own: more are one decision about them."""
MIN_TOKENS = 50
"""Minimum tokens of all single statements that two files share: readers knew of short rules in both, and left them."""
_SINGLE = ("DUP002", "DUP003", "DUP004")


def join_parts(
    findings: Iterable[LintFinding], persona: Container[str], known_pairs: Container[tuple[str, str]]
) -> Iterator[LintFinding]:
    """Yield one finding for two files of which one copies or restates parts of the other; others as they are.

    Leave out two files that have only single statements in common, which cost less than ``MIN_TOKENS``, and
    ``known_pairs``, which have a finding. The files of a ``persona`` are one prompt in parts, in which each statement
    has one place: only more than ``MAX_SECTIONS`` near duplicates of two of them are one finding. The first related
    place of each finding is what stays.
    """
    groups: dict[tuple[str, str], list[LintFinding]] = {}
    for finding in findings:
        groups.setdefault((finding.path, finding.related[0].path), []).append(finding)
    for (path, keeper), group in groups.items():
        if path == keeper or path in persona or keeper in persona:
            near = [finding for finding in group if finding.code == "DUP003"]
            is_joined = len(near) > MAX_SECTIONS
            yield from (finding for finding in group if not (is_joined and finding in near))
            yield from [_join_findings(near, "{} sections say nearly what {} says")] if is_joined else []
        elif (path, keeper) not in known_pairs and not _is_small(group):
            yield group[0] if len(group) == 1 else _join_kinds(group)


def _is_small(group: Sequence[LintFinding]) -> bool:
    """Return whether two files share only single statements that cost little together."""
    is_single = all(finding.code in _SINGLE for finding in group)
    return is_single and sum(finding.tokens or 0 for finding in group) < MIN_TOKENS


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
