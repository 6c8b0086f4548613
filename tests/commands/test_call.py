"""A model's calls are answered through the gate; whatever is wrong becomes a result that a model can act on."""

import json
import os
from pathlib import Path

import pytest

from tests.conftest import Run

LINES = "".join(f"line {number} of the log\n" for number in range(1, 10_001))
FUNCTIONS = ["read_result", "read_file", "tool_search", "compact_context", "list_context", "edit_context"]


@pytest.fixture
def call(run: Run, home: dict[str, str]):
    """Call a function with arguments; the result must have status 0 and no traceback."""

    def answer(name: str, arguments, *options: str, window: str = "4096", **given):
        text = arguments if isinstance(arguments, str | bytes) else json.dumps(arguments)
        names = [name] if name else []
        env = {"CTXKIT_WINDOW": window, "CTXKIT_TOKENIZER": "bytes/3", **given.pop("env", {})}
        done = run("call", *names, *options, stdin=text, env=env, **given)
        assert (done.status, "Traceback" in done.err) == (0, False), done.err
        return done.out.decode()

    return answer


@pytest.fixture
def log(home: dict[str, str]) -> Path:
    path = Path(home["HOME"]) / "big.log"
    path.write_text(LINES)
    return path


@pytest.fixture
def ref(run: Run) -> str:
    return run("cache", "put", stdin=LINES).out.decode().strip()


@pytest.fixture
def session(run: Run) -> str:
    run("session", "new", "s", "--window", "8192", "--tokenizer", "bytes/3")
    messages = [{"role": "system", "content": "Be brief."}]
    for number in range(8):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "sh", "arguments": '{"command": "make"}'}}
        messages += [
            {"role": "user", "content": f"Task {number}: mend the parser"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"result {number}\n" * 100},
            {"role": "assistant", "content": f"Task {number} is done."},
        ]
    run("session", "append", "s", stdin="".join(f"{json.dumps(message)}\n" for message in messages))
    return "s"


def resumed(run: Run, session: str) -> str:
    return run("snapshot", "resume", session).out.decode()


def used(run: Run, session: str) -> int:
    return int(json.loads(run("session", "status", session, "--json").out)["used"])


def test_read_result_reads_from_byte_0_by_default_4096(call, ref: str) -> None:
    """Seed 001: input { "ref_id": "...", "offset": 0, "limit": 4096 }."""
    whole = call("read_result", {"ref_id": ref}, window="200000")
    assert whole.startswith(LINES[:4096] + "\n[bytes 4096 to ")
    assert whole == call("read_result", {"ref_id": ref, "offset": 0, "limit": 4096}, window="200000")
    assert call("read_result", {"ref_id": ref, "offset": 1, "limit": 3}).startswith(LINES[1:4])


def test_read_result_never_splits_a_character(call, run: Run) -> None:
    ref = run("cache", "put", stdin="日本語").out.decode().strip()
    assert call("read_result", {"ref_id": ref, "offset": 0, "limit": 4}).startswith("日\n[bytes 3 to 9 follow")
    assert call("read_result", {"ref_id": ref, "offset": 4, "limit": 100}) == "本語"


def test_read_result_reads_lines(call, ref: str) -> None:
    assert call("read_result", {"ref_id": ref, "lines": "5000:5001"}) == "line 5000 of the log\nline 5001 of the log\n"
    assert call("read_result", {"ref_id": f"[ref {ref}]", "lines": "5000-5001"}).startswith("line 5000")


def test_what_does_not_fit_says_how_to_read_on(call, ref: str) -> None:
    page = call("read_result", {"ref_id": ref, "lines": "1:10000"})
    assert page.startswith("line 1 of the log\n")
    assert f'follow: read_result(ref_id="{ref}", lines="' in page.splitlines()[-1]
    assert len(page) / 3 <= 4096 * 0.8


def test_the_result_counts_from_0_and_the_cache_from_1_and_both_say_so(run: Run) -> None:
    assert "counted from 0" in run("tools", "builtin", "read_result").out.decode()
    assert "counted from 1" in run("cache", "get", "--help").out.decode()


