"""init --remove leaves what was the user's own and empty."""

import json
from pathlib import Path

import pytest

from ctxkit.core.hosts.jsonc import keep_empty
from tests.conftest import Run

OWN = {"hooks": {}, "env": {}, "mcpServers": {}, "model": "x"}
FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "cursor": ".cursor/hooks.json",
}


@pytest.fixture
def clean_home(home: dict[str, str]) -> dict[str, str]:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "QWEN_HOME"):
        home.pop(name, None)
    return home


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("host", FILES)
@pytest.mark.parametrize("text", ["{}", '{\n    "hooks": {},\n    "env": {}\n}\n', '{"hooks": {"PreToolUse": []}, "a": 1}'])
def test_a_removal_without_a_setup_changes_nothing(run: Run, clean_home: dict[str, str], host: str, text: str) -> None:
    file = Path(clean_home["HOME"], FILES[host])
    file.parent.mkdir()
    file.write_text(text)
    run("init", host, "--remove", "--yes")
    assert file.read_text() == text


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("host", FILES)
def test_empty_objects_of_the_user_come_back_although_the_file_has_changed(
    run: Run, clean_home: dict[str, str], host: str
) -> None:
    file = Path(clean_home["HOME"], FILES[host])
    file.parent.mkdir()
    file.write_text(json.dumps(OWN, indent=2))
    assert run("init", host, "--yes").status == 0
    settings = json.loads(file.read_text())
    assert settings != OWN
    del settings["mcpServers"]
    file.write_text(json.dumps({**settings, "theme": "dark"}, indent=2))
    done = run("init", host, "--remove", "--yes")
    assert done.status == 0, done.err
    assert json.loads(file.read_text()) == {"hooks": {}, "env": {}, "model": "x", "theme": "dark"}


@pytest.mark.parametrize(
    ("text", "before", "original", "kept"),
    [
        ("{}", '{"hooks": {"a": [1]}}', '{"hooks": {}}', {"hooks": {}}),
        ("", '{"hooks": {"a": [1]}}', '{"hooks": {"a": []}}', {"hooks": {"a": []}}),
        ("{}", "{}", '{"hooks": {}}', {}),
        ('{"hooks": {"b": 1}}', '{"hooks": {"a": [1], "b": 1}}', '{"hooks": {"a": []}}', {"hooks": {"a": [], "b": 1}}),
    ],
)
def test_what_a_removal_took_is_kept_if_it_was_empty(text: str, before: str, original: str, kept: object) -> None:
    assert json.loads(keep_empty(text, before, original)) == kept
