"""What is told of a verb is told of one that there is."""

import pytest

from tools.pages.manual import page
from tools.pages.prose import SECTIONS
from tools.pages.roff import typed
from tools.pages.see_also import SEE_ALSO
from tools.pages.tree import tree

VERBS = {verb.name: verb for verb in tree().walk()}


def test_sections_are_of_verbs_that_there_are():
    assert set(SECTIONS) <= set(VERBS)


def test_pages_to_read_next_are_of_verbs_that_there_are():
    assert {*SEE_ALSO, *sum(SEE_ALSO.values(), ())} <= set(VERBS)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_is_on_the_page_of_its_verb(name):
    lines = page(VERBS[name]).splitlines()
    assert all(f".SH {typed(title)}" in lines for title in SECTIONS[name])