@pytest.mark.slow
def test_read_file_answers_with_the_file_or_a_map(call, log: Path, run: Run) -> None:
    assert call("read_file", {"path": "big.log"}, window="400000") == LINES
    page = call("read_file", {"path": "big.log"})
    assert "a map, not the content" in page.splitlines()[0]
    assert 'read_file("big.log", lines="' in page.splitlines()[-1]
    ref = page.splitlines()[-1].split("[ref ")[1].rstrip("]")
    assert call("read_result", {"ref_id": ref, "lines": "77"}) == "line 77 of the log\n"


def test_read_file_reads_lines_of_the_file_that_the_hint_names(call, log: Path) -> None:
    """Seed 000: read_file("big_file.rs", lines="46:200")."""
    assert call("read_file", {"path": "big.log", "lines": "46:200"}) == "".join(LINES.splitlines(True)[45:200])
    assert call("read_file", {"path": str(log), "lines": "46"}) == "line 46 of the log\n"


@pytest.mark.slow
def test_read_file_stays_below_the_working_directory(call, log: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret")
    work = log.parent
    (work / "out").symlink_to(tmp_path / "secret")
    (work / "up").symlink_to("..")
    (work / "folder").mkdir()
    os.mkfifo(work / "pipe")
    for path in (
        "../secret",
        "out",
        "up/secret",
        str(tmp_path / "secret"),
        "/dev/zero",
        "folder",
        ".",
        "",
        "pipe",
        "a\0b",
        "x" * 5000,
        "big.log/x",
    ):
        answer = call("read_file", {"path": path})
        assert answer.startswith("error: "), path
        assert answer.count("\n") == 1, path
        assert "the secret" not in answer
        assert "Give the path of a file below the working directory." in answer


def test_the_root_can_be_named(call, log: Path, tmp_path: Path, run: Run) -> None:
    assert (
        call("read_file", {"path": "big.log", "lines": "1"}, "--root", str(log.parent), cwd=tmp_path)
        == "line 1 of the log\n"
    )
    assert run("call", "read_file", "--root", "nowhere", stdin="{}").status == 66


def test_keys_are_masked_when_the_setting_says_so(call, home: dict[str, str]) -> None:
    key = "sk-ant-api03-" + "Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0" * 3
    (Path(home["HOME"]) / ".env").write_text(f"KEY={key}\n")
    assert key in call("read_file", {"path": ".env"})
    assert key not in call("read_file", {"path": ".env"}, "--redact")


@pytest.mark.quick_cases(9)
@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("read_file", "", "path is missing"),
        ("read_file", "{", "the arguments are not JSON"),
        ("read_file", "7", "the call must be a JSON object"),
        ("read_file", '"no object"', "the call must be a JSON object, not a text"),
        ("read_file", b"\xff\xfe\x00", "the arguments are not JSON"),
        ("read_file", "[" * 100_000, "the arguments are not JSON"),
        ("read_file", '{"path": ["a"]}', "path is a list, not a text"),
        ("read_file", '{"path": "big.log", "lines": "zero"}', "'zero' is not a range"),
        ("read_file", '{"path": "big.log", "lines": "0:3"}', "'0:3': lines are counted from 1"),
        ("read_file", '{"path": "big.log", "lines": "20000:"}', "there are no lines 20000:"),
        ("read_result", '{"ref_id": "000000000000"}', "nothing is stored as 000000000000"),
        ("read_result", '{"ref_id": "../../etc/passwd"}', "nothing is stored as ../../etc/passwd"),
        ("delete_all", "{}", "there is no function delete_all"),
        ("tool_search", '{"query": "x"}', "there are no other tools to search"),
        ("compact_context", "{}", "there is no session"),
        ("list_context", "{}", "there is no session"),
        ("edit_context", '{"action": "list_items"}', "there is no session"),
    ],
)  # fmt: skip
def test_wrong_calls_are_results_with_what_to_do(call, log: Path, name: str, text, what: str) -> None:
    answer = call(name, text)
    assert answer.startswith(f"error: {what}"), answer
    assert answer.count("\n") == 1
    assert answer.rstrip(".\n").count(". ") >= 1
    report = json.loads(call(name, text, "--json"))
    assert (report["name"], report["is_error"], report["content"]) == (name, True, answer)


