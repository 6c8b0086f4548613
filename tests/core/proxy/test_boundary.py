import json

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.proxy.boundary import (
    Boundary,
    find_replacement,
    hash_messages,
    hash_prefixes,
    remove_cache_marks,
    replace_prefix,
)

TEXTS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8)


def read(texts: list[str], indent: int | None = None) -> Transcript:
    messages = [{"role": "user", "content": text} for text in texts]
    data = json.dumps({"model": "m", "messages": messages, "last": 1}, indent=indent).encode()
    return parse_transcript(data, "x", get_format("openai"))


def contents(transcript: Transcript) -> list[str]:
    return [record.value["content"] for record in transcript.records]


@given(TEXTS, TEXTS, st.integers(0, 8))
def test_what_is_found_is_what_is_replaced(before: list[str], after: list[str], least: int) -> None:
    least = min(least, len(before))
    transcript = read(before, indent=2)
    replacement = find_replacement(transcript, read(after, indent=2), least)
    assert replacement.covered >= least
    replaced = replace_prefix(transcript, replacement)
    assert contents(replaced) == after
    tail = transcript.text[transcript.records[replacement.covered].start :] if replacement.covered < len(before) else "]"
    assert replaced.text.endswith(tail.partition("]")[2] if tail == "]" else tail)
    assert replaced.text.startswith(transcript.text[: transcript.inner[0]])


def test_as_little_as_possible_is_covered() -> None:
    assert find_replacement(read(["a", "b", "c", "d"]), read(["x", "c", "d"]), 0).covered == 2


def test_marks_of_the_prompt_cache_are_not_kept() -> None:
    marked = [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}]
    after = parse_transcript(json.dumps({"messages": marked}).encode(), "x", get_format("anthropic"))
    entries = find_replacement(read(["z"]), after, 1).entries
    assert json.loads(entries[0]) == {"role": "user", "content": [{"type": "text", "text": "a"}]}


def test_all_messages_may_be_replaced() -> None:
    text = replace_prefix(read(["a", "b"]), Boundary(2, ('{"role":"user","content":"s"}',))).text
    assert text == '{"model": "m", "messages": [{"role":"user","content":"s"}], "last": 1}'


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
