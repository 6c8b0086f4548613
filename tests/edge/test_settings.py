import os
from pathlib import Path

import pytest

from ctxkit.core.errors import SettingsError
from ctxkit.edge import settings
from ctxkit.edge.settings import KEYS, Settings


class Home:
    """A user's settings file and a project below its own repository."""

    def __init__(self, root: Path) -> None:
        self.user = root / "config" / "ctxkit" / "config.toml"
        self.project = root / "project"
        self.user.parent.mkdir(parents=True)
        (self.project / ".git").mkdir(parents=True)

    def load(self, environ: dict[str, str] | None = None, directory: Path | None = None) -> Settings:
        return settings.load(environ or {}, str(directory or self.project))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("sys.platform", "linux")
    return Home(tmp_path)


def test_without_any_file_the_defaults_hold_and_say_so(home) -> None:
    loaded = home.load()
    for key, definition in KEYS.items():
        assert (loaded[key], loaded.lookup(key).source) == (definition.default, "default")


def test_the_keys_of_the_seeds_have_their_defaults(home) -> None:
    """Seed 001: "budgetThresholdPct float64 // default 0.10"."""
    loaded = home.load()
    assert (loaded["compact_trigger"], loaded["hard_block"]) == (0.95, 0.98)
    assert (loaded["result_offload_threshold"], loaded["tool_deferral_threshold"]) == (0, 0.10)


def test_each_layer_overrules_the_one_below_and_is_named_as_the_source(home) -> None:
    home.user.write_text('\nmodel = "user"\nwindow = 1\nhint = "sed"\n')
    (home.project / ".ctxkit.toml").write_text('# ours\n\nmodel = "project"\nwindow = 2\n')
    loaded = home.load({"CTXKIT_MODEL": "variable"})
    assert (loaded["model"], loaded.lookup("model").source) == ("variable", "CTXKIT_MODEL")
    assert (loaded["window"], loaded.lookup("window").source) == (2, f"{home.project / '.ctxkit.toml'}:4")
    assert (loaded["hint"], loaded.lookup("hint").source) == ("sed", f"{home.user}:4")
    assert loaded.lookup("store").source == "default"


def test_an_empty_variable_is_no_setting(home) -> None:
    (home.project / ".ctxkit.toml").write_text('model = "project"\n')
    assert home.load({"CTXKIT_MODEL": ""})["model"] == "project"


@pytest.mark.parametrize(
    ("text", "truth"), [("1", True), ("yes", True), ("ON", True), ("0", False), ("no", False), ("False", False)]
)
def test_a_variable_is_true_or_false_in_words(home, text: str, truth: bool) -> None:
    assert home.load({"CTXKIT_STORE": text})["store"] is truth


def test_pyproject_holds_settings_in_its_table(home) -> None:
    pyproject = home.project / "pyproject.toml"
    pyproject.write_text('[project]\nname = "x"\n\n[tool.ctxkit]\nwindow = 4096\n')
    loaded = home.load()
    assert (loaded["window"], loaded.lookup("window").source) == (4096, f"{pyproject}:5")


def test_the_line_of_a_setting_is_counted_in_its_own_table(home) -> None:
    pyproject = home.project / "pyproject.toml"
    pyproject.write_text("[tool.mypy]\nwindow = 1\n\n[tool.ctxkit]\nwindow = 2\n\n[tool.other]\nwindow = 3\n")
    assert home.load().lookup("window").source == f"{pyproject}:5"


def test_ctxkit_toml_goes_before_pyproject_in_the_same_directory(home) -> None:
    (home.project / "pyproject.toml").write_text("[tool.ctxkit]\nwindow = 1\n")
    (home.project / ".ctxkit.toml").write_text("window = 2\n")
    assert home.load()["window"] == 2


