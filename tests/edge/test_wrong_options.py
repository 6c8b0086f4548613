"""A filter runs without its wrong options, unless one of them may have been meant to hold content back."""

import json
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.edge.wrong_options import GUARDS, explain_usage_error, is_guard, is_within_edits
from tests.conftest import Run

LARGE = b"a line of text that is longer than a token\n" * 20_000
"""More than a pipe holds: whoever does not read it lets the writer die."""


@pytest.mark.parametrize("word", [*GUARDS, "--redact", "--redcat", "--redactd", "NO_STORE", "--nostore", "--chek", "--strictly", "--never-stored", "--red"])
def test_a_guard_may_be_misspelled(word: str) -> None:
    assert is_guard(word)


@pytest.mark.parametrize("word", ["--each", "--store", "--window", "--focus", "--max-tokens", "8000", "-q", "", "make", "cargo check"])
def test_another_word_is_no_guard(word: str) -> None:
    assert not is_guard(word)


@pytest.mark.parametrize("settings", ["redact = true", "strict = true", "store = false", 'never_store = ["vault *"]', "redcat = true", "window = "])
def test_nothing_passes_if_the_settings_hold_content_back(run: Run, home: dict[str, str], settings: str) -> None:
    path = Path(home["XDG_CONFIG_HOME"], "ctxkit", "config.toml")
    path.parent.mkdir(parents=True)
    path.write_text(f"{settings}\n")
    ran = run("gate", "--xyzzy", stdin=LARGE)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith("ctxkit: no such option: --xyzzy\n  hint: nothing passes, because of ")


@pytest.mark.parametrize("name", ["CTXKIT_REDACT", "CTXKIT_REDCAT", "CTXKIT_STRICT"])
def test_nothing_passes_if_a_variable_holds_content_back(run: Run, name: str) -> None:
    ran = run("truncate", "--xyzzy", stdin=LARGE, env={name: "1"})
    assert (ran.status, ran.out) == (2, b"")


def test_a_fault_of_another_variable_holds_nothing_back(run: Run) -> None:
    ran = run("gate", "--xyzzy", stdin="a line\n", env={"CTXKIT_WINDOW": "wide"})
    assert (ran.status, ran.out) == (2, b"a line\n")


def test_a_file_after_an_unknown_option_is_the_source(run: Run, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("in a file\n")
    ran = run("gate", "--xyzzy", "log.txt", stdin="on stdin\n", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", "ctxkit: no such option: --xyzzy\n  hint: ctxkit gate --help\n")


def test_a_number_after_an_unknown_option_is_its_value_though_a_file_has_that_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "2000").write_text("in a file\n")
    ran = run("gate", "--max-tokens", "2000", stdin="on stdin\n", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"on stdin\n")


@pytest.mark.parametrize("words", [("--xyzzy", "log", "-q"), ("-q", "--xyzzy=1", "--xyzzy2"), ("--xyzzy", "-q", "absent"), ("--", "a", "b")])
def test_each_wrong_word_is_left_out(run: Run, words) -> None:
    ran = run("gate", "--window", "8192", *words, stdin="on stdin\n")
    assert (ran.status, ran.out) == (2, b"on stdin\n")


def test_the_other_options_still_hold(run: Run) -> None:
    ran = run("gate", "--xyzzy", "--window", "2000", "--name", "make test", "--type", "nothing", "--json", stdin=LARGE)
    report = json.loads(ran.out)
    assert (ran.status, report["result"], report["budget"]["window"]) == (2, "briefing", 2000)
    assert "make test" in report["content"]


def test_a_session_is_charged_without_the_option_that_contradicts_it(run: Run) -> None:
    ran = run("gate", "--session", "s", "--window", "8192", "--used", "5", stdin="a line\n")
    assert (ran.status, ran.out) == (2, b"a line\n")
    assert json.loads(run("session", "status", "s", "--json").out)["used"] > 0


def test_an_error_of_the_content_is_reported_once(run: Run) -> None:
    ran = run("gate", "--each", "--field", "text", stdin="{}\n")
    assert ran.err.count("ctxkit: ") <= 2
    assert b"the record has no field text" in ran.out


@click.command("c", params=[
    click.Option(["-w", "--window"], type=int),
    click.Option(["--check"], is_flag=True),
    click.Option(["--host"], type=click.Choice(["codex", "claude-code"])),
    click.Option(["--need"], required=True),
    click.Option(["--old-need"], hidden=True),
    click.Argument(["shell"], metavar="SHELL", type=click.Choice(["bash", "zsh"])),
])  # fmt: skip
def command(**_values: object) -> None:
    """Do it."""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--ned"], "no such option: --ned; did you mean --need?"),
        (["--old-nead"], "no such option: --old-nead"),
        (["-x"], "no such option: -x"),
        (["--window"], "--window needs a value"),
        (["-w"], "-w needs a value"),
        (["--check=1"], "--check takes no value"),
        (["--window", "x", "--need", "1", "zsh"], "--window: 'x' is not a valid integer"),
        (["--host", "claude", "--need", "1", "zsh"], "--host: 'claude' is not one of codex, claude-code; did you mean claude-code?"),
        (["--need", "1", "it's"], 'SHELL: "it\'s" is not one of bash, zsh'),
        (["zsh"], "missing option: --need"),
        (["--need", "1"], "missing argument: SHELL (one of bash, zsh)"),
        (["--need", "1", "zsh", "b"], "unexpected argument: b"),
        (["--need", "1", "zsh", "b", "c"], "unexpected arguments: b c"),
    ],
)  # fmt: skip
def test_a_message_is_one_lower_case_sentence_without_a_full_stop(args, message: str) -> None:
    with pytest.raises(click.UsageError) as raised:
        command.make_context("c", args)
    assert explain_usage_error(raised.value) == message


def test_a_message_of_a_command_is_kept() -> None:
    assert explain_usage_error(click.UsageError("no such command: x")) == "no such command: x"
    assert explain_usage_error(click.BadParameter("it is wrong")) == "Invalid value: it is wrong"


WORDS = st.text("ab", max_size=6)


@pytest.mark.parametrize(
    ("first", "second", "edits"),
    [("redact", "redact", 0), ("redcat", "redact", 2), ("redac", "redact", 1), ("strikt", "strict", 1), ("each", "check", 4), ("", "abc", 3)],
)  # fmt: skip
def test_letters_that_differ_are_counted(first: str, second: str, edits: int) -> None:
    assert is_within_edits(first, second, edits)
    assert not is_within_edits(first, second, edits - 1)


@given(WORDS, WORDS, st.sampled_from("ab"))
def test_a_letter_more_is_an_edit_more_at_most(first: str, second: str, letter: str) -> None:
    edits = next(number for number in range(13) if is_within_edits(first, second, number))
    assert is_within_edits(second, first, edits)
    assert is_within_edits(first + letter, second, edits + 1)
