"""The parts of a conversation from which pages and records quote."""

from ctxkit.core.context.extract import extract
from ctxkit.core.context.extract.conversation_parts import (
    MAX_CLOSING_CALLS,
    MIN_LATER_CALLS,
    find_parts,
)
from tests.core.context.talk import did, matter, ran, records_of, said, user


def test_the_parts_are_found_with_their_positions() -> None:
    todos = {"todos": [{"content": "Write docs", "status": "pending"}]}
    talk = [user("Fix it."), *did("TodoWrite", todos), *ran("make", "ok"), said("Done. Next I'll add tests.")]
    parts = find_parts(records_of(talk))
    assert [request.text for request in parts.requests] == ["Fix it."]
    assert [call.name for call in parts.calls] == ["TodoWrite", "bash"]
    assert parts.messages[-1][1] == "Done. Next I'll add tests."
    assert parts.todo.open == ("Write docs",)


def test_the_list_precedes_what_else_is_pending() -> None:
    todos = {"todos": [{"content": "Write docs", "status": "pending"}]}
    talk = [user("Fix it."), *did("TodoWrite", todos), user("Look at two. Well."), user("Go on with three.")]
    pending = [item.forms[0] for item in find_parts(records_of(talk)).find_pending_items()]
    assert pending == ["Write docs", "Look at two.", "Go on with three."]


def test_a_conversation_without_any_part() -> None:
    parts = find_parts([])
    assert (list(parts.requests), list(parts.calls), list(parts.messages)) == ([], [], [])
    assert list(parts.find_pending_items()) == []


def test_the_list_of_a_tool_is_old_after_two_requests() -> None:
    todos = {"todos": [{"content": "Write docs", "status": "pending"}]}
    talk = [user("Fix it."), *did("TodoWrite", todos), said("Done."), user("Look at two."), said("Well.")]
    assert not find_parts(records_of(talk)).current_todo.is_empty
    later = [*talk, user("Look at three."), said("Well.")]
    assert find_parts(records_of(later)).current_todo.is_empty
    assert not find_parts(records_of(later[:-1])).current_todo.is_empty
    assert extract(matter(records_of(later))).pending == ()
    assert extract(matter(records_of(talk))).pending == ("Write docs",)


def test_boxes_in_a_message_are_left_behind_after_two_requests() -> None:
    talk = [user("Plan it."), said("- [ ] Write docs\n- [ ] Write tests")]
    assert find_parts(records_of(talk)).todo.open == ("Write docs", "Write tests")
    later = [user("Fix the parser."), said("Fixed."), user("Fix the lexer."), said("Fixed.")]
    assert find_parts(records_of([*talk, *later])).todo.is_empty


def test_a_step_that_the_final_report_names_is_no_longer_open() -> None:
    steps = [{"step": step, "status": "pending"} for step in ("Run a smoke test", "Update the changelog")]
    work = [turn for number in range(MIN_LATER_CALLS) for turn in ran(f"./step {number}.sh", "ok")]
    talk = [user("Fix it."), *did("update_plan", {"plan": steps}), *work]
    report = "The smoke test ran twice. " + "The parser reads rows. " * 20
    assert find_parts(records_of([*talk, said(report)])).todo.open == ("Update the changelog",)
    for open_end in (said(f"{report} The rest is pending."), said("The smoke test ran."), *ran("make", report)[:1]):
        assert len(find_parts(records_of([*talk, open_end])).todo.open) == len(steps)
    assert len(find_parts(records_of([*talk[:-2], said(report)])).todo.open) == len(steps)


def test_a_report_before_the_last_checks_ends_its_steps() -> None:
    steps = [{"step": step, "status": "in_progress"} for step in ("Run a smoke test", "Update the changelog")]
    work, closing = (
        [turn for number in range(many) for turn in ran(f"./step {number}.sh", "ok")]
        for many in (MIN_LATER_CALLS, MAX_CLOSING_CALLS)
    )
    report = said("The smoke test ran twice. " + "The parser reads rows. " * 20)
    talk = [user("Fix it."), *did("update_plan", {"plan": steps}), *work, report, *closing]
    assert find_parts(records_of(talk)).todo.active == ("Update the changelog",)
    assert len(find_parts(records_of([*talk, *ran("make")])).todo.active) == len(steps)


def test_a_rejection_after_which_the_agent_works_on_drops_the_open_steps() -> None:
    steps = [{"step": "Read docs", "status": "completed"}, {"step": "Write docs", "status": "pending"}]
    work = [turn for number in range(MIN_LATER_CALLS) for turn in ran(f"./step {number}.sh", "ok")]
    plan = did("update_plan", {"plan": steps})
    talk = [user("Fix it."), *plan]
    for words in ("No, don't write them yourself.", "等一下 不是让你自己写"):
        assert find_parts(records_of([*talk, user(words), *work])).current_todo[:3] == ((), (), ("Read docs",))
        assert find_parts(records_of([*talk, user(words), *work[2:]])).current_todo.open == ("Write docs",)
        assert find_parts(records_of([*talk, user(words), *work, *plan])).current_todo.open == ("Write docs",)
    for words in ("Fix that too.", "Don't touch the index."):
        assert find_parts(records_of([*talk, user(words), *work])).current_todo.open == ("Write docs",)
