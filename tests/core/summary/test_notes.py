"""Notes are quotations and lists, the most important first."""

from typing import Any

import pytest

from ctxkit.core.summary.notes import (
    SUMMARY_START,
    expand_histories,
    find_checks,
    find_demand_notes,
    find_lists,
    find_task,
    find_todo_list,
    find_work,
    quote_words,
    read_conversation,
)
from ctxkit.core.summary.page import build_record, extract
from ctxkit.core.summary.tool_call import find_tool_calls
from tests.core.summary.talk import did, matter, ran, records_of, said, user, words


def told(source, *talk, **given):
    parts = read_conversation(records_of([turn for part in talk for turn in (part if isinstance(part, list) else [part])]))
    return [note.forms[0] for note in source(parts, **given)]


def test_the_task_comes_first_and_no_log_is_quoted() -> None:
    logs = "[Proxy] GET /api/health -> http://localhost.\n[CLI] Testing it now in full."
    request = user(f"Mend the proxy. It loses requests under load.\n{logs}")
    assert told(find_task, request) == ["Mend the proxy.", "It loses requests under load."]


def test_lists_begin_with_what_nothing_resolved() -> None:
    todos = [{"content": "Publish", "status": "pending"}, {"content": "Build", "status": "completed"}]
    calls = [
        *ran("make a", "error: a", 2),
        *ran("make b", "error: b", 2),
        *ran("make b", "ok"),
        *ran("cat c.py", "cat: c.py: No such file or directory", 1),
        *did("Edit", {"file_path": "src/d.py"}),
        *did("TodoWrite", {"todos": todos}),
    ]
    assert told(find_lists, user("x"), calls) == [
        "`make a`: error: a",
        "Changed: src/d.py.",
        "Changed: src/d.py.",
        "Publish",
        "`make b`: error: b; passed later",
        "`cat c.py`: cat: c.py: No such file or directory",
    ]


def test_a_sentence_that_announces_the_task_goes_on_with_it() -> None:
    plan = user("Implement the following plan:\n\n# Ask before a run\n\n## Context\nA run costs money. It starts at once.")
    assert told(find_task, plan) == ["Implement the following plan: Ask before a run"]
    issue = user("We solve the following issue.\nHere it is:\nISSUE:\nTimes lose digits\nA time is rounded in some cases.")
    assert told(find_task, issue) == ["We solve the following issue. Here it is: ISSUE: Times lose digits"]


def test_a_request_that_points_back_follows_the_one_before_it() -> None:
    talk = [user("Sign wallets in by SIWE. It is safe."), said("Shall I?"), user("fold it in to phase 12.")]
    assert told(find_task, *talk) == ["Sign wallets in by SIWE. / fold it in to phase 12."]
    assert told(find_task, user("fold it in to phase 12.")) == ["fold it in to phase 12."]
    plan = user("Implement the plan:\n\n# Ask before a run")
    assert told(find_task, plan, user("don't commit it")) == ["Implement the plan: Ask before a run / don't commit it"]
    assert told(find_task, user("Use tabs."), user("Publish the parser of it and say so in the notes of the release as well, pretty please.")) == [
        "Publish the parser of it and say so in the notes of the release as well, pretty please."
    ]
    praised = [user("Sign wallets in by SIWE."), said("Done."), user("i read what we have, it's good. continue")]
    assert told(find_task, *praised) == ["Sign wallets in by SIWE."]


def test_on_a_page_stands_of_earlier_requests_what_binds() -> None:
    talk = [user("Please make the colors different. Never use green."), said("ok"), user("Now please add a theme.")]
    notes = list(find_demand_notes(read_conversation(records_of(talk))))
    assert [(note.section, note.forms[0]) for note in notes] == [
        ("Decisions", "Now please add a theme."),
        ("Decisions", "Never use green."),
        ("", "Please make the colors different."),
    ]


def test_a_page_tells_of_a_document_what_begins_as_a_demand() -> None:
    plan = f"Implement the following plan:\n\n# Tabs\n{'Some words. ' * 90}\nThe tab shows only one row.\n- Never touch the API.\n- **Only rename** what is new"
    notes = list(find_demand_notes(read_conversation(records_of([user(plan)]))))
    assert [(note.section, note.forms[0]) for note in notes] == [
        ("Decisions", "**Only rename** what is new"),
        ("Decisions", "Never touch the API."),
        ("", "The tab shows only one row."),
    ]


def test_a_command_of_the_host_is_no_request() -> None:
    assert told(find_task, user("Use tabs."), said("Done."), user("<command-name>/exit</command-name>")) == ["Use tabs."]
    assert told(find_task, user("Use tabs."), said("Done."), user("<command-name>/plan</command-name>")) == ["/plan"]


def test_failures_of_older_requests_stand_in_the_record_only() -> None:
    talk = [user("Build it."), *ran("make", "error: a", 2), said("It fails."), user("Now test."), user("Now lint."), *ran("lint", "error: b", 2)]
    sections = {note.forms[0]: note.section for note in find_lists(read_conversation(records_of(talk)))}
    assert sections == {"`lint`: error: b": "Errors", "`make`: error: a": ""}


