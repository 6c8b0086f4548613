import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.call_kind import classify_call
from ctxkit.core.summary.files import find_changed_files
from ctxkit.core.summary.outcome import (
    classify_calls,
    find_failures,
    find_status,
    is_declined,
    read_outcome,
    read_output_fields,
    shows_content,
)
from ctxkit.core.summary.tool_call import ToolCall, find_tool_calls
from tests.core.compact.sizes import session
from tests.core.summary.talk import did, ran, records_of, user

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nValueError: bad row 17\n'


def outcome_of(text, *, failed=False, command="make"):
    return read_outcome(ToolCall(0, "bash", {"command": command}, text, failed, 1), "run")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("<returncode>2</returncode>\n<output>x</output>", 2),
        ("Exit code 1\nboom", 1),
        ("x\n\nCommand exited with code 127", 127),
        ("x\n[The command completed with exit code 0.]", 0),
        ("Process exited with code 3\nOutput:\nx", 3),
        ("exitcode: 124 (execution failed)\nCode output: x", 124),
        ("fine", None),
        ("the exit of the building", None),
        ("Status: 1/1 succeeded", None),
    ],
)
def test_statuses(text: str, status: int | None) -> None:
    assert find_status(text) == status


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "checking\nmake: *** [all] Error 2\nfatal: no compiler\nsee the log\nExit code: 2",
            ("fatal: no compiler",),
        ),
        ("--- FAIL: TestA (0.3s)\n<returncode>1</returncode>", ("--- FAIL: TestA (0.3s)",)),
        ("\u2716 3 problems (3 errors, 0 warnings)\nsee the log\nExit code: 1", ("\u2716 3 problems (3 errors, 0 warnings)",)),
        ("building\nCommand exited with code 3", ("Command exited with code 3", "building")),
        ("(no output)\n\nCommand exited with code 3", ("Command exited with code 3",)),
        ("exitcode: 1 (execution failed)\nCode output:\nKeyError: 'a'", ("KeyError: 'a'",)),
        ("Passed: 35\nFailed: 0\nExit code: 124", ("Exit code: 124", "Failed: 0")),
        ('src/a.ts(3,1): error TS1: no field\nerror: script "lint" exited with code 1\nExit code: 1', ("src/a.ts(3,1): error TS1: no field", 'error: script "lint" exited with code 1')),
        ("FAILED: git commit\nsrc/a.ts(3,1): error TS1: no field\nhusky - pre-commit script failed (code 2)\nExit code: 1", ("src/a.ts(3,1): error TS1: no field", "husky - pre-commit script failed (code 2)")),
        ("ERROR collecting a.py\nE   ImportError: no name\n1 error in 0.1s\nExit code: 1", ("E   ImportError: no name", "1 error in 0.1s")),
        ("  \u00d7 Formatter would have printed this\nFound 1 error.\nExit code: 1", ("\u00d7 Formatter would have printed this", "Found 1 error.")),
        ("1 failed\nerror[E1]: no field\nFor this error, see the book\nExit code: 1", ("error[E1]: no field", "For this error, see the book")),
        (" ERR_PNPM_STORE  Unexpected store\n(This error may happen.)\nExit code: 1", ("ERR_PNPM_STORE  Unexpected store", "(This error may happen.)")),
    ],
)
def test_the_lines_that_say_why_a_call_failed(text: str, lines: tuple[str, ...]) -> None:
    outcome = outcome_of(text)
    assert (outcome.failed, outcome.error_lines) == (True, lines)


def test_an_output_that_ends_in_an_error_failed_unless_it_only_shows_one() -> None:
    text = "building\n" * 30 + "make: *** [Makefile:3: lint] Error 2"
    assert outcome_of(text, command="make lint").failed
    assert outcome_of(text, command="cd src && make 2>&1 | tail -5").failed
    assert not outcome_of(text, command="cat build.log").failed
    assert not outcome_of(f"{text}\nexit code: 0", command="make lint").failed
    assert not read_outcome(ToolCall(0, "Read", {"file_path": "a"}, text, False, 1), "read").failed


def test_a_tool_for_files_says_first_why_it_failed() -> None:
    text = "<tool_use_error>Found 2 matches of the string to replace.\nString: if (error) {</tool_use_error>"
    outcome = read_outcome(ToolCall(0, "Edit", {"file_path": "a"}, text, True, 1), "edit")
    assert outcome.error_lines == ("Found 2 matches of the string to replace.",)


