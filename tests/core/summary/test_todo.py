import pytest

from ctxkit.core.summary.todo import find_todo_list
from ctxkit.core.summary.tool_call import find_tool_calls
from tests.core.summary.talk import did, records_of, user


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
