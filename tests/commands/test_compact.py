"""ctxkit compact, as its users run it."""

import json
import shlex
import textwrap
from pathlib import Path

import pytest

from ctxkit.core.text.limits import EDITABLE
from tests.conftest import Run
from tests.core.chat.talks import FORMATS, Said, lines
from tests.core.compact.sizes import working, written

several = pytest.mark.parametrize("name", ["anthropic", "claude-code", "chatml"])
SIZED = ("--window", "2048", "--tokenizer", "o200k")


def session(name="openai", turns=24, size=25):
    plan, outputs = working(turns, size)
    return written(name, plan, outputs)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.json"
    path.write_bytes(session())
    return path


def test_below_the_trigger_it_passes_byte_for_byte(run: Run) -> None:
    data = b' [ {"role": "user",  "content": "hello", "n": 1.10} ]\r\n'
    done = run("compact", "--model", "qwen3-30b", stdin=data)
    assert (done.status, done.out, done.err) == (0, data, "")


@pytest.mark.parametrize("data", [b"", b" \n", b"[]\n", b'{"model": "m", "messages": []}'])
def test_nothing_passes_as_nothing(run: Run, data: bytes) -> None:
    assert (run("compact", *SIZED, stdin=data).out, run("compact", "--check", stdin=data).status) == (data, 0)


@pytest.mark.quick_cases(2)
@several
def test_it_comes_back_byte_for_byte_and_reports_what_count_counts(run: Run, name: str, tmp_path: Path) -> None:
    data, manifest = session(name), tmp_path / "manifest.json"
    done = run("compact", *SIZED, "--manifest", manifest, "--strict", "--json", stdin=data)
    assert done.status == 0
    assert len(done.out) < len(data) / 2
    report = json.loads(done.err)
    counted = json.loads(run("count", "--tokenizer", "o200k", "--json", stdin=done.out).out)
    assert (report["after_tokens"], report["low"], report["high"]) == (counted["tokens"], counted["low"], counted["high"])
    assert (report["after_messages"], report["bytes"]) == (counted["messages"], counted["bytes"])
    assert report["high"] <= report["budget"]["effective"] < report["before_tokens"]
    assert report["strategies_run"] == [one["stage"] for one in report["stages"]]
    back = run("compact", "--restore", manifest)
    assert (back.status, back.out, back.err) == (0, data, "")


def test_a_list_of_lines_stays_a_list_whose_kept_elements_keep_their_bytes(run: Run, tmp_path: Path) -> None:
    entries = [json.loads(line) for line in session("claude-code").splitlines()]
    data, manifest = json.dumps(entries, indent=2).encode(), tmp_path / "manifest.json"
    done = run("compact", *SIZED, "--manifest", manifest, "--strict", stdin=data)
    assert done.status == 0
    kept = [entry for entry in json.loads(done.out) if entry in entries]
    assert 2 < len(kept) < len(entries)
    assert all(textwrap.indent(json.dumps(entry, indent=2), "  ").encode() in done.out for entry in kept)
    assert run("compact", *SIZED, "--check", stdin=done.out).status == 0
    assert run("compact", "--restore", manifest).out == data


def test_what_was_cleared_is_read_back_as_its_stub_says(run: Run, chat) -> None:
    done = run("compact", chat, "--window", "7500", "--tokenizer", "o200k", "--stages", "clear")
    results = [one["content"] for one in json.loads(done.out)["messages"] if one["role"] == "tool"]
    stub = next(one for one in results if one.startswith("[Tool result stored"))
    command = stub.rpartition("To read it: ctxkit ")[2]
    assert run(*shlex.split(command)).out.decode() == working(24, 25)[1][results.index(stub)]


def test_the_summary_leads_back_to_the_whole(run: Run, chat) -> None:
    done = run("compact", chat, *SIZED)
    summary = next(one["content"] for one in json.loads(done.out)["messages"] if "[ctxkit summary]" in (one["content"] or ""))
    command = summary.partition("[To read these messages: ctxkit ")[2].partition("]")[0]
    assert run(*shlex.split(command)).out == chat.read_bytes()


@pytest.mark.slow
def test_what_a_manifest_needs_survives_a_collection(run: Run, chat, tmp_path: Path, collect) -> None:
    kept, gone = tmp_path / "kept.json", tmp_path / "gone.json"
    run("compact", chat, *SIZED, "--manifest", kept)
    collect()
    assert run("compact", "--restore", kept).out == chat.read_bytes()
    kept.rename(gone)
    collect()
    done = run("compact", "--restore", gone)
    assert (done.status, done.out) == (1, b"")
    assert "is no longer stored" in done.err


