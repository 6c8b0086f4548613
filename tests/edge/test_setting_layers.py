"""Settings are read in layers, and a fault in one does not lose the others."""

from pathlib import Path

import pytest

from ctxkit.edge import setting_layers
from ctxkit.edge.setting_layers import MOST_FAULTS, Setting, read_layers


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("sys.platform", "linux")
    (tmp_path / "config" / "ctxkit").mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tmp_path


def read(place, environ=None):
    faults = []
    found, project = read_layers(environ or {}, str(place / "project"), faults.append)
    return found, project, [str(fault) for fault in faults]


def test_the_environment_stands_above_the_project_and_the_user(place) -> None:
    (place / "config" / "ctxkit" / "config.toml").write_text("window = 1\n")
    (place / "project" / ".ctxkit.toml").write_text("\nwindow = 2\n")
    (environment, project, user), settings, faults = read(place, {"CTXKIT_WINDOW": "3"})
    assert environment["window"] == Setting(3, "CTXKIT_WINDOW")
    assert project["window"] == Setting(2, f"{place}/project/.ctxkit.toml:2")
    assert user["window"].value == 1
    assert (settings.directory, faults) == (str(place / "project"), [])


def test_a_fault_is_named_with_its_place_and_the_rest_holds(place) -> None:
    (place / "project" / ".ctxkit.toml").write_text('window = "many"\nmodell = "a"\nreserve = "10%"\n')
    (_, project, _), _, faults = read(place, {"CTXKIT_LOW_WATER": "7"})
    assert list(project) == ["reserve"]
    assert [fault.partition(": ")[2] for fault in faults] == [
        "low_water = '7' is not a number between 0 and 1",
        "window = 'many' is not a whole number",
        "unknown setting 'modell'",
    ]


def test_what_a_project_may_not_set_is_listed(place) -> None:
    (place / "project" / ".ctxkit.toml").write_text('summarizer = "cmd:x"\nwindow = 2\n')
    (_, project, _), settings, _ = read(place)
    assert list(project) == ["window"]
    assert [ignored.key for ignored in settings.ignored] == ["summarizer"]


def test_the_table_of_an_agent_stands_below_the_same_key_outside(place) -> None:
    path = place / "config" / "ctxkit" / "config.toml"
    path.write_text("context_budget = 5\n[agent]\ncontext_budget = 9\nhard_block = 0.9\n")
    (_, _, user), _, _ = read(place)
    assert (user["context_budget"].value, user["hard_block"].value) == (5, 0.9)


def test_a_file_of_faults_is_not_read_to_its_end(place) -> None:
    (place / "project" / ".ctxkit.toml").write_text("".join(f"unknown{number} = 1\n" for number in range(3 * MOST_FAULTS)))
    assert len(read(place)[2]) == MOST_FAULTS + 1


def test_a_working_directory_that_is_gone_is_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone():
        raise FileNotFoundError

    monkeypatch.setattr(setting_layers.os, "getcwd", gone)  # type: ignore[attr-defined]
    assert setting_layers.working_directory() == "/"
