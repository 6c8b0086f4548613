from ctxkit.core.summary.failures import find_failures
from ctxkit.core.summary.files import find_changed_files
from ctxkit.core.summary.outcome import classify_calls
from ctxkit.core.summary.tool_call import find_tool_calls
from tests.core.summary.talk import did, ran, records_of, user


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
