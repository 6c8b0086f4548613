from ctxkit.core.lint.registry import rules
from ctxkit.edge.lint.records import finding_objects
from tests.edge.lint.findings import COPY, STALE


def test_a_record_has_what_is_documented() -> None:
    first, second = finding_objects([COPY, STALE], rules())
    assert list(first)[:6] == ["code", "name", "severity", "path", "line", "end_line"]
    assert first["related"] == [{"path": "AGENTS.md", "line": 7, "end_line": 8}]
    assert first["fix"] == {
        "safe": True, "description": "remove the copy",
        "edits": [{"path": "MEMORY.md", "start": 10, "end": 20, "replacement": ""}],
    }  # fmt: skip
    assert (first["tokens"], second["fix"], second["column"]) == (11, None, 3)
