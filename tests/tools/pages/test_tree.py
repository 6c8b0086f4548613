"""The tree of verbs is that of the registry, and each verb tells what it is."""

import re

import click
import pytest

from ctxkit.registry import GROUPS
from tools.pages.tree import split_help, tree

ALL = list(tree().walk())


def test_every_verb_of_the_registry_is_in_the_tree_once() -> None:
    named = [" ".join(f"ctxkit {group} {verb}".split()) for group, verbs in GROUPS.items() for verb in verbs]
    assert sorted(verb.name for verb in ALL) == sorted(["ctxkit", *named])


def test_a_verb_comes_before_those_below_it() -> None:
    names = [verb.name for verb in ALL]
    assert names[0] == "ctxkit"
    assert all(name.rpartition(" ")[0] in names[:place] for place, name in enumerate(names[1:], 1))


def test_the_page_of_a_verb_is_its_words_joined() -> None:
    assert {verb.page for verb in ALL} == {verb.name.replace(" ", "-") for verb in ALL}


@pytest.mark.parametrize("verb", ALL, ids=lambda verb: verb.name)
def test_each_option_is_in_the_help(verb) -> None:
    shown = verb.command.get_help(verb.context)
    options = [option for option in verb.options if not option.hidden]
    places = [re.search(rf"^ +{re.escape(option.opts[0])}\b", shown, re.MULTILINE).start() for option in options]
    assert len(set(places)) == len(places) > 0


def test_a_command_is_a_verb_with_its_own_parameters() -> None:
    verb = tree(click.Command("ctxkit", help="Do it all. Then stop.", params=[click.Argument(["file"])]))
    assert (verb.name, verb.summary, verb.verbs) == ("ctxkit", "Do it all", ())
    assert [argument.name for argument in verb.arguments] == ["file"]
    assert [option.opts for option in verb.options] == [["--help"]]


def test_help_is_paragraphs_and_examples() -> None:
    text = """Do this.

    Over two
    lines:

    \b
    $ ctxkit gate
    $ ctxkit run -- ls
    """
    assert split_help(click.Command("x", help=text)) == (
        ["Do this.", "Over two lines."],
        ["ctxkit gate", "ctxkit run -- ls"],
    )


def test_a_command_without_help_tells_nothing() -> None:
    assert split_help(click.Command("x")) == ([], [])
