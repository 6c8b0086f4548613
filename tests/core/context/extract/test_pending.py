from ctxkit.core.context.extract.pending import MAX_UNANSWERED, find_open_items, find_todo_items
from ctxkit.core.context.extract.requests import find_requests
from ctxkit.core.context.extract.todo import TodoList
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, records_of, said, user

EMPTY = TodoList()


def pending(*talk, todo=EMPTY):
    records = records_of(list(talk))
    spoken = [(at, record.words) for at, record in enumerate(records) if record.role == "assistant"]
    return [item.forms[0] for item in find_open_items(find_requests(records), find_tool_calls(records), spoken, todo)]


def test_the_list_of_things_to_do() -> None:
    items = list(find_todo_items(TodoList(("c", "d"), ("b",), ("a.", "z"), 3)))
    assert [(item.section, item.forms[0]) for item in items] == [
        ("Pending", "b (in progress)"),
        ("Pending", "c"),
        ("Pending", "d"),
        ("Facts", "Done: a; z."),
    ]


def test_requests_without_an_answer_the_last_too() -> None:
    assert pending(user("one"), said("done"), user("Look at two. Well."), user("three")) == ["Look at two.", "three"]
    assert pending(user("one"), said("done")) == []


def test_calls_without_a_result() -> None:
    assert pending(user("x"), *did("bash", {"command": "make"}, None)) == ["bash: make (no result yet)"]
    assert pending(user("x"), *did("finish", {}, None)) == []
    assert pending(user("x"), *did("bash", {"command": "make"}), said("ok")) == []


def test_steps_announced_last() -> None:
    talk = [user("x"), said("I'll do old things."), said("Parsing works now. Next I'll write the docs. Shall I?")]
    assert pending(*talk) == ["Next I'll write the docs."]
    assert pending(*talk, todo=TodoList(("c",))) == []


def test_what_a_message_does_at_once_is_not_announced() -> None:
    talk = [user("x"), *did("bash", {"command": "ls"}, "a", "Let me list it. Then I'll still have to fix the parser.")]
    assert pending(*talk) == ["Then I'll still have to fix the parser."]
    assert pending(*talk, *did("submit", {}, "ok", "I'll check all of it next.")) == []


def test_closing_words_are_no_steps() -> None:
    talk = "I'll summarize what I did. Let's submit the changes. Let me know what to do next. Next speaker Writer"
    assert pending(user("x"), said(talk)) == []


def test_of_thousands_of_unanswered_requests_the_newest_are_read() -> None:
    items = pending(*(user(f"Mend case {number}.") for number in range(3 * MAX_UNANSWERED)))
    assert len(items) == MAX_UNANSWERED
    assert items[-1] == f"Mend case {3 * MAX_UNANSWERED - 1}."


def test_an_agent_without_tools_does_in_the_message_what_it_announces() -> None:
    assert pending(user("x"), said("I'll add the setting next.\n```python\nA = 1\n```")) == []
    assert pending(user("x"), said("I'll add the setting next.")) == ["I'll add the setting next."]


def test_thanks_and_marks_of_the_end_are_not_open() -> None:
    assert pending(user("one"), said("done"), user("Thank you for your help! That's all I needed. ###STOP###")) == []


def test_an_open_script_is_told_with_its_end() -> None:
    script = 'git init\n# all\ngit add .\ngit commit -m "First"\ngit push -u origin main'
    assert pending(user("Push it."), *did("bash", {"command": script}, None)) == [
        'bash: git init; git add .; git commit -m "First"; git push -u origin main (no result yet)'
    ]
    joined = "git init && \\\ngit add . && \\\ngit push"
    assert pending(user("Push it."), *did("bash", {"command": joined}, None)) == ["bash: `git init && git add . && git push` (no result yet)"]
    many = "\n".join(f"make target-{number:03}" for number in range(40))
    assert pending(user("Make it."), *did("bash", {"command": many}, None)) == ["bash: make target-000 … make target-039 (40 lines) (no result yet)"]


def test_what_nobody_needs_to_do_is_not_open() -> None:
    assert pending(user("How?"), said("You don't need to list the files by hand.")) == []
    assert pending(user("How?"), said("We need to list the files by hand.")) == ["We need to list the files by hand."]
