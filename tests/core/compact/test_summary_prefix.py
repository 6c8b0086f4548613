"""A summary before or behind a request, in one message."""

from ctxkit.core.compact.summary_prefix import append_summary, is_instruction, is_summary, prepend_summary, split_prefix
from ctxkit.core.summary.frame import frame_page
from tests.core.chat.talks import Said
from tests.core.compact.sizes import read, written

PAGE = frame_page("# Context\n\n## Task\nFix it.\n", "ctxkit cache get 3f9a2c81d0b4")


def record(words, role="user"):
    return read(written("openai", [Said(role, words), Said("user", "x")]), "openai").records[0]


def test_they_come_apart_again() -> None:
    found = split_prefix(record(prepend_summary(PAGE, "Now the tests.")))
    assert found.record.words == "Now the tests."
    assert found.record.passages[0].text == "Now the tests."
    assert found.page + "\n" == PAGE


def test_a_summary_behind_the_words_comes_apart_too() -> None:
    words = append_summary("Now the tests.", PAGE)
    assert words.startswith("Now the tests.\n")
    found = split_prefix(record(words))
    assert found.record.words == "Now the tests."
    assert found.page + "\n" == PAGE
    assert split_prefix(record(append_summary("Now the tests.", "some text"))) is None


def test_other_messages_have_no_summary_before_them() -> None:
    assert split_prefix(record("Now the tests.")) is None
    assert split_prefix(record(PAGE)) is None


def test_a_summary_of_the_system_does_not_instruct() -> None:
    assert is_summary(record(PAGE, "system"))
    assert not is_instruction(record(PAGE, "system"))
    assert is_instruction(record("Be good.", "system"))
    assert not is_summary(record(f"He wrote: {PAGE}"))
