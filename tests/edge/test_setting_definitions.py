"""What each setting accepts, and what a project may set of it."""

from pathlib import Path

import pytest

from ctxkit.edge.setting_definitions import AGENT_KEYS, KEYS, OF_MODEL, PATH_KEYS, PROJECT_LINT_KEYS, format_value


@pytest.mark.parametrize("key", KEYS)
def test_the_default_of_a_setting_is_one_of_its_values(key) -> None:
    definition = KEYS[key]
    if isinstance(definition.default, tuple):
        assert definition.read(list(definition.default)) == definition.default
    else:
        assert definition.read(definition.default) == definition.default


def test_a_project_may_not_choose_a_path_or_a_command() -> None:
    assert KEYS["tokenizer"].project.allowed_part("./tokenizer.json", "/") is None
    assert KEYS["tokenizer"].project.allowed_part("qwen3", "/") == "qwen3"
    assert KEYS["hint"].project.allowed_part("ctxkit", "/") == "ctxkit"
    assert KEYS["hint"].project.allowed_part("run {ref}", "/") is None
    assert [key for key in ("summarizer", "events", "cache_dir", "data_dir", "store") if KEYS[key].project] == []


def test_the_baseline_of_a_project_stays_inside_it(tmp_path: Path) -> None:
    allowed = KEYS["lint"].project.allowed_part
    table = {"select": ["DUP"], "baseline": "base.json", "command": "x"}
    assert allowed(table, str(tmp_path)) == {"select": ["DUP"], "baseline": "base.json"}
    (tmp_path / "link").symlink_to("/tmp")
    for path in ("/etc/base.json", "../base.json", "~/base.json", "link/base.json", "a\0b"):
        assert allowed({"baseline": path}, str(tmp_path)) == {}


def test_the_lists_of_keys_name_settings() -> None:
    assert {*AGENT_KEYS, *PATH_KEYS, *OF_MODEL.values()} <= KEYS.keys()
    assert "baseline" not in PROJECT_LINT_KEYS


def test_a_value_in_a_message_is_short_and_holds_no_password() -> None:
    assert format_value("https://me:secret@example.com/x") == "https://me:***@example.com/x"
    assert format_value(True) == "true"
    assert len(format_value("x" * 500)) == 83
    assert "\n" not in format_value("a\nb")
