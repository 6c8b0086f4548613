import pytest

from ctxkit.edge.lint.output import BATCH_LINES, LintRun, _write_lines, is_color_enabled
from tests.core.lint.places import workspace
from tests.edge.lint.findings import COPY

KEY = "sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"


@pytest.mark.parametrize(("choice", "wanted"), [("always", True), ("never", False), ("auto", False)])
def test_colours_are_for_terminals(choice: str, wanted: bool) -> None:
    assert is_color_enabled(choice) is wanted


def test_what_is_told_has_paths_from_here_and_no_secrets() -> None:
    space = workspace({"MEMORY.md": "x\n"})
    fix = COPY.fix._replace(description="remove the copy, keep AGENTS.md:7")
    said = f"says {KEY} like AGENTS.md:7, docs/AGENTS.md:7 and '@AGENTS.md'"
    run = LintRun(space, space, (COPY._replace(message=said, concept=KEY, fix=fix),), prefix="web/")
    (found,) = run.list_findings()
    assert found.message.endswith("like web/AGENTS.md:7, docs/AGENTS.md:7 and '@AGENTS.md'")
    assert found.fix.description == "remove the copy, keep web/AGENTS.md:7"
    assert (found.path, found.related[0].path, found.fix.edits[0].path) == ("web/MEMORY.md", "web/AGENTS.md", "web/MEMORY.md")
    assert KEY[12:] not in f"{found.message}{found.concept}"
    assert list(run.documents()) == ["web/MEMORY.md"]


def test_lines_are_written_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = []
    monkeypatch.setattr("ctxkit.edge.out.write", pieces.extend)
    _write_lines(f"line {number}" for number in range(2 * BATCH_LINES + 1))
    assert b"".join(pieces).split(b"\n")[:-1] == [b"line %d" % number for number in range(2 * BATCH_LINES + 1)]
    assert len(pieces) == 3
