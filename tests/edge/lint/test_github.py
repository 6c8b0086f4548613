from ctxkit.core.lint.registry import rules
from ctxkit.edge.lint.github import annotations
from tests.edge.lint.findings import COPY, STALE


def test_signs_that_end_a_command_are_escaped() -> None:
    assert list(annotations([STALE], rules())) == [
        "::error file=a b/ü.md,line=2,endLine=2,col=3,title=REF001 stale-path::100%25 gone:%0Asince, x"
    ]
    assert next(iter(annotations([COPY], rules()))).endswith("::also in AGENTS.md:7%0Aalso: AGENTS.md:7")