def test_another_file_is_not_restored(run: Run, chat, tmp_path: Path) -> None:
    manifest, small = tmp_path / "m.json", tmp_path / "small.json"
    small.write_bytes(run("compact", chat, *SIZED, "--manifest", manifest).out)
    assert run("compact", "--restore", manifest, small).out == chat.read_bytes()
    done = run("compact", "--restore", manifest, chat)
    assert (done.status, done.out) == (65, b"")
    assert "it is not what the compaction of " in done.err
    assert "without FILE, the original is written" in done.err
    assert run("compact", "--restore", manifest, tmp_path / "none.json").status == 66


def test_damaged_content_is_not_passed_off_as_the_original(run: Run, chat, tmp_path: Path, home: dict[str, str]) -> None:
    manifest = tmp_path / "m.json"
    run("compact", chat, *SIZED, "--manifest", manifest)
    ref = json.loads(manifest.read_text())["original"]["ref"]
    path = Path(run("cache", "path", ref).out.decode().strip())
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    done = run("compact", "--restore", manifest)
    assert (done.status, done.out) == (74, b"")
    assert "is not what was stored" in done.err


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        (("--restore", "none.json"), 66, "none.json"),
        (("--window", "2048", "--stages", "clear,burn"), 2, "unknown stage: burn"),
        (("--window", "2048", "--summarizer", "magic"), 2, "unknown summarizer: magic"),
        (("--window", "2048", "--low-water", "0.95"), 2, "is not below the trigger"),
        (("--window", "2048", "--leaf", "nowhere"), 2, "there is no entry nowhere"),
        (("--check", "--restore", "m.json"), 2, "cannot be combined"),
        (("--strict",), 2, "the window is not known"),
        (("--window", "2048", "--format", "claude-code"), 65, "line 1"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, args, status: int, says: str) -> None:
    done = run("compact", *args, stdin=b'[{"role": "user", "content": "hello"}]')
    assert (done.status, done.out) == (status, b"")
    assert says in done.err


def test_a_line_that_cannot_be_read_stops_it_or_stays(run: Run) -> None:
    data = session().decode()
    rows = "".join(json.dumps(one) + "\n" for one in json.loads(data)["messages"])
    broken = (rows[: rows.index("\n") + 1] + "{torn\n" + rows[rows.index("\n") + 1 :]).encode()
    done = run("compact", *SIZED, stdin=broken)
    assert (done.status, done.out) == (65, b"")
    assert "line 2" in done.err
    done = run("compact", *SIZED, "--skip-bad", stdin=broken)
    assert done.status == 0
    assert b"\n{torn\n" in b"\n" + done.out
    assert "1 line" in done.err
    assert "[ctxkit summary]" in done.out.decode()


def test_what_does_not_fit_is_refused_and_passes(run: Run) -> None:
    data = json.dumps([{"role": "system", "content": "Be good. " * 900}, {"role": "user", "content": "hi"}]).encode()
    done = run("compact", "--window", "1000", stdin=data)
    assert (done.status, done.out) == (1, data)
    assert "system messages and tools alone take" in done.err
    assert "hint:" in done.err


def test_check_names_what_is_broken(run: Run) -> None:
    plan = [Said("user", "Go."), Said("assistant", "", (("c1", "run"),)), Said("user", "And?")]
    done = run("compact", "--check", stdin=written("openai", plan))
    assert done.status == 1
    assert "unanswered" in done.out.decode()
    assert "c1" in done.out.decode()
    found = json.loads(run("compact", "--check", "--json", stdin=written("openai", plan)).out)
    assert (found["rule"], found["ids"]) == ("unanswered", ["c1"])


def test_what_is_broken_is_repaired_and_said(run: Run) -> None:
    plan, outputs = working(24, 25)
    data = written("openai", [*plan[:6], *plan[7:]], [*outputs[:2], *outputs[3:]])
    done = run("compact", *SIZED, stdin=data)
    assert "had no result: inserted `no result recorded`" in done.err
    assert run("compact", "--check", stdin=done.out).status == 0


def test_it_says_what_it_did_unless_it_is_to_be_quiet(run: Run, chat, tmp_path: Path) -> None:
    said = run("compact", chat, *SIZED).err
    assert said.startswith("ctxkit: compacted from ")
    assert "summarizer: extract" in said
    assert "is the first change" in said
    report = tmp_path / "report.json"
    assert run("compact", chat, *SIZED, "-q", "--report", report).err == ""
    assert json.loads(report.read_text())["result"] == "compacted"


