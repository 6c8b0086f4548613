"""The task is one sentence of the request that is still open."""

import pytest

from ctxkit.core.context.extract import extract
from ctxkit.core.context.extract.conversation_parts import find_parts
from ctxkit.core.context.extract.requests import find_requests
from ctxkit.core.context.extract.task import find_open_request, find_request_items
from ctxkit.core.context.page_rules import find_rule_breaches
from tests.core.context.talk import did, matter, ran, records_of, said, user


def page_of(*talk):
    page = extract(matter(records_of(list(talk))))
    assert list(find_rule_breaches(page)) == []
    return page


def test_an_answered_question_before_a_reply_is_not_the_task() -> None:
    talk = [user("Add a CSV exporter."), said("It is begun."), user("Does it quote commas?"), said("It does."), user("ok go on")]
    assert page_of(*talk).task == 'Add a CSV exporter (then: "Does it quote commas?"; "ok go on")'
    records = records_of(talk)
    assert find_open_request(find_requests(records), [(1, "It is begun."), (3, "It does.")]) == 0


def test_the_offer_that_a_reply_accepts_is_the_task() -> None:
    talk = [user("Why is the sync slow?"), said("Its index is missing. Shall I add the index?"), user("ok go on")]
    asked = 'The user answered "ok go on" to the agent\'s question "Its index is missing. Shall I add the index?"'
    assert page_of(*talk).task == f'{asked} (asked before: "Why is the sync slow?")'


def test_of_three_requests_in_a_message_the_others_are_pending() -> None:
    page = page_of(user("Fix the parser. Add a test for it. Update the README."), *ran("ls", "a"))
    assert page.task == "Fix the parser; Add a test for it; Update the README."
    assert page.pending == ("Add a test for it.", "Update the README.")


def test_answered_requests_are_not_pending() -> None:
    assert page_of(user("Fix the parser. Add a test for it."), *ran("ls", "a"), said("Both are there.")).pending == ()


def test_open_todos_are_pending_though_the_task_names_them() -> None:
    todos = [{"content": words, "status": status} for words, status in (("update README", "completed"), ("add test", "pending"), ("bump version", "pending"))]
    page = page_of(user("Do the release: update README, add test, bump version."), *did("TodoWrite", {"todos": todos}))
    assert page.task == "Do the release: update README, add test, bump version."
    assert page.pending == ("add test", "bump version")


def test_an_unanswered_last_request_is_pending_too() -> None:
    page = page_of(user("Fix it in a.py."), said("It is fixed there."), user("Now do the same in b.py."))
    assert page.task == 'Now do the same in b.py (asked before: "Fix it in a.py")'
    assert page.pending == ("Now do the same in b.py.",)


def test_both_halves_of_a_demand_are_kept() -> None:
    page = page_of(user("Read files directly. Do not use subagents."), user("Then fix the parser."), *ran("ls", "a"))
    assert page.decisions == ("Read files directly.", "Do not use subagents.")


ISSUE = "Crash on empty input.\n\nIt crashes if the file is empty. Please fix it soon."
ISSUE_TASK = 'Solve the following issue in /testbed ("Crash on empty input")'


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (f"Solve the following issue in /testbed. Here it is:\nISSUE:\n{ISSUE}\n\nINSTRUCTIONS:\nEdit all files.", ISSUE_TASK),
        (f"Solve the following issue in /testbed.\nYou may assume tools.\n\n# Problem Statement\n{ISSUE}", ISSUE_TASK),
        (f"## Task\n{ISSUE}", "Crash on empty input."),
        (f"Follow the manager.\n\n# General Task\n{ISSUE}", "Crash on empty input."),
        (
            f"<issue_description>\n{ISSUE}\n</issue_description>\nCan you implement it?",
            'Can you implement it ("Crash on empty input")?',
        ),
        ("Fix the parser.\n\n## Description\nIt is slow.", 'The user says "Fix the parser. Description It is slow".'),
    ],
)
def test_a_task_names_its_issue(text: str, task: str) -> None:
    assert page_of(user(text), *ran("ls", "a")).task == task


def test_a_short_task_names_its_subject() -> None:
    page = page_of(user("The users page times out for large customers. Find out why and fix it."), *ran("ls", "a"))
    assert page.task == "The users page times out for large customers; Find out why and fix it."


def test_a_thanks_says_that_the_request_is_done() -> None:
    talk = [user("Please book the flight to Rome."), said("It is booked."), user("Thanks a lot. Bye!")]
    assert page_of(*talk).task == 'The user closed with "Thanks a lot. Bye!" (asked before: "Please book the flight to Rome")'
    assert page_of(*talk[:2], user("###STOP###")).task == "Please book the flight to Rome."


def test_an_agent_alone_asks_nothing() -> None:
    assert page_of(said("Let me read the archive."), *ran("ls", "a")).task == ""


def test_an_earlier_demand_that_accompanies_the_task_stays_a_decision() -> None:
    page = page_of(user("Never edit the lock file of yarn."), user("ok, and b.py?"), *ran("ls", "a"))
    assert page.task == 'ok, and b.py (asked before: "Never edit the lock file of yarn")?'
    assert page.decisions == ("Never edit the lock file of yarn.",)


def test_instructions_that_say_nothing_alone_are_not_pending() -> None:
    page = page_of(user("Your task is to fix the issues in that report. Please go ahead and proceed. Always sign off. Add a test for it."), *ran("ls", "a"))
    assert page.pending == ("Add a test for it.",)


def test_instructions_of_a_request_that_a_final_call_ends_are_not_pending() -> None:
    talk = [user("Look at the log. Send a broadcast to the team."), *did("broadcast", {"message": "Hello"}, "posted")]
    assert page_of(*talk).pending == ("Send a broadcast to the team.",)
    assert page_of(*talk, *did("task_complete", {"summary": "Sent."}, "Sent.")).pending == ()


