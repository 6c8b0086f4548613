import json
import os
from pathlib import Path

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.hosts.profiles import load_host
from ctxkit.edge.host_removal import plan_removals
from ctxkit.edge.host_setup import HostSetup, find_settings


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return str(tmp_path / "data")


def set_up(data: str, host: str, scope: str = "user") -> str:
    setup, path = HostSetup(load_host(host), data), find_settings(load_host(host), scope)
    setup.apply_setup(setup.plan_setup(path))
    return path


def test_all_settings_that_name_ctxkit_are_changed_also_in_other_projects(data: str, tmp_path: Path) -> None:
    paths = [set_up(data, "codex"), set_up(data, "claude-code"), set_up(data, "claude-code", "project")]
    (tmp_path / "other").mkdir()
    os.chdir(tmp_path / "other")
    removals = plan_removals(data)
    assert [removal.setup.host.name for removal in removals] == ["claude-code", "codex"]
    assert sorted(plan.file.path for removal in removals for plan in removal.plans) == sorted(paths)
    assert all(removal.apply() for removal in removals)
    assert not any(map(os.path.exists, (*paths, data)))
    assert plan_removals(data) == []


def test_settings_that_cannot_be_parsed_are_an_error_if_ctxkit_changed_them(data: str) -> None:
    path = Path(set_up(data, "codex"))
    other = Path(find_settings(load_host("claude-code"), "user"))
    other.parent.mkdir()
    for file in (path, other):
        file.write_text("{")
    with pytest.raises(MalformedInputError, match=r"hooks\.json"):
        plan_removals(data)


def test_settings_whose_record_is_lost_are_changed_and_their_scripts_stay(data: str) -> None:
    path = Path(set_up(data, "claude-code"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "theirs": 1}))
    Path(data, "hosts/claude-code/setup.json").unlink()
    (removal,) = plan_removals(data)
    assert not removal.apply()
    assert json.loads(path.read_text()) == {"theirs": 1}
    assert os.path.exists(f"{data}/hosts/claude-code/hook")
