"""A reply is told with what the agent had asked, and with the wish that it belongs to."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.answer import last_message, make_answer_forms, quote_asked
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.page_rules import find_fault


def talk(*texts: str) -> tuple[list[UserRequest], list[tuple[int, str]]]:
    """Return the requests at even positions, and the messages of the agent at odd ones."""
    requests = [UserRequest(at, text, text) for at, text in enumerate(texts) if at % 2 == 0]
    return requests, [(at, text) for at, text in enumerate(texts) if at % 2]


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (
            ("Migrate it.", "The dry run passed for all of the notes.\n\n**Shall I migrate the notes now?**\n\n`make run`", "rr"),
            'The user answered "rr" to the agent\'s question "The dry run passed for all of the notes. Shall I migrate the notes'
            ' now?" (asked before: "Migrate it")',
        ),
        (
            ("Why is the sync slow?", "Its index is missing. Shall I add the index?", "yup"),
            'The user answered "yup" to the agent\'s question "Its index is missing. Shall I add the index?"'
            ' (asked before: "Why is the sync slow?")',
        ),
        (
            ("帮我启动插件", "两者冲突会导致启动失败。删掉 `API_KEY` 就好了。", "已删"),
            'The user answered "已删" to the agent\'s message "两者冲突会导致启动失败。 删掉 `API_KEY` 就好了。" (asked before: "帮我启动插件")',
        ),
        (
            ("请给我拿一杯酒", "请问您想喝什么颜色的酒？", "红色"),
            'The user answered "红色" to the agent\'s question "请问您想喝什么颜色的酒？" (asked before: "请给我拿一杯酒")',
        ),
        (
            ("Plan the app.", "Are both choices of the last plan acceptable?", "1. yes\n2. recommended", "The plan is ready.", "Ok, go."),
            'The user answered "Ok, go" to the agent\'s message "The plan is ready" (asked before: "Plan the app")',
        ),
        (
            ("Set up the build.", "[A] Ask more\n[C] Continue and write the document\n\nWhat would you like to do?", "c"),
            'The user answered "c" to the agent\'s question "What would you like to do? c: Continue and write the document"'
            ' (asked before: "Set up the build")',
        ),
        (
            ("Merge it.", "Which one of the two plans? 1. Merge now. 2. Verify the bundle first.", "VS Code"),
            'The user answered "VS Code" to the agent\'s question "Which one of the two plans?" (asked before: "Merge it")',
        ),
    ],
)
def test_an_answer_stands_first_with_what_it_answers(texts: tuple[str, ...], form: str) -> None:
    assert next(make_answer_forms(*talk(*texts))) == form


@pytest.mark.parametrize(
    "texts",
    [
        ("Build a site.", "The site is ready now.", "continue"),
        ("Build a site.", "What would you like to do next?", "restart"),
        ("Build a site.", "Shall I deploy it to Netlify?", "hello"),
        ("Build a site.", "Shall I deploy it to Netlify?", "Thanks, bye!"),
        ("Build a site.", "Shall I deploy it to Netlify?", "Push it to main."),
        ("Build a site.", "Shall I deploy it to Netlify?", "Why Netlify?"),
        ("Build a site.", "Shall I deploy it to Netlify?", "/export "),
        ("Build a site.", "The page is shown now.", "홈페이지가 안열려"),
        ("Build a site.", "Want me to add anything else?", "VS Code"),
        ("Build a site.", "", "yes"),
        ("帮我写代码", "需要我运行它吗？", "我自己该怎么运行"),
    ],
)
def test_an_order_a_question_and_an_order_to_go_on_are_no_answers(texts: tuple[str, ...]) -> None:
    assert list(make_answer_forms(*talk(*texts))) == []


def test_shorter_forms_lose_a_wish_then_all() -> None:
    forms = list(make_answer_forms(*talk("Build a site.", "ok", "Deploy it.", "Shall I deploy it to Netlify now?", "yes")))
    assert forms[0].endswith('(asked before: "Deploy it"; "Build a site")')
    assert forms[1].endswith('(asked before: "Deploy it")')
    assert forms[-1].endswith('question "Shall I deploy it to Netlify now?"')


def test_a_mark_for_the_host_is_no_message() -> None:
    assert last_message([(0, "Shall I send it?"), (1, "HEARTBEAT_OK"), (2, " ")], 3) == "Shall I send it?"
    assert last_message([(4, "Later.")], 3) == ""


@pytest.mark.parametrize(
    ("message", "quote", "is_question"),
    [
        ("Want me to move the settings of the build into its file?\n\nThe first one is slow. It reads all. It stops. It ends. So it is.",
         '"Want me to move the settings of the build into its file?"', True),
        ("It works. I have two of them now. Do you want it?", '"It works. I have two of them now. Do you want it?"', True),
        ("I can change the port of the server. If you want, I will write the test for the port as well.",
         '"If you want, I will write the test for the port as well"', True),
        ("Run this:\n```\nmake\n```\nThen tell the result.", '"Then tell the result"', False),
        ("", "", False),
    ],
)  # fmt: skip
def test_what_a_message_asks_is_its_last_question_with_its_object(message: str, quote: str, is_question: bool) -> None:
    assert quote_asked(message, "yes") == (quote, is_question)


@given(st.lists(st.text("ab1. \"'()?!言`\n", max_size=40), min_size=3, max_size=7))
def test_answers_keep_the_rules_of_a_task(texts: list[str]) -> None:
    requests, messages = talk(*texts)
    for form in make_answer_forms(requests, messages):
        assert not find_fault("Task", form)


@pytest.mark.slow
def test_long_messages_take_linear_time() -> None:
    begin = time.perf_counter()
    for text in ("please " * 30_000, "(" * 200_000, "a. " * 9_000, "这" * 30_000, "1. a\n" * 20_000, "必ず" * 30_000):
        requests, messages = talk(text, text, "ok")
        list(make_answer_forms(requests, messages))
    assert time.perf_counter() - begin < 10


def test_a_question_keeps_the_heading_of_the_list_before_it() -> None:
    message = "Most of it is a cache.\n\n**Track these:**\n- `a.jsonl` of the talks\n- `b.json` of the settings\n\n**Ignore these:**\n- `cache/` and `logs/`\n\nIs it fine so?"
    assert quote_asked(message, "yes") == ('"Ignore these: `cache/` and `logs/` Is it fine so?"', True)
    assert quote_asked("Track these:\n- `a.jsonl` of the talks\n\nIs it fine so?", "yes") == ('"`a.jsonl` of the talks Is it fine so?"', True)
