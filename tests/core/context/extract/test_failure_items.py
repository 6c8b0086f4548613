import pytest

from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.failure_items import find_failure_items
from ctxkit.core.context.extract.failures import find_failures
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, ran, records_of, user


def done(*talk):
    return classify_calls(find_tool_calls(records_of([user("x"), *(turn for part in talk for turn in part)])))


def test_bullets_quote_the_command_and_the_line() -> None:
    [item] = find_failure_items(done(ran("make -C /very/long all", "error: no rule\nmake: stopped, it failed", 2)))
    assert item.forms == (
        *["`make -C /very/long all`: error: no rule / make: stopped, it failed"] * 4,
        "`make -C /very/long all`: error: no rule",
    )


def test_sixty_characters_of_a_command_and_its_line_stand_whatever_the_room() -> None:
    command = "cd /home/dev/project && python " + "a" * 70 + " --flag"
    line = "error: " + "b" * 20 + " " + "c" * 70 + " tail"
    [item] = find_failure_items(done(ran(f"{command}\nsecond line", line, 2)))
    assert command[:60] in item.forms[-1]
    assert line[:60] in item.forms[-1]
    assert "second line" not in item.forms[0]


def test_of_a_tool_what_it_was_given_is_quoted() -> None:
    talk = [did("edit", {"path": "src/a.py"}, "Error: no match"), did("Task", {"description": "Look  round"}, "Error: no prompt")]
    talk += [did("str_replace_editor", {"command": "view", "path": "/b"}, "Error: no file"), did("submit", {}, "Error: not yet")]
    assert [item.forms[-1] for item in sorted(find_failure_items(done(*talk)), key=lambda item: item.rank)] == [
        "edit `src/a.py`: Error: no match",
        "Task `Look round`: Error: no prompt",
        "`submit`: Error: not yet",
    ]


def test_of_a_command_that_fails_otherwise_since_only_the_last_failure_is_told() -> None:
    talk = (ran("make", "error: old", 2), ran("make", "error: new", 2))
    assert [item.forms[0] for item in find_failure_items(done(*talk))] == ["`make`: error: new"]


def test_a_command_after_a_document_that_is_written_is_told_by_itself() -> None:
    command = "cd /app && cat > run.go << 'EOF'\npackage main\nfunc main() { fmt.Println(1) }\nEOF\ngo run run.go"
    [item] = find_failure_items(done(ran(command, "panic: runtime error: no index", 1)))
    assert item.forms[0] == "`go run run.go`: panic: runtime error: no index"


def test_the_last_of_several_places_to_look_is_no_failure() -> None:
    look = ran("app logs 2>&1 || ls ~/.app/logs", "ls: /home/me/.app/logs: No such file or directory", 1)
    assert list(find_failure_items(done(look))) == []
    [item] = find_failure_items(done(ran("pytest || echo broken", "FAILED tests/a.py - ValueError: x\nbroken", 1)))
    assert item.forms[0].startswith("`pytest || echo broken`: ")


def test_a_check_that_another_one_includes_is_not_open() -> None:
    check = ran("cargo check", "error[E0433]: cannot find `uuid`", 101)
    work = [ran(f"touch {number}.rs") for number in range(6)]
    assert list(find_failure_items(done(check, *work, ran("cd app && cargo test", "test result: ok. 3 passed; 0 failed")))) == []
    assert len(list(find_failure_items(done(check, *work)))) == 1



def test_open_failures_of_commands_are_worth_most() -> None:
    talk = [ran("cc", "error: b", 2), did("edit", {"path": "z"}, "Error: c")]
    worth = {item.forms[0].split("`")[1]: item.score for item in find_failure_items(done(*talk))}
    assert worth["cc"] > worth["z"] > 700


@pytest.mark.parametrize(
    "talk",
    [
        [ran("make", "error: a", 2), ran("make", "done")],
        [ran("grep q w", "", 1)],
        [ran('rg "a\\n" src', "rg: the literal is not allowed, error in a regex", 2)],
        [ran("python - <<'E'\nf(\nE", "SyntaxError: invalid syntax", 1), ran("make", "done")],
        [ran("pkill -f app", "", 144)],
        [ran("./serve &", "error: killed", 1)],
        [ran("squeue | grep 341; echo log", "log", 1)],
        [did("edit", {"path": "a.py"}, "Error: File has not been read yet. Read it first.")],
    ],
)
def test_a_failure_that_later_work_does_not_meet_is_left_out(talk) -> None:
    calls = done(*talk)
    assert find_failures(calls)
    assert list(find_failure_items(calls)) == []