@pytest.mark.parametrize(
    "text",
    [
        "done\n10:02 WARN [Login] verification failed: token expired",
        "\u2716 25 problems (0 errors, 25 warnings)",
        '{"status":"ok","error":{},"details":[]}',
    ],
)
def test_an_output_that_ends_in_a_warning_or_a_quotation_passed(text: str) -> None:
    assert not outcome_of(text).failed


COMMANDS = ["cat x", "cd a && grep -n e b | head", "git log -3", "/usr/bin/tail -f x", "sed -n 1,9p a; ls", "git -C a diff"]


@pytest.mark.parametrize("command", [*COMMANDS, "sudo docker logs x"])
def test_commands_that_show(command: str) -> None:
    assert shows_content(command)


@pytest.mark.parametrize("command", ["make", "cat x | sh", "cd a && npm test 2>&1 | tail -3", "timeout 9 pytest"])
def test_commands_that_do(command: str) -> None:
    assert not shows_content(command)


def test_failures_that_nothing_tells_but_the_text() -> None:
    assert outcome_of(TRACE).failed
    assert outcome_of("bash: foo: command not found").failed
    assert not outcome_of("0 errors, no failures").failed
    assert read_outcome(ToolCall(0, "Edit", {"file_path": "a"}, "Error: no match", False, 1), "edit").failed
    assert not read_outcome(ToolCall(0, "Read", {"file_path": "a"}, "def error(): ...", False, 1), "read").failed


def test_where_the_agent_states_a_failure_other_calls_passed() -> None:
    def run(command, *texts):
        records = records_of([user("x"), *(part for text in texts for part in did("Bash", {"command": command}, text))])
        return [outcome.failed for _, _, outcome in classify_calls(find_tool_calls(records))]

    words = "$ biome check --error-on-warnings\nerror: 2 notes"
    assert run("bun run lint 2>&1", "Exit code 1\nerror: no script", words) == [True, False]
    assert run("bun run lint 2>&1 | tail -5", "Exit code 1\nerror: no script", words) == [True, True]
    assert run("bun run lint", words) == [True]
    assert run("bun run lint", "$ biome check --error-on-warnings\nNo fixes applied.") == [False]


def test_a_flag_counts_without_a_status() -> None:
    assert outcome_of("nope", failed=True) == (True, None, ("nope",))


def test_json_of_codex() -> None:
    text = json.dumps({"output": "E: no such option\n", "metadata": {"exit_code": 2, "duration_seconds": 0.1}})
    assert outcome_of(text) == (True, 2, ("E: no such option",))
    assert not outcome_of(json.dumps({"output": "ok", "metadata": {"exit_code": 0}})).failed


def test_a_search_that_finds_nothing_is_a_look_that_failed() -> None:
    assert outcome_of("(no output)\n\nCommand exited with code 1", command="cat x | grep -n 'a|b' y") == (True, 1, ("Command exited with code 1",))


@pytest.mark.parametrize(
    ("text", "declined"),
    [
        ("The user doesn't want to proceed with this tool use.", True),
        ("[Request interrupted by user for tool use]", True),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", True),
        ("<tool_use_error>Cancelled: parallel tool call Bash(ls) errored</tool_use_error>", True),
        ("exec command rejected by user", True),
        ("Error: rejected by the user", True),
        ("Error: connection rejected by peer", False),
        ("The user table is missing", False),
        ("", False),
    ],
)
def test_a_result_that_says_that_the_user_declined(text: str, declined: bool) -> None:
    assert is_declined(text) is declined


@pytest.mark.parametrize("text", ["EXECUTION TIMED OUT", "Ran into [Errno 2] No such file or directory: '/x' while trying to write to /x"])
def test_what_timed_out_or_was_not_written_failed(text: str) -> None:
    assert outcome_of(text).failed
    assert read_outcome(ToolCall(0, "edit", {"path": "/x"}, text, False, 1), "edit").failed
    assert not outcome_of(f"The log says: {text}").failed


def test_a_count_after_completed_is_no_status() -> None:
    push = "remote: Resolving deltas: 100% (5/5), completed with 5 local objects.\nTo https://example.org/a.git\n   8..9 main -> main"
    assert find_status(push) is None
    assert find_status("Process completed with exit code 3.") == 3


def test_text_of_a_tool_output_block_and_the_command_of_antigravity_are_read() -> None:
    blocks = [{"type": "tool_output", "text": "Process exited with code 1\nOutput:\nerror: no rule"}]
    talk = did("run_command", {"CommandLine": "make all"}, "x")
    talk[-1]["content"] = blocks
    [call] = classify_calls(find_tool_calls(records_of([user("x"), *talk])))
    assert (call.kind, call.outcome.status, call.outcome.error_lines) == ("run", 1, ("error: no rule",))


