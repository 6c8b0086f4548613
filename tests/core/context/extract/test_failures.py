from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.failures import find_failures
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, ran, records_of, user


def done(*talk):
    return classify_calls(find_tool_calls(records_of([user("x"), *(turn for part in talk for turn in part)])))


def told(*talk):
    return [(failure.attempt, failure.line, failure.resolution, failure.repetitions) for failure in find_failures(done(*talk))]


def test_the_same_call_passing_later_resolves_it() -> None:
    assert told(ran("make", "error: a", 2), did("edit", {"path": "a.c"}), ran("make -j4 2>&1 | tail", "done")) == [
        ("make", "error: a", "passes since the edit of a.c", 1)
    ]
    assert told(ran("make", "error: a", 2), ran("make", "done")) == [("make", "error: a", "passed later", 1)]
    assert told(ran("make", "done"), ran("make", "error: a", 2)) == [("make", "error: a", "", 1)]
    assert told(ran("make a", "error: a", 2), ran("make b", "done")) == [("make a", "error: a", "", 1)]


def test_the_edit_nearest_before_the_pass_is_told() -> None:
    talk = [ran("make", "error: a", 2), *(did("edit", {"path": f"{name}.c"}) for name in "abc"), ran("make", "done"), did("edit", {"path": "d.c"})]
    assert told(*talk)[0][2] == "passes since the edit of c.c"


def test_the_same_failure_is_told_once() -> None:
    assert told(ran("make", "error: a", 2), ran("ls"), ran("make", "error: a", 2)) == [("make", "error: a", "", 2)]
    assert len(told(ran("make", "error: a", 2), ran("make", "error: b", 2))) == 2


def test_edits_that_failed() -> None:
    talk = [did("edit", {"path": "a.py", "old": str(n)}, "Error: no match") for n in range(3)]
    assert told(*talk) == [("edit a.py", "Error: no match", "", 3)]
    assert told(*talk, did("edit", {"path": "a.py"}))[0][2] == "the next edit of it passed"


def test_a_script_is_named_by_its_first_command() -> None:
    assert told(ran("# run the linter\n\nnpx  eslint src\nls", "error: a", 2))[0][0] == "npx eslint src"
    assert told(ran("#!/bin/bash\nset -e\ncd /x\nA=1\nmake all", "error: a", 2))[0][0] == "make all"
    assert told(ran("cd /x && make", "error: a", 2))[0][0] == "cd /x && make"
    assert told(ran("# nothing", "error: a", 2))[0][0] == "# nothing"
    assert told(ran("cat > a <<E\n# b\nE", "error: a", 2))[0][0] == "cat > a <<E"


def test_another_script_that_begins_alike_resolves_nothing() -> None:
    first, second = ({"command": f"python - <<E\n{body}\nE"} for body in ("f()", "g()"))
    talk = [did("bash", first, "error: a\nExit code: 2"), did("bash", second, "ok\nExit code: 0")]
    assert told(*talk)[0][2] == ""
    assert told(*talk, did("bash", first, "ok\nExit code: 0"))[0][2] == "passed later"


def test_a_later_version_of_a_script_resolves_its_failure() -> None:
    first, second = (f"python - <<'PY'\nimport app\n{body}\nprint('patched')\nPY" for body in ("app.run(", "app.run()"))
    assert told(ran(first, "SyntaxError: invalid syntax", 1), ran(second, "patched"))[0][2] == "passed later"
    other = "python - <<'PY'\nimport app\nprint('else')\nPY"
    assert told(ran(first, "SyntaxError: invalid syntax", 1), ran(other, "else"))[0][2] == ""


def test_a_command_over_continued_lines_is_told_whole() -> None:
    assert told(ran("git init && \\\n  git add . && \\\ngit push", "error: no remote", 1))[0][0] == "git init && git add . && git push"


def test_code_that_an_agent_passed_to_an_interpreter_is_passing_once_a_call_succeeds() -> None:
    for command in ("python3 -c 'import a; a.b()'", 'node -e "a.b()"', "cd /app && .venv/bin/python -u -c 'x'"):
        [failure] = find_failures(done(ran(command, "AttributeError: no b", 1), ran("ls", "a")))
        assert failure.is_passing
        [failure] = find_failures(done(ran(command, "AttributeError: no b", 1)))
        assert not failure.is_passing
    [failure] = find_failures(done(ran("python -m pytest -c 'x.ini'", "error: no x", 4), ran("ls", "a")))
    assert not failure.is_passing
