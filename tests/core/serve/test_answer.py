"""The end of a command as an answer of HTTP."""

from urllib.parse import unquote

import pytest

from ctxkit.core.errors import STATUSES, Exit
from ctxkit.core.serve.answer import MAX_MESSAGES, MESSAGES_HEADER, STATUS_HEADER, describe_failure, make_answer
from ctxkit.core.serve.endpoints import ENDPOINTS


@pytest.mark.parametrize("status", list(STATUSES.values()))
def test_only_what_a_command_answers_is_200(status: Exit) -> None:
    answer = make_answer(ENDPOINTS["gate"], status, b"", has_output=True, as_json=True)
    assert (answer.status == 200) == (status in (Exit.DONE, Exit.NO))
    assert dict(answer.headers)[STATUS_HEADER] == str(int(status))


def test_what_is_not_stored_is_not_found() -> None:
    answer = make_answer(ENDPOINTS["cache/get"], Exit.NO, b"ctxkit: nothing\n", has_output=False, as_json=True)
    assert answer.status == 404
    assert unquote(dict(answer.headers)[MESSAGES_HEADER]) == "ctxkit: nothing\n"


@pytest.mark.parametrize(
    ("path", "has_output", "as_json", "kind"),
    [
        ("gate", True, True, "application/json"),
        ("gate", True, False, "application/octet-stream"),
        ("cache/get", True, True, "application/octet-stream"),
        ("cache/get", False, True, "application/json"),
    ],
)
def test_the_type_is_that_of_the_body(path: str, has_output: bool, as_json: bool, kind: str) -> None:
    answer = make_answer(ENDPOINTS[path], 0, b"", has_output=has_output, as_json=as_json)
    assert dict(answer.headers)["content-type"] == kind


def test_an_unknown_status_is_a_failure_of_ours() -> None:
    assert make_answer(ENDPOINTS["gate"], 99, b"", has_output=False, as_json=True).status == 500


def test_messages_are_one_header_whatever_they_contain() -> None:
    answer = make_answer(ENDPOINTS["gate"], 0, b"a\r\nb: c\n\xff" + b"x" * 9_000, has_output=True, as_json=True)
    value = dict(answer.headers)[MESSAGES_HEADER]
    assert value.isascii()
    assert not set("\r\n ") & set(value)
    assert unquote(value).startswith("a\r\nb: c\n")
    assert len(unquote(value, "latin-1")) == MAX_MESSAGES


def test_a_failure_has_its_status_and_its_messages() -> None:
    assert describe_failure(65, b"ctxkit: no\n  hint: yes\n") == {"status": 65, "messages": ["ctxkit: no", "  hint: yes"]}
