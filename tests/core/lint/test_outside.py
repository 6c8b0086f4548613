"""Findings in or about a document behind a link out of the workspace quote nothing."""

import pytest

from ctxkit.core.lint.document.finding import Fix, LineRange, LintFinding, TextEdit
from ctxkit.core.lint.document.rule import WARNING
from ctxkit.core.lint.outside import REASON, hide_outside

FIX = Fix((TextEdit("AGENTS.md", 0, 3, "zebra"),), True, "write zebra")
FINDING = LintFinding("DUP001", WARNING, "AGENTS.md", 1, 1, "zebra", fix=FIX, concept="zebra", essence="zebra")


@pytest.mark.parametrize(
    "finding",
    [
        FINDING._replace(path="OUT.md"),
        FINDING._replace(related=(LineRange("OUT.md", 2, 2),)),
        FINDING._replace(fix=Fix((TextEdit("OUT.md", 0, 3),), True, "zebra")),
    ],
)
def test_a_finding_in_or_about_it_has_neither_a_quote_nor_a_fix(finding: LintFinding) -> None:
    (hidden,) = hide_outside([finding], {"OUT.md"})
    assert hidden.message.endswith(REASON)
    assert hidden.fix is None
    assert "zebra" not in repr(hidden)
    assert (hidden.code, hidden.path, hidden.line, hidden.related) == (*finding[:1], finding.path, 1, finding.related)


def test_other_findings_stay() -> None:
    assert hide_outside([FINDING], {"OUT.md"}) == hide_outside([FINDING], frozenset()) == [FINDING]
