"""What speaks for build output, and what speaks against it."""

import pytest

from ctxkit.core.brief.builds.build_evidence import collect_evidence
from tests.core.brief.kinds.test_table import document

GCC = "gcc -c a.c\na.c:3:5: error: expected ';'\n    3 | int x\n      |     ^\nmake: *** [Makefile:2: a.o] Error 1\n"


def test_findings_and_closing_lines_are_counted() -> None:
    evidence = collect_evidence(document(GCC))
    assert (evidence.is_excluded, evidence.placed, evidence.closings > 0) == (False, 1, True)
    assert evidence.explained >= 1


@pytest.mark.parametrize(
    "text",
    ["#!/bin/sh\nmake\n", "diff --git a/x b/x\n@@ -1 +1 @@\n", "===== test session starts =====\n", "a\0b\n"],
)
def test_what_is_certainly_something_else_is_excluded(text: str) -> None:
    assert collect_evidence(document(text)).is_excluded


def test_headings_and_fences_are_prose() -> None:
    assert collect_evidence(document("# How to build\n\nRun make.\n")).has_prose
    assert not collect_evidence(document(GCC)).has_prose
