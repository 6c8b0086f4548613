"""ctxkit prompt lint."""

import json
from pathlib import Path

from tests.conftest import Run


def test_findings_have_their_place_and_answer_1(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("Be careful.\nToday is 2026-11-22.\nThis is turn 12.\n")
    done = run("prompt", "lint", "p.md", cwd=tmp_path)
    assert (done.status, done.err) == (1, "")
    assert done.out == b"p.md:2:10: date: 2026-11-22\np.md:3:9: counter: turn 12\n"
    (finding,) = map(json.loads, run("prompt", "lint", "p.md", "--ignore-kind", "date", "--json", cwd=tmp_path).out.splitlines())
    assert finding == {"kind": "counter", "section": "base", "line": 3, "column": 9, "text": "turn 12"}


def test_what_is_not_cached_may_change(run: Run) -> None:
    sections = [{"name": "base", "content": "Be careful."}, {"name": "status", "content": "It is 2026-11-22."}]
    done = run("prompt", "lint", stdin="\n".join(map(json.dumps, sections)))
    assert (done.status, done.out) == (0, b"")
    sections[0]["content"] = "id 6fa459ea-ee8a-3ca4-894e-db77e160355e"
    assert run("prompt", "lint", stdin="\n".join(map(json.dumps, sections))).out.startswith(b"base:1:4: uuid: 6fa459ea")


def test_malformed_sections_are_named(run: Run) -> None:
    done = run("prompt", "lint", stdin="no")
    assert (done.status, done.out) == (65, b"")
    assert "stdin: line 1 is not JSON" in done.err
