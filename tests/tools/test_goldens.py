"""The golden cases are those of the table, and their outputs are written where they differ."""

import json
from pathlib import Path

import pytest

pytest.importorskip("tools.goldens", reason="the tools are in the repository alone")

from tools import goldens
from tools.goldens import Case, read_cases, run_case, write_outputs

CHAT = '[{"role": "user", "content": "hello"}]'


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a folder for cases of one's own, each command's with a table."""
    table = tmp_path / "README.md"
    monkeypatch.setattr(goldens, "CASES", tmp_path)
    monkeypatch.setattr(goldens, "TABLE", table)
    table.write_text(
        "## brief\n\n| Case | Options |\n|---|---|\n| [notes](brief/notes) | `--name notes.md --target 90` | Headings. |\n"
        "## compact\n\n| [chat](compact/chat) | `--window 1000` | It passes. |\n"
        "## dedupe\n\n| [twice](dedupe/twice) | none | A copy. |\n"
    )
    files = {
        "brief/notes/input": "# Notes\n\nWords.\n\n## More\n\nWords.\n",
        "compact/chat/input.json": CHAT,
        "dedupe/twice/workspace/AGENTS.md": "# Rules\n\n- Use tabs in all files.\n- Use tabs in all files.\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path


def test_outputs_are_written_once_and_named(cases, capsys: pytest.CaptureFixture[str]) -> None:
    write_outputs()
    assert capsys.readouterr().out.splitlines() == [
        "brief/notes/briefing",
        "compact/chat/output",
        "compact/chat/report",
        "dedupe/twice/findings",
    ]
    assert (cases / "brief/notes/briefing").read_text().startswith("# notes.md (")
    assert (cases / "compact/chat/output").read_text() == CHAT
    assert json.loads((cases / "compact/chat/report").read_text())["result"] == "unchanged"
    assert "DUP001" in (cases / "dedupe/twice/findings").read_text()
    write_outputs()
    assert capsys.readouterr().out == ""


def test_an_output_that_differs_is_written_anew(cases, capsys: pytest.CaptureFixture[str]) -> None:
    write_outputs()
    path = cases / "brief/notes/briefing"
    printed = path.read_text()
    path.write_text("something else\n")
    capsys.readouterr()
    write_outputs()
    assert (capsys.readouterr().out, path.read_text()) == ("brief/notes/briefing\n", printed)


def test_settings_of_the_user_do_not_matter(cases, monkeypatch: pytest.MonkeyPatch) -> None:
    case = read_cases()[0]
    before = run_case(case)
    monkeypatch.setenv("CTXKIT_MODEL", "no-such-model")
    (cases / ".ctxkit.toml").write_text("window = 100\n")
    assert run_case(case) == before


def test_a_command_that_fails_is_not_taken_for_an_output(cases) -> None:
    case = read_cases()[0]._replace(options="--type no-such-type")
    with pytest.raises(Exception, match="unknown type: no-such-type"):
        run_case(case)


def test_rows_are_read_below_the_heading_of_their_command() -> None:
    page = "## brief\n| Case | Options | What |\n|---|---|---|\n| [a](brief/a) | `--target 9` | One. |\n## dedupe\n| [b-2](dedupe/b-2) | none | Two. |\n"
    assert read_cases(page) == [Case("brief", "a", "--target 9", "One."), Case("dedupe", "b-2", "", "Two.")]


def test_a_row_that_links_elsewhere_is_refused() -> None:
    with pytest.raises(ValueError, match="a links to brief/b"):
        read_cases("## brief\n| [a](brief/b) | none | One. |\n")
