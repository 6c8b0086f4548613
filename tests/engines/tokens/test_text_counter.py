from unicodedata import normalize

import pytest

from ctxkit.engines.tokens.text_counter import make_counter


class Panic(BaseException):
    """Stands for pyo3's, which no test could import."""


def strict(text):
    return text.encode("utf-8")


def test_lone_surrogates_are_what_cannot_be_decoded_and_pairs_are_joined() -> None:
    count = make_counter(strict)
    assert count("\ud800") == len("\ufffd".encode())
    assert count("\ud83d\ude42") == len("🙂".encode())
    assert count("a\udfff\ud800b") == 2 + 6


def test_a_panic_becomes_an_error_that_can_be_handled() -> None:
    def panics(text):
        raise Panic("the stack is full")

    with pytest.raises(RuntimeError, match="the stack is full"):
        make_counter(panics)("a")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_who_interrupts_is_obeyed(stop) -> None:
    def stopped(text):
        raise stop

    with pytest.raises(stop):
        make_counter(stopped)("a")


def test_what_stands_between_added_tokens_is_normalized_by_itself() -> None:
    count = make_counter(strict, {"<x>"}, nfc=True)
    assert count("e<x>\u0301") == 1 + 1 + 2
    assert count("e\u0301<x>") == len(normalize("NFC", "e\u0301").encode()) + 1
    assert count("<x><x>") == 2
    assert count("") == 0
