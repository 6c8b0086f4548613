"""Each option of each command is in exactly one group of the help, and a group is short enough to read."""

import click
import pytest

from ctxkit.edge.help_groups import EXCEPTIONS, MOST, OPTION_GROUPS, UNGROUPED, find_group, group_options
from tools.pages.tree import tree

VERBS = list(tree().walk())
TITLES = [title for title, names in OPTION_GROUPS.items() for _ in names.split()]
NAMES = [name for names in OPTION_GROUPS.values() for name in names.split()]


def visible_options(verb) -> list[click.Option]:
    return [option for option in verb.options if not option.hidden]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_each_option_is_in_one_group(verb) -> None:
    groups = group_options(verb.name, verb.options)
    grouped = [option for _, options in groups for option in options]
    assert sorted(map(id, grouped)) == sorted(map(id, visible_options(verb)))
    assert [option.opts for title, options in groups for option in options if title == UNGROUPED] == []
    assert {title: len(options) for title, options in groups if len(options) > MOST} == {}


def test_an_option_has_one_row_of_the_table() -> None:
    assert sorted(set(NAMES)) == sorted(NAMES)


def test_each_row_and_each_exception_is_of_an_option() -> None:
    options = {(verb.name.removeprefix("ctxkit "), name) for verb in VERBS for option in verb.options for name in option.opts}
    assert [name for name in NAMES if name not in {name for _, name in options}] == []
    assert [text for text in EXCEPTIONS if tuple(text.rsplit(" ", 1)) not in options] == []
    assert set(EXCEPTIONS.values()) <= set(OPTION_GROUPS)


def test_an_option_that_means_something_else_in_a_command_is_in_another_group() -> None:
    option = click.Option(["-j", "--jobs"])
    assert (find_group("count", option), find_group("serve", option)) == ("Input", "Server")


def test_a_hidden_option_is_in_no_group() -> None:
    assert group_options("ctxkit gate", [click.Option(["--old"], hidden=True), click.Argument(["file"])]) == []
