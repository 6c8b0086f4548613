"""The table of verbs and the files of the verbs agree."""

from importlib import import_module
from pathlib import Path

import click
import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ctxkit import commands
from ctxkit.core.errors import Exit
from ctxkit.main import cli
from ctxkit.registry import GROUPS
from tests.conftest import Run
from tools.pages.tree import split_help, tree

ALL = list(tree().walk())
ROWS = [(group, verb, line) for group, verbs in GROUPS.items() for verb, line in verbs.items()]
CALLED = [verb for verb in ALL if verb.command.callback]


class TextFile(SingleFileSnapshotExtension):
    """Keep each golden output as a text file that can be read alone."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT


@pytest.fixture
def golden(snapshot: SnapshotAssertion):
    return snapshot.use_extension(TextFile)


def find_group(name: str) -> click.Group:
    return import_module(f"{commands.__name__}.{name}").command if name else cli


def find_command(group: str, verb: str) -> click.Command | None:
    parent = find_group(group)
    return parent.get_command(click.Context(parent), verb)


@pytest.mark.parametrize(("group", "verb", "_line"), ROWS)
def test_every_row_is_a_command_of_that_name(group, verb, _line) -> None:
    command = find_command(group, verb)
    assert isinstance(command, click.Command)
    assert command.name == verb


@pytest.mark.parametrize("group", GROUPS)
def test_every_command_and_every_file_has_a_row(group) -> None:
    folder = Path(commands.__file__).with_name(group) if group else Path(commands.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert files | folders | set(find_group(group).commands) == set(GROUPS[group])


@pytest.mark.parametrize(("group", "verb", "line"), ROWS)
def test_the_line_of_a_row_is_the_first_sentence_of_the_help(group, verb, line) -> None:
    first = split_help(find_command(group, verb))[0][0]
    assert first.partition(". ")[0].removesuffix(".") + "." == line


@pytest.mark.parametrize("verb", CALLED, ids=lambda verb: verb.name)
def test_every_command_says_that_it_returns_its_status(verb) -> None:
    assert verb.command.callback.__annotations__["return"] in (Exit, Exit | int, "Exit", "Exit | int")


@pytest.mark.parametrize("verb", ALL, ids=lambda verb: verb.name)
def test_every_verb_has_an_example_that_calls_it(verb) -> None:
    examples = split_help(verb.command)[1]
    assert examples
    assert all(verb.name in example for example in examples)


@pytest.mark.parametrize("verb", ALL, ids=lambda verb: verb.name)
def test_every_option_is_explained_in_a_sentence(verb) -> None:
    for option in verb.options:
        text = (option.help or "").partition("  [")[0]
        assert text[:1].isupper(), option.opts
        assert text.endswith("."), option.opts


@pytest.mark.quick_cases(18)
@pytest.mark.parametrize("verb", ALL, ids=lambda verb: verb.page)
def test_help_is_as_it_was(verb, run: Run, golden) -> None:
    ran = run(*verb.name.split()[1:], "--help", env={"COLUMNS": "100"})
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.decode() == golden
