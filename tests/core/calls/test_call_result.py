"""An error is one line that a model can act on."""

from ctxkit.core.calls.call_result import CallError, make_error_result, make_text_result


def test_an_error_is_one_line_with_what_to_do() -> None:
    result = CallError("there is no\nline 9", hint="the last line is 3").to_result()
    assert (result.content, result.is_error) == (b"error: there is no line 9. The last line is 3.\n", True)


def test_an_error_may_have_no_hint() -> None:
    assert make_error_result("it failed.").content == b"error: it failed.\n"


def test_a_text_ends_with_one_newline() -> None:
    assert make_text_result("a\n\n", {"n": 1})[:3] == (b"a\n", False, {"n": 1})
