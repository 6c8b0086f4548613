"""A command of the root group runs, and its end becomes an exit status."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ctxkit.core import errors
from ctxkit.core.errors import Exit
from ctxkit.edge import say
from ctxkit.edge.command_group import (
    UNNAMED,
    CommandGroup,
    Verb,
    check_answer,
    make_help_option,
    make_verbosity_options,
    make_version_option,
    read_build_name,
    run_command,
    run_for_status,
)
from ctxkit.main import cli
from tools.pages.tree import tree

VERBS = {"fetch": "Fetch a thing.", "bury": "Bury a thing.", "broken": "Fail to load."}
VERB = """
import click

@click.command("fetch")
@click.option("--loud", is_flag=True)
def command(loud):
    \"\"\"Say more than the table does.\"\"\"
    click.echo("FETCHED" if loud else "fetched")
    return 1
"""


@pytest.fixture
def menu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A menu of verbs in a package of their own, of which one loads."""
    package = f"verbs_of_{tmp_path.name}"
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").touch()
    (tmp_path / package / "fetch.py").write_text(VERB)
    (tmp_path / package / "broken.py").write_text("raise RuntimeError('loaded')\n")
    (tmp_path / package / "hidden.py").write_text(VERB)
    monkeypatch.syspath_prepend(tmp_path)
    return CommandGroup(VERBS, package, name="dog")


def run(menu, *args):
    return CliRunner().invoke(menu, args, standalone_mode=False)


def test_a_verb_is_loaded_and_its_answer_comes_back(menu) -> None:
    done = run(menu, "fetch", "--loud")
    assert (done.output, done.return_value) == ("FETCHED\n", 1)


def test_help_lists_the_table_in_its_order_and_loads_no_verb(menu) -> None:
    done = run(menu, "--help")
    assert "Commands:\n  fetch   Fetch a thing.\n  bury    Bury a thing.\n  broken  Fail to load.\n\nGeneral:\n" in done.output
    assert run(menu).output == done.output


def test_a_verb_is_loaded_only_when_it_is_called(menu) -> None:
    assert run(menu, "fetch").exception is None
    with pytest.raises(RuntimeError, match="loaded"):
        raise run(menu, "broken").exception


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("fetsh",), "no such command: fetsh; did you mean fetch?"),
        (("xyz",), "no such command: xyz"),
        (("hidden",), "no such command: hidden"),
        (("",), "no such command: "),
    ],
)
def test_what_is_no_verb_is_a_question_back(menu, args, message: str) -> None:
    error = run(menu, *args).exception
    assert isinstance(error, click.UsageError)
    assert error.message == message


def test_an_unknown_option_is_not_taken_for_a_verb(menu) -> None:
    assert isinstance(run(menu, "--fetch").exception, click.NoSuchOption)


def test_a_file_that_is_not_in_the_table_is_no_command(menu) -> None:
    assert menu.get_command(click.Context(menu), "hidden") is None
    assert menu.list_commands(click.Context(menu)) == ["fetch", "bury", "broken"]


def test_completion_needs_no_verb_to_be_parsed(menu) -> None:
    assert menu.make_context("dog", [], resilient_parsing=True).args == []