QWEN = "Command: npx tsc 2>&1 | findstr x\nDirectory: (root)\nOutput: {}\nError: {}\nExit Code: {}\nSignal: (none)\nProcess Group PGID: 34344"


def test_empty_fields_are_no_output() -> None:
    assert read_output_fields(QWEN.format("(empty)", "(none)", 1)) == ("", 1)


def test_an_output_is_read_without_the_fields_around_it() -> None:
    assert read_output_fields(QWEN.format("a\nError: b\nc", "(none)", 0)) == ("a\nError: b\nc", 0)
    assert read_output_fields(QWEN.format("(empty)", "spawn x ENOENT", "(none)")) == ("spawn x ENOENT", None)
    assert read_output_fields(QWEN.format("a", "b", "-1073741510")) == ("a\nb", -1073741510)


def test_the_fields_of_older_versions_are_read() -> None:
    text = "Command: ls\nDirectory: src\nStdout: a.py\nStderr: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)"
    assert read_output_fields(text) == ("a.py", 0)
    both = text.replace("(empty)", "ls: no b")
    assert read_output_fields(both) == ("a.py\nStderr: ls: no b", 0)


def test_any_other_text_has_no_fields() -> None:
    assert read_output_fields("Output: a\nError: b\nExit Code: 1") is None
    assert read_output_fields("Command: ls\nDirectory: src\nOutput: a") is None
    assert read_output_fields("Command: ls\nError: b\nExit Code: 1\nOutput: a") is None


@given(st.lists(st.sampled_from(["Command: ", "\nOutput: ", "\nStdout: ", "\nError: ", "\nExit Code: ", "²", "9", "\n"]), max_size=9))
def test_any_text_is_read(parts: list[str]) -> None:
    fields = read_output_fields("Command: " + "".join(parts))
    assert fields is None or fields[0].count("\n") <= len(parts) + 1


def test_each_call_comes_with_its_kind_and_its_outcome() -> None:
    transcript = session("openai", 4)
    calls = find_tool_calls(transcript.records)
    classified = classify_calls(calls)
    assert [item.call for item in classified] == list(calls)
    for item in classified:
        assert item.kind == classify_call(item.call)
        assert item.outcome == read_outcome(item.call, item.kind)
    assert classify_calls(()) == ()


def done(*talk):
    return classify_calls(find_tool_calls(records_of([user("x"), *(turn for part in talk for turn in part)])))


def told(*talk):
    return [(failure.attempt, failure.lines[0], failure.resolution) for failure in find_failures(done(*talk))]


def test_the_same_call_passing_later_resolves_it() -> None:
    assert told(ran("make", "error: a", 2), did("edit", {"path": "a.c"}), ran("make -j4 2>&1 | tail", "done")) == [
        ("make", "error: a", "passes since the edit of a.c")
    ]
    assert told(ran("make", "error: a", 2), ran("make", "done")) == [("make", "error: a", "passed later")]
    assert told(ran("make", "done"), ran("make", "error: a", 2)) == [("make", "error: a", "")]
    assert told(ran("make a", "error: a", 2), ran("make b", "done")) == [("make a", "error: a", "")]


def test_an_output_that_is_searched_tells_no_pass() -> None:
    assert told(ran("make", "error: a", 2), ran("make | grep '^Ran'", "Ran 3")) == [("make", "error: a", "")]


def test_a_pass_of_all_that_is_in_a_folder_resolves_a_part_of_it() -> None:
    one = ran("python -m pytest tests/unit/test_a.py::test_b -x", "error: a", 2)
    edit = did("edit", {"path": "c.py"})
    assert told(one, edit, ran("python -m pytest tests/ -v", "4 passed"))[0][2] == "passed later"
    assert told(one, ran("python -m pytest docs", "4 passed"))[0][2] == ""
    assert told(ran("curl https://e.org/a", "error: a", 2), ran("curl https://e.org", "ok"))[0][2] == ""


def test_a_file_whose_edit_failed_may_be_edited_later() -> None:
    failed = did("edit", {"path": "a.py"}, "Error: no match")
    assert told(failed, did("edit", {"path": "a.py"})) == [("edit a.py", "Error: no match", "edited later")]
    assert told(failed, did("Write", {"path": "a.py"})) == [("edit a.py", "Error: no match", "edited later")]
    assert told(failed, did("Write", {"path": "b.py"})) == [("edit a.py", "Error: no match", "")]


