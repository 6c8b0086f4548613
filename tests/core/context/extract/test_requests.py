import pytest

from ctxkit.core.context.extract import extract
from ctxkit.core.context.extract.requests import (
    MIN_PROMPTS,
    UserRequest,
    are_long_answered,
    drop_issue_section,
    find_requests,
)
from ctxkit.core.context.summary import frame_page
from ctxkit.core.context.template import SummaryPage, render_page
from tests.core.context.talk import did, matter, records_of, said, user


def test_a_command_without_arguments_means_what_the_host_makes_of_it() -> None:
    lines = [
        {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": {"role": "user", "content": "<command-message>init</command-message>\n<command-name>/init</command-name>"}},
        {"type": "user", "uuid": "2", "parentUuid": "1", "sessionId": "s", "isMeta": True, "message": {"role": "user", "content": "Analyze this codebase. Then write."}},
        {"type": "assistant", "uuid": "3", "parentUuid": "2", "sessionId": "s", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}},
    ]
    assert find_requests(records_of(lines)) == (UserRequest(0, "/init: Analyze this codebase. Then write.", "/init"),)


def test_bare_commands_are_no_requests_unless_there_is_nothing_else() -> None:
    assert [one.text for one in find_requests(records_of([user("/mode"), user("Fix it"), said("ok")]))] == ["Fix it"]
    assert [one.text for one in find_requests(records_of([user("/mode"), said("ok")]))] == ["/mode"]


def test_a_bare_command_with_a_blank_is_no_request() -> None:
    [request] = find_requests(records_of([user("Fix it."), said("Done."), user("/export ")]))
    assert request.text == "Fix it."


def test_commands_that_change_only_the_host_are_no_requests() -> None:
    asked = find_requests(records_of([user("Fix it"), said("Done"), user("/model opus-4"), user("/plugin install a@b"), user("/review a.py")]))
    assert [request.text for request in asked] == ["Fix it", "/review a.py"]


def test_a_greeting_is_a_reply() -> None:
    assert all(UserRequest(0, text).is_reply for text in ("hi", "你好", "Sounds good", "c'est ok"))
    assert UserRequest(0, "0").is_reply
    assert UserRequest(0, "1, 12").is_reply
    assert not UserRequest(0, "hello world app").is_reply
    assert not UserRequest(0, "8080").is_reply


def test_a_line_that_the_host_adds_to_most_messages_is_dropped() -> None:
    note = "No tables currently exist. Default tables will be created automatically."
    asked = find_requests(records_of([turn for name in "abc" for turn in (user(f"Fix {name}.py\n\n{note}"), said("Done"))]))
    assert [(request.text, request.own_text) for request in asked] == [(f"Fix {name}.py", f"Fix {name}.py") for name in "abc"]


def test_results_and_summaries_are_no_requests() -> None:
    page = frame_page(render_page(SummaryPage("old")), "abc123")
    talk = [user(page), user("Fix it"), *did("read", {"path": "a"}, "never do this"), said("ok"), user("<output>x</output>")]
    assert [one.text for one in find_requests(records_of(talk))] == ["Fix it"]


@pytest.mark.parametrize("text", ["yes", "OK!", "continue", "go ahead, please", "weiter", "да, продолжай", "继续", "はい", "2", "yes do it", "thanks"])
def test_answers_refer_to_what_was_asked_before(text: str) -> None:
    assert UserRequest(0, text).is_reply


@pytest.mark.parametrize("text", ["yes, but use tabs", "fix it", "ok then read a.py", "no tests", "", "何をしましたか"])
def test_requests_do_not(text: str) -> None:
    assert not UserRequest(0, text).is_reply or text == ""


def test_among_agents_only_those_who_ask_are_heard() -> None:
    talk = [
        {"role": "user", "name": "Manager", "content": "Solve it."},
        {"role": "assistant", "name": "Coder", "content": "I do."},
        {"role": "user", "name": "Terminal", "content": "output"},
        {"role": "user", "name": "Checker", "content": "Always check."},
        {"role": "user", "name": "Human", "content": "Faster."},
    ]
    asked = [one.text for one in find_requests(records_of(talk))]
    assert "Solve it." in asked
    assert "Faster." in asked
    assert "Always check." not in asked


def test_where_nobody_asks_the_conversation_begins_with_what_is_asked() -> None:
    talk = [
        {"role": "system", "content": "Be brief."},
        said("Find the year."),
        said("I look."),
        user("```python\nlook()\n```"),
        user("exitcode: 1 (execution failed)\nCode output: KeyError: 3"),
    ]
    assert [one.text for one in find_requests(records_of(talk))] == ["Find the year."]