def test_other_sentences_end_where_the_prose_ends() -> None:
    log = "## Log\n\nThe spec is ready to use!"
    request = user(f"The warnings are still there. They come from the client of the API.\n\n{log}")
    assert told(find_task, request) == ["The warnings are still there.", "They come from the client of the API."]
    assert told(find_demand_notes, request) == []


def test_demands_in_the_prompt_of_a_command_are_of_its_author() -> None:
    command = "<command-name>/plan</command-name><command-args>phase 2</command-args>"
    typed = {"type": "user", "uuid": "a", "parentUuid": None, "message": user(command)}
    prompt = {"type": "user", "uuid": "b", "parentUuid": "a", "isMeta": True, "message": user("Never skip a step.")}
    assert told(find_task, typed, prompt) == ["/plan phase 2"]
    assert told(find_demand_notes, typed, prompt) == []
    assert told(quote_words, typed, prompt) == ["> Never skip a step.\n", "> /plan phase 2\n"]


def test_demands_of_messages_that_leave_come_first() -> None:
    talk = [user("Never push."), said("ok"), user("Use tabs.")]
    assert told(find_demand_notes, *talk) == ["Use tabs.", "Never push."]
    assert told(find_demand_notes, *talk, cut=1) == ["Never push.", "Use tabs."]


def test_checks_are_told_by_their_last_result() -> None:
    calls = [*ran("pytest", "===== 3 passed in 0.1s ====="), *ran("pytest", "===== 4 passed in 0.1s ====="), *ran("ls", "OK")]
    assert told(find_checks, user("x"), calls) == ["`pytest`: 4 passed in 0.1s"]


def test_a_check_is_told_once_whatever_filters_its_output() -> None:
    calls = [*ran("bun test | tail -9", "2 pass\n 0 fail\nRan 2 tests."), *ran("bun test | tail", " 3 pass\n 0 fail\nRan 3 tests.")]
    assert told(find_checks, user("x"), calls) == ["`bun test | tail`: 3 pass / 0 fail"]
    assert told(find_checks, user("x"), ran("bun test | grep ^Ran", "Ran 2 tests.")) == []


def test_a_command_that_goes_on_is_told_with_a_mark() -> None:
    commit = ran("git commit -m \"$(cat <<'EOF'\nMend it\nEOF\n)\"", "[main 4fdac62f9] Mend it")
    assert told(find_checks, user("x"), commit) == ["`git commit -m \"$(cat <<'EOF' ...`: [main 4fdac62f9] Mend it"]


def test_words_are_quoted_the_newest_first() -> None:
    assert told(quote_words, user("One.\n\nTwo."), said("ok"), user("Three.")) == ["> Three.\n", "> One.\n>\n> Two.\n"]


def test_work_is_told_by_answers_and_then_by_calls() -> None:
    calls = [*ran("make", "ok"), *did("Read", {"file_path": "a.py"}, "x")]
    assert told(find_work, user("x"), said("I look."), calls, said("Done.")) == ["I look.", "`Read a.py`", "`make`"]


def test_thanks_before_a_request_are_not_the_task() -> None:
    assert told(find_task, user("Good. Thanks! Now say in the README what the limit means. Keep it short please.")) == [
        "Now say in the README what the limit means.",
        "Keep it short please.",
    ]
    assert told(find_task, user("Good.")) == ["Good."]
    assert told(find_task, user("Mend the proxy."), said("So?"), user("ok that sounds good to me")) == ["Mend the proxy."]


def todo(*talk):
    return find_todo_list(find_tool_calls(records_of([user("x"), *(turn for part in talk for turn in part)])))[:3]


CLAUDE = [{"content": "a", "status": "completed", "activeForm": "Doing a"}, {"content": "b", "status": "in_progress"}, {"content": "c", "status": "pending"}]
SAME = (("c",), ("b",), ("a",))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("TodoWrite", {"todos": CLAUDE}),
        ("todo_write", {"merge": False, "todos": [{"id": "1", "content": "a", "status": "completed"}, *CLAUDE[1:]]}),
        ("update_plan", {"plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "in_progress"}, {"step": "c", "status": "pending"}]}),
        ("write_todos", {"todos": [{"description": "a", "status": "completed"}, {"description": "b", "status": "in_progress"}, {"description": "c", "status": "pending"}]}),
        ("manage_todo_list", {"todoList": [{"title": "a", "status": "completed"}, {"title": "b", "status": "in-progress"}, {"title": "c", "status": "not-started"}]}),
        ("task_tracker", {"command": "plan", "task_list": [{"title": "a", "status": "done"}, {"title": "b", "status": "in_progress"}, {"title": "c", "status": "todo"}]}),
        ("update_todo_list", {"todos": "[x] a\n[-] b\n[ ] c"}),
    ],
)
def test_lists_of_many_agents(name: str, arguments) -> None:
    assert todo(did(name, arguments)) == SAME


