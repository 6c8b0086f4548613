"""Statements of a workspace that say the same, in groups, and those that only look as if they did."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache
from typing import NamedTuple

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.effort import SAID, Effort
from ctxkit.core.lint.frame import fields, label, siblings
from ctxkit.core.lint.likeness import Likeness, like, within
from ctxkit.core.lint.loads import Loads
from ctxkit.core.lint.normal import letters
from ctxkit.core.lint.pairs import candidates, weights
from ctxkit.core.lint.pieces import TURNED, parts, values
from ctxkit.core.lint.traits import bag, polar, traits, turned
from ctxkit.core.lint.unit import Unit
from ctxkit.core.lint.workspace import Workspace

NEAR = 0.66
"""How alike statements are that say nearly the same."""
SURE = 0.74
"""How alike statements are that leave little doubt; those that are not as alike join no group of such."""
NEARLY = 0.99
"""The most that statements count as alike which differ in more than format."""
PART = 0.8
"""How alike two statements count as, of which the one is a whole sentence of the other, or gives the same address."""
WORDS = 4
"""Words that a statement has at least, for a copy of it to matter."""
TELLING = 3
"""Words that tell something which a statement has at least, to be compared with others than its copies."""
FEW, ALIKE = 4, 0.85
"""Of fewer words than the first, statements must be as alike as the second."""
LOG = 400
"""Statements from which on daily notes that nobody loads are a log."""
_SPEAKER = re.compile(r"^(?:[#*>_-]{1,4}\s?)?(?:user|assistant|human)\b[*_]{0,2}:", re.IGNORECASE | re.MULTILINE)
SPOKEN = 6
"""Lines that name who speaks from which on daily notes are a transcript."""
CODE = 24
"""Characters that a block of code has at least."""
MOST_SAID, MOST_WORDS, MOST_USES = 50_000, 100_000, 500_000
"""Statements, different words, and words in all statements, that are compared: they take 70 MB."""
INJECTED = 0.7
"""Share of a file's statements that a prompt repeats when it holds the file itself."""


class Group(NamedTuple):
    """Hold statements that say the same: ``score`` is 1.0 where they differ in format only, else of the least alike."""

    units: tuple[Unit, ...]
    score: float


class Clash(NamedTuple):
    """Hold two statements alike in words that do not say the same."""

    one: Unit
    two: Unit
    likeness: Likeness


class Twins(NamedTuple):
    """Hold what was found; ``order`` gives each statement its place among those of its document."""

    groups: tuple[Group, ...]
    clashes: tuple[Clash, ...]
    order: Mapping[Unit, int]


def twins(workspace: Workspace, loads: Loads) -> Twins:
    """Return the groups and clashes among statements that are ever in a window together."""
    units = [unit for document in _documents(workspace) for unit in document.units if telling(unit)]
    same: dict[str, list[Unit]] = {}
    for unit in units:
        same.setdefault(unit.normal, []).append(unit)
    same = _poled(same)
    order = {unit: place for place, unit in enumerate(units)}
    groups, clashes = _compared(same, loads, workspace.notice)
    ordered = sorted(groups, key=lambda group: [order[unit] for unit in group.units])
    return Twins(tuple(ordered), tuple(clashes), order)


def telling(unit: Unit) -> bool:
    """Say whether a statement is one whose repetition would matter."""
    if unit.sort == "code":
        return len(unit.normal) >= CODE
    if unit.sort == "heading" or _is_code(unit.text) or (unit.lead and letters(unit.normal) < 3 * WORDS):
        return False
    return letters(unit.normal) >= WORDS


def _is_code(text: str) -> bool:
    """Return whether a statement ends as a line of code does that no fence surrounds."""
    if not text.endswith(";"):
        return text.endswith(("{", "}"))
    last = text[text.rfind(";", 0, -1) + 1 :]
    return any(sign in last for sign in ":=(")


