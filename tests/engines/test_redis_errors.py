"""Refusals of a server are told apart by their codes, also in the error of a script."""

import errno

from redis import exceptions

from ctxkit.engines.redis_errors import describe_error, find_refusal


def test_a_refusal_has_a_number_and_a_hint() -> None:
    refusal = find_refusal(exceptions.OutOfMemoryError("command not allowed"), "command not allowed")
    assert refusal is not None
    assert refusal[:2] == (errno.ENOSPC, "the server's memory is full")
    assert "maxmemory" in refusal[2]


def test_a_refusal_without_a_message_of_its_own_keeps_the_one_of_the_server() -> None:
    refusal = find_refusal(exceptions.ReadOnlyError("no"), "You can't write against a replica")
    assert refusal == (errno.EROFS, "You can't write against a replica", "name the primary, not a replica")


def test_a_refusal_in_a_script_is_told_by_its_code() -> None:
    text = "Error running script (call to f_1): @user_script:1: -OOM command not allowed when used memory > 'maxmemory'"
    refusal = find_refusal(exceptions.ResponseError(text), text)
    assert refusal is not None
    assert refusal[0] == errno.ENOSPC


def test_any_other_error_is_none() -> None:
    assert find_refusal(exceptions.ResponseError("wrong number of arguments"), "wrong number of arguments") is None


def test_an_error_is_described_on_a_short_line() -> None:
    assert describe_error(ValueError("a\n  b.")) == "a b"
    assert describe_error(ValueError()) == "ValueError"
    assert len(describe_error(ValueError("x" * 999))) == 200
