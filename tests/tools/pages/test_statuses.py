"""Every exit status has a meaning."""

from ctxkit.core.exit import Exit
from tools.pages.manual import page
from tools.pages.statuses import STATUSES, STATUSES_OF
from tools.pages.tree import tree

TOP = tree()


def test_every_status_is_described():
    assert set(STATUSES) == set(Exit)
    assert all(rf"\fB{status.value}\fR" in page(TOP) for status in Exit)


def test_statuses_are_of_verbs_that_there_are():
    assert set(STATUSES_OF) <= {verb.name for verb in TOP.walk()}