def test_a_pyproject_without_our_table_is_passed_over_even_if_broken(home) -> None:
    inner = home.project / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[project\n")
    (home.project / ".ctxkit.toml").write_text("window = 2\n")
    assert home.load(directory=inner)["window"] == 2


def test_the_nearest_file_upwards_holds_and_the_search_stops_at_the_repository(home) -> None:
    (home.project.parent / ".ctxkit.toml").write_text("window = 1\n")
    deep = home.project / "a" / "b"
    deep.mkdir(parents=True)
    assert home.load(directory=deep)["window"] == 0
    (home.project / ".ctxkit.toml").write_text("window = 2\n")
    assert home.load(directory=deep)["window"] == 2
    (home.project / "a" / ".ctxkit.toml").write_text("window = 3\n")
    assert home.load(directory=deep)["window"] == 3


def test_a_worktree_whose_git_is_a_file_is_a_repository_too(home) -> None:
    (home.project / ".ctxkit.toml").write_text("window = 2\n")
    inner = home.project / "worktree"
    inner.mkdir()
    (inner / ".git").write_text("gitdir: elsewhere\n")
    assert home.load(directory=inner)["window"] == 0


def test_the_current_directory_is_where_the_search_begins(home, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.project / ".ctxkit.toml").write_text("window = 2\n")
    monkeypatch.chdir(home.project)
    assert settings.load({})["window"] == 2


def test_a_directory_that_is_gone_has_no_project(home, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = home.project / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert settings.load({})["window"] == 0
    finally:
        os.chdir(home.project)


@pytest.mark.parametrize("name", ["user", "project", "pyproject"])
def test_broken_toml_is_named_with_file_and_line(home, name: str) -> None:
    path = {"user": home.user, "project": home.project / ".ctxkit.toml", "pyproject": home.project / "pyproject.toml"}[
        name
    ]
    path.write_text("[tool.ctxkit]\n\nwindow = = 3\n")
    with pytest.raises(SettingsError) as raised:
        home.load()
    assert str(raised.value).startswith(f"{path}:3: ")
    assert "line 3" not in str(raised.value)


def test_a_file_that_ends_too_early_or_is_no_text_is_named(home) -> None:
    for data in (b'model = """', b"\xff\xfe", b'model = "\xff"\n'):
        home.user.write_bytes(data)
        with pytest.raises(SettingsError, match=str(home.user)):
            home.load()


def test_a_byte_order_mark_is_no_trouble(home) -> None:
    home.user.write_bytes(b'\xef\xbb\xbfmodel = "opus"\n')
    assert home.load()["model"] == "opus"


@pytest.mark.parametrize(
    "line",
    [
        'window = "many"',
        "window = -1",
        "window = 1.5",
        "window = true",
        "model = true",
        "model = []",
        "store = 3",
        'strict = "perhaps"',
        "compact_trigger = 95",
        "compact_trigger = 0",
        'hard_block = "high"',
        "hard_block = true",
        'cache_max_age = "soon"',
        'cache_max_size = "-1"',
        'cache_max_size = "1e308gb"',
        "briefing_cap = {}",
        "hint = 1979-05-27",
    ],
)
def test_a_wrong_value_is_named_with_file_line_and_key(home, line: str) -> None:
    path = home.user
    path.write_text(f"# first\n{line}\n")
    with pytest.raises(SettingsError) as raised:
        home.load()
    assert str(raised.value).startswith(f"{path}:2: {line.split()[0]} = ")


def test_a_wrong_variable_is_named(home) -> None:
    with pytest.raises(SettingsError, match=r"^CTXKIT_WINDOW: window = 'many' is not a whole number$"):
        home.load({"CTXKIT_WINDOW": "many"})


def test_an_unknown_key_suggests_the_nearest(home) -> None:
    home.user.write_text('\nmodle = "opus"\n')
    with pytest.raises(SettingsError) as raised:
        home.load()
    assert str(raised.value) == f"{home.user}:2: unknown setting 'modle'"
    assert raised.value.hint == "did you mean model?"


def test_an_unknown_key_unlike_any_other_suggests_nothing(home) -> None:
    home.user.write_text("zzzzzz = 1\n")
    with pytest.raises(SettingsError) as raised:
        home.load()
    assert raised.value.hint == ""


@pytest.mark.parametrize(
    "text", ["tool.ctxkit = 5\n", '[tool]\nctxkit = "x" # tool.ctxkit\n', "tool = 1 # tool.ctxkit\n"]
)
def test_a_table_that_is_none_is_bad_settings(home, text: str) -> None:
    (home.project / "pyproject.toml").write_text(text)
    with pytest.raises(SettingsError, match="is not a table"):
        home.load()


def test_the_higher_source_wins_whichever_of_two_names_for_one_thing_it_uses(home) -> None:
    home.user.write_text('window = 1\nreserve = "5%"\n')
    (home.project / ".ctxkit.toml").write_text("context_budget = 2\n")
    assert home.load().window() == (2, f"{home.project / '.ctxkit.toml'}:1")
    loaded = home.load({"CTXKIT_CONTEXT_BUDGET": "3", "CTXKIT_MAX_OUTPUT_TOKENS": "4"})
    assert loaded.window() == (3, "CTXKIT_CONTEXT_BUDGET")
    assert loaded.lookup_first("reserve", "max_output_tokens") == ("max_output_tokens", (4, "CTXKIT_MAX_OUTPUT_TOKENS"))
    assert home.load({"CTXKIT_CONTEXT_BUDGET": "3", "CTXKIT_WINDOW": "5"}).window().value == 5
    assert home.load().lookup_first("reserve", "max_output_tokens")[0] == "reserve"


def test_without_a_window_there_is_none(home) -> None:
    assert home.load().window() == home.load().window("any") == (0, "default")


QWEN = '[models."my-qwen"]\nwindow = 40960\ntokenizer = "qwen3"\nmax_output = 8192\n'


def test_a_file_describes_a_model_and_each_figure_has_its_line(home) -> None:
    path = home.project / ".ctxkit.toml"
    path.write_text(QWEN)
    loaded = home.load()
    assert loaded.models() == ["my-qwen"]
    assert loaded.window("my-qwen") == (40_960, f"{path}:2")
    assert loaded.tokenizer("my-qwen") == ("qwen3", f"{path}:3")
    assert loaded.lookup_for_model("my-qwen", "max_output") == (8_192, f"{path}:4")
    assert loaded.window("other") == loaded.window() == (0, "default")
    assert loaded.lookup_for_model("other", "window") is None


def test_pyproject_describes_models_too_and_layers_add_up(home) -> None:
    home.user.write_text(QWEN)
    pyproject = home.project / "pyproject.toml"
    pyproject.write_text("[tool.ctxkit.models.my-qwen]\nwindow = 7\n")
    assert home.load().window("my-qwen") == (7, f"{pyproject}:2")
    assert home.load().tokenizer("my-qwen").value == "qwen3"


def test_what_is_said_of_the_model_holds_before_what_one_source_says_of_all_and_not_before_a_higher_one(home) -> None:
    home.user.write_text(f"window = 1\n{QWEN}")
    assert home.load().window("my-qwen").value == 40_960
    assert home.load({"CTXKIT_WINDOW": "3"}).window("my-qwen").value == 3
    (home.project / ".ctxkit.toml").write_text("window = 2\n")
    assert home.load().window("my-qwen").value == 2


@pytest.mark.parametrize("name", ["my-qwen", "My_Qwen", "ollama/my-qwen", "MY-QWEN"])
def test_a_described_model_is_found_as_it_is_spelled_elsewhere(home, name: str) -> None:
    home.user.write_text(QWEN)
    assert home.load().find_model_name(name) == "my-qwen"


def test_a_description_with_a_provider_is_for_that_provider_alone(home) -> None:
    home.user.write_text('[models."local/qwen3-8b"]\nwindow = 5\n[models."qwen3-8b"]\nwindow = 6\n')
    loaded = home.load()
    assert [loaded.window(name).value for name in ("local/qwen3-8b", "LOCAL/Qwen3-8B", "x/qwen3-8b")] == [5, 5, 6]
    assert loaded.find_model_name("") == loaded.find_model_name("qwen3-14b") == ""


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[models.a]\nwindw = 1\n", ":2: unknown setting 'windw'", "did you mean window?"),
        ('[models.a]\nwindow = "big"\n', ":2: max", ""),
        ("models = 3\n", ":1: models is not a table", 'as in [models."my-model"]'),
        ("[models]\nqwen3 = 4096\n", ":2: models.qwen3 is not a table", 'as in [models."my-model"]'),
    ],
)
def test_a_wrong_description_is_named(home, text: str, message: str, hint: str) -> None:
    home.user.write_text(text)
    with pytest.raises(SettingsError) as raised:
        home.load()
    assert str(raised.value).startswith(f"{home.user}{message.replace('max', 'window = ')}")
    assert raised.value.hint == hint


def test_who_asks_to_be_told_gets_every_fault_and_what_can_be_understood(home) -> None:
    home.user.write_text('window = "many"\nmodel = "opus"\nmodle = 1\n')
    (home.project / ".ctxkit.toml").write_text("window = = 2\n")
    faults: list[SettingsError] = []
    loaded = settings.load({"CTXKIT_RESERVE": "1", "CTXKIT_STRICT": "maybe"}, str(home.project), faults.append)
    assert (loaded["model"], loaded["reserve"], loaded["window"]) == ("opus", "1", 0)
    assert [str(fault).partition(": ")[0] for fault in faults] == [
        "CTXKIT_STRICT",
        f"{home.project / '.ctxkit.toml'}:1",
        f"{home.user}:1",
        f"{home.user}:3",
    ]
