import tomllib
from pathlib import Path

import pytest

from ctxkit.core.brief.custom_kinds import parse_kind_rules
from ctxkit.core.errors import SettingsError
from ctxkit.edge.settings_suggestion import suggest_settings


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
    diff = suggest_settings(["jq", "make"]).splitlines()
    assert [row[1:] for row in diff if row.startswith("+") and not row.startswith("+++")] == [added]
    assert [row[1:] for row in diff if row.startswith("-") and not row.startswith("---")] == ([removed] if removed else [])
    assert file.read_text() == text


def test_what_is_listed_is_not_suggested_again(file: Path) -> None:
    file.write_text('exclude = ["jq"]\n')
    assert suggest_settings(["jq"]) == ""


@pytest.mark.parametrize("text", ['exclude = [\n"make",\n]\n', "exclude =", "exclude = 'make'", "\\udcff"])
def test_a_file_that_cannot_be_edited_is_an_error(file: Path, text: str) -> None:
    file.write_text(text, errors="surrogateescape")
    with pytest.raises(SettingsError):
        suggest_settings(["jq"])


def test_without_a_file_it_is_new(file: Path) -> None:
    assert '+exclude = ["jq"]' in suggest_settings(["jq"])


def test_rules_are_added_at_the_end(file: Path) -> None:
    file.write_text('window = 9\n[kinds.known]\nmatch = "known"\ntype = "log"\n')
    diff = suggest_settings([], {"known": 500, "make": 3_000}, {"make": "pytest", 'a"b': "log"})
    added = [row[1:] for row in diff.splitlines() if row.startswith("+") and not row.startswith("+++")]
    rules = tomllib.loads("\n".join(added))["kinds"]
    assert rules == {
        'a"b': {"match": ['a"b', 'a"b *'], "type": "log"},
        "make": {"match": ["make", "make *"], "type": "pytest", "target": 3_000},
    }
    assert parse_kind_rules(rules)
    assert suggest_settings([], {"known": 500}) == ""


def test_a_table_in_one_line_cannot_be_edited(file: Path) -> None:
    file.write_text('kinds = { known = { match = "known", type = "log" } }\n')
    with pytest.raises(SettingsError):
        suggest_settings([], {"make": 500})
