"""What instructions repeat of a file they point to, or of the README and the manifest."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.effort import SAID, Effort
from ctxkit.core.lint.likeness import like
from ctxkit.core.lint.loads import Loads
from ctxkit.core.lint.normal import normal
from ctxkit.core.lint.pairs import candidates, weights
from ctxkit.core.lint.traits import bag, traits
from ctxkit.core.lint.twins import TELLING, telling
from ctxkit.core.lint.unit import Unit
from ctxkit.core.lint.workspace import Workspace

_POINTER = re.compile(
    r"\b(?:see|refer to|described in|documented in|defined in|details? (?:are )?in|listed in|covered in|more in"
    r"|as per|according to|cf\.|full (?:list|rules|details) in|vea|véase|ver|siehe|voir)\b|详见|参见|参考|見て|انظر",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?<![\w.-])[\w.-]{1,100}\.(?:md|mdc|txt)\b", re.IGNORECASE)
HELD = 0.7
"""Share of a statement's words, by weight, that the file it points to says too."""
FOUND = 5
"""Words that a restated cross-reference has at least, besides the pointer."""
NEAR = 0.8
"""How alike a statement must be to one of the README for it to be restated."""


def pointers(workspace: Workspace, loads: Loads) -> Iterator[tuple[Unit, Unit]]:
    """Yield (statement, what it repeats of the file that it points to), for files in one window."""
    by_name = {document.path.rsplit("/", 1)[-1].casefold(): document for document in workspace.documents}
    said: dict[str, list[tuple[Unit, frozenset[str]]]] = {}
    effort = Effort(0)
    for document in workspace.documents:
        for unit in document.units:
            if unit.sort not in ("bullet", "paragraph") or "." not in unit.text:
                continue
            named = (by_name.get(name.casefold()) for name in _FILE.findall(unit.text))
            target = next((one for one in named if one), None)
            if target is None or target.path == unit.path or not _POINTER.search(unit.text):
                continue
            if loads.together(unit.path, target.path):
                if target.path not in said:
                    said[target.path] = [
                        (one, bag(one.normal)) for one in target.units if telling(one) and one.sort != "code"
                    ]
                if not effort.look_up(len(said[target.path])):
                    workspace.notice(SAID)
                    return
                best = _best(unit, target, said[target.path])
                if best:
                    yield unit, best


def _best(unit: Unit, target: Document, said: Sequence[tuple[Unit, frozenset[str]]]) -> Unit | None:
    """Return the statement of a file that says most of what another one says besides pointing there."""
    name = target.path.rsplit("/", 1)[-1].casefold()
    bare = _POINTER.sub(" ", unit.text.casefold().replace(name, " "))
    words = bag(normal(bare))
    if len(words) < FOUND:
        return None
    shares = ((len(words & other) / len(words), one) for one, other in said)
    share, best = max(shares, key=lambda pair: (pair[0], -pair[1].line), default=(0.0, None))
    return best if share >= HELD else None


def sources(workspace: Workspace) -> Iterator[tuple[Unit, Unit, float]]:
    """Yield (statement, what it repeats of the README or the manifest, likeness)."""
    if not workspace.sources:
        return
    told: dict[str, Unit] = {}
    for document in workspace.sources:
        units = _scripts(document) if document.kind is Kind.MANIFEST else document.units
        told.update((unit.normal, unit) for unit in units if telling(unit) and unit.sort != "code")
    mine: dict[str, Unit] = {}
    for document in workspace.documents:
        if document.kind in (Kind.INSTRUCTIONS, Kind.RULES, Kind.TOOLS, Kind.MEMORY):
            for unit in document.units:
                if telling(unit) and unit.sort != "code":
                    mine.setdefault(unit.normal, unit)
    yield from ((mine[key], told[key], 1.0) for key in mine if key in told)
    both = {f"{side}{key}": unit for side, own in (("<", told), (">", mine)) for key, unit in own.items()}
    said = {key: words for key, unit in both.items() if len(words := bag(unit.normal)) > TELLING}
    weigh = weights(said)
    effort = Effort(len(said))
    for one, two in candidates(said, weigh, lambda a, b: a[0] != b[0] and a[1:] != b[1:], effort):
        likeness = like(traits(both[one]), traits(both[two]), (one[1:], two[1:]), weigh.__getitem__)
        if likeness.score >= NEAR and not likeness.clash and two[1:] not in told:
            yield mine[two[1:]], told[one[1:]], likeness.score
    if effort.exhausted:
        workspace.notice(SAID)


_STRING = re.compile(r'"(description|[\w:.-]+)"\s*:\s*"((?:[^"\\]|\\.){12}(?:[^"\\]++|\\.)*+)"')


def _scripts(document: Document) -> Iterator[Unit]:
    """Yield what a package.json says in words: its description."""
    for found in _STRING.finditer(document.text):
        if found[1] == "description":
            line = document.line_of(found.start(2))
            text = found[2]
            yield Unit(document.path, "paragraph", line, line, found.start(2), found.end(2), text, normal(text))
