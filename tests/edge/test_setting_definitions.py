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


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("window", "many", "is not a whole number"),
        ("window", -1, "is negative"),
        ("window", True, "is not a whole number"),
        ("window", 10**13, "is more than any window holds"),
        ("low_water", 0, "is not a number between 0 and 1"),
        ("low_water", "nan", "is not a number between 0 and 1"),
        ("store", "perhaps", "is neither true, false nor a URL"),
        ("model", ["a"], "is not text"),
        ("never_store", [1], "is not a list of texts"),
        ("cache_max_age", "soon", "is not a duration such as 500ms"),
        ("lint", [], "is not a table"),
        ("trusted", "~/src", "is not a list of directories"),
        ("calibration", 1, "is not a table of factors"),
    ],
)
def test_another_value_is_refused_with_the_reason(key: str, value, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        KEYS[key].read(value)


def test_a_variable_of_texts_has_one_on_each_line() -> None:
    assert KEYS["never_store"].read("aws *\n\n vault *") == ["aws *", " vault *"]