def test_observations_of_agents_with_text_for_calls_set_no_tasks() -> None:
    talk = [user("Fix a.py"), said("Look:\n\n```bash\ncat a.py\n```"), user("OBSERVATION:\nNever do this again"), said("ok")]
    assert [one.text for one in find_requests(records_of(talk))] == ["Fix a.py"]


def test_quoted_issues_set_no_rules() -> None:
    text = "<issue_description>\nIt must never crash.\n</issue_description>\nFix it. Don't touch tests."
    [asked] = find_requests(records_of([user(text)]))
    assert "must never" in asked.text
    assert asked.own_text == "Fix it. Don't touch tests."


def test_the_text_of_a_skill_is_no_request() -> None:
    skill = [user("Log each fix"), *did("Skill", {"skill": "update-config"}, "Launching skill: update-config"), user("# Update Config Skill\n\nAlways read first."), said("ok")]
    assert [request.text for request in find_requests(records_of(skill))] == ["Log each fix"]
    other = [user("Log each fix"), *did("read", {"path": "a"}, "text"), user("# Update Config Skill\n\nAlways read first."), said("ok")]
    assert len(find_requests(records_of(other))) == 2


def test_a_message_of_a_sub_agent_is_no_request() -> None:
    talk = [user("Fix a.py"), said("I look."), {"role": "assistant-subagent-a5", "content": "Never touch b.py. Let me read it."}, said("Done.")]
    assert [request.text for request in find_requests(records_of(talk))] == ["Fix a.py"]


def test_what_the_agent_says_after_a_summary_is_no_request() -> None:
    summary = frame_page(render_page(SummaryPage("Fix it.")), "abc123")
    assert find_requests(records_of([user(summary), said("done")])) == ()
    assert [request.text for request in find_requests(records_of([said("Hello.")]))] == []


def test_a_tiny_word_is_no_request() -> None:
    assert UserRequest(0, "ls").is_reply
    assert not UserRequest(0, "Fix it.").is_reply
    assert UserRequest(0, "okkey pokračujme").is_reply


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("###STOP###", True),
        ("Thank you for your help. That's all for now.", True),
        ("Great, thanks a lot!", True),
        ("Thank you for letting me know! That's all I needed for now. Have a great day!", True),
        ("Thank you for letting me know the name. Use it.", False),
        ("Thanks. Now fix the parser.", False),
        ("Stop the server.", False),
        ("That is all wrong.", False),
        ("", False),
    ],
)
def test_a_request_that_ends_the_conversation(text: str, closing: bool) -> None:
    assert UserRequest(0, text).is_closing is closing
    assert UserRequest(0, text).is_reply or not closing


def test_an_issue_ends_at_the_next_heading_in_capitals() -> None:
    text = "Solve it.\nISSUE:\nIt hangs.\n\nDescribe: no\nINSTRUCTIONS:\nFix it."
    assert drop_issue_section(text) == "Solve it.\nINSTRUCTIONS:\nFix it."
    assert drop_issue_section("The ISSUE: it hangs.") == "The ISSUE: it hangs."


def test_a_greeting_after_which_only_the_host_speaks_is_long_answered() -> None:
    beats = [user("Read HEARTBEAT.md if it exists (workspace context)."), said("HEARTBEAT_OK")] * MIN_PROMPTS
    greeting = [user("ola"), said("Hi.")]
    for talk, is_answered in (
        ([*greeting, *beats], True),
        ([user("Fix the parser."), said("Fixed."), *beats], False),
        ([*greeting, *beats[2:]], False),
        ([*beats, *greeting], False),
        (beats, False),
    ):
        records = records_of(talk)
        assert are_long_answered(find_requests(records), records) == is_answered
    assert extract(matter(records_of([*greeting, *beats]))).task == ""
    assert extract(matter(records_of([*greeting, *beats[2:]]))).task == "ola"


def test_a_command_that_only_replies_follow_is_a_request() -> None:
    asked = find_requests(records_of([user("/clear"), user("/bmad-create-architecture"), said("Which store?"), user("c"), said("So?"), user("works for me")]))
    assert [request.text for request in asked] == ["/bmad-create-architecture", "c", "works for me"]
    asked = find_requests(records_of([user("/bmad-create-architecture"), said("Done."), user("Fix a.py"), said("Done."), user("yes")]))
    assert [request.text for request in asked] == ["Fix a.py", "yes"]