def test_a_call_that_is_too_long_is_an_error_too(call) -> None:
    assert call("edit_context", b'{"summary": "' + b"x" * 2_000_000).startswith("error: the call has more than")


@pytest.mark.parametrize(
    "value",
    [
        {
            "id": "c7",
            "type": "function",
            "function": {"name": "read_file", "arguments": '{"path": "big.log", "lines": "7"}'},
        },
        {"type": "tool_use", "id": "c7", "name": "read_file", "input": {"path": "big.log", "lines": "7"}},
        {"functionCall": {"id": "c7", "name": "read_file", "args": {"path": "big.log", "lines": "7"}}},
    ],
    ids=["openai", "anthropic", "gemini"],
)
def test_the_call_of_a_provider_needs_no_name(call, log: Path, value) -> None:
    report = json.loads(call("", value, "--json"))
    assert (report["name"], report["call"], report["content"]) == ("read_file", "c7", "line 7 of the log\n")
    assert not report["is_error"]


def test_only_a_wrong_command_line_has_status_2(run: Run) -> None:
    done = run("call", stdin="{}")
    assert (done.status, done.out) == (2, b"")
    assert "no function is named" in done.err
    assert run("call", "read_file", "--nonsense", stdin="{}").status == 2


def test_tool_search_returns_definitions_and_promotes_them(call, run: Run, session: str, tmp_path: Path) -> None:
    """Seed 001: "Matched tools promoted to active set for current turn"."""
    tools = tmp_path / "tools.json"
    names = ["xcode_build", "create_issue", "send_mail"]
    tools.write_text(
        json.dumps([{"type": "function", "function": {"name": name, "description": "x " * 400}} for name in names])
    )
    found = json.loads(call("tool_search", {"query": "xcode build"}, "--tools", str(tools), "--session", session))
    assert [tool["function"]["name"] for tool in found] == ["xcode_build"]
    kept = run("tools", "select", tools, "--session", session, "--threshold", "0.05").out
    assert [tool["function"]["name"] for tool in json.loads(kept)] == ["xcode_build"]
    assert "No tool matches" in call("tool_search", {"query": "zzzz"}, "--tools", str(tools))
    assert (
        run(
            "call", "tool_search", "--tools", "nowhere.json", stdin='{"query": "x"}', env={"CTXKIT_WINDOW": "4096"}
        ).status
        == 66
    )


@pytest.mark.slow
def test_list_context_shows_items_with_their_costs(call, session: str) -> None:
    """Seed 004: "Return list of context items with token costs"."""
    rows = call("list_context", {}, "--session", session).splitlines()
    assert rows[0].startswith("Item 1: system: Be brief. (")
    assert rows[2].startswith("Items 3-4: make (")
    assert rows == call("edit_context", {"action": "list_items"}, "--session", session).splitlines()
    report = json.loads(call("list_context", {}, "--session", session, "--json"))
    assert [(row["start"], row["end"]) for row in report["items"][:3]] == [(1, 1), (2, 2), (3, 4)]


@pytest.mark.slow
def test_summarize_range_reaches_snapshot_and_ledger(call, run: Run, session: str) -> None:
    """Seed 004: "Replace range with summary"; its example is the summary here."""
    summary = "Task: Fix test_needs_pruning. Approach: Change > to >= in working_memory.rs line 162."
    before, history = used(run, session), run("session", "history", session).out
    arguments = {"action": "summarize_range", "range": {"start": 2, "end": 5}, "summary": summary}
    assert call("edit_context", arguments, "--session", session).startswith("Summarized items 2-5: ")
    conversation = resumed(run, session)
    assert summary in conversation
    assert "result 0" not in conversation
    assert "result 1" in conversation
    assert used(run, session) < before
    assert run("session", "history", session).out == history
    status = json.loads(run("session", "status", session, "--json").out)
    assert status["edits"] == 1