def test_the_events_are_those_of_the_seed(run: Run, chat, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    run("compact", chat, "--window", "7500", "--stages", "clear", "--events", log)
    run("compact", chat, "--window", "200000", "--events", log)
    found = [json.loads(row) for row in log.read_text().splitlines()]
    names = [one["event"] for one in found]
    assert names == ["context_compaction_start", *["tool_output_truncated"] * (len(names) - 2), "context_compaction_end"]
    assert len(names) > 4
    assert found[1]["tool"] == "run"
    assert found[1]["call"] == "call_0"
    assert found[-1]["after_tokens"] < found[0]["tokens"] == found[-1]["before_tokens"]


def test_the_page_is_written_and_goes_on_from_what_stands_there(run: Run, chat, tmp_path: Path) -> None:
    page = tmp_path / "CONTEXT.md"
    page.write_text("# Context\n\n## Task\nx\n\n## Decisions\n- Never use tabs.\n\n## Notes\nBy hand.\n")
    run("compact", chat, *SIZED, "--context-md", page)
    made = page.read_text()
    assert made.startswith("# Context\n")
    assert "- Never use tabs." in made
    assert "By hand." in made
    assert "Please fix the parser in src/parser.py" in made
    small = run("compact", "--context-md", page, "--window", "200000", stdin=b'[{"role": "user", "content": "hello"}]')
    assert small.err == f"ctxkit: {page} is not written: nothing was compacted\n"
    assert page.read_text() == made


def test_force_that_compacts_nothing_says_why(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "CONTEXT.md"
    done = run("compact", "--force", "--context-md", page, "--window", "8192", stdin=b'[{"role": "user", "content": "hello"}]')
    reason, not_written = done.err.splitlines()
    assert reason.startswith("ctxkit: not compacted: it would save nothing (")
    assert not_written == f"ctxkit: {page} is not written: nothing was compacted"
    assert run("compact", "--window", "8192", stdin=b'[{"role": "user", "content": "hello"}]').err == ""


def test_a_store_that_fails_lets_the_conversation_pass(run: Run, chat, no_store: dict[str, str]) -> None:
    done = run("compact", chat, *SIZED, env=no_store)
    assert (done.status, done.out) == (0, chat.read_bytes())
    assert "warning: the conversation passes unchanged" in done.err
    strict = run("compact", chat, *SIZED, "--strict", env=no_store)
    assert (strict.status, strict.out) == (74, b"")


def test_a_manifest_that_cannot_be_written_lets_it_pass_too(run: Run, chat, tmp_path: Path) -> None:
    done = run("compact", chat, *SIZED, "--manifest", tmp_path / "none" / "m.json")
    assert (done.status, done.out) == (0, chat.read_bytes())


def test_nothing_is_kept_where_nothing_is_to_be(run: Run, chat, tmp_path: Path, home: dict[str, str]) -> None:
    manifest = tmp_path / "m.json"
    done = run("compact", chat, *SIZED, "--no-store", "--manifest", manifest)
    assert done.status == 0
    assert "cache get" not in done.out.decode()
    assert not list(Path(home["XDG_CACHE_HOME"]).rglob("*"))
    back = run("compact", "--restore", manifest)
    assert (back.status, back.out) == (1, b"")
    assert "was not stored" in back.err


def test_a_session_goes_on_from_what_is_left(run: Run, chat) -> None:
    run("session", "new", "s", "--window", "2048", "--tokenizer", "o200k")
    run("session", "reset", "s", "--used", "9000")
    done = run("compact", chat, "--session", "s", "--json")
    report = json.loads(done.err)
    standing = json.loads(run("session", "status", "s", "--json").out)
    assert (standing["used"], standing["compactions"]) == (report["after_tokens"], 1)
    assert run("snapshot", "load", "s").out == done.out


def test_settings_say_how_much_stays(run: Run, chat, home: dict[str, str]) -> None:
    config = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('window = 2048\ntokenizer = "o200k"\nkeep_last = 3\nlow_water = 0.6\n')
    few = run("compact", chat, "--json")
    report = json.loads(few.err)
    assert report["budget"]["low_water"] == int(0.6 * report["budget"]["effective"])
    config.write_text('window = 2048\ntokenizer = "o200k"\nkeep_recent = 900\n')
    more = run("compact", chat, "--json")
    assert report["after_messages"] < json.loads(more.err)["after_messages"]


def test_what_stands_beside_the_conversation_counts(run: Run, chat) -> None:
    size = int(run("count", "--tokenizer", "o200k", stdin=chat.read_bytes()).out)
    window = str(int(size * 1.4))
    assert run("compact", chat, "--window", window, "--tokenizer", "o200k").out == chat.read_bytes()
    assert len(run("compact", chat, "--window", window, "--tokenizer", "o200k", "--used", str(size // 5)).out) < len(chat.read_bytes())


def test_an_unknown_tree_leaf_is_chosen_by_its_id(run: Run) -> None:
    entries = FORMATS["claude-code"][0]([Said("user", "One."), Said("assistant", "word " * 900), Said("user", "Two.")])
    other = {**entries[2], "uuid": "other", "message": {"role": "user", "content": "The road not taken."}}
    data = lines([*entries[:2], other, entries[2]])
    done = run("compact", "--window", "800", "--leaf", "other", "--force", stdin=data)
    assert "The road not taken." in done.out.decode()
    assert "Two." not in done.out.decode()
    assert run("compact", "--check", stdin=done.out).status == 0


def test_only_old_observations_leave(run: Run, chat) -> None:
    options = ("--window", "100000", "--tokenizer", "o200k", "--keep-observations", "2", "--json")
    assert run("compact", chat, *options).out == chat.read_bytes()
    done = run("compact", chat, *options, "--force")
    before, after = (json.loads(content)["messages"] for content in (chat.read_bytes(), done.out))
    assert len(before) == len(after)
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    results = [at for at, message in enumerate(before) if message["role"] == "tool"]
    assert changed == results[:-2]
    assert run("compact", chat, *options, "--stages", "clear").status == 2


def _write_large_session(path: Path, subagent_lines: int, asked: str) -> None:
    """Write a session of Claude Code whose bulk is lines of a subagent."""
    shared = {"sessionId": "s1", "timestamp": "2026-01-15T10:00:00.000Z"}
    side = {"role": "assistant", "content": [{"type": "text", "text": "y " * 2_000}]}
    with path.open("w") as file:

        def write(**members: object) -> None:
            file.write(json.dumps({**shared, **members}) + "\n")

        write(type="user", uuid="m0", parentUuid=None, isSidechain=False, message={"role": "user", "content": asked})
        for number in range(subagent_lines):
            write(type="assistant", uuid=f"side-{number}", isSidechain=True, agentId="a1", message=side)
        for number in range(6):
            call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": f"/w/{number}"}}
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x = 1\n" * 90}
            parent = f"r{number - 1}" if number else "m0"
            write(type="assistant", uuid=f"c{number}", parentUuid=parent, message={"role": "assistant", "content": [call]})
            write(type="user", uuid=f"r{number}", parentUuid=f"c{number}", message={"role": "user", "content": [result]})


@pytest.mark.slow
def test_a_session_above_the_limit_is_read_without_its_subagents(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    _write_large_session(path, 17_000, "Fix the rounding, keep port 8443.")
    assert path.stat().st_size > EDITABLE
    done = run("compact", "--force", "--model", "claude-sonnet-4-5", "--window", "3000", "--keep-last", "2", str(path))
    assert (done.status, b"8443" in done.out, len(done.out) < 20_000) == (0, True, True)
    assert "17,000 lines of subagents" in done.err
    unchanged = run("compact", "--model", "claude-sonnet-4-5", str(path))
    assert unchanged.out == path.read_bytes()
    assert b"Fix the rounding" in run("edit", "list", "--model", "claude-sonnet-4-5", str(path)).out


def test_a_run_that_changes_nothing_writes_a_manifest_without_changes(run: Run, tmp_path: Path) -> None:
    path, manifest = tmp_path / "chat.json", tmp_path / "undo.json"
    path.write_bytes(session(turns=2))
    manifest.write_text("of an earlier run")
    done = run("compact", "--window", "100000", "--tokenizer", "o200k", "--manifest", str(manifest), str(path))
    assert done.out == path.read_bytes()
    facts = json.loads(manifest.read_text())
    assert (facts["changes"], facts["original"]) == ([], facts["output"])
    assert run("compact", "--restore", str(manifest), str(path)).out == path.read_bytes()
    path.write_bytes(path.read_bytes() + b"\n")
    assert run("compact", "--restore", str(manifest), str(path)).status == 65
