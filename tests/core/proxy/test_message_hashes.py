import json

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.proxy.message_hashes import hash_messages, hash_prefixes, remove_cache_marks

MARK = {"type": "ephemeral"}


def dump(value) -> bytes:
    return json.dumps(value).encode()


def name(messages) -> list[str]:
    return hash_prefixes("openai", hash_messages(messages, dump))


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_prefixes_have_the_same_name_exactly_if_they_are_equal(first: list[int], second: list[int]) -> None:
    left, right = name(first), name(second)
    for length in range(1, min(len(first), len(second)) + 1):
        assert (left[length - 1] == right[length - 1]) == (first[:length] == second[:length])


def test_marks_of_the_prompt_cache_do_not_change_a_name() -> None:
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x", "cache_control": MARK}]}
    marked = {"role": "user", "content": [result, {"type": "text", "text": "y", "cache_control": MARK}], "cache_control": MARK}
    plain = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x"}]}, {"type": "text", "text": "y"}],
    }
    assert remove_cache_marks(marked) == plain
    assert name([marked]) == name([plain])
    assert remove_cache_marks(plain) == plain


def test_messages_without_marks_have_the_same_name_if_they_are_not_searched() -> None:
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "text", "text": "y"}]}]
    assert hash_messages(messages, dump, may_have_marks=False) == hash_messages(messages, dump)


def test_arguments_that_look_like_marks_count() -> None:
    calls = [{"role": "assistant", "content": [{"type": "tool_use", "input": {"cache_control": value}}]} for value in (1, 2)]
    assert name(calls[:1]) != name(calls[1:])


def test_apis_have_names_of_their_own() -> None:
    digests = hash_messages([1, 2], dump)
    assert hash_prefixes("openai", digests) != hash_prefixes("anthropic", digests)
