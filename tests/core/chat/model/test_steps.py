"""The path through a session: back from the newest message, around rewinds and compactions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import ChatMessage, EntryLink, KeptTail, MessagePart
from ctxkit.core.chat.model.steps import PathStep, find_path, index_updates, make_step, rewind_steps


def step(id_, parent=None, role="user", **more):
    return PathStep(EntryLink(id_, parent), role, **more)


def test_without_parents_every_message_is_on_the_path() -> None:
    steps = [PathStep(role="user"), PathStep(), PathStep(role="assistant")]
    assert find_path(steps) == [0, 2]


def test_a_branch_that_was_left_is_not_on_the_path() -> None:
    steps = [step("a", ""), step("b", "a", "assistant"), step("c", "a"), step("d", "c", "assistant")]
    assert find_path(steps) == [0, 2, 3]
    assert find_path(steps, leaf="b") == [0, 1]
    with pytest.raises(KeyError):
        find_path(steps, leaf="z")


def test_a_result_beside_the_path_comes_along_with_its_call() -> None:
    steps = [
        step("a", ""),
        step("b", "a", "assistant", calls=("1", "2")),
        step("r", "b", answers=("1",)),
        step("s", "b", answers=("2",)),
        step("c", "s", "assistant"),
    ]
    assert find_path(steps) == [0, 1, 2, 3, 4]


def test_a_circle_of_parents_ends() -> None:
    assert find_path([step("a", "b"), step("b", "a")]) == [0, 1]


def test_a_compaction_keeps_its_summary_and_its_tail() -> None:
    steps = [step("a", ""), step("b", "a", "assistant"), step("c", "b"), step("s", "c", kept=KeptTail("c"))]
    assert find_path(steps) == [3, 2]
    assert find_path([*steps[:3], step("s", "c", kept=KeptTail(place=1))]) == [3, 1, 2]


def test_other_agents_are_left_out() -> None:
    side = PathStep(EntryLink("x", "a", is_sidechain=True), "user")
    assert find_path([step("a", ""), side, step("b", "a", "assistant")]) == [0, 2]
    assert find_path([side]) == [0]


def test_a_rewind_takes_back_turns_of_the_user() -> None:
    steps = [PathStep(role="system"), *[PathStep(role=role) for role in ("user", "assistant", "user", "assistant")]]
    assert rewind_steps(steps, 1) == [0, 1, 2]
    assert rewind_steps(steps, 9) == [0]
    assert rewind_steps(steps, None) == [0]
    assert rewind_steps([step("a"), step("b"), step("c")], None, "b") == [0]
    answer = PathStep(role="user", answers=("1",))
    assert rewind_steps([PathStep(role="user"), answer], 1) == []


def test_an_entry_becomes_a_step() -> None:
    link = EntryLink("a", is_update=True)
    message = ChatMessage("user", (MessagePart("text", "a"),), calls=("1",), answers=("2",), link=link)
    assert make_step(message) == PathStep(link, "user", ("1",), ("2",))
    assert make_step(link) == PathStep(link)
    assert not make_step(message).is_user_turn
    assert index_updates([make_step(link), step("b")]) == {"a": 0}


@given(st.lists(st.tuples(st.sampled_from(["", "0", "1", "2", "3", "x"]), st.sampled_from(["", "user", "assistant"])), max_size=8))
def test_any_links_give_a_path_of_distinct_messages(entries) -> None:
    steps = [step(str(number), parent, role) for number, (parent, role) in enumerate(entries)]
    path = find_path(steps)
    assert len(set(path)) == len(path)
    assert all(steps[at].role for at in path)


def test_messages_that_have_only_a_role_share_a_step() -> None:
    first, second = (make_step(ChatMessage("user", (MessagePart("text", text),))) for text in "ab")
    assert first is second
    assert first == PathStep(role="user")


def test_only_the_last_of_a_series_is_sent() -> None:
    links = [EntryLink("a"), EntryLink("b", series="s"), EntryLink("c"), EntryLink("d", series="s"), EntryLink("e", series="s")]
    assert find_path([PathStep(link, "user") for link in links]) == [0, 2, 4]


def test_only_the_first_of_a_series_is_sent_if_its_links_say_so() -> None:
    links = [EntryLink("a"), EntryLink("b", series="s", is_first_sent=True), EntryLink("c", series="s", is_first_sent=True), EntryLink("d")]
    assert find_path([PathStep(link, "user") for link in links]) == [0, 1, 3]