def test_a_farewell_with_the_mark_of_a_simulated_user_is_no_task() -> None:
    farewell = "Oh, thank you for the birthday wishes, that is very sweet of you! I will get all of it taken care of and call back soon, " * 2
    page = page_of(user("Book a visit to the cardiologist."), said("Call the desk first."), user(f"{farewell}Have a day!\n\n###STOP###"))
    assert page.task.startswith('The user closed with "Oh, thank you')
    assert "Book a visit to the cardiologist" in page.task
    assert page.pending == ()


def test_a_command_is_told_as_one() -> None:
    page = page_of(user("/bmad-create-architecture"), said("Which store?"), user("works for me"), said("Next?"), user("yes"))
    answered = 'The user answered "yes" to the agent\'s question "Next?"'
    assert page.task == f'{answered} (asked before: "/bmad-create-architecture")'
    page = page_of(user("/bmad-create-architecture"), said("The document is complete now."), user("continue"))
    assert page.task == 'The user ran the command /bmad-create-architecture (then: "continue")'


def test_a_command_is_told_with_the_prompt_that_it_stands_for() -> None:
    lines = [
        {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": {"role": "user", "content": "<command-name>/pr</command-name>"}},
        {"type": "user", "uuid": "2", "parentUuid": "1", "sessionId": "s", "isMeta": True, "message": {"role": "user", "content": "Write a title and a description. Do not change files."}},
        {"type": "assistant", "uuid": "3", "parentUuid": "2", "sessionId": "s", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}},
    ]
    page = page_of(*lines)
    assert page.task == 'The user ran the command /pr ("Write a title and a description. Do not change files")'


def test_an_issue_stays_beside_a_long_request() -> None:
    orders = "".join(f"Think about the case number {at} of the parser and mend it. " for at in range(40))
    page = page_of(user(f"Please fix the following.\n<issue>\nThe parser drops the last line.\n</issue>\n{orders}"))
    assert page.task.startswith('The request says "Please fix the following.')
    assert page.task.endswith('sentences are left out) ("The parser drops the last line")')


def test_the_wish_stays_where_a_long_report_is_shortened() -> None:
    report = "".join(f"The page number {at} of the export is blank on the second screen. " for at in range(7))
    parts = find_parts(records_of([user("Export all pages to PDF."), said("All pages are exported."), user(report)]))
    forms = next(find_request_items(parts.requests, parts.messages, parts.calls, parts.todo)).forms
    assert forms[0].endswith('(asked before: "Export all pages to PDF")')
    shorter = next(form for form in forms if len(form) < len(report))
    assert shorter.endswith('(asked before: "Export all pages to PDF")')


@pytest.mark.parametrize(
    "rule", ["지금부터 모든 답변을 한글로 해줘", "从现在开始用中文回答", "今後は日本語で答えてください。", "Always answer in Spanish.", "From now on answer in Spanish."]
)
def test_a_demand_for_good_is_a_decision_and_not_the_task(rule: str) -> None:
    page = page_of(user("Add a parser of rows to src/a.py"), said("I read src/a.py."), user(rule), said("Yes."), *ran("ls", "a"))
    assert page.task.startswith("Add a parser of rows to src/a.py")
    assert page.decisions == (rule,)
    assert page_of(user(rule)).task


def test_a_demand_for_good_that_points_back_or_comes_with_a_job_is_the_task() -> None:
    for order in ("always save transcripts to that file", "Please write a.json, and from now on number them every time you fix bugs."):
        assert order[:20] in page_of(user("Show me the files of src"), said("a.txt"), user(order)).task


REJECTED = "Command not executed. The user rejected your command with the following message: go to src"


def test_a_hint_that_the_agent_followed_is_not_the_task() -> None:
    talk = [user("Fix the empty page of the shop."), said("THOUGHT: I list it."), user(REJECTED)]
    steps = [part for step in range(4) for part in (said(f"THOUGHT: I read part {step}."), *ran("cat a", "x"))]
    assert page_of(*talk, *steps).task == 'Fix the empty page of the shop (then: "go to src")'
    asked = page_of(*talk, steps[0]).task
    assert asked.startswith('go to src (asked before: "Fix the empty page of the shop"')


def test_a_hint_that_answers_a_question_is_no_answer_once_the_agent_followed_it() -> None:
    talk = [user("Fix the empty page of the shop."), said("Shall I list the folder of the tests?"), user(REJECTED.replace("go to src", "the source folder"))]
    steps = [said(f"I read part {step} of the page.") for step in range(4)]
    assert page_of(*talk, *steps).task == 'Fix the empty page of the shop (then: "the source folder")'
    assert page_of(*talk).task.startswith('The user answered "the source folder"')


TRACE = """Traceback (most recent call last):
  File "a.py", line 3, in <module>
    main()
  File "a.py", line 2, in main
    raise ValueError("no port")
ValueError: no port"""


def test_output_pasted_before_the_agent_has_answered_belongs_to_the_open_request() -> None:
    audit = user("Audit the backend of the shop and write the report into audit.md.")
    page = page_of(audit, *ran("ls", "a"), user('SET API_KEY="sk-12345"'), user(TRACE), *ran("cat a", "x"))
    assert page.task == (
        "Audit the backend of the shop and write the report into audit.md "
        '(then: pasted 6 lines of a log with "ValueError: no port")'
    )
    later = page_of(audit, said("The report is written."), user(TRACE), *ran("cat a", "x"))
    assert later.task.startswith('The user pasted 6 lines of a log with "ValueError: no port"')
    assert page_of(user(TRACE), *ran("cat a", "x")).task.startswith("The user pasted 6 lines of a log")