def _poled(same: Mapping[str, list[Unit]]) -> dict[str, list[Unit]]:
    """Return copies by what they say, those below a title that turns them round apart where another asks for them."""
    found: dict[str, list[Unit]] = {}
    for key, units in same.items():
        split = len(units) > 1 and any(polar(units[0], unit) or polar(unit, units[-1]) for unit in units)
        for unit in units:
            found.setdefault(key + TURNED if split and turned(unit) else key, []).append(unit)
    return found


def _documents(workspace: Workspace) -> Iterator[Document]:
    """Yield the documents, less logs that nobody loads, and the prompt less what it holds of their text."""
    loaded = {path for one in workspace.load_sets for path in one.paths}
    yield from (one for one in workspace.documents if one.path in loaded or not _log(one))
    if workspace.prompt:
        said = {unit.normal for unit in workspace.prompt.units}
        injected: set[str] = set()
        for document in workspace.documents:
            own = [unit.normal for unit in document.units if telling(unit)]
            if len(own) > 2 and sum(one in said for one in own) >= INJECTED * len(own):
                injected.update(own)
        units = tuple(unit for unit in workspace.prompt.units if unit.normal not in injected)
        yield workspace.prompt._replace(units=units)


def _log(document: Document) -> bool:
    """Say whether a file only keeps what happened: archives below the daily notes, very long ones, transcripts."""
    if document.kind is not Kind.DAILY:
        return False
    folder = document.path.rsplit("/", 2)[-2:-1]
    return folder != ["memory"] or len(document.units) > LOG or len(_SPEAKER.findall(document.text)) >= SPOKEN


def _compared(
    same: Mapping[str, list[Unit]], loads: Loads, notice: Callable[[str], None]
) -> tuple[list[Group], list[Clash]]:
    said, complete = _bags(same)
    closer = cache(lambda key: traits(same[key][0]))
    weigh = weights(said)
    masks = {key: _mask(units, loads) for key, units in same.items()}
    paths = {key: {unit.path for unit in units} for key, units in same.items()}
    forms = fields(unit for units in same.values() for unit in units)

    def meet(one: str, two: str) -> bool:
        return bool(masks[one] & masks[two]) or not paths[one].isdisjoint(paths[two])

    edges: dict[tuple[str, str], float] = {}
    apart: set[tuple[str, str]] = set()
    clashes: list[Clash] = []
    effort = Effort(len(said))
    effort.exhausted = not complete
    for one, two in candidates(said, weigh, meet, effort):
        texts = (one.removesuffix(TURNED), two.removesuffix(TURNED))
        likeness = like(closer(one), closer(two), texts, weigh.__getitem__)
        fewest = min(len(said[one]), len(said[two]))
        if likeness.score < NEAR and not likeness.clash and fewest >= FEW and within(*texts):
            likeness = likeness._replace(score=SURE)
        if likeness.score < (ALIKE if fewest < FEW else NEAR):
            continue
        pair = _closest(same[one], same[two], loads)
        if pair is None or _form(*pair, likeness, forms):
            continue
        if polar(*pair):
            apart.add((one, two))
            if texts[0] == texts[1]:
                clashes.append(Clash(*pair, likeness._replace(clash="negation")))
        elif likeness.clash:
            apart.add((one, two))
            clashes.append(Clash(*pair, likeness))
        elif not siblings(*pair, likeness):
            edges[one, two] = min(likeness.score, NEARLY)
    if effort.exhausted:
        notice(SAID)
    for one, two in (*parts(same), *values(same, forms)):
        if meet(one, two) and not apart & {(one, two), (two, one)} and _closest(same[one], same[two], loads):
            edges[one, two] = max(edges.pop((two, one), 0.0), edges.get((one, two), 0.0), PART)
    return list(_groups(same, edges, apart, loads)), clashes