def test_the_last_list_stands_and_what_is_dropped_is_gone() -> None:
    talk = [did("TodoWrite", {"todos": CLAUDE}), did("TodoWrite", {"todos": [{"content": "d", "status": "cancelled"}, {"content": "e", "status": "pending"}]})]
    assert todo(*talk) == (("e",), (), ())
    assert todo(did("TodoWrite", {"todos": CLAUDE}), did("TodoWrite", {"todos": []})) == ((), (), ())


def test_tasks_that_are_made_one_by_one() -> None:
    talk = [
        did("TaskCreate", {"subject": "a", "description": "x"}, "Task #1 created successfully: a"),
        did("TaskCreate", {"subject": "b", "description": "x"}, "Task #2 created successfully: b"),
        did("TaskCreate", {"subject": "c", "description": "x"}, "Task #3 created successfully: c"),
        did("TaskUpdate", {"taskId": "1", "status": "completed"}),
        did("TaskUpdate", {"taskId": "2", "status": "in_progress"}),
    ]
    assert todo(*talk) == SAME


def test_a_task_whose_words_begin_those_of_a_finished_one_stays_open() -> None:
    talk = [
        did("TaskCreate", {"subject": "Fix model tests"}, "Task #1 created successfully"),
        did("TaskCreate", {"subject": "Fix model"}, "Task #2 created successfully"),
        did("TaskUpdate", {"taskId": "1", "status": "completed"}),
    ]
    assert todo(*talk)[0] == ("Fix model",)


def test_nothing() -> None:
    assert todo() == ((), (), ())
    assert todo(did("Task", {"description": "x", "prompt": "y"})) == ((), (), ())


def test_a_state_in_quotes_is_that_state() -> None:
    calls = find_tool_calls(
        records_of(
            [
                user("x"),
                *did("TaskCreate", {"subject": "Fix the scope"}, "Task #1 created successfully: Fix the scope"),
                *did("TaskUpdate", {"taskId": "1", "status": '"completed"'}, "InputValidationError"),
            ]
        )
    )
    assert find_todo_list(calls).done == ("Fix the scope",)


def item(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def line(payload: dict[str, Any], kind: str = "response_item") -> dict[str, Any]:
    return {"timestamp": "t", "type": kind, "payload": payload}


HISTORY = [
    item("developer", "## Context\n- In the app, the model can display images using standard Markdown syntax."),
    item("user", "Write the design.\n\nConstraints\n\nUse at most two colours. Never touch the lock file."),
    item("assistant", "We can get close. Strict caps on memory are best enforced with cgroups."),
]
CALL = {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": '{"cmd": "ls"}'}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "a.txt"}


def page_of(*history: dict[str, Any]) -> Any:
    lines = [
        line({"id": "s"}, "session_meta"),
        line({"message": "", "replacement_history": list(history)}, "compacted"),
        line(item("user", "Now fix the parser in src/parse.py.")),
    ]
    return extract(matter(records_of(lines)))


def test_what_was_said_before_a_compaction_is_no_fact_and_no_decision_of_a_summary() -> None:
    page = page_of(*HISTORY)
    assert page.facts == ()
    assert page.decisions == ("Use at most two colours.", "Never touch the lock file.")
    assert page.task == "Now fix the parser in src/parse.py."


def test_the_summary_and_the_instructions_among_the_messages_are_carried() -> None:
    handover = item("user", f"{SUMMARY_START} and produced a summary.\n\n- The parser reads the `size` field twice.")
    lines = [
        line({"id": "s"}, "session_meta"),
        line({"message": "", "replacement_history": [*HISTORY, handover]}, "compacted"),
    ]
    record = build_record(matter(records_of(lines)), "", 900, words)
    assert "### Instructions\n> ## Context\n" in record
    assert "### Earlier summary\n> Another language model" in record
    assert "> - The parser reads the `size` field twice.\n" in record


def test_a_summary_without_its_lead_is_told_by_the_text_of_the_compaction() -> None:
    note = "**Handoff**\n- The cache is cold."
    compacted = line({"message": note, "replacement_history": [*HISTORY, item("user", note)]}, "compacted")
    parts = expand_histories(records_of([line({"id": "s"}, "session_meta"), compacted]))
    assert [part.kind for part in parts] == ["message", "message", "message", "summary"]


def test_calls_of_a_history_stay_and_other_records_are_the_same() -> None:
    lines = [
        line({"id": "s"}, "session_meta"),
        line({"message": "", "replacement_history": [*HISTORY, CALL, OUTPUT]}, "compacted"),
    ]
    parts = expand_histories(records_of(lines))
    assert [part.role for part in parts] == ["system", "user", "assistant", "user"]
    assert [call.id for part in parts for call in part.calls] == ["c"]
    alone = records_of([line(item("user", "Fix it."))])
    assert expand_histories(alone) is alone
