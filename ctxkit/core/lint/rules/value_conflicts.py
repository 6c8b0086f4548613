"""Find statements that differ only in a value: a number, an indent, a package manager (CON)."""

from collections.abc import Iterator, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import WARNING, LineRange, LintFinding, Rule
from ctxkit.core.lint.document.markdown import MarkdownDocument, Unit
from ctxkit.core.lint.document.normal import count_words
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.compared_statements import is_significant
from ctxkit.core.lint.similarity.identity import Identity, IdentityReader, find_model_directory
from ctxkit.core.lint.similarity.restatements import COMPARED_ROLES

RULES = (
    Rule(
        "CON001",
        "contradiction",
        WARNING,
        "none",
        "Two statements in the same window have the same words and the same scope, and differ in one value: a number, "
        "an indent, a package manager.",
        "An agent that reads both may follow either. Statements that say the same with and without a negation are not "
        "compared: what a heading, a checklist or a condition limits cannot be told from the words.",
        "AGENTS.md:   - Retry a failed upload 3 times.\nMEMORY.md:   - Retry a failed upload 5 times.",
        "AGENTS.md:   - Retry a failed upload 3 times.",
        "A rule for negations was wrong in 6 of 6 findings on 61 public workspaces, and found none of 9 "
        "contradictions that readers noted there.",
    ),
)
MIN_WORDS = 5
"""Minimum words of a statement beside its value."""
_VALUES = (
    ("indent", compile_lazily(r"\b(?:(?:\d|two|three|four|eight)[- ]spaces?|tabs?)\b")),
    ("package manager", compile_lazily(r"\b(?:npm|pnpm|yarn|bun)\b")),
    ("package manager", compile_lazily(r"\b(?:pip|pipenv|poetry|uv|conda|pdm)\b")),
    ("number", compile_lazily(r"(?<![\w.:/-])\d[\d,]{0,12}(?:\.\d{1,6})?(?![\w.:/-])")),
)
"""Kinds of values, and what matches one in a normalized statement; a date, a time or a version is none."""
_DATED = compile_lazily(r"\b(?:19|20)\d\d\b")


def find_value_conflicts(
    documents: Sequence[MarkdownDocument], loads: LoadSetIndex, skipped: frozenset[Unit]
) -> Iterator[LintFinding]:
    """Yield a finding for two statements of files loaded on every turn that differ in one value, at the later one."""
    firsts: dict[tuple[str, int, Identity], list[tuple[Unit, str]]] = {}
    for unit, identity in _list_identities(documents, skipped):
        for key, kind, value in _read_values(identity):
            others = firsts.setdefault(key, [])
            conflict = next((other for other, known in others if _is_conflict(other, known, unit, value, loads)), None)
            if conflict:
                yield _make_finding(conflict, unit, kind)
            if len(others) < MAX_STATEMENTS:
                others.append((unit, value))


def _list_identities(
    documents: Sequence[MarkdownDocument], skipped: frozenset[Unit]
) -> Iterator[tuple[Unit, Identity]]:
    """Yield the statements whose values are compared, with their identity."""
    for document in documents:
        if document.role not in COMPARED_ROLES or find_model_directory(document.path):
            continue
        reader = IdentityReader(document)
        for unit in document.units:
            if unit in skipped or not is_significant(unit) or unit.kind == "row" or _DATED.search(unit.normal):
                continue
            if identity := reader.read(unit):
                yield unit, identity


MAX_STATEMENTS = 8
"""Maximum statements with the same words and different values that are compared; more are the entries of a list."""


def _read_values(identity: Identity) -> Iterator[tuple[tuple[str, int, Identity], str, str]]:
    """Yield the key of a statement without one of its values, and the kind and the text of the value."""
    for kind, pattern in _VALUES:
        matches = list(pattern.finditer(identity.normal))
        for place, match in enumerate(matches if len(matches) <= MAX_STATEMENTS else ()):
            rest = f"{identity.normal[: match.start()]}\0{identity.normal[match.end() :]}"
            if count_words(rest) > MIN_WORDS:
                yield (kind, place, identity._replace(normal=rest)), kind, match[0]


def _is_conflict(first: Unit, known: str, second: Unit, value: str, loads: LoadSetIndex) -> bool:
    """Return whether two statements with two values contradict each other; items of one list do not."""
    if known == value or (first.path == second.path and first.list == second.list != 0):
        return False
    return loads.has_common_set(first.path, second.path)


def _make_finding(first: Unit, second: Unit, kind: str) -> LintFinding:
    where = f"{first.path}:{first.line}" if first.path != second.path else f"line {first.line}"
    return LintFinding(
        "CON001",
        WARNING,
        *(second.path, second.line, second.end_line),
        f"says the same as {where} with another {kind}",
        related=(LineRange(first.path, first.line, first.end_line),),
        concept=second.text.strip(),
        essence=f"{first.normal}\n{second.normal}",
    )
