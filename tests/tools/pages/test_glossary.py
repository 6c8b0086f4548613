"""Every setting is described, and every description is of a setting."""

from ctxkit.edge.settings import KEYS
from tools.pages import glossary
from tools.pages.manual import page
from tools.pages.tree import tree

TOP = tree()


def test_every_setting_is_described_and_every_description_is_of_a_setting():
    assert list(glossary.KEYS) == list(KEYS)
    assert all((f"CTXKIT_{key.upper()}" in page(TOP)) is not KEYS[key].user_file_only for key in KEYS)


def test_the_table_of_what_a_project_may_set_has_every_setting_as_it_is_defined():
    lines = page(TOP).splitlines()
    for key, defined in KEYS.items():
        words = defined.project.words if defined.project else "no" if defined.user_file_only else "no, unless trusted"
        assert f"{key:24} {words}" in [line.replace(r"\-", "-").replace(r"\(aq", "'") for line in lines]


def test_settings_that_are_also_read_are_settings_of_verbs_that_there_are():
    assert set(glossary.ALSO_READ) <= {verb.name for verb in TOP.walk()}
    assert set(sum(glossary.ALSO_READ.values(), ())) <= set(KEYS)
