"""Notes are quotations and lists, the most important first."""

from ctxkit.core.summary.notes import (
    find_checks,
    find_demand_notes,
    find_lists,
    find_task,
    find_work,
    quote_words,
    read_conversation,
)
from tests.core.summary.talk import did, ran, records_of, said, user


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


def test_demands_of_messages_that_leave_come_first() -> None:
    talk = [user("Never push."), said("ok"), user("Use tabs.")]
    assert told(find_demand_notes, *talk) == ["Use tabs.", "Never push."]
    assert told(find_demand_notes, *talk, cut=1) == ["Never push.", "Use tabs."]


def test_checks_are_told_by_their_last_result() -> None:
    calls = [*ran("pytest", "===== 3 passed in 0.1s ====="), *ran("pytest", "===== 4 passed in 0.1s ====="), *ran("ls", "OK")]
    assert told(find_checks, user("x"), calls) == ["`pytest`: 4 passed in 0.1s"]


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