@pytest.mark.slow
def test_the_menu_of_ctxkit_names_only_verbs_that_there_are() -> None:
    script = (
        "from importlib import import_module\n"
        "from click import Context\n"
        "from ctxkit.commands.cache import command as cache\n"
        "from ctxkit.registry import CACHE, VERBS\n"
        "assert all(import_module(f'ctxkit.commands.{name}').command.name == name for name in VERBS)\n"
        "assert all(cache.get_command(Context(cache), name).name == name for name in CACHE)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("answer", [Exit.DONE, Exit.NO, 0, 141])
def test_an_exit_status_is_an_answer(answer) -> None:
    assert check_answer(answer) is answer


@pytest.mark.parametrize("answer", [None, True, False, "0", 1.0])
def test_anything_else_is_a_bug_and_not_success(answer) -> None:
    with pytest.raises(TypeError, match=f"answered {answer!r}, which is not an exit status"):
        check_answer(answer)


def test_a_verb_has_the_general_options_unless_it_defines_them_itself() -> None:
    verb = Verb("plain", params=[click.Option(["-q", "--query"], is_flag=True)], callback=lambda query: query, help="Do it.")
    text = CliRunner().invoke(verb, ["--help"]).output
    assert [line.split()[0] for line in text.partition("General:\n")[2].splitlines()] == ["-v,", "-V,", "--help"]
    assert CliRunner().invoke(verb, ["-q"], standalone_mode=False).return_value is True
    assert CliRunner().invoke(verb, ["-V"]).output.startswith("ctxkit ")


def test_a_verb_is_made_without_a_search_for_translations() -> None:
    code = "import sys; from ctxkit.main import cli; cli.main(['--version'], standalone_mode=False); print('locale' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.endswith("False\n")


@pytest.mark.parametrize(("args", "verbosity"), [(["-q"], -1), (["-v", "-v"], 1), (["-q", "-v"], 0), ([], 0)])
def test_options_change_the_verbosity(monkeypatch: pytest.MonkeyPatch, args, verbosity: int) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    command = click.Command("c", params=list(make_verbosity_options()), callback=lambda: None)
    assert CliRunner().invoke(command, args).exit_code == 0
    assert say._verbosity == verbosity


def test_version_and_help_end_the_command() -> None:
    params = [make_version_option(), make_help_option(["--help"])]
    command = click.Command("c", params=params, add_help_option=False, callback=lambda: click.echo("ran"))
    assert CliRunner().invoke(command, ["-V"]).output.startswith("ctxkit ")
    assert CliRunner().invoke(command, ["--help"]).output.startswith("Usage: c ")
    assert CliRunner().invoke(command, []).output == "ran\n"


@pytest.mark.parametrize("verb", list(tree().walk()), ids=lambda verb: verb.name)
def test_each_command_accepts_the_general_options(verb) -> None:
    names = [name for option in verb.options for name in option.opts]
    for name in ("-q", "--quiet", "-v", "--verbose", "-V", "--version", "-h", "--help"):
        assert names.count(name) == 1, name


def test_a_build_is_named_and_a_source_tree_is_not(tmp_path: Path) -> None:
    file = tmp_path / "BUILD"
    assert read_build_name(str(file)) == UNNAMED
    file.write_text("")
    assert read_build_name(str(file)) == UNNAMED
    file.write_text("commit 3f9a2c81, 2026-11-23\nmore\n")
    assert read_build_name(str(file)) == "commit 3f9a2c81, 2026-11-23"


def fail(error):
    raise error


def test_a_command_runs_again_and_again_in_one_process(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        assert run_command(cli, ["--version"]) == 0
    assert capsys.readouterr().out.count("ctxkit ") == 3


@pytest.mark.parametrize("kind", errors.CtxkitError.__subclasses__(), ids=lambda kind: kind.__name__)
def test_each_kind_of_trouble_ends_in_its_status_with_its_message_and_hint(kind, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_for_status(lambda: fail(kind("it broke", hint="mend it"))) == kind.status
    assert capsys.readouterr() == ("", "ctxkit: it broke\n  hint: mend it\n")


NEGATIVE_ANSWERS = [errors.NotStoredError, errors.AmbiguousRefError, errors.UnknownNameError]


def test_no_kind_of_trouble_but_an_honest_no_has_status_1() -> None:
    assert [kind for kind in errors.CtxkitError.__subclasses__() if kind.status in (0, 1)] == NEGATIVE_ANSWERS


def test_a_message_of_several_lines_is_said_in_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_for_status(lambda: fail(errors.MalformedInputError("line 3:\n\n  not JSON"))) == 65
    assert capsys.readouterr().err == "ctxkit: line 3: not JSON\n"


@pytest.mark.parametrize("answer", [None, "yes", True, 1.0])
def test_a_command_that_forgets_its_answer_is_a_bug(answer, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_for_status(lambda: check_answer(answer)) == Exit.BUG
    assert f"the command answered {answer!r}, which is not an exit status" in capsys.readouterr().err


@pytest.mark.parametrize("answer", [Exit.DONE, Exit.NO, 0, 3, 137])
def test_an_answer_is_the_status(answer) -> None:
    assert run_for_status(lambda: check_answer(answer)) == answer
