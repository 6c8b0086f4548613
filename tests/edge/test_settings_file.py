"""Every setting is tried through a project's file: what is not listed here does not hold."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.errors import SettingsError
from ctxkit.edge import settings
from ctxkit.edge.setting_definitions import AGENT_KEYS, KEYS, OF_MODEL, SettingDefinition
from ctxkit.edge.settings import Settings
from ctxkit.edge.settings_file import find_key_lines, read_entries
from ctxkit.edge.user_dirs import SettingsFile

FILE = b"""\xef\xbb\xbf# window = 1
window = 2 # = 3
"hint" = 'sed'

[tool.ctxkit]
  strict = true
models.a.window = 7
[tool.ctxkit.models."qwen-3.5"]
window=8
[models]
inline = { window = 9 }
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("window",), 2),
        (("hint",), 3),
        (("tool", "ctxkit"), 5),
        (("tool", "ctxkit", "strict"), 6),
        (("tool", "ctxkit", "models", "a", "window"), 7),
        (("tool", "ctxkit", "models", "a"), 7),
        (("tool", "ctxkit", "models", "qwen-3.5", "window"), 9),
        (("models", "inline", "window"), 11),
        (("absent",), 1),
    ],
)
def test_a_key_is_found_in_its_own_table_however_it_is_written(keys, line: int) -> None:
    tomllib.loads(FILE.decode("utf-8-sig"))
    assert find_key_lines(FILE).find(keys) == line


