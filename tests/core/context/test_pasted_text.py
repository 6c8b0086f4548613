from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.pasted_text import has_english, is_answer, is_document, is_output, is_pasted


def test_a_long_message_that_begins_with_a_title_is_a_document() -> None:
    assert is_document("# Log of Power\n" + "- Glows in the dark\n" * 400)
    assert not is_document("# Task\nYou fix the parser.\n" + "- Glows in the dark\n" * 400)
    assert not is_document("# Log of Power\n- Glows")
    assert not is_document("# Günlük\n" + "- Karanlıkta parlar\n" * 400)


def test_output_and_code_are_pasted() -> None:
    assert is_pasted("Type error: Cannot find module")
    assert is_pasted("max = guess - 1 return False")
    assert is_pasted("(Open file: n/a)")
    assert not is_pasted("Fix the error in src/a.py.")


def test_an_answer_has_what_only_an_assistant_says() -> None:
    assert is_answer("Use a queue. Would you like me to write it?")
    assert not is_answer("Would it be faster with a queue?")


def test_a_common_word_makes_a_sentence_english() -> None:
    assert has_english("Use the queue.")
    assert not has_english("Ändere niemals Tests.")


@given(st.text(max_size=200))
def test_output_is_pasted(text: str) -> None:
    assert is_pasted(text) or not is_output(text)
