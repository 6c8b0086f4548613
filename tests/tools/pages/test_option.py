"""A man page says of an option its setting and its default."""

import click
import pytest

from tools.pages.option import default_of, key_of, option_text, value_of
from tools.pages.tree import tree

VERBS = {verb.name: verb for verb in tree().walk()}


@pytest.mark.parametrize(
    ("verb", "option", "text"),
    [
        ("gate", "model", "Model that sets the window and the tokenizer: a name or GGUF. Setting model (CTXKIT_MODEL)."),
        (
            "gate",
            "reserve",
            "Keep N tokens or N% of the window for the answer. Setting reserve (CTXKIT_RESERVE); default 20%.",
        ),
        ("gate", "strict", "Fail instead of passing content with a warning. Setting strict (CTXKIT_STRICT)."),
        ("brief", "target", "Limit the map to N tokens. Default 2000."),
        ("gate", "check", "Print nothing; exit with 0 if the content fits, and 1 if not."),
    ],
)
def test_the_help_of_an_option_names_its_setting_and_its_default(verb: str, option: str, text: str) -> None:
    (found,) = (one for one in VERBS[f"ctxkit {verb}"].options if one.name == option)
    assert option_text(found) == text


@pytest.mark.parametrize(
    ("spelling", "key"),
    [("--model", "model"), ("--no-store", "store"), ("--max-age", "cache_max_age"), ("--check", "")],
)
def test_an_option_stands_for_the_setting_of_its_name(spelling: str, key: str) -> None:
    assert key_of(click.Option([spelling])) == key


@pytest.mark.parametrize(("key", "default"), [("store", "true"), ("strict", ""), ("model", ""), ("", "")])
def test_a_default_is_as_it_would_be_typed(key: str, default: str) -> None:
    assert default_of(key) == default


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (click.Option(["--all"], is_flag=True), ""),
        (click.Option(["--at"], metavar="A:B"), "A:B"),
        (click.Option(["--at"]), "VALUE"),
    ],
)
def test_a_value_has_the_name_that_the_help_gives_it(option, value: str) -> None:
    assert value_of(option) == value
