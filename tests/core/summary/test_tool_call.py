import json
import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import ChatMessage, MessagePart, Record, RecordCall, RecordResult
from ctxkit.core.summary.tool_call import (
    EmbeddedCall,
    find_answers,
    find_elements,
    find_observations,
    find_tool_calls,
    keep_last_result,
    read_script_call,
    replace_elements,
    strip_commands,
    strip_line_ends,
)
from ctxkit.core.summary.user_words import unwrap_message
from tests.core.summary.talk import did, ran, records_of, said, user


def told(records):
    return [(deed.name, dict(deed.argument_map), deed.text, deed.answered_at) for deed in find_tool_calls(records)]


def test_calls_stand_beside_their_results() -> None:
    records = records_of([user("x"), *ran("ls", "a"), *did("read", {"path": "a"}, None)])
    assert told(records) == [("bash", {"command": "ls"}, "a\nExit code: 0", 2), ("read", {"path": "a"}, "", -1)]


def test_results_without_ids_go_by_name_in_order() -> None:
    parts = [{"functionCall": {"name": "run", "args": {"command": f"c{n}"}}} for n in (1, 2)]
    answers = [{"functionResponse": {"name": "run", "response": {"output": f"r{n}"}}} for n in (1, 2)]
    talk = [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": parts}, {"role": "user", "parts": answers}]
    found = find_tool_calls(records_of({"contents": talk}))
    assert [(deed.argument_map["command"], "r1" in deed.text, "r2" in deed.text) for deed in found] == [("c1", True, False), ("c2", False, True)]


MINI = [
    user("Fix it"),
    said("THOUGHT: look\n\n```bash\nls -la\n```"),
    user("<returncode>0</returncode>\n<output>\na.py\n</output>"),
    said("Now\n\n```mswea_bash_command\nmake\n```"),
    user("<returncode>2</returncode>\n<output>\nerror: x\n</output>"),
]


def test_commands_in_the_words_of_a_model() -> None:
    records = records_of(MINI)
    assert [(deed.name, deed.argument_map["command"], deed.answered_at) for deed in find_tool_calls(records)] == [("bash", "ls -la", 2), ("bash", "make", 4)]
    assert find_observations(records) == {2, 4}


@pytest.mark.parametrize(
    ("words", "name", "arguments"),
    [
        ("I look.\n<function=bash>\n<parameter=command>ls</parameter>\n</function>", "bash", {"command": "ls"}),
        ("<invoke name=\"edit\">\n<parameter name=\"path\">a.py</parameter>\n</invoke>", "edit", {"path": "a.py"}),
        ("<read_file>\n<path>a.py</path>\n</read_file>", "read_file", {"path": "a.py"}),
        ("Look.\n<command>\nopen a.py\n</command>", "bash", {"command": "open a.py"}),
        ("<execute_ipython>\nprint(1)\n</execute_ipython>", "python", {"command": "print(1)"}),
    ],
)
def test_protocols_of_tags(words: str, name: str, arguments) -> None:
    records = records_of([user("x"), said(words), user("<output>\n1\n</output>"), said(words), user("OBSERVATION:\n2")])
    assert [(deed.name, dict(deed.argument_map)) for deed in find_tool_calls(records)] == [(name, arguments)] * 2
    assert "<" not in strip_commands(words)


def test_code_in_a_chat_is_no_command() -> None:
    records = records_of([user("a function please"), said("Here:\n```python\ndef f(): ...\n```"), user("thanks, now a class"), said("```python\nclass A: ...\n```")])
    assert find_tool_calls(records) == ()
    assert find_observations(records) == frozenset()


def test_a_trajectory_says_itself_what_is_an_action() -> None:
    history = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "Fix it\n(Open file: n/a)\nbash-$"},
        {"role": "assistant", "content": "I run it", "action": "python a.py\n", "thought": "I run it"},
        {"role": "user", "content": "345\n\n(Open file: n/a)\nbash-$"},
    ]
    records = records_of({"history": history})
    [deed] = find_tool_calls(records)
    assert (deed.argument_map["command"], deed.text.split()[0]) == ("python a.py", "345")
    assert find_observations(records) == {3}


