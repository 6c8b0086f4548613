"""Values of settings that commands read only when they use them."""

import os
from pathlib import Path

import pytest

from ctxkit.edge.checkup import configuration
from ctxkit.edge.checkup.configuration import _format_value, check_settings, check_values
from ctxkit.edge.settings import Setting, Settings, load


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("redis://user:secret@host:6379/0", "redis://user:***@host:6379/0"),
        ("rediss://:secret@host", "rediss://:***@host"),
        ("https://host:8080/a@b", "https://host:8080/a@b"),
        (True, "true"),
        ("", "-"),
        (0, "-"),
        (0.95, "0.95"),
    ],
)
def test_a_value_is_shown_as_it_is_written_and_a_password_is_not(value, shown: str) -> None:
    assert _format_value(value) == shown


def test_without_model_or_window_nothing_is_in_force_and_that_is_no_fault() -> None:
    (found,) = (check for check in check_settings(Settings([]), [], {}) if check.name == "in use")
    assert (found.state, found.value) == ("absent", "no model and no window")


def test_a_name_that_is_another_spelling_is_shown_with_what_it_means() -> None:
    settings = Settings([{"model": Setting("qwen3:8b", "CTXKIT_MODEL")}])
    (found,) = (check for check in check_settings(settings, [], {}) if check.name == "in use")
    assert found.value.startswith("model qwen3:8b (qwen3-8b), window 40,960, ")


def check(tmp_path: Path, **variables: str):
    environ = {f"CTXKIT_{key.upper()}": value for key, value in variables.items()}
    return list(check_values(load(environ, str(tmp_path))))


def test_values_that_commands_can_use_are_no_problem(tmp_path: Path) -> None:
    events = str(tmp_path / "events.jsonl")
    values = {"tokenizer": "bytes/3", "reserve": "20%", "hint": "sed", "session": "s", "events": events}
    assert check(tmp_path, **values) == check(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["extract", "llama", "llama:a.gguf", "http://x:1", "https://x", "cmd:cat"])
def test_summarizers_that_there_are(tmp_path: Path, name: str) -> None:
    assert check(tmp_path, summarizer=name) == []


@pytest.mark.parametrize("name", ["extrakt", "cmd:", "http://", "ftp://x"])
def test_summarizers_that_there_are_not(tmp_path: Path, name: str) -> None:
    (wrong,) = check(tmp_path, summarizer=name)
    assert (wrong.state, wrong.value) == ("bad", f"CTXKIT_SUMMARIZER: summarizer: unknown summarizer: {name}")


def test_a_file_of_events_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, why in ((tmp_path, "is a directory"), (tmp_path / "file" / "a", "is not a directory")):
        (wrong,) = check(tmp_path, events=str(path))
        assert (wrong.state, wrong.value.endswith(why)) == ("bad", True)


def test_control_characters_and_passwords_are_not_printed(tmp_path: Path) -> None:
    (wrong,) = check(tmp_path, tokenizer="\x1b[31m")
    assert "\x1b" not in wrong.value


def looked_at(**paths):
    settings = Settings([{f"{name}_dir": Setting(str(path), "test") for name, path in paths.items()}])
    return {check.name: check for check in configuration.check_directories(settings)}


def test_a_directory_that_is_not_there_yet_is_well_where_it_can_be_made(tmp_path: Path) -> None:
    found = looked_at(cache=tmp_path / "a" / "b", data=tmp_path)
    assert found["cache"].state == "ok"
    assert "created when it is needed" in found["cache"].value


def test_others_must_not_write_to_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    assert (check.state, check.hint) == ("bad", f"chmod 700 {tmp_path}")
    tmp_path.chmod(0o755)
    assert looked_at(cache=tmp_path, data=tmp_path)["cache"].state == "ok"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_bad(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    tmp_path.chmod(0o700)
    assert (check.state, check.hint) == ("bad", "set CTXKIT_CACHE_DIR to a directory of yours")


def test_a_file_or_a_dangling_link_in_its_place_is_bad(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    found = looked_at(cache=tmp_path / "file", data=tmp_path / "link" / "below")
    assert (found["cache"].state, found["data"].state) == ("bad", "bad")


def test_little_space_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configuration, "SCARCE", 1 << 62)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    assert check.state == "bad"
    assert "only" in check.value