def test_a_key_that_begins_like_another_is_not_taken_for_it() -> None:
    assert find_key_lines(b"hints = 1\nhint = 2\n").find(("hint",)) == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"window = 1\nwindow = = 2\n", "f:2: Invalid value"),
        (b"window = 1\n\nmodels = [\n\n", "f:3: Invalid value"),
        (b'model = "a (at b) ', "f:1: Unterminated string"),
        (b"window = 1\nmodel = '\xff'\n", "f:2 is not UTF-8"),
    ],
)
def test_what_is_no_toml_is_named_with_its_line(data: bytes, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        list(read_entries(SettingsFile("f", data, ())))
    assert str(caught.value) == said


HOLDING: dict[str, Any] = {
    "model": "qwen3-8b",
    "window": 4096,
    "context_budget": 4096,
    "reserve": "10%",
    "max_output_tokens": 300,
    "tokenizer": "qwen3",
    "compact_trigger": 0.5,
    "hard_block": 0.6,
    "briefing_cap": 100,
    "low_water": 0.25,
    "keep_recent": 7,
    "keep_last": 3,
    "hint": "read_file",
    "input_price": 3.5,
    "price_date": "2026-11-01",
    "lint": {"select": ["DUP"]},
}
"""What a project may set, each with a good value that is not the default: the whole list."""
LEFT_OUT: dict[str, Any] = {
    "session": "s",
    "turn": "7",
    "agent_id": "b",
    "focus": "a test",
    "pipe_notes": False,
    "again": True,
    "calibration": {"estimate": 1.5},
    "summarizer": "cmd:touch planted",
    "result_cap": 9,
    "result_offload_threshold": 1,
    "tool_deferral_threshold": 0.5,
    "store": False,
    "server": False,
    "redact": True,
    "never_store": ["env *"],
    "exclude": ["env"],
    "include": ["true"],
    "strict": True,
    "events": "~/.bashrc",
    "cache_dir": "store",
    "data_dir": "store",
    "cache_max_age": "1s",
    "cache_max_size": "1B",
    "trusted": ["/"],
    "kinds": {"deploy": {"match": "deploy *", "type": "log"}},
}
PLACES = [(name, below) for name in (".ctxkit.toml", "pyproject.toml") for below in (".", "src/deep")]
"""In which file, and how far above the working directory, a project speaks."""


def toml(value: Any) -> str:
    """Return a value as TOML has it."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml(inner)}' for key, inner in value.items())} }}"
    return str(value).lower() if isinstance(value, bool) else repr(value)


class Home:
    """A user's file and a project."""

    def __init__(self, root: Path) -> None:
        self.user = root / "config" / "ctxkit" / "config.toml"
        self.user.parent.mkdir(parents=True)
        self.project = root / "project"
        (self.project / ".git").mkdir(parents=True)

    def write(self, name: str, text: str, table: str = "") -> Path:
        path = self.project / name
        head = f"[tool.ctxkit{table and '.'}{table}]" if name == "pyproject.toml" else table and f"[{table}]"
        path.write_text(f"{head}\n{text}\n")
        return path

    def trust(self, *patterns: str | os.PathLike[str]) -> None:
        self.user.write_text(f"trusted = {[os.fspath(pattern) for pattern in patterns]!r}\n")

    def load(self, below: str = ".") -> Settings:
        directory = self.project / below
        directory.mkdir(parents=True, exist_ok=True)
        return settings.load({}, str(directory))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    return Home(tmp_path)


def test_the_lists_above_name_every_setting_once() -> None:
    assert sorted([*HOLDING, *LEFT_OUT]) == sorted(KEYS)


def test_a_setting_that_is_added_later_is_not_for_projects() -> None:
    assert SettingDefinition(str, "").project is None


@pytest.mark.quick_cases(79)
@pytest.mark.parametrize(("name", "below"), PLACES)
@pytest.mark.parametrize("key", KEYS)
def test_a_project_sets_what_is_listed_and_nothing_else(home: Home, key: str, name: str, below: str) -> None:
    value = HOLDING.get(key, LEFT_OUT.get(key))
    path = home.write(name, f"{key} = {toml(value)}")
    loaded = home.load(below)
    if key in HOLDING:
        assert loaded.lookup(key) == (value, f"{path}:2")
        assert loaded.project.ignored == ()
    else:
        assert loaded.lookup(key) == (KEYS[key].default, "default")
        assert [(each.key, each.value, each.source) for each in loaded.project.ignored] == [(key, value, f"{path}:2")]


@pytest.mark.parametrize("name", [".ctxkit.toml", "pyproject.toml"])
@pytest.mark.parametrize("key", KEYS)
def test_a_trusted_project_sets_all_but_what_only_the_user_may_set(home: Home, key: str, name: str) -> None:
    home.trust(home.project)
    home.write(name, f"{key} = {toml({**HOLDING, **LEFT_OUT}[key])}")
    loaded = home.load()
    if KEYS[key].user_file_only:
        assert loaded[key] == ((str(home.project),) if key == "trusted" else KEYS[key].default)
        assert [each.key for each in loaded.project.ignored] == [key]
    else:
        assert loaded.lookup(key).source.startswith(str(home.project))
        assert loaded.project.ignored == ()


def test_nobody_is_trusted_by_the_environment() -> None:
    assert settings.load({"CTXKIT_TRUSTED": '["/"]'}, os.sep)["trusted"] == ()


@pytest.mark.parametrize("name", [".ctxkit.toml", "pyproject.toml"])
@pytest.mark.parametrize("key", AGENT_KEYS)
def test_the_table_of_an_agent_has_the_same_rule(home: Home, key: str, name: str) -> None:
    value = HOLDING.get(key, LEFT_OUT.get(key))
    path = home.write(name, f"{key} = {toml(value)}", "agent")
    loaded = home.load()
    if key in HOLDING:
        assert loaded.lookup(key) == (value, f"{path}:2")
    else:
        assert loaded.lookup(key) == (KEYS[key].default, "default")
        assert [each.key for each in loaded.project.ignored] == [f"agent.{key}"]


@pytest.mark.parametrize("key", OF_MODEL)
def test_what_a_project_says_of_a_model_has_the_same_rule(home: Home, key: str) -> None:
    value = {"window": 9, "max_output": 8, "tokenizer": "qwen3", "input_price": 3.5, "price_date": "2026-11-01"}[key]
    home.write(".ctxkit.toml", f"{key} = {value!r}", "models.mine")
    found = home.load().lookup_for_model("mine", key)
    assert found
    assert found.value == value
    home.write(".ctxkit.toml", 'tokenizer = "./t.json"', "models.mine")
    loaded = home.load()
    assert loaded.lookup_for_model("mine", "tokenizer") is None
    assert [each.key for each in loaded.project.ignored] == ["models.mine.tokenizer"]


@pytest.mark.parametrize("value", ["./t.json", "/etc/t.json", "t.gguf", "../x", "a/b", "T.JSON", "~/t.json"])
def test_a_tokenizer_of_a_project_is_no_path(home: Home, value: str) -> None:
    home.write(".ctxkit.toml", f"tokenizer = {value!r}")
    assert home.load()["tokenizer"] == ""


def test_of_linting_only_what_is_known_to_be_harmless_holds(home: Home) -> None:
    home.write(".ctxkit.toml", 'select = ["DUP"]\nbaseline = "../out.json"', "lint")
    loaded = home.load()
    assert loaded["lint"] == {"select": ["DUP"]}
    assert [(each.key, each.source[-2:]) for each in loaded.project.ignored] == [("lint.baseline", ":3")]


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("known.json", True),
        ("a/known.json", True),
        ("a/../known.json", False),
        ("../known.json", False),
        ("/tmp/known.json", False),
        ("~/known.json", False),
        ("link", False),
        ("dangling", False),
        ("folder/known.json", False),
        ("within", True),
        ("", True),
    ],
)
def test_a_baseline_is_inside_the_project_whatever_links_say(home: Home, path: str, inside: bool) -> None:
    (home.project.parent / "out").write_text("")
    (home.project / "link").symlink_to(home.project.parent / "out")
    (home.project / "dangling").symlink_to(home.project.parent / "none")
    (home.project / "folder").symlink_to(home.project.parent)
    (home.project / "within").symlink_to("known.json")
    home.write(".ctxkit.toml", f"baseline = {path!r}", "lint")
    found = home.load("src")["lint"]
    assert ("baseline" in found) is inside
    assert not path or not inside or found["baseline"] == str(home.project / path)


def test_a_user_s_own_file_may_say_everything(home: Home) -> None:
    every = {**HOLDING, **LEFT_OUT}
    home.user.write_text("".join(f"{key} = {toml(value)}\n" for key, value in every.items()))
    loaded = home.load()
    assert {loaded.lookup(key).source.rpartition(":")[0] for key in KEYS} == {str(home.user)}
