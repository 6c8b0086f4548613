"""Completion scripts offer the words that are known of each option."""

import click
import pytest

from ctxkit.core.brief import kind_detection
from ctxkit.core.models.lookup import MODELS
from ctxkit.core.store.retrieval_hint import PRESETS
from ctxkit.core.tokens.vocabularies import VOCABULARIES
from tools.pages.tree import tree
from tools.pages.words import WORDS, brief_help, names, takes_command, takes_file, words_of

VERBS = {verb.name: verb for verb in tree().walk()}
KNOWN = [
    ("model", tuple(MODELS)),
    ("tokenizer", tuple(VOCABULARIES)),
    ("hint", tuple(PRESETS)),
    ("type", tuple(kind_detection.list_content_types())),
    ("window", ()),
]


def option_of(verb, spelling):
    (found,) = (one for one in VERBS[f"ctxkit {verb}"].options if f"--{spelling}" in one.opts)
    return found


@pytest.mark.parametrize(("spelling", "words"), KNOWN, ids=[spelling for spelling, _ in KNOWN])
def test_the_values_of_an_option_are_those_that_the_program_knows(spelling: str, words) -> None:
    assert words_of(option_of("gate", spelling)) == words


def test_every_name_with_known_values_is_that_of_an_option() -> None:
    assert set(WORDS) <= {option.name for verb in VERBS.values() for option in verb.options}


@pytest.mark.parametrize(("metavar", "yes"), [("FILE", True), ("REF|FILE", True), ("TEXT", False), (None, False)])
def test_a_value_may_be_a_file_when_its_name_says_so(metavar: str | None, yes: bool) -> None:
    assert takes_file(click.Option(["--at"], metavar=metavar)) is yes


def test_run_alone_takes_a_command() -> None:
    assert [name for name, verb in VERBS.items() if takes_command(verb)] == ["ctxkit run"]


@pytest.mark.parametrize(
    ("said", "brief"),
    [(None, ""), ("Do this.", "Do this"), ("Do this.  [default: 20%]", "Do this"), ("Do e.g. this.", "Do e.g. this")],
)
def test_help_is_shown_without_its_ending(said: str | None, brief: str) -> None:
    assert brief_help(click.Option(["--at"], help=said)) == brief


def test_flags_are_left_out_where_only_options_with_a_value_are_asked_for() -> None:
    flag = click.Option(["-a", "--all"], is_flag=True)
    valued = click.Option(["-n", "--name"])
    verb = tree(click.Command("ctxkit", params=[flag, valued], add_help_option=False))
    assert names(verb) == ["-a", "--all", "-n", "--name"]
    assert names(verb, valued=True) == ["-n", "--name"]
