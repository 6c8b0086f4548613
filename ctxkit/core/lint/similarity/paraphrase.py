"""Find statements that repeat a file they point to, or the README and the manifest."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.compared_statements import is_significant
from ctxkit.core.lint.similarity.comparison_budget import EXHAUSTED_MESSAGE, Effort
from ctxkit.core.lint.similarity.duplicate_groups import MIN_TELLING_WORDS
from ctxkit.core.lint.similarity.pairs import compute_weights, find_candidates
from ctxkit.core.lint.similarity.similarity import compare_statements
from ctxkit.core.lint.similarity.statement_traits import extract_traits, make_bag

_POINTER = re.compile(
    r"\b(?:see|refer to|described in|documented in|defined in|details? (?:are )?in|listed in|covered in|more in"
    r"|as per|according to|cf\.|full (?:list|rules|details) in|vea|véase|ver|siehe|voir)\b|详见|参见|参考|見て|انظر",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?<![\w.-])[\w.-]{1,100}\.(?:md|mdc|txt)\b", re.IGNORECASE)
MIN_SHARED = 0.7
"""Minimum share of a statement's words that are also in the file it points to."""
MIN_WORDS = 5
"""Minimum words of a restated cross-reference, without the pointer."""
MIN_SIMILARITY = 0.8
"""Minimum similarity of a statement to a statement of the README that it restates."""


def is_pointer(text: str) -> bool:
    """Return whether a statement refers to a file for more."""
    return "." in text and bool(_FILE.search(text) and _POINTER.search(text))


def points_to(text: str, path: str) -> bool:
    """Return whether a statement refers to the file of a path for more."""
    name = path.rsplit("/", 1)[-1].casefold()
    return is_pointer(text) and any(file.casefold() == name for file in _FILE.findall(text))


def find_pointers(workspace: Workspace, loads: LoadSetIndex) -> Iterator[tuple[Unit, Unit]]:
    """Yield (statement, repeated statement of the file that it points to), for files in one window."""
    by_name = {document.path.rsplit("/", 1)[-1].casefold(): document for document in workspace.documents}
    units_by_path: dict[str, list[tuple[Unit, frozenset[str]]]] = {}
    effort = Effort(0)
    for document in workspace.documents:
        for unit in document.units:
            if unit.kind not in ("bullet", "paragraph") or "." not in unit.text:
                continue
            documents = (by_name.get(name.casefold()) for name in _FILE.findall(unit.text))
            target = next((document for document in documents if document), None)
            if target is None or target.path == unit.path or not _POINTER.search(unit.text):
                continue
            if loads.has_common_set(unit.path, target.path):
                if target.path not in units_by_path:
                    units_by_path[target.path] = [
                        (unit, make_bag(unit.normal))
                        for unit in target.units
                        if is_significant(unit) and unit.kind != "code"
                    ]
                if not effort.allow_lookups(len(units_by_path[target.path])):
                    workspace.notice(EXHAUSTED_MESSAGE)
                    return
                best = _find_best(unit, target, units_by_path[target.path])
                if best:
                    yield unit, best


def _find_best(unit: Unit, target: MarkdownDocument, candidates: Sequence[tuple[Unit, frozenset[str]]]) -> Unit | None:
    """Return the statement of a file that shares most words with a statement that points to it."""
    name = target.path.rsplit("/", 1)[-1].casefold()
    bare = _POINTER.sub(" ", unit.text.casefold().replace(name, " "))
    words = make_bag(normalize_text(bare))
    if len(words) < MIN_WORDS:
        return None
    shares = ((len(words & other) / len(words), candidate) for candidate, other in candidates)
    share, best = max(shares, key=lambda pair: (pair[0], -pair[1].line), default=(0.0, None))
    return best if share >= MIN_SHARED else None


def find_source_copies(workspace: Workspace) -> Iterator[tuple[Unit, Unit, float]]:
    """Yield (statement, repeated statement of the README or the manifest, similarity)."""
    if not workspace.sources:
        return
    source_units: dict[str, Unit] = {}
    for document in workspace.sources:
        units = _manifest_units(document) if document.role is FileRole.MANIFEST else document.units
        source_units.update((unit.normal, unit) for unit in units if is_significant(unit) and unit.kind != "code")
    own_units: dict[str, Unit] = {}
    for document in workspace.documents:
        if document.role in (FileRole.INSTRUCTIONS, FileRole.RULES, FileRole.TOOLS, FileRole.MEMORY):
            for unit in document.units:
                if is_significant(unit) and unit.kind != "code":
                    own_units.setdefault(unit.normal, unit)
    yield from ((own_units[key], source_units[key], 1.0) for key in own_units if key in source_units)
    both = {f"{side}{key}": unit for side, own in (("<", source_units), (">", own_units)) for key, unit in own.items()}
    word_sets = {key: words for key, unit in both.items() if len(words := make_bag(unit.normal)) > MIN_TELLING_WORDS}
    weigh = compute_weights(word_sets)
    effort = Effort(len(word_sets))
    for first, second in find_candidates(word_sets, weigh, lambda a, b: a[0] != b[0] and a[1:] != b[1:], effort):
        similarity = compare_statements(
            extract_traits(both[first]), extract_traits(both[second]), (first[1:], second[1:]), weigh.__getitem__
        )
        if similarity.score >= MIN_SIMILARITY and not similarity.conflict and second[1:] not in source_units:
            yield own_units[second[1:]], source_units[first[1:]], similarity.score
    if effort.exhausted:
        workspace.notice(EXHAUSTED_MESSAGE)


_STRING = re.compile(r'"(description|[\w:.-]+)"\s*:\s*"((?:[^"\\]|\\.){12}(?:[^"\\]++|\\.)*+)"')


def _manifest_units(document: MarkdownDocument) -> Iterator[Unit]:
    """Yield the description in a package.json as a statement."""
    for match in _STRING.finditer(document.text):
        if match[1] == "description":
            line = document.line_of(match.start(2))
            text = match[2]
            yield Unit(document.path, "paragraph", line, line, match.start(2), match.end(2), text, normalize_text(text))
