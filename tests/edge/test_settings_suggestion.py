from pathlib import Path

import pytest

from ctxkit.core.errors import SettingsError
from ctxkit.edge.settings_suggestion import suggest_exclude


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "ctxkit" / "config.toml"
    path.parent.mkdir()
    return path


@pytest.mark.parametrize(
    ("text", "added", "removed"),
    [
        ("", 'exclude = ["jq", "make"]', ""),
        ("window = 9\n[agent]\nx = 1\n", 'exclude = ["jq", "make"]', ""),
        ('exclude = ["make"]  \nwindow = 9', 'exclude = ["make", "jq"]', 'exclude = ["make"]  '),
    ],
)
def test_a_diff_adds_programs(file: Path, text: str, added: str, removed: str) -> None:
    file.write_text(text)
    diff = suggest_exclude(["jq", "make"]).splitlines()
    assert [row[1:] for row in diff if row.startswith("+") and not row.startswith("+++")] == [added]
    assert [row[1:] for row in diff if row.startswith("-") and not row.startswith("---")] == ([removed] if removed else [])
    assert file.read_text() == text


def test_what_is_listed_is_not_suggested_again(file: Path) -> None:
    file.write_text('exclude = ["jq"]\n')
    assert suggest_exclude(["jq"]) == ""


@pytest.mark.parametrize("text", ['exclude = [\n"make",\n]\n', "exclude =", "exclude = 'make'", "\\udcff"])
def test_a_file_that_cannot_be_edited_is_an_error(file: Path, text: str) -> None:
    file.write_text(text, errors="surrogateescape")
    with pytest.raises(SettingsError):
        suggest_exclude(["jq"])


def test_without_a_file_it_is_new(file: Path) -> None:
    assert '+exclude = ["jq"]' in suggest_exclude(["jq"])
