"""Completion scripts offer the words that are known of each option."""

import click
import pytest

from ctxkit.core.brief import kind_detection
from ctxkit.core.compact.policy import STAGES
from ctxkit.core.lint.registry import rules
from ctxkit.core.text.retrieval_hint import PRESETS
from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.edge.options import HOSTS
from tools.pages.tree import tree
from tools.pages.words import KINDS, LISTS, WORDS, Values, brief_help, names, takes_command, takes_file, values_of

VERBS = {verb.name: verb for verb in tree().walk()}
RULES = tuple(rules())
KNOWN = [
    ("gate --model", Values(kind="models")),
    ("gate --tokenizer", Values(tuple(VOCABULARIES))),
    ("gate --hint", Values(tuple(PRESETS))),
    ("gate --type", Values(tuple(name for name in kind_detection.list_content_types() if " " not in name))),
    ("gate --window", Values()),
    ("gate --host", Values(HOSTS)),
    ("gate --events", Values(takes_file=True)),
    ("gate --session", Values(kind="sessions")),
    ("compact --stages", Values(STAGES, is_list=True)),
    ("compact --restore", Values(takes_file=True)),
    ("dedupe --extend-select", Values(RULES, is_list=True)),
    ("budget --system", Values(takes_file=True)),
    ("cache get --json-path", Values()),
]
ARGUMENTS = [
    ("cache get", [Values(kind="refs", takes_file=True)]),
    ("cache rm", [Values(kind="refs")]),
    ("models show", [Values(kind="models")]),
    ("session append", [Values(kind="sessions"), Values(takes_file=True)]),
    ("session new", [Values()]),
    ("snapshot diff", [Values(kind="sessions", takes_file=True)] * 2),
    ("trust", [Values(takes_file=True)]),
    ("dedupe", [Values(takes_file=True)]),
]


def option_of(verb, spelling):
    (found,) = (one for one in VERBS[f"ctxkit {verb}"].options if f"--{spelling}" in one.opts)
    return found


@pytest.mark.parametrize(("option", "values"), KNOWN, ids=[option for option, _ in KNOWN])
def test_the_values_of_an_option_are_those_that_the_program_knows(option: str, values) -> None:
    verb, _, spelling = option.rpartition(" --")
    assert values_of(option_of(verb, spelling), VERBS[f"ctxkit {verb}"]) == values


@pytest.mark.parametrize(("verb", "values"), ARGUMENTS, ids=[verb for verb, _ in ARGUMENTS])
def test_the_values_of_an_argument_are_those_that_the_program_knows(verb: str, values) -> None:
    found = VERBS[f"ctxkit {verb}"]
    assert [values_of(argument, found) for argument in found.arguments] == values


def test_every_name_with_known_values_is_that_of_an_option() -> None:
    assert {*WORDS, *LISTS, *KINDS} <= {option.name for verb in VERBS.values() for option in verb.options}


@pytest.mark.parametrize(("metavar", "yes"), [("FILE", True), ("REF|FILE", True), ("TEXT", False), (None, False)])
def test_a_value_may_be_a_file_when_its_name_says_so(metavar: str | None, yes: bool) -> None:
    assert takes_file(click.Option(["--at"], metavar=metavar)) is yes


def test_only_these_verbs_take_a_command() -> None:
    assert [name for name, verb in VERBS.items() if takes_command(verb)] == ["ctxkit run", "ctxkit mcp wrap"]


@pytest.mark.parametrize(
    ("said", "brief"),
    [(None, ""), ("Do this.", "Do this"), ("Do this.  [default: 20%]", "Do this"), ("Do e.g. this.", "Do e.g. this")],
)
def test_help_is_shown_without_its_ending(said: str | None, brief: str) -> None:
    assert brief_help(click.Option(["--at"], help=said)) == brief


def test_flags_are_left_out_where_only_options_with_a_value_are_asked_for() -> None:
    flag = click.Option(["-a", "--all"], is_flag=True)
    valued = click.Option(["-n", "--name"])
    hidden = click.Option(["--old-name"], hidden=True)
    verb = tree(click.Command("ctxkit", params=[flag, valued, hidden], add_help_option=False))
    assert names(verb) == ["-a", "--all", "-n", "--name"]
    assert names(verb, valued=True) == ["-n", "--name", "--old-name"]