@pytest.mark.slow
def test_remove_range_removes_and_what_is_appended_later_stays(call, run: Run, session: str) -> None:
    """Seed 004: "Removed items"."""
    answer = call("edit_context", {"action": "remove_range", "range": {"start": 2, "end": 5}}, "--session", session)
    assert answer.startswith("Removed items 2-5: ")
    run("session", "append", session, stdin='{"role": "user", "content": "And now?"}\n')
    conversation = resumed(run, session)
    assert "result 0" not in conversation
    assert conversation.count("And now?") == 1
    assert call("list_context", {}, "--session", session).splitlines()[1].startswith("Item 2: Task 1")


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"action": "remove_range", "range": {"start": 0, "end": 3}}, "error: range.start is 0, less than 1."),
        ({"action": "remove_range", "range": {"start": 1, "end": 3}}, "error: item 1 is a system prompt."),
        ({"action": "remove_range", "range": {"start": 3, "end": 3}}, "Call again with start 3 and end 4."),
        ({"action": "remove_range", "range": {"start": 3, "end": 99}}, "error: there is no item 99."),
        ({"action": "remove_range"}, "error: remove_range needs a range."),
        ({"action": "summarize_range", "range": {"start": 3, "end": 4}}, "error: summarize_range needs a summary."),
        ({"action": "summarize_range", "range": {"start": 3, "end": 4}, "summary": " "}, "error: summarize_range needs a summary."),
    ],
)  # fmt: skip
def test_a_wrong_range_is_answered_and_never_shifted(call, run: Run, session: str, arguments, what: str) -> None:
    """Seed 004: "Add safety checks (can't remove system prompts)"."""
    before = resumed(run, session)
    assert what in call("edit_context", arguments, "--session", session)
    assert resumed(run, session) == before


@pytest.mark.slow
def test_what_is_kept_stays_and_what_is_removable_goes(call, run: Run, session: str) -> None:
    """Seed 004: "mark items as removable"."""
    for action, start, end in (("keep_range", 2, 5), ("mark_removable", 6, 9)):
        call("edit_context", {"action": action, "range": {"start": start, "end": end}}, "--session", session)
    kept = call("edit_context", {"action": "remove_range", "range": {"start": 3, "end": 4}}, "--session", session)
    assert kept.startswith("error: item 3 is kept by keep_range.")
    report = json.loads(call("compact_context", {}, "--session", session, "--json"))
    assert report["strategies_run"][0] == "remove"
    conversation = resumed(run, session)
    assert "Task 0: mend the parser" in conversation
    assert "Task 1 is done." not in conversation


@pytest.mark.slow
def test_compact_context_reports_the_five_fields(call, run: Run, session: str) -> None:
    """Seed 001: CompactResult has BeforeTokens, AfterTokens, BeforeMsgCount, AfterMsgCount and StrategiesRun; "returns
    summary string".
    """
    before = used(run, session)
    report = json.loads(call("compact_context", {}, "--session", session, "--json", window="2048"))
    assert report["after_tokens"] < report["before_tokens"]
    assert report["before_messages"] == 33
    assert report["strategies_run"]
    assert report["content"] == (
        f"Compacted the conversation: {report['before_tokens']:,} tokens in 33 messages before, "
        f"{report['after_tokens']:,} tokens in {report['after_messages']} messages after. "
        f"Strategies run: {', '.join(report['strategies_run'])}.\n"
    )
    assert used(run, session) < before
    status = json.loads(run("session", "status", session, "--json").out)
    assert status["compactions"] == 1
    assert run("compact", "--check", stdin=resumed(run, session)).status == 0


def test_a_session_that_does_not_exist_is_answered_not_made(call, run: Run) -> None:
    assert call("list_context", {}, "--session", "nobody").startswith("error: there is no session")
    assert run("session", "list").out == b""


def test_results_are_booked_on_the_session(call, run: Run, session: str, log: Path) -> None:
    before = used(run, session)
    call("read_file", {"path": "big.log", "lines": "1:10"}, "--session", session)
    middle = used(run, session)
    call("list_context", {}, "--session", session)
    assert before < middle < used(run, session)


@pytest.mark.slow
def test_a_full_window_is_answered_with_what_to_do(call, log: Path) -> None:
    answer = call("read_file", {"path": "big.log", "lines": "1:10"}, "--used", "4096")
    assert answer == "error: the context is too full. Call compact_context first, or read a smaller part.\n"
    assert call("read_file", {"path": "big.log"}, "--used", "4096").startswith("error: the context is too full.")