def test_a_pass_within_a_longer_command_resolves() -> None:
    assert told(ran("bun run lint 2>&1", "error: a", 1), ran("bun run lint 2>&1 && bun run types", "ok"))[0][2] == "passed later"
    failed = ran("pnpm install --frozen-lockfile 2>&1 || pnpm install 2>&1 | tail", "ERR_PNPM_TTY no", 1)
    failed = ran("edit 287:295\na\nend", "The edit has errors.\nERRORS:\n- E999 SyntaxError: '('", 1)
    assert told(failed, ran("edit 287:296\nb\nend", "done")) == [("edit 287:295", "The edit has errors.", "passed later")]


def test_the_edit_nearest_before_the_pass_is_told() -> None:
    edits = (did("edit", {"path": f"{name}.c"}) for name in "abc")
    talk = [ran("make", "error: a", 2), *edits, ran("make", "done"), did("edit", {"path": "d.c"})]
    assert told(*talk)[0][2] == "passes since the edit of c.c"


def test_of_equal_calls_the_last_failure_is_told() -> None:
    assert told(ran("make", "error: a", 2), ran("ls"), ran("make", "error: b", 2)) == [("make", "error: b", "")]


def told_on_a_page(*talk):
    return [failure.attempt for failure in find_failures(done(*talk)) if failure.is_told]


def test_of_commands_that_differ_in_filters_or_fail_alike_the_last_is_told() -> None:
    assert told_on_a_page(ran("make", "error: a", 2), ran("make 2>&1 | tail", "error: b", 2)) == ["make 2>&1 | tail"]
    assert told_on_a_page(ran("make a", "error: a", 2), ran("make b", "error: a\nerror: 2", 2)) == ["make b"]
    assert told_on_a_page(ran("make a", "error: a", 2), ran("make b", "error: b", 2)) == ["make a", "make b"]


def test_what_passed_later_is_told_only_with_what_was_edited() -> None:
    assert told_on_a_page(ran("make", "error: a", 2), ran("make", "done")) == []
    assert told_on_a_page(ran("make", "error: a", 2), did("edit", {"path": "a.c"}), ran("make", "done")) == ["make"]


def test_a_command_that_found_nothing_to_work_with_is_not_told() -> None:
    assert told_on_a_page(ran("python -c 'import a'", "bash: python: command not found", 127)) == []
    assert told_on_a_page(ran("cd /app\nexport A=1\nmake", "make: *** Error 2", 2)) == ["make"]


def test_edits_and_scripts_of_several_lines_are_not_told() -> None:
    assert told_on_a_page(did("edit", {"path": "a.c"}, "Error: no match")) == []
    assert told_on_a_page(ran("edit 3:9\nx = [", "error: a", 2)) == []
    assert told_on_a_page(ran("python -c \"\nimport a\"", "error: a", 2), ran("sh <<'E'\nexit 1\nE", "error: b", 2)) == []


def test_a_look_at_content_is_marked() -> None:
    [failure] = find_failures(done(ran("cat a.py", "cat: a.py: No such file or directory", 1)))
    assert failure.is_look


def test_a_call_is_named_by_its_first_line_that_works() -> None:
    assert told(ran("cd /app\nexport A=1\nmake check\nls", "error: a", 2))[0][0] == "make check"
    assert told(ran("git add \\\n  a.py\nls", "error: a", 2))[0][0] == "git add a.py"
    assert told(did("edit", {"path": "a.py"}, "Error: no match"))[0][0] == "edit a.py"
    long = f"run {'word ' * 60}"
    [(attempt, _, _)] = told(ran(long, "error: a", 2))
    assert len(attempt) <= 204
    assert attempt.endswith("word ...")


def test_a_call_that_did_not_run_because_of_another_is_a_look_that_failed() -> None:
    cancelled = "<tool_use_error>Sibling tool call errored</tool_use_error>"
    [failure] = find_failures(done(did("bash", {"command": "make"}, cancelled)))
    assert (failure.attempt, failure.lines, failure.is_look) == ("make", ("Sibling tool call errored",), True)
    assert told(did("bash", {"command": "make"}, cancelled), ran("make", "done"))[0][2] == "passed later"
    assert find_changed_files(done(did("bash", {"command": "make && echo x > a.txt"}, cancelled))) == ((), ())


def test_a_call_that_the_user_declined_has_not_failed() -> None:
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    assert told(did("bash", {"command": "rm -rf ."}, refused)) == []
