"""The notes of a task explain a short request, and are quoted verbatim."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.extract.task_notes import find_leading, quote_agent, quote_replies
from ctxkit.core.context.page_rules import find_fault

LONG = "The users page times out for large customers since the last release, and nobody knows why. " * 4


def requests_of(*texts: str) -> list[UserRequest]:
    """Return requests at even positions; the agent answers at odd ones."""
    return [UserRequest(2 * at, text, text) for at, text in enumerate(texts)]


def test_earlier_requests_explain_a_short_one_and_not_a_long_one() -> None:
    requests = requests_of("Build a site.", "Deploy it to Netlify.", "it is not working", f"{LONG}Find out why.")
    assert find_leading(requests, 2) == ['"Deploy it to Netlify"', '"Build a site"']
    assert find_leading(requests, 3) == []


@pytest.mark.parametrize(
    ("reply", "quote"),
    [
        ("Please do, and add a test.", '"Great! The export of the rows is complete now. It fails on Decimal. I will convert it there next"'),
        ("still broken", '"The export of the rows is complete now"'),
        (LONG, ""),
    ],
)
def test_what_the_agent_said_explains_a_terse_request(reply: str, quote: str) -> None:
    messages = [(1, "Great! The export of the rows is complete now. It fails on Decimal. I will convert it there next.")]
    assert quote_agent(messages, UserRequest(2, reply, reply)) == quote


def test_code_and_instructions_are_not_what_the_agent_said() -> None:
    words = "│ 'h-8 w-full shadow-none focus ring' is set here now.\nDo not change the files of the last step.\nThe menu opens at the right place now."
    assert quote_agent([(1, words)], UserRequest(2, "still broken", "")) == '"The menu opens at the right place now"'


def test_the_sentence_with_the_words_of_the_request_explains_it() -> None:
    words = "The tasks are in tasks.md now. However, the server of GitHub is not configured here. I cannot open issues without it."
    assert quote_agent([(1, words)], UserRequest(2, "lets configure. how?")) == '"However, the server of GitHub is not configured here"'
    assert quote_agent([(1, words)], UserRequest(2, "and what now?")) == '"The tasks are in tasks.md now"'


def test_the_replies_after_a_request_are_quoted_in_order() -> None:
    requests = requests_of("Find the race.", "1, 2 and 3", "###", "proceed")
    assert quote_replies(requests[1:]) == '"1, 2 and 3"; "proceed"'
    assert quote_replies(requests[4:]) == ""


@given(st.lists(st.text("ab \"'().?!言`\n", max_size=60), min_size=1, max_size=4))
def test_notes_keep_the_rules_of_a_task(texts: list[str]) -> None:
    requests = requests_of(*texts)
    messages = [(2 * at + 1, text) for at, text in enumerate(texts)]
    for note in (*find_leading(requests, len(requests) - 1), quote_agent(messages, requests[-1]), quote_replies(requests[1:])):
        assert not note or not find_fault("Task", f"Go on (then: {note})")


@pytest.mark.slow
def test_the_time_grows_with_the_text_alone() -> None:
    begin = time.perf_counter()
    for text in ("please " * 30_000, "(" * 200_000, "a. " * 3_000, "这" * 30_000):
        requests = requests_of(text, "ok")
        find_leading(requests, 1)
        quote_agent([(1, text)], requests[1])
    assert time.perf_counter() - begin < 10


def test_markup_and_code_are_no_words_of_the_agent() -> None:
    [request] = requests_of("ok do it")
    assert quote_agent([(-1, "The page is ready for a test. <style> { margin: 0; } </style>")], request._replace(at=0)) == '"The page is ready for a test"'
    assert quote_agent([(-1, "<style> { margin: 0; padding: 0; }")], request._replace(at=0)) == ""


def test_an_earlier_request_is_quoted_once_and_not_if_it_is_the_same() -> None:
    requests = requests_of("Build a site.", "Check the mail.", "Check the mail.", "it is late")
    assert find_leading(requests, 3) == ['"Check the mail"', '"Build a site"']
    assert find_leading(requests_of("Build it.", "Check it."), 1) == ['"Build it"']
    assert find_leading(requests_of("Check it.", "Check it."), 1) == []


def test_earlier_requests_explain_a_sentence_below_output_in_another_script() -> None:
    output = "> app@1.0.0 start\n> next start\n - Local: http://localhost:3000\n" * 3
    requests = requests_of("실행 포트 3000에서 3001로 변경", f"{output} ✓ Ready in 351ms 3000으로 실행되는데", output)
    assert find_leading(requests, 1) == ['"실행 포트 3000에서 3001로 변경"']
    assert find_leading(requests, 2) == []
    assert find_leading(requests_of("Fix it.", output, f"{output} 당했어요"), 2) == find_leading(requests_of("Fix it.", "Ok."), 1)


@pytest.mark.parametrize(
    ("message", "reply", "quote"),
    [
        ("アイコンはトレイに表示されていますか？声が出れば正常です。", "出ています", '"アイコンはトレイに表示されていますか？"'),
        ("1. 按 `Win + R`，输入命令，回车\n\n删掉 `API_KEY` 就好了。然后重启编辑器。", "已删", '"删掉 `API_KEY` 就好了。"'),
        ("按 `Win + R`，输入命令，回车。", "已删", '"按 `Win + R`，输入命令，回车。"'),
    ],
)
def test_a_reply_of_one_word_in_another_script_follows_what_it_answers(message, reply, quote) -> None:
    assert quote_agent([(1, message)], UserRequest(2, reply, reply)) == quote


def test_a_mark_for_the_host_is_no_words_of_the_agent() -> None:
    messages = [(0, "Shall I send you the results of the last run?"), (1, "HEARTBEAT_OK")]
    assert quote_agent(messages, UserRequest(2, "yes, do")) == '"Shall I send you the results of the last run?"'


@pytest.mark.parametrize(
    "prompt", ["Last login: Tue Feb 24 23:59:39 on ttys003\n~ ❯ ls", "(studio) ⚡ main ~ uv run app", "dev@box:~/app$ make"]
)
def test_earlier_requests_explain_words_before_a_copy_of_a_terminal(prompt: str) -> None:
    requests = [UserRequest(0, "all of it works except for box.local"), UserRequest(2, f"and my hosts: {prompt}\n" + "127.0.0.1 localhost\n" * 40)]
    assert find_leading(requests, 1) == ['"all of it works except for box.local"']
    alone = [requests[0], UserRequest(2, prompt + "\n127.0.0.1 localhost" * 40)]
    assert find_leading(alone, 1) == ['"all of it works except for box.local"']