@pytest.mark.parametrize("shape", ["openai", "anthropic", "gemini", "mcp"])
def test_exactly_these_functions_are_defined(run: Run, shape: str) -> None:
    definitions = json.loads(run("tools", "builtin", "--to", shape).out)
    if shape == "gemini":
        definitions = definitions[0]["functionDeclarations"]
    assert [item.get("function", item)["name"] for item in definitions] == FUNCTIONS


@pytest.mark.slow
@pytest.mark.parametrize("given", ["option", "setting"])
def test_read_result_reads_what_the_hint_of_a_map_names(call, run: Run, given: str) -> None:
    """Seed 001: Use the "read_result" tool with ref_id="abc-123" to read specific portions."""
    options, env = (("--hint", "read_result"), {}) if given == "option" else ((), {"CTXKIT_HINT": "read_result"})
    page = run("gate", "--window", "4096", "--tokenizer", "bytes/3", *options, stdin=LINES, env=env).out.decode()
    hint = page.splitlines()[-1]
    ref = hint.split('"')[3]
    assert hint == f'Use the "read_result" tool with ref_id="{ref}" to read specific portions.'
    assert call("read_result", {"ref_id": ref, "lines": "7"}) == "line 7 of the log\n"
    again = run("gate", "--window", "4096", "--tokenizer", "bytes/3", *options, stdin=page, env=env).out.decode()
    assert again == page


def test_read_result_reads_what_the_note_of_a_compaction_names(call, run: Run, session: str) -> None:
    options = ("--window", "3500", "--tokenizer", "bytes/3", "--force", "--stages", "clear", "--keep-last", "2")
    compacted = run("compact", *options, "--hint", "read_result", stdin=resumed(run, session)).out.decode()
    ref = compacted.split('ref_id=\\"')[1][:16]
    assert f'\\nUse the \\"read_result\\" tool with ref_id=\\"{ref}\\" to read specific portions."' in compacted
    assert call("read_result", {"ref_id": ref, "lines": "1"}) == "result 0\n"


@pytest.mark.slow
def test_what_is_kept_is_not_pruned_by_a_turn(call, run: Run, session: str) -> None:
    """Issue: prune at 80 % where asked, and what keep_range named stays."""
    call("edit_context", {"action": "keep_range", "range": {"start": 3, "end": 4}}, "--session", session)
    call("edit_context", {"action": "mark_removable", "range": {"start": 15, "end": 16}}, "--session", session)
    options = ("--session", session, "--window", "3400", "--tokenizer", "bytes/3", "--prune", "0.8")
    done = run("turn", *options, stdin='{"role": "user", "content": "Go on."}\n')
    request = done.out.decode()
    assert "result 0\\nresult 0" in request, done.err
    assert "result 1\\nresult 1" not in request or "result 3\\nresult 3" not in request
    assert "Tool result stored" in request
    assert "result 3\\nresult 3" not in request


def test_what_is_kept_is_not_cleared_by_a_compaction_of_the_session(call, run: Run, session: str) -> None:
    call("edit_context", {"action": "keep_range", "range": {"start": 3, "end": 4}}, "--session", session)
    options = ("--session", session, "--force", "--stages", "clear", "--keep-last", "2", "--window", "3500")
    compacted = run("compact", *options, stdin=resumed(run, session)).out.decode()
    assert "result 0\\nresult 0" in compacted
    assert "result 1\\nresult 1" not in compacted


@pytest.mark.slow
def test_a_result_that_a_call_has_gated_is_not_counted_twice_by_the_next_turn(call, run: Run, log: Path) -> None:
    options = ("--session", "t", "--window", "8192", "--tokenizer", "bytes/3", "--json")
    run("turn", *options, stdin='{"role": "user", "content": "Read the log."}\n')
    function = {"name": "read_file", "arguments": '{"path": "big.log"}'}
    answer = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    run(
        "turn",
        "--session",
        "t",
        "--response",
        stdin=json.dumps({"choices": [{"message": answer, "finish_reason": "tool_calls"}]}),
    )
    content = call("", answer["tool_calls"], "--session", "t")
    message = {"role": "tool", "tool_call_id": "c1", "content": content}
    facts = json.loads(run("turn", *options, stdin=json.dumps(message)).out)
    assert facts["components"]["unmeasured"] == 0
    assert facts["results"] == []
    assert facts["request"]["messages"][-1]["content"] == content
