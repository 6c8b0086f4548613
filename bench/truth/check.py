"""All checks of one map against its input."""

from collections.abc import Iterator
from dataclasses import dataclass

from bench.claims import ESCAPE, claims, draw, wrong
from bench.truth.columns import check_columns
from bench.truth.labels import check_label, check_signature, read_definitions
from bench.truth.numbers import check_numbers
from bench.truth.outcomes import check_outcomes
from bench.truth.source_text import SourceText
from bench.truth.spans import check_ends, check_spans
from bench.truth.statements import read_map
from bench.truth.structure import check_header, check_nesting, check_structure
from bench.truth.values import check_values


@dataclass(frozen=True, slots=True)
class FalseStatement:
    """Hold what a map says that is not so: the row as it stands, and the reason."""

    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.text[:150]!r}: {self.reason[:200]}"


def check_map(text: str, data: bytes) -> list[FalseStatement]:
    """Return the statements of a map of ``data`` that are not so."""
    whole = SourceText(data)
    faults = [FalseStatement(row, reason) for row, reason in check_header(read_map(text), whole)]
    drawn = draw(data)
    return faults + list(_iter_false(text, whole if drawn == data else SourceText(drawn)))


def _iter_false(text: str, source: SourceText) -> Iterator[FalseStatement]:
    lines = [ESCAPE.sub("", line) for line in source.lines]
    all_claims = claims(text)
    for complaint in wrong(all_claims, lines):
        yield FalseStatement("", complaint)
    for row, reason in check_ends(all_claims, source):
        yield FalseStatement(row, reason)
    document = read_map(text)
    for row, reason in check_structure(document, source):
        yield FalseStatement(row, reason)
    definitions = read_definitions(source) if document.kind == "python" else {}
    for statement in document.statements:
        reasons = [*check_numbers(statement, source), check_nesting(statement), check_label(statement, source)]
        reasons += [*check_values(statement, source), *check_spans(statement, source)]
        reasons += check_outcomes(statement, source)
        reasons += [check_columns(statement, source), check_signature(statement, source, definitions)]
        for reason in filter(None, reasons):
            yield FalseStatement(statement.text, reason)


def count_statements(text: str) -> int:
    """Return how many statements and quotations a map holds."""
    document = read_map(text)
    return 1 + len(document.statements) + len(document.quoted_lines)
