"""Every page lists the settings that its command reads."""

import pytest

from ctxkit.edge.settings import KEYS
from tools.pages.manual import page
from tools.pages.settings import ALSO_READ, list_variables
from tools.pages.tree import tree

TOP = tree()


@pytest.mark.slow
def test_the_page_of_ctxkit_has_the_variable_of_every_setting_that_has_one() -> None:
    assert all((f"CTXKIT_{key.upper()}" in page(TOP)) is not KEYS[key].user_file_only for key in KEYS)
    assert list(list_variables(TOP).values()) == [key for key in KEYS if not KEYS[key].user_file_only]


def test_the_table_of_what_a_project_may_set_has_every_setting_as_it_is_defined() -> None:
    lines = page(TOP).splitlines()
    for key, defined in KEYS.items():
        words = defined.project.words if defined.project else "no" if defined.user_file_only else "no, unless trusted"
        assert f"{key:24} {words}" in [line.replace(r"\-", "-").replace(r"\(aq", "'") for line in lines]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("ctxkit run", "never_store"),
        ("ctxkit compact", "hard_block"),
        ("ctxkit dedupe", "lint"),
        ("ctxkit cache rm", "cache_dir"),
    ],
)
def test_settings_without_an_option_are_on_the_page_of_the_command_and_of_those_of_its_group(name: str, key: str) -> None:
    verb = next(verb for verb in TOP.walk() if verb.name == name)
    assert list_variables(verb)[f"CTXKIT_{key.upper()}"] == key
    assert rf"\fBCTXKIT_{key.upper()}\fR" in page(verb)


def test_settings_that_are_also_read_are_settings_of_commands() -> None:
    assert set(ALSO_READ) <= {verb.name for verb in TOP.walk()}
    assert set(sum(ALSO_READ.values(), ())) <= set(KEYS)