def test_calls_that_share_an_id_have_each_their_own_result() -> None:
    talk = [user("x")]
    for number in (1, 2, 3):
        call = {"id": "same", "type": "function", "function": {"name": "bash", "arguments": f'{{"command": "c{number}"}}'}}
        talk += [{"role": "assistant", "content": None, "tool_calls": [call]}]
        talk += [{"role": "tool", "tool_call_id": "same", "content": f"r{number}"}]
    assert [(command["command"], text) for _, command, text, _ in told(records_of(talk))] == [("c1", "r1"), ("c2", "r2"), ("c3", "r3")]


def test_code_that_another_agent_executes() -> None:
    talk = [
        said("You are given a task."),
        user("I try it.\n\n```python\nimport a\na.run()\n```"),
        user("exitcode: 1 (execution failed)\nCode output: KeyError: 'a'"),
    ]
    records = records_of(talk)
    assert [(deed.name, deed.argument_map["code"], deed.answered_at) for deed in find_tool_calls(records)] == [("python", "import a\na.run()", 2)]
    assert find_observations(records) == {1, 2}


def test_what_a_person_says_after_commands_is_no_observation() -> None:
    talk = [*MINI, said("Again\n\n```bash\nmake\n```"), user("<returncode>0</returncode>\n<output>\n</output>"), said("Done\n\n```bash\nls\n```"), user("Stop. Use tabs in that file.")]
    records = records_of(talk)
    assert find_observations(records) == {2, 4, 6}
    assert [call.answered_at for call in find_tool_calls(records)] == [2, 4, 6, -1]


def record(at, calls=(), results=()):
    return Record(
        at, 0, 1, {},
        calls=tuple(RecordCall(id_, name) for id_, name in calls),
        results=tuple(RecordResult(id_, text, (), name) for id_, name, text in results),
    )  # fmt: skip


def texts(records):
    return [answer[2].text if answer else None for _, _, answer in find_answers(records)]


def test_calls_with_one_id_get_one_result_after_the_other() -> None:
    calls = record(0, [("c", "run"), ("c", "run")])
    assert texts([calls, record(1, results=[("c", "", "one")]), record(2, results=[("c", "", "two")])]) == ["one", "two"]


def test_a_result_before_its_call_is_used_if_no_other_is_left() -> None:
    before = [record(0, results=[("c", "", "early"), ("c", "", "earlier than the call")])]
    assert texts([*before, record(1, [("c", "run")])]) == ["earlier than the call"]
    assert texts([*before, record(1, [("c", "run")]), record(2, results=[("c", "", "late")])]) == ["late"]


def test_without_an_id_the_name_decides_and_the_order() -> None:
    calls = record(0, [("", "a"), ("", "b"), ("", "b")])
    results = record(1, results=[("", "b", "of b"), ("", "", "of either"), ("", "a", "of a")])
    assert texts([calls, results]) == ["of either", "of b", None]
    assert texts([results._replace(at=0), calls._replace(at=1)]) == [None, None, None]


def test_an_id_that_no_call_has_is_ignored() -> None:
    calls = [record(0, [("", "glob")]), record(2, [("", "glob")])]
    results = [record(1, results=[("glob_17_0", "glob", "one")]), record(3, results=[("glob_18_0", "glob", "two")])]
    assert texts([calls[0], results[0], calls[1], results[1]]) == ["one", "two"]


IDS = st.sampled_from(["", "x", "y"])
NAMES = st.sampled_from(["", "a", "b"])
CALLS = st.lists(st.tuples(IDS, NAMES), max_size=3)


@given(st.lists(st.tuples(CALLS, CALLS), max_size=6))
def test_no_result_is_used_twice_and_all_calls_are_named(rows) -> None:
    records = [
        record(at, calls, [(id_, name, f"{at} {number}") for number, (id_, name) in enumerate(results)])
        for at, (calls, results) in enumerate(rows)
    ]
    answers = [text for text in texts(records) if text]
    assert len(answers) == len(set(answers))
    assert [(at, call) for at, call, _ in find_answers(records)] == [(item.at, call) for item in records for call in item.calls]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "result"), [(("c", "run"), ("c", "", "ok")), (("", "a"), ("", "b", "ok")), (("", "a"), ("", "a", "ok"))]
)
def test_many_results_of_one_id_or_name_before_many_calls_take_linear_time(call, result) -> None:
    records = [*(record(at, results=[result]) for at in range(20_000)), *(record(at, [call]) for at in range(20_000))]
    began = process_time()
    assert len(list(find_answers(records))) == 20_000
    assert process_time() - began < 3  # in squared time 20 s