@pytest.mark.parametrize(
    "output",
    ["done", "Terminated", "=== RUN TestFails", "FAIL", "InputValidationError: [", "Available skills are not here:"],
)
def test_a_failure_without_a_line_that_states_the_cause_is_left_out(output: str) -> None:
    assert list(find_failure_items(done(ran("make", output, 3)))) == []


def test_what_reads_another_call_has_no_failure_of_its_own() -> None:
    assert list(find_failure_items(done(did("BashOutput", {"id": "1"}, "Error: No module named 'x'")))) == []


def test_source_and_reports_in_the_output_are_no_error_lines() -> None:
    output = 'ERROR: relation "t" does not exist\n36:    raise RuntimeError("no version")\n<testcase name="error">'
    [item] = find_failure_items(done(ran("psql -f a.sql", output, 1)))
    assert item.forms[0] == '`psql -f a.sql`: ERROR: relation "t" does not exist'


def test_a_here_document_is_named_by_its_last_statement() -> None:
    items = list(find_failure_items(done(ran("python - <<'PY'\nimport app\nprint(app.run(3))\nPY", "ValueError: bad", 1))))
    assert items[0].forms[0] == "`python - <<'PY'` running `print(app.run(3))`: ValueError: bad"


def test_what_the_user_declined_is_no_error_of_a_page() -> None:
    declined = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    calls = done(ran("npm run dev", declined, 1))
    assert list(find_failure_items(calls)) == []
    assert find_failures(calls)[0].is_declined


def test_an_error_line_of_one_sentence_is_not_cut() -> None:
    line = "src/routes/git.ts(8,29): error TS6133: 'req' is declared but its value is never read."
    items = list(find_failure_items(done(ran("npm run build", line, 2))))
    assert all(line in form for form in items[0].forms)


def test_lines_that_another_contains_are_left_out() -> None:
    items = list(find_failure_items(done(ran("go test", "--- FAIL: TestA (0.1s)\nFAIL\nFAIL x/y 0.1s", 1))))
    assert "/ FAIL" not in items[0].forms[0].replace("/ FAIL x", "")


def test_a_missing_program_is_told_once_and_by_its_name_if_the_command_does_not_show_it() -> None:
    talk = [ran("rsync a b", "bash: rsync: command not found", 127), ran("rsync c d", "bash: rsync: command not found", 127)]
    assert [item.forms[0] for item in find_failure_items(done(*talk))] == ["`rsync c d`: bash: rsync: command not found"]
    [item] = find_failure_items(done(ran("run_all; py script", "(eval):5: command not found: python3.12", 127)))
    assert item.forms[0] == "`python3.12`: (eval):5: command not found: python3.12"


def test_of_a_message_of_powershell_its_reason_is_told() -> None:
    text = "uv : El término 'uv' no se reconoce como nombre de un cmdlet.\n+ uv run\n+ ~~\n    + CategoryInfo : ObjectNotFound: (uv:String) [], CommandNotFoundException"
    [item] = find_failure_items(done(ran("uv run", text, 1)))
    assert item.forms[0] == "`uv run`: uv : El término 'uv' no se reconoce como nombre de un cmdlet."


def test_a_path_that_another_command_printed_is_no_error() -> None:
    [item] = find_failure_items(done(ran("which gs pdftotext; gs -v", "error: /usr/bin/pdftotext\nbash: gs: command not found", 127)))
    assert "/usr/bin/pdftotext" not in item.forms[0]


def test_a_quotation_that_does_not_end_is_marked_or_left_out() -> None:
    [item] = find_failure_items(done(ran('python -c "\nimport re\nre.x()"', "AttributeError: no x", 1)))
    assert not item.forms[0].startswith('`python -c "`')
    script = f"pwsh -Command $p='{'a' * 60}.tsx'; Set-Content -Path $p -Value \"{'b c ' * 100}\""
    [item] = find_failure_items(done(ran(script, "ParserError: Unexpected token 'c' in expression.", 1)))
    assert item.forms[0] == f"`pwsh -Command $p='{'a' * 60}.tsx'`: ParserError: Unexpected token 'c' in expression."
