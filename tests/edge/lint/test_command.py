"""A call of ``dedupe`` from its options to its exit status, in a directory of its own."""

import json
from pathlib import Path

import pytest

from ctxkit.app.services import engines
from ctxkit.core.errors import Exit, MalformedInputError, MissingInputError, UsageError
from ctxkit.edge import settings
from ctxkit.edge.lint.command import DedupeCommand, Target, find_targets, parse_stdin
from ctxkit.edge.lint.options import DedupeOptions
from ctxkit.edge.request import Call, CliRequest

RULE = "- Assumptions are forbidden: read the file first.\n"
CLEAN = "# Agents\n\n- Reply in one paragraph.\n"
REPEATED = f"# Agents\n\n{RULE}- Reply in one paragraph.\n{RULE}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(options: DedupeOptions, *paths: str) -> Exit:
    command = DedupeCommand(paths, options, Call(CliRequest(), settings.load()))
    return command.run(engines.load_tokenizer, engines.gather_workspace)


def test_findings_exit_with_one_unless_the_level_or_an_option_says_otherwise(folder: Path) -> None:
    (folder / "AGENTS.md").write_text(REPEATED)
    assert run(DedupeOptions()) == Exit.NO
    assert run(DedupeOptions(exit_zero=True)) == Exit.DONE
    assert run(DedupeOptions(ignore="DUP")) == Exit.DONE
    assert run(DedupeOptions(fail_level="error")) == Exit.DONE
    (folder / "AGENTS.md").write_text(CLEAN)
    assert run(DedupeOptions()) == Exit.DONE


def test_a_fix_is_written_and_a_diff_changes_nothing(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "AGENTS.md").write_text(REPEATED)
    assert run(DedupeOptions(diff=True)) == Exit.NO
    assert f"-{RULE}".encode() in capfdbinary.readouterr().out
    assert (folder / "AGENTS.md").read_text() == REPEATED
    assert run(DedupeOptions(fix=True)) == Exit.DONE
    assert (folder / "AGENTS.md").read_text().count(RULE) == 1
    assert run(DedupeOptions(diff=True)) == Exit.DONE


def test_a_baseline_hides_its_findings_and_must_be_named_to_be_written(folder: Path) -> None:
    (folder / "AGENTS.md").write_text(REPEATED)
    with pytest.raises(UsageError, match="there is no baseline"):
        run(DedupeOptions(update_baseline=True))
    assert run(DedupeOptions(update_baseline=True, baseline="known.json")) == Exit.DONE
    assert json.loads((folder / "known.json").read_text())
    assert run(DedupeOptions(baseline="known.json")) == Exit.DONE
    (folder / "AGENTS.md").write_text(REPEATED + "- Staging needs the VPN.\n" * 2)
    assert run(DedupeOptions(baseline="known.json")) == Exit.NO


def test_named_files_alone_are_reported_and_missing_ones_are_errors(folder: Path) -> None:
    (folder / "AGENTS.md").write_text(REPEATED)
    (folder / "MEMORY.md").write_text("# Memory\n\n- Staging needs the VPN.\n")
    assert run(DedupeOptions(), "MEMORY.md") == Exit.DONE
    assert run(DedupeOptions(), "AGENTS.md") == Exit.NO
    with pytest.raises(MissingInputError, match=r"gone\.md"):
        run(DedupeOptions(), "gone.md")
    with pytest.raises(MissingInputError, match=r"prompt\.txt"):
        run(DedupeOptions(prompt="prompt.txt"))


def test_a_file_that_cannot_be_written_is_not_fixed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "real.md").write_text(REPEATED)
    (folder / "web").mkdir()
    (folder / "web" / "AGENTS.md").symlink_to("../real.md")
    assert run(DedupeOptions(fix=True), "web") == Exit.NO
    assert (folder / "real.md").read_text() == REPEATED
    assert "is not fixed" in capsys.readouterr().err


def test_directories_are_linted_once_and_files_in_the_project_around_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "web").mkdir()
    (tmp_path / "web/A.md").touch()
    assert find_targets([]) == [Target(".")]
    assert find_targets(["web", "web/"]) == [Target("web", (), "web/")]
    assert find_targets(["web/A.md"]) == [Target(".", ("web/A.md",))]
    assert find_targets([f"{tmp_path}/web/A.md"]) == [Target(f"{tmp_path}/web", ("A.md",), f"{tmp_path}/web/")]
    with pytest.raises(MissingInputError, match="gone"):
        find_targets(["gone"])


def test_stdin_is_a_document_or_json_lines() -> None:
    assert parse_stdin(b"# A\n", "X.md") == {"X.md": b"# A\n"}
    assert parse_stdin(b"", "X.md") == {"X.md": b""}
    rows = b'{"path": "a/../B.md", "text": "x"}\n\n{"path": "C.md", "text": "y\\n"}'
    assert parse_stdin(rows, "X.md") == {"B.md": b"x", "C.md": b"y\n"}
    with pytest.raises(MalformedInputError, match="line 2"):
        parse_stdin(b'{"path": "B.md", "text": "x"}\n{"path": 1}\n', "X.md")