TAG = re.compile(r"<(\w+)>")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<a>1</a> <b>2</b>", [("a", "1"), ("b", "2")]),
        ("<a><b>1</b></a>", [("a", "<b>1</b>")]),
        ("<a><b>1</b>", [("b", "1")]),
        ("</a><a>", []),
        ("<a><a></a></a>", [("a", "<a>")]),
    ],
)
def test_an_element_ends_at_the_next_closing_tag_of_its_name(text: str, found) -> None:
    assert [(one.name, one.content) for one in find_elements(TAG, text)] == found


def test_elements_are_replaced_and_lose_one_newline_at_each_end() -> None:
    assert replace_elements(TAG, "x<a>1</a>y<b>", "-") == "x-y<b>"
    assert strip_line_ends("\n\na\n") == "\na"


def seconds(words):
    record = Record(0, 0, 0, {}, "assistant", entries=(ChatMessage("assistant", (MessagePart("text", words),)),))
    started = process_time()
    find_tool_calls([record, record._replace(role="user")])
    strip_commands(words)
    unwrap_message(words)
    return process_time() - started


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize(
    "unit",
    [
        *("```a b\n", "<command>", "<function=a>", "<read_file>", '<invoke name="a">', "<file>", "<task>", "<a></b>"),
        *("<command-name>\n", "<command-name> </x>", "<task></x>", "<execute_bash></command>"),
    ],
)
def test_what_is_opened_many_times_and_never_closed_takes_linear_time(unit) -> None:
    short, long = (f"</x>{unit * (size // len(unit))}" for size in (8_000, 64_000))
    small = max(min(seconds(short) for _ in range(3)), 0.001)
    assert min(seconds(long) for _ in range(2)) < 20 * small


def ask(calls):
    return keep_last_result(lambda records: calls.append(len(records)) or len(records))


def test_the_same_tuple_is_read_once() -> None:
    calls, records = [], (Record(0, 0, 1, {}),)
    function = ask(calls)
    assert [function(records), function(records)] == [1, 1]
    assert calls == [1]


def test_an_equal_tuple_and_a_list_are_read_again() -> None:
    calls, record = [], Record(0, 0, 1, {})
    function = ask(calls)
    many = [record]
    first, second = tuple(many), tuple(many)
    assert function(first) == function(second) == function(many) == 1
    many.append(record)
    assert function(many) == 2
    assert calls == [1, 1, 1, 2]


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"


@given(st.text(max_size=80))
def test_the_command_of_a_script_is_read_as_it_was_written(command: str) -> None:
    script = f'const r = await tools.exec_command({json.dumps({"cmd": command, "workdir": "/repo"})}); text(r.output);'
    assert read_script_call("exec", script) == EmbeddedCall("exec_command", {"cmd": command, "workdir": "/repo"})


def test_the_patch_of_a_script_is_its_input() -> None:
    script = f"const patch = {json.dumps(PATCH)};\ntext(await tools.apply_patch(patch));"
    assert read_script_call("exec", script) == EmbeddedCall("apply_patch", {"input": PATCH})


def test_several_commands_of_a_script_are_lines() -> None:
    script = 'await Promise.all([tools.exec_command({"cmd":"ls a"}), tools.exec_command({"cmd":"ls b"})]);'
    assert read_script_call("exec", script) == EmbeddedCall("exec_command", {"cmd": "ls a\nls b"})


def test_a_script_that_builds_its_arguments_or_calls_several_tools_stays() -> None:
    for script in (
        "await tools.exec_command({cmd: name});",
        'await tools.exec_command({"cmd":"ls"}); await tools.apply_patch(patch);',
        "await tools.apply_patch(patch);",
        'await tools.web__run({"q":"x"});',
        "1 + 1",
    ):
        assert read_script_call("exec", script) == EmbeddedCall("exec", script)
    assert read_script_call("bash", {"command": "tools.exec_command("}) == EmbeddedCall("bash", {"command": "tools.exec_command("})


def test_calls_of_a_conversation_are_those_of_its_scripts() -> None:
    script = 'await tools.update_plan({"plan":[{"step":"Test","status":"pending"}]});'
    [tool_call] = find_tool_calls(records_of([user("x"), *did("exec", script)]))
    assert tool_call.name == "update_plan"
