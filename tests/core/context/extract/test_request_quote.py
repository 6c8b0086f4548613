import time

import pytest

from ctxkit.core.context.extract.request_quote import (
    clip_note,
    find_task_sentence,
    is_text,
    is_usable,
    quote_request,
    quote_request_forms,
)
from ctxkit.core.context.page_rules import find_fault


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Hi there! The tests fail on CI. Please fix the flaky one.", "Please fix the flaky one."),
        ("Fix a.py. Never delete b.py.", "Fix a.py."),
        ("Never push. Fix a.py.", "Fix a.py."),
        ("Read files directly. Do not use subagents. Fix a.py.", "Fix a.py."),
        ("Read files directly. Do not use subagents.", "Read files directly."),
        ("The build is broken since Monday.", "The build is broken since Monday."),
        ("x", "x"),
    ],
)
def test_the_sentence_that_says_what_to_do(text: str, task: str) -> None:
    assert find_task_sentence(text) == task


def test_a_name_and_its_value_is_no_task() -> None:
    assert find_task_sentence("Correct form field name: `file`\nMend the upload of files.") == "Mend the upload of files."


def test_what_an_assistant_offers_in_a_quotation_is_no_task() -> None:
    assert find_task_sentence("The upload fails on CI. Would you like me to show the response?") == "The upload fails on CI."


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Hello! The users page times out. Find out why.", "The users page times out; Find out why."),
        ("Fix the parser. Add a test for it.", "Fix the parser; Add a test for it."),
        ("Read PLAN.md. Phases 1 to 8 are complete.\n\n- Now update the docs.\n- Then push.", "Read PLAN.md; Phases 1 to 8 are complete; Now update the docs; Then push."),
        ("Fix it in src. Never push.", "Fix it in src."),
        ("230:52  Error: a quote must be escaped.\n231:10  Error: b", 'The user pasted "230:52 Error: a quote must be escaped. 231:10 Error: b".'),
        (
            "We get this error:\n<<<<<<< a\n```\nit failed\n```\n=======\n```\nit failed\n```\n>>>>>>> b\nHow can I mend it? Be concise.",
            "The user says \"We get this error: 'it failed' How can I mend it? Be concise\".",
        ),
        ("Hello. Delete old users. Thank you!", "Delete old users."),
        (
            "再获取ip地址,包括:\n1.X-Real-IP: 真实地址。\n新建route获取,不要访问外部网络",
            'The user says "再获取ip地址,包括: 1.X-Real-IP: 真实地址。 新建route获取,不要访问外部网络".',
        ),
        ("請寫入 result.md 。請分析今年的發展預期如何？ 再分析股價走勢", 'The user says "請寫入 result.md 。請分析今年的發展預期如何？ 再分析股價走勢".'),
        ("# Log of Power\n" + "- Glows in the dark\n" * 400, 'The user sent a document that begins "Log of Power".'),
    ],
)
def test_a_request_is_quoted_whole_or_by_its_task(text: str, quote: str) -> None:
    assert quote_request(text) == quote


def test_of_a_long_request_the_telling_sentences_are_quoted() -> None:
    text = "I see that the queue (of jobs) freezes. " + "It worked (once) before. " * 40 + "Please find the reason."
    forms = quote_request_forms(text)
    assert forms[0] == (
        'The request says "I see that the queue (of jobs) freezes. It worked (once) before. … Please find the reason"'
        " (39 sentences are left out)."
    )
    assert [len(form) for form in forms] == sorted(map(len, forms), reverse=True)
    assert forms[-1] == "Please find the reason."
    assert not any(find_fault("Task", form) for form in forms)


def test_of_a_long_request_without_sentences_the_beginning_and_the_end_are_quoted() -> None:
    forms = quote_request_forms("please " + "word " * 400 + "stop here")
    assert forms[0].startswith('The request begins "please word word')
    assert forms[0].endswith('word stop here" (1,276 characters between are left out).')


def test_a_sentence_with_the_goal_stands_for_a_long_request() -> None:
    goal = "Your task is to find the flag that the program hides in one of its files, and to write it into the file flag.txt at the root."
    assert quote_request("You are in a shell. " * 60 + f"{goal} Your goal is never to stop.").startswith(goal[:-1])


def test_notes_are_clipped_at_words() -> None:
    assert clip_note('Say "a".\nThen go.', 40) == "Say 'a'. Then go"
    assert clip_note("one two three", 9) == "one two …"
    assert is_usable("Fix it.")
    assert not is_usable("Fix these:")


@pytest.mark.slow
def test_long_texts_take_linear_time() -> None:
    begin = time.perf_counter()
    for text in ("a. " * 3_000, "please " * 30_000, "# x\n" * 3_000, "必ず" * 30_000):
        quote_request(text)
    assert time.perf_counter() - begin < 10


def test_a_description_asks_for_nothing() -> None:
    description = "The project helps borrowers. It shows the use of models. " * 12
    assert is_text(description)
    assert quote_request(description) == 'The user sent a document that begins "The project helps borrowers".'
    assert not is_text(f"{description} Please write the README.")
    assert not is_text("The project helps borrowers.")


def test_code_between_words_in_another_language_is_no_short_form_of_them() -> None:
    text = '하지만 table은 그대로임 CREATE TABLE "early" (\n\t"id" BIGINT,\n\tUNIQUE ("line_id", "main_step")\n);\n' + "COMMENT ON COLUMN early IS '';\n" * 12
    forms = quote_request_forms(text)
    assert all("하지만 table은 그대로임" in form for form in forms)
    assert len(forms) > 2


def test_a_copy_of_a_terminal_is_told_by_its_first_error() -> None:
    copy = "(studio) ⚡ main ~ uv run app\n" + "INFO:     Started reloader process [36428] using WatchFiles\n" * 30 + "ValueError: invalid model path\n"
    forms = quote_request_forms(f"sigue con la tarea de arriba para corregir el error : {copy}")
    assert forms[0] == (
        'The user says "sigue con la tarea de arriba para corregir el error" and pasted 32 lines of a terminal'
        ' with "ValueError: invalid model path".'
    )
    assert "terminal" not in quote_request_forms("Write to bob@x.dev and give 50% of it. " * 40)[0]


def test_output_is_told_without_a_line_that_breaks_the_rules() -> None:
    drawing = "│ the icon of https://a.dev/b.svg) (box │\n" * 8
    assert quote_request_forms(f"Build the box.\n{drawing}") == ('The user says "Build the box" and pasted 8 lines of output.',)


def test_an_interjection_before_a_wish_is_not_the_task() -> None:
    assert quote_request("哈？你不用写名字在上面呀~可以选一个用直线连接的多个点的图片").endswith("你不用写名字在上面呀~可以选一个用直线连接的多个点的图片\".")
