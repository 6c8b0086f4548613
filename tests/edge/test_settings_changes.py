import json
import os
import stat
import tomllib
from pathlib import Path

import pytest

from ctxkit.core.brief.custom_kinds import parse_kind_rules
from ctxkit.core.errors import InputOutputError, MalformedInputError, MissingInputError, SettingsError, UsageError
from ctxkit.core.tokens.estimate import Factor, estimate_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge import settings, settings_changes, user_dirs
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings_changes import suggest_settings
from ctxkit.system.own_files import temporary_name


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


FACTOR = Factor(1.27, 0.93, 1.08, 42)
TEXTS = [f"Receipt number {n} says what {n * 7} words of text cost.\n" * (n + 5) for n in range(20)]


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The user's settings file, which is not there yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "config" / "ctxkit" / "config.toml"


@pytest.fixture
def receipts(tmp_path: Path):
    """A file of receipts that cost 1.5 times what an unknown model is estimated at."""
    file = tmp_path / "receipts.jsonl"
    plain = find_vocabulary("estimate")
    rows = [{"text": text, "tokens": round(1.5 * estimate_tokens(text, plain).tokens), "model": "claude"} for text in TEXTS]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(file)


def test_what_is_learnt_is_used_from_then_on(user, receipts) -> None:
    before = estimate_tokens(TEXTS[9], CliRequest(model="haiku").vocabulary(settings.load()))
    found = settings_changes.learn_from_receipts(receipts, settings.load())
    assert found["file"] == str(user)
    assert found["calibration"]["claude"]["receipts"] == 20
    taught = CliRequest(model="haiku").vocabulary(settings.load())
    assert abs(taught.factor - 1.5) < 0.02
    after = estimate_tokens(TEXTS[9], taught)
    assert after.tokens > before.tokens
    assert (after.high - after.low) / after.tokens < (before.high - before.low) / before.tokens
    assert settings.load().lookup("calibration").source == f"{user}:1"


def test_what_is_counted_exactly_is_not_touched(user, receipts) -> None:
    settings_changes.learn_from_receipts(receipts, settings.load())
    assert CliRequest(model="qwen3-30b").vocabulary(settings.load()) == find_vocabulary("qwen3")
    assert CliRequest(tokenizer="estimate").vocabulary(settings.load()) == find_vocabulary("estimate")


def test_what_a_killed_call_left_is_removed_though_nothing_is_learnt_anew(user, receipts) -> None:
    settings_changes.learn_from_receipts(receipts, settings.load())
    left = user.with_name(temporary_name(2**22 + 1, "0123456789abcdef"))
    left.write_text("half")
    os.utime(left, (1, 1))
    settings_changes.learn_from_receipts(receipts, settings.load())
    assert not left.exists()


def test_learning_again_from_the_same_teaches_the_same(user, receipts) -> None:
    first = settings_changes.learn_from_receipts(receipts, settings.load())
    text = user.read_text()
    again = settings_changes.learn_from_receipts(receipts, settings.load())
    assert user.read_text() == text
    assert again["calibration"]["claude"]["factor"] == first["calibration"]["claude"]["factor"]
    assert again["calibration"]["claude"]["before"]["factor"] == first["calibration"]["claude"]["factor"]


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# mine\nmodel = 'sonnet'  # the one I pay for\n",
        "window = 5\n\n[calibration]\n# learnt in May\ngemini = 0.9 # by hand\n\n[models.\"my-model\"]\nwindow = 9\n",
        "[calibration]\nclaude = { factor = 1.0 }   # old\n",
        "[calibration]",
        "model = 'sonnet'\r\n[calibration]\r\ngemini = 0.9\r\n",
        "# [calibration]\n# claude = 3\n",
        "[ calibration ]\n\"claude\" = 1\n",
    ],
)
def test_the_rest_of_the_file_stays_as_it_is(before: str) -> None:
    after = settings_changes.insert_factors(before, {"claude": FACTOR})
    said, was = tomllib.loads(after), tomllib.loads(before)
    assert said["calibration"]["claude"] == FACTOR._asdict()
    said["calibration"].pop("claude")
    was.setdefault("calibration", {}).pop("claude", None)
    assert said == was
    for line in before.split("\n"):
        assert line.strip().startswith(("claude", '"claude"')) or line in after
    assert after.count("#") == before.count("#")
    assert settings_changes.insert_factors(after, {"claude": FACTOR}) == after


@pytest.mark.parametrize(
    "before", ["calibration = 3\n", "calibration.claude = 2\n", "[calibration.claude]\nfactor = 2\n", "model = \n", "\xff"]
)
def test_a_file_that_cannot_be_edited_is_left_alone(user, before: str) -> None:
    user.parent.mkdir(parents=True)
    user.write_bytes(before.encode("latin-1"))
    with pytest.raises(SettingsError, match=r"config\.toml(: | is not UTF-8)"):
        settings_changes.save_factors(str(user), {"claude": FACTOR})
    assert user.read_bytes() == before.encode("latin-1")


def test_a_link_stays_one_and_permissions_stay(user, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("model = 'sonnet'\n")
    real.chmod(0o644)
    user.parent.mkdir(parents=True)
    user.symlink_to(real)
    settings_changes.save_factors(str(user), {"claude": FACTOR})
    assert user.is_symlink()
    assert "claude" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o644
    assert [path.name for path in user.parent.iterdir()] == ["config.toml"]


def test_a_new_file_is_its_owners_alone(user) -> None:
    settings_changes.save_factors(str(user), {"claude": FACTOR})
    assert stat.S_IMODE(user.stat().st_mode) == 0o600
    assert user.read_text() == f"[calibration]\nclaude = {FACTOR.to_toml()}\n"


def test_a_place_that_cannot_be_written_is_said(user) -> None:
    user.parent.parent.mkdir(parents=True)
    user.parent.write_text("a file in the way")
    with pytest.raises(InputOutputError):
        settings_changes.save_factors(str(user), {"claude": FACTOR})


def test_what_is_wrong_with_receipts_is_said_and_nothing_is_kept(user, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    with pytest.raises(MissingInputError):
        settings_changes.learn_from_receipts(str(file), settings.load())
    file.write_text('{"text": "a", "tokens": 1}\nnonsense\n')
    with pytest.raises(MalformedInputError, match="line 2"):
        settings_changes.learn_from_receipts(str(file), settings.load())
    file.write_text('{"text": "a", "tokens": 1}\n')
    with pytest.raises(UsageError, match="too few"):
        settings_changes.learn_from_receipts(str(file), settings.load())
    with pytest.raises(UsageError, match="counted by qwen3"):
        settings_changes.learn_from_receipts(str(file), settings.load(), model="qwen3-30b")
    assert not user.exists()
    assert user_dirs.settings_file() == str(user)


@pytest.mark.parametrize("value", ["3", "{ claude = 'x' }", "{ claude = 0 }", "{ claude = { low = 1 } }"])
def test_a_calibration_that_makes_no_sense_is_bad_settings(user, value: str) -> None:
    user.parent.mkdir(parents=True)
    user.write_text(f"calibration = {value}\n")
    with pytest.raises(SettingsError, match="calibration"):
        settings.load()