def _bags(same: Mapping[str, list[Unit]]) -> tuple[dict[str, frozenset[str]], bool]:
    """Return what is compared of statements that say enough, their words, up to a bound; and whether that is all."""
    said: dict[str, frozenset[str]] = {}
    words: dict[str, str] = {}
    total = 0
    for key, units in same.items():
        found = bag(key.removesuffix(TURNED)) if units[0].sort != "code" else frozenset()
        if len(found) >= TELLING:
            said[key] = frozenset(words.setdefault(word, word) for word in found)
        total += len(found)
        if len(said) >= MOST_SAID or len(words) >= MOST_WORDS or total >= MOST_USES:
            return said, False
    return said, True


def _mask(units: Sequence[Unit], loads: Loads) -> int:
    mask = 0
    for unit in units:
        mask |= loads.mask(unit.path)
    return mask


def _closest(ones: Sequence[Unit], twos: Sequence[Unit], loads: Loads) -> tuple[Unit, Unit] | None:
    """Return the first statements of two lists that are in a window together."""
    return next(((one, two) for one in ones for two in twos if loads.together(one.path, two.path)), None)


def _form(one: Unit, two: Unit, likeness: Likeness, forms: frozenset[tuple[str, str]]) -> bool:
    """Say whether two statements share only the name of a field that many have."""
    name = label(one)
    return bool(likeness.left and likeness.right and name and name == label(two) and (one.path, name) in forms)


def _groups(
    same: Mapping[str, list[Unit]],
    edges: Mapping[tuple[str, str], float],
    apart: Set[tuple[str, str]],
    loads: Loads,
) -> Iterator[Group]:
    """Yield groups: the copies of one statement, with those that are near to half of the group, and clash with none."""
    leader = {key: key for key in same}
    members = {key: [key] for key in same}
    scores = dict.fromkeys(same, 1.0)
    loose: dict[str, tuple[str, str]] = {}
    for one, two in sorted(edges, key=lambda pair: (-edges[pair], pair)):
        first, second = leader[one], leader[two]
        if first == second:
            continue
        if edges[one, two] < SURE:
            sure = [scores[key] >= SURE and len(members[key]) + len(same[key]) > 2 for key in (first, second)]
            if any(sure):
                loose.setdefault(two if sure[0] else one, (one, two))
                continue
        pairs = [pair for a in members[first] for b in members[second] for pair in ((a, b), (b, a))]
        if 4 * sum(pair in edges for pair in pairs) >= len(pairs) and apart.isdisjoint(pairs):
            leader.update(dict.fromkeys(members[second], first))
            members[first] += members.pop(second)
            scores[first] = min(scores[first], scores[second], edges[one, two])
    place = {key: number for number, key in enumerate(same)}
    for key, keys in members.items():
        units = [unit for one in sorted(keys, key=place.__getitem__) for unit in same[one]]
        yield from _loaded(units, scores[key], loads)
    for key, (one, two) in loose.items():
        if len(members.get(key, ())) + len(same[key]) == 2 and apart.isdisjoint({(one, two), (two, one)}):
            yield from _loaded([*same[two if key == one else one], *same[key]], edges[one, two], loads)


def _loaded(units: Sequence[Unit], score: float, loads: Loads) -> Iterator[Group]:
    """Yield the statements of a group that windows hold together, as one group for those that any chain joins."""
    waiting = list(enumerate(units))
    while waiting:
        joined = [waiting.pop(0)]
        homes: set[str] = set()
        for _, one in joined:
            if one.path in homes:
                continue
            homes.add(one.path)
            beside = [pair for pair in waiting if loads.together(one.path, pair[1].path)]
            if beside:
                taken = {number for number, _ in beside}
                waiting = [pair for pair in waiting if pair[0] not in taken]
                joined += beside
        kept = [unit for _, unit in sorted(joined, key=lambda pair: pair[0])]
        if len(kept) > 1 and any(unit.path != loads.prompt for unit in kept):
            exact = all(unit.normal == kept[0].normal for unit in kept)
            yield Group(tuple(kept), 1.0 if exact else score)
