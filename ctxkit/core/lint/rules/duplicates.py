"""DUP: what a workspace says twice."""

from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.finding import Edit, Finding, Fix, Place
from ctxkit.core.lint.frame import parallel
from ctxkit.core.lint.loads import Loads
from ctxkit.core.lint.mend import removal
from ctxkit.core.lint.normal import letters
from ctxkit.core.lint.restated import pointers, sources
from ctxkit.core.lint.rule import INFO, WARNING, Severity
from ctxkit.core.lint.rules.contradictions import RULES as CONTRADICTIONS
from ctxkit.core.lint.rules.contradictions import contradictions
from ctxkit.core.lint.rules.duplicate_texts import RULES as DUPLICATES
from ctxkit.core.lint.runs import STRETCH, Run, runs
from ctxkit.core.lint.traits import label
from ctxkit.core.lint.trees import copies
from ctxkit.core.lint.twins import SURE, Clash, Twins, twins
from ctxkit.core.lint.unit import Unit
from ctxkit.core.lint.workspace import Workspace

RULES = (*DUPLICATES, *CONTRADICTIONS)
ALONG = 0.7
"""How alike the statements of a stretch must be, on the whole, for a warning: that they follow each other says much."""
MORE = 1.6
"""How many times as long as the statement that stays one may be that a fix removes."""
SHORT, FIELD = 5, 7
"""Words up to which a copied bullet may mean something else under another heading, and one that begins with a label."""
RANKS = (
    *(Kind.PROMPT, Kind.INSTRUCTIONS, Kind.TOOLS, Kind.PERSONA, Kind.RULES, Kind.SKILL, Kind.COMMAND, Kind.DOCS),
    *(Kind.CONTEXT, Kind.MEMORY, Kind.DAILY),
)
"""Whose copy stays, the first before the others: instructions before a file on one topic, that before memory."""


def findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield what is said twice, and what is said in two ways that exclude each other."""
    loads = Loads(workspace)
    documents = {document.path: document for document in workspace.documents}
    if workspace.prompt:
        documents[workspace.prompt.path] = workspace.prompt
    found = twins(workspace, loads)
    reported: set[Unit] = set()
    drifted: set[Unit] = set()
    for run in runs(found.groups, found.clashes, found.order, loads.together):
        for part in _parts(run):
            yield _finding(part, documents, loads)
        reported.update(unit for link in run.links for unit in link.units)
        drifted.update(unit for link in run.drifted for unit in link.units)
    yield from contradictions(workspace, _open(found, drifted))
    yield from copies(workspace, loads)
    yield from _pointed(workspace, loads, reported)
    yield from _sourced(workspace)


def _open(found: Twins, drifted: set[Unit]) -> tuple[Clash, ...]:
    """Return the clashes that are no part of a drifted copy."""
    return tuple(clash for clash in found.clashes if clash.one not in drifted)


def _parts(run: Run) -> Iterator[Run]:
    """Yield a run as one where it is a stretch, else statement by statement."""
    if len(run.links) >= STRETCH:
        yield run
    else:
        yield from (run._replace(links=(link,)) for link in run.links if not link.drifted)


def _ranked(run: Run, documents: Mapping[str, Document]) -> tuple[int, list[int], list[int]]:
    """Return which place of a run to keep, which could go, and which others are part of another run, by number."""
    units = run.links[0].units

    def rank(number: int) -> tuple[bool, int, int, int]:
        unit = units[number]
        return (number >= run.known, RANKS.index(documents[unit.path].kind), unit.path.count("/"), number)

    keeper, *others = sorted(range(len(units)), key=rank)
    return keeper, [one for one in others if one >= run.known], [one for one in others if one < run.known]


def _finding(run: Run, documents: Mapping[str, Document], loads: Loads) -> Finding:
    """Return the finding for a run, at the first of the places that could go."""
    keeper, spare, known = _ranked(run, documents)
    every = run.places
    places = [every[number] for number in (keeper, *spare, *known)]
    code, severity = _code(run, places)
    wasted = loads.waste(every[number] for number in (keeper, *spare))
    first, rest = places[1], places[2:]
    return Finding(
        code,
        severity,
        first.path,
        first.line,
        first.end_line,
        _message(run, places),
        related=(places[0], *rest),
        tokens=max((tokens for _, tokens in wasted), default=0),
        wasted=wasted,
        fix=_fix(run, (keeper, *spare), documents, loads),
        concept=run.links[0].units[spare[0]].text,
        score=None if run.score == 1.0 else round(run.score, 2),
        essence="\n".join(sorted({unit.normal for link in run.links for unit in link.units})),
    )


def _code(run: Run, places: Sequence[Place]) -> tuple[str, Severity]:
    if run.drifted:
        return "DUP006", INFO if _parallel(run) else WARNING
    sure = run.mean >= ALONG if len(run.links) >= STRETCH else run.score >= SURE
    severity = WARNING if sure else INFO
    if len(places) > 2:
        return "DUP004", _weight(run, severity)
    if run.score < 1.0:
        return "DUP003", _weight(run, severity)
    if len(run.links) >= STRETCH:
        return "DUP005", WARNING
    return ("DUP001" if len({place.path for place in places}) == 1 else "DUP002"), _weight(run, severity)


def _parallel(run: Run) -> bool:
    """Say whether a short stretch under two titles of one file describes two things in the same form."""
    one, two, *_ = run.links[0].units
    return one.path == two.path and one.section != two.section and len(run.links) < 2 * STRETCH


def _weight(run: Run, severity: Severity) -> Severity:
    """Return INFO for a few words that stand under different headings of a file: they may be about different things."""
    units = run.links[0].units
    if len(run.links) == 1 and parallel(units[0], units[1]):
        return INFO
    if len(run.links) > 1 or units[0].sort == "code" or len({unit.path for unit in units}) > 1:
        return severity
    apart = len({unit.section[-1:] for unit in units}) > 1
    labelled = run.score == 1.0 and all(label(unit.text) for unit in units)
    brief = letters(units[0].normal) < (FIELD if labelled else SHORT)
    return INFO if apart and brief else severity


def _message(run: Run, places: Sequence[Place]) -> str:
    keeper, first, *rest = places
    where = _named(keeper, first)
    if rest:
        where += f" and {len(rest)} other place{'s' if len(rest) > 1 else ''}"
    if run.drifted:
        lines = ", ".join(f"{link.units[0].line}/{link.units[1].line}" for link in run.drifted)
        return f"copy of {where} that has drifted (lines {lines})"
    many = len(run.links) > 1
    if run.score == 1.0:
        return f"{len(run.links)} statements in a row are also in {where}" if many else f"also said in {where}"
    alike = f"nearly the same as in {where} ({run.score:.0%} alike)"
    return f"{len(run.links)} statements in a row are {alike}" if many else f"is {alike}"


def _named(place: Place, beside: Place) -> str:
    """Return a place as messages name it; lines alone in the same file."""
    if place.path != beside.path:
        return f"{place.path}:{place.line}"
    return f"line {place.line}"


def _fix(run: Run, order: Sequence[int], documents: Mapping[str, Document], loads: Loads) -> Fix | None:
    """Return what removes all copies but the first; nothing for a copy that drifted, or that says much more."""
    if run.drifted:
        return None
    edits: list[Edit] = []
    safe = True
    for link in run.links:
        keeper, *others = (link.units[number] for number in order)
        if any(len(one.normal) > MORE * len(keeper.normal) for one in others):
            return None
        fix = removal(keeper, others, documents.get, loads, exact=link.score == 1.0)
        if fix is None:
            return None
        edits.extend(fix.edits)
        safe = safe and fix.safe and len(run.links) == 1
    return Fix(tuple(edits), safe, fix.description) if fix else None


def _pointed(workspace: Workspace, loads: Loads, reported: set[Unit]) -> Iterator[Finding]:
    for unit, other in pointers(workspace, loads):
        if unit not in reported:
            place = Place(other.path, other.line, other.end_line)
            wasted = loads.waste((Place(unit.path, unit.line, unit.end_line), place))
            yield Finding(
                *("DUP007", INFO, unit.path, unit.line, unit.end_line),
                f"points to {other.path} and repeats what line {other.line} there says",
                related=(place,),
                tokens=max((tokens for _, tokens in wasted), default=0),
                wasted=wasted,
                concept=unit.text,
                essence=unit.normal,
            )


def _sourced(workspace: Workspace) -> Iterator[Finding]:
    for unit, other, score in sources(workspace):
        yield Finding(
            *("DUP008", INFO, unit.path, unit.line, unit.end_line),
            f"restates {other.path}:{other.line}",
            related=(Place(other.path, other.line, other.end_line),),
            concept=unit.text,
            score=None if score == 1.0 else round(score, 2),
            essence=unit.normal,
        )
