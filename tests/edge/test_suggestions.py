"""The suggestions name commands, options and values that exist."""

import pytest

from ctxkit.edge.options import HOSTS
from ctxkit.edge.suggestions import (
    COMMANDS,
    OPTIONS,
    SUBCOMMANDS,
    VALUES,
    suggest_command,
    suggest_option,
    suggest_value,
)
from ctxkit.registry import GROUPS, VERBS
from tools.pages.tree import tree

NAMES = {name for verb in tree().walk() for option in verb.options for name in option.opts}


@pytest.mark.parametrize("group", COMMANDS)
def test_each_other_name_of_a_command_leads_to_a_command(group: str) -> None:
    for word, command in COMMANDS[group].items():
        first, *others = command.split()
        assert word not in GROUPS[group]
        assert first in GROUPS[group] or first.startswith("--")
        if first in GROUPS:
            assert not others or others[0] in GROUPS[first]


def test_each_other_name_of_a_subcommand_is_of_some_group() -> None:
    known = {verb for group, verbs in GROUPS.items() if group for verb in verbs}
    assert {verb for verbs in SUBCOMMANDS.values() for verb in verbs} - {"--help"} <= known


def test_each_other_name_of_an_option_leads_to_an_option() -> None:
    assert [name for names in OPTIONS.values() for name in names if name not in NAMES] == []


def test_each_other_name_of_a_value_leads_to_a_host_or_an_api() -> None:
    assert {value for values in VALUES.values() for value in values} <= {*HOSTS, "openai", "anthropic"}


@pytest.mark.parametrize(
    ("group", "word", "suggestion"),
    [
        ("", "lint", "dedupe"),
        ("", "map", "brief"),
        ("", "summarize", "brief"),
        ("", "stats", "events"),
        ("", "gain", "events"),
        ("", "update", "models update"),
        ("", "LINT", "dedupe"),
        ("", "gaet", "gate"),
        ("", "hlep", "help"),
        ("cache", "clear", "rm"),
        ("cache", "delete", "rm"),
        ("cache", "show", "get"),
        ("session", "show", "status"),
        ("snapshot", "delete", "rm"),
        ("edit", "delete", "remove"),
        ("models", "delete", "rm"),
        ("cache", "help", "--help"),
    ],
)
def test_a_command_is_suggested(group: str, word: str, suggestion: str) -> None:
    assert suggest_command(group, word, GROUPS[group]) == f"; did you mean {suggestion}?"


def test_nothing_is_suggested_for_a_word_like_no_other() -> None:
    assert suggest_command("", "xyzzy", VERBS) == suggest_option("--xyzzy", NAMES) == suggest_value("xyzzy", HOSTS) == ""


@pytest.mark.parametrize(
    ("name", "options", "suggestion"),
    [
        ("--max-tokens", ("--tokenizer", "--limit"), "--limit"),
        ("--max-tokens", ("--tokenizer", "--target"), "--target"),
        ("--max-token", ("--max-tokens", "--limit"), "--max-tokens"),
        ("--encoding", ("--tokenizer",), "--tokenizer"),
        ("-y", ("--yes", "-y2"), "--yes"),
    ],
)
def test_an_option_is_suggested(name: str, options, suggestion: str) -> None:
    assert suggest_option(name, options) == f"; did you mean {suggestion}?"


@pytest.mark.parametrize(
    ("value", "choices", "suggestion"),
    [("claude", HOSTS, "claude-code"), ("Claude", ("openai", "anthropic"), "anthropic"), ("codx", HOSTS, "codex")],
)
def test_a_value_is_suggested(value: str, choices, suggestion: str) -> None:
    assert suggest_value(value, choices) == f"; did you mean {suggestion}?"
