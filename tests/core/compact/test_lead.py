"""A summary before a request, in one message."""

from ctxkit.core.compact.lead import instructs, is_summary, joined, lead_of
from ctxkit.core.context.summary import framed
from tests.core.chat.talks import Said
from tests.core.compact.sizes import read, written

PAGE = framed("# Context\n\n## Task\nFix it.\n", "3f9a2c81d0b4")


def record(words, role="user"):
    return read(written("openai", [Said(role, words), Said("user", "x")]), "openai").records[0]


def test_they_come_apart_again():
    found = lead_of(record(joined(PAGE, "Now the tests.")))
    assert found.record.words == "Now the tests."
    assert found.record.passages[0].text == "Now the tests."
    assert found.page + "\n" == PAGE


def test_other_messages_have_no_summary_before_them():
    assert lead_of(record("Now the tests.")) is None
    assert lead_of(record(PAGE)) is None


def test_a_summary_of_the_system_does_not_instruct():
    assert is_summary(record(PAGE, "system"))
    assert not instructs(record(PAGE, "system"))
    assert instructs(record("Be good.", "system"))
    assert not is_summary(record(f"He wrote: {PAGE}"))
