"""What the sizes in a project's file can change, and what they cannot."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import SettingsError, UsageError
from ctxkit.core.tokens.budget import Budget
from ctxkit.edge import option_values, settings
from ctxkit.edge.compact_options import CompactOptions
from ctxkit.edge.option_values import lookup_size, parse_reserve
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Setting, Settings
from tests.conftest import Run


@pytest.mark.parametrize(("name", "other_name", "same"), [
    ("no-such-model", "no-such-model", True),
    ("opus", "claude-opus-4-8", False),
    ("opus", "OPUS", True),
    ("no-such-model", "opus", False),
])  # fmt: skip
def test_models_are_the_same_by_any_of_their_names(name, other_name, same):
    assert option_values.is_same_model(name, other_name) is same


def test_a_bad_setting_is_reported_with_its_source_and_has_no_value():
    errors = []
    settings = Settings([{}])
    settings.blame = errors.append
    setting = Setting("{file}", "ctxkit.toml:3")
    assert option_values.read_setting(settings, setting, option_values.read_hint) is None
    (error,) = errors
    assert isinstance(error, SettingsError)
    assert str(error).startswith("ctxkit.toml:3: ")
    assert "--hint" not in str(error)


@pytest.mark.parametrize(("reserve", "size", "tokens"), [("100", 1000, 100), ("20%", 1000, 200), ("5000", 1000, None)])
def test_a_reserve_is_tokens_or_a_share_of_the_window(reserve, size, tokens):
    if tokens is None:
        with pytest.raises(UsageError, match="--reserve"):
            option_values.parse_option_reserve(reserve, size)
        assert option_values.parse_assumed_reserve(reserve, size) == size // 5
    else:
        assert option_values.parse_option_reserve(reserve, size) == tokens


@pytest.mark.parametrize("content_type", ["", None])
def test_no_type_is_the_empty_one(content_type):
    assert option_values.check_content_type(content_type) == ""
    assert option_values.check_content_type("json") == "json"
    with pytest.raises(UsageError, match="unknown type: jsno"):
        option_values.check_content_type("jsno")


@pytest.mark.parametrize(
    ("text", "window", "tokens"),
    [("4096", 8192, 4096), ("20%", 4096, 819), ("0", 10, 0), ("0%", 10, 0), ("12.5%", 1000, 125), ("99%", 100, 99)],
)
def test_a_reserve_is_parsed_as_tokens_or_a_share(text: str, window: int, tokens: int) -> None:
    assert parse_reserve(text, window) == tokens


@pytest.mark.parametrize(
    "text", ["", "x", "20 percent", "-1", "-5%", "1000", "100%", "1e3", "nan%", "inf%", "1e400%", "%"]
)
def test_what_is_no_reserve_raises_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_reserve(text, 1000)


@given(st.text(max_size=8), st.integers(1, 10**6))
def test_any_text_is_a_reserve_that_leaves_a_window_or_a_value_error(text: str, window: int) -> None:
    with suppress(ValueError):
        assert 0 <= parse_reserve(text, window) < window


QWEN = {"CTXKIT_MODEL": "qwen3-30b"}
"""A model with a window of 32,768 tokens."""
LARGE = "".join(f"line {number} of a long output\n" for number in range(3000))


class Home:
    """A user's file, and a project's file that a stranger wrote."""

    def __init__(self, root: Path) -> None:
        self.user = root / "config" / "ctxkit" / "config.toml"
        self.user.parent.mkdir(parents=True)
        self.project = root / "project"
        (self.project / ".git").mkdir(parents=True)
        self.file = self.project / ".ctxkit.toml"
        self.messages: list[str] = []

    def load(self, text: str, user: str = "", environ: dict[str, str] | None = None) -> Settings:
        self.file.write_text(text)
        self.user.write_text(user)
        loaded = settings.load(environ or {}, str(self.project))
        self.messages.clear()
        loaded.report_limit = self.messages.append
        return loaded

    def budget(self, text: str, user: str = "", environ: dict[str, str] | None = None) -> Budget:
        return CliRequest().budget(self.load(text, user, environ))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    for name in ("config", "data"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    return Home(tmp_path)


@pytest.mark.parametrize(
    ("text", "user", "environ", "window"),
    [
        ("window = 10\n", "", QWEN, 8192),
        ("context_budget = 10\n", "", QWEN, 8192),
        ("[agent]\ncontext_budget = 10\n", "", QWEN, 8192),
        ('[models."qwen3-30b"]\nwindow = 10\n', "", QWEN, 8192),
        ('model = "x"\n[models.x]\nwindow = 10\n', "window = 100000\n", {}, 25_000),
        ("window = 9000\n", "", QWEN, 9000),
        ("window = 999999999\n", "", QWEN, 32_768),
        ("window = 50000\n", "window = 40000\n", {}, 40_000),
        ("window = 10\n", "", {}, 8192),
        ("window = 10\n", "", {"CTXKIT_MODEL": "my-7b-q4.gguf"}, 2048),
        ("window = 200000\n", "", {}, 200_000),
        ("window = 999999999999\n", "", {}, 2_000_000),
        ("window = 10\n", "", {"CTXKIT_WINDOW": "500"}, 500),
    ],
)
def test_a_window_is_at_least_a_quarter_and_not_above_what_the_user_states(place: Home, text, user, environ, window) -> None:
    stated = place.budget(text, user, environ).window
    assert stated == window
    is_limited = not environ.get("CTXKIT_WINDOW") and f" = {window}\n" not in text
    assert [message.endswith(f" counts as {window:,}") for message in place.messages] == [True] * is_limited


@pytest.mark.parametrize(
    ("text", "user", "reserve"),
    [
        ('reserve = "99%"\n', "", 26_215),
        ("reserve = 32000\n", "", 26_215),
        ("max_output_tokens = 32000\n", "", 26_215),
        ("reserve = 1\n", "", 1638),
        ('reserve = "10%"\n', "", 3277),
        ('reserve = "99%"\nwindow = 10\n', "", 1638),
        ('reserve = "99%"\nwindow = 16384\n', "", 9831),
        ("reserve = 1\n", "reserve = 8000\n", 2000),
    ],
)
def test_a_reserve_leaves_a_quarter_of_the_window_and_of_itself(place: Home, text: str, user: str, reserve: int) -> None:
    budget = place.budget(text, user, QWEN)
    assert abs(budget.reserve - reserve) <= 1
    own = place.budget("", user, QWEN)
    assert budget.effective >= own.effective // 4 - 1
    assert budget.reserve >= own.reserve // 4 or budget.window < own.window


@pytest.mark.parametrize(
    ("key", "value", "user", "limited"),
    [
        ("briefing_cap", 1, "", 2000),
        ("briefing_cap", 10**9, "", 32_000),
        ("briefing_cap", 9000, "briefing_cap = 8500\n", 8500),
        ("briefing_cap", 5000, "", 5000),
        ("hard_block", 0.001, "", 0.245),
        ("hard_block", 1.0, "", 0.98),
        ("hard_block", 0.9, "hard_block = 0.8\n", 0.8),
        ("compact_trigger", 0.001, "", 0.2375),
        ("compact_trigger", 1.0, "", 0.95),
        ("low_water", 0.001, "", 0.125),
        ("low_water", 0.9, "low_water = 0.4\n", 0.4),
        ("keep_last", 1, "", 8),
        ("keep_last", 10**9, "", 64),
        ("keep_last", 1, "keep_last = 100\n", 25),
        ("keep_last", 0, "keep_last = 100\n", 0),
    ],
)
def test_other_sizes_have_limits_too(place: Home, key: str, value: float, user: str, limited: float) -> None:
    loaded = place.load(f"{key} = {value}\n", user)
    assert lookup_size(loaded, key) == limited
    change = [f"{place.file}:1: {key} = {value} counts as {limited:,}"] if value != limited else []
    assert place.messages == change


@pytest.mark.parametrize(
    ("text", "user", "recent"),
    [
        ("keep_recent = 1\n", "", 2048),
        ("keep_recent = 10000000\n", "", 8192),
        ("keep_recent = 3000\n", "", 3000),
        ("keep_recent = 1\n", "keep_recent = 4000\n", 1000),
        ("", "keep_recent = 4000\n", 4000),
        ("", "", None),
    ],
)
def test_a_compaction_keeps_recent_messages_whatever_a_project_says(place: Home, text, user, recent) -> None:
    policy = CompactOptions().make_policy(Call(CliRequest(), place.load(text, user, QWEN)))
    assert policy.recent == recent


def test_a_directory_that_the_user_trusts_has_no_limits(place: Home) -> None:
    text = 'window = 500\nreserve = "50%"\nbriefing_cap = 9\nhard_block = 1.0\n'
    budget = place.budget(text, f"trusted = ['{place.project}']\n", QWEN)
    assert (budget.window, budget.reserve, budget.briefing_cap, budget.hard_block) == (500, 250, 9, 1.0)
    assert place.messages == []


def test_output_is_not_swallowed_and_one_line_says_why(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('window = 10\nbriefing_cap = 1\nreserve = "99%"\n')
    whole = run("gate", "--name", "a", stdin=LARGE[:4000], cwd=tmp_path)
    assert (whole.status, whole.out) == (0, LARGE[:4000].encode())
    assert [line for line in whole.err.splitlines() if "window = 10 counts as 8,192, because" in line]
    assert len([line for line in whole.err.splitlines() if " counts as " in line]) == 3
    page = run("gate", "--json", stdin=LARGE, cwd=tmp_path)
    assert page.err == ""
    assert json.loads(page.out)["budget"]["window"] == 8192
    varied = "".join(f"line {number * number % 7919} of a long output\n" for number in range(3000))
    assert len(run("gate", stdin=varied, cwd=tmp_path).out) > 3000


def test_doctor_says_what_is_limited(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text("window = 10\n")
    lines = run("doctor", cwd=tmp_path).out.decode().splitlines()
    (line,) = [line for line in lines if line.startswith("- limited")]
    assert line.endswith(f"{tmp_path}/.ctxkit.toml:1: window = 10 counts as 8,192")
    assert any("window 8,192" in line for line in lines)
