"""A GGUF model on this machine may summarize: the real llama.cpp, and a model of random weights."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, MalformedInputError, MissingDependencyError
from ctxkit.core.summary.model_summarizer import build_prompt
from ctxkit.core.summary.template import build_grammar, parse_page, render_page
from ctxkit.engines.summarizers import llama, llama_process
from tests.conftest import Run
from tests.core.summary.page_breaches import find_breaches

GRAMMAR = 'root ::= "# Context\\n\\n## Task\\n" line "\\n"\nline ::= [a-z ]{1,20}'
CHAT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"
ENDLESS = "root ::= [a-z ]{1000}"
"""Grammar of an answer that reaches the limit of tokens; llama.cpp 0.3.36 overflows its stack at 3000."""
LONG = "The server listens on port 8080.\n" * 100


@pytest.fixture(scope="module")
def tiny():
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: make test-llama")
    pytest.importorskip("gguf", reason="gguf is not installed: make test-llama")
    from tests.engines.summarizers import tiny

    return tiny


@pytest.fixture(scope="module")
def large(tiny, tmp_path_factory: pytest.TempPathFactory):
    """Return the path of a model with a window in which a whole prompt fits."""
    path = tmp_path_factory.mktemp("models") / "large.gguf"
    tiny.write(path, window=16_384)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("template", [None, CHAT])
def test_every_answer_follows_the_grammar(tiny, tmp_path: Path, template: str | None) -> None:
    path = tmp_path / "tiny.gguf"
    tiny.write(path, template=template)
    voice = llama.open_chat_model(str(path), GRAMMAR)
    first = voice.ask("Extract facts.")
    assert first.startswith("# Context\n\n## Task\n")
    assert first == voice.ask("Extract facts.")
    assert voice.prompt_limit + llama_process.TEMPLATE_TOKENS + tiny.WINDOW // 3 == tiny.WINDOW
    assert voice.tokenizer("hello world") > 2


def test_a_file_that_is_no_model(tiny, tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF nothing")
    with pytest.raises(MalformedInputError, match="cannot load"):
        llama.open_chat_model(str(path), GRAMMAR)
    with pytest.raises(MalformedInputError, match="cannot load"):
        llama.open_chat_model(str(tmp_path / "absent.gguf"), GRAMMAR)


def test_without_llama_cpp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "llama_cpp", None)
    with pytest.raises(MissingDependencyError, match="not installed") as trouble:
        llama.open_chat_model("x.gguf", GRAMMAR)
    assert "llama-cpp-python>=" in trouble.value.hint


@pytest.mark.slow
def test_a_whole_prompt_is_answered_with_a_page(large) -> None:
    voice = llama.open_chat_model(str(large), build_grammar())
    assert voice.prompt_limit == llama_process.WINDOW - llama_process.ANSWER_TOKENS - llama_process.TEMPLATE_TOKENS
    assert voice.max_prompts == llama.MAX_PROMPTS
    answer = voice.ask(build_prompt("[User]: Mend the server."))
    assert parse_page(answer) is not None
    assert find_breaches(render_page(parse_page(answer))) == ()


def test_what_takes_too_long_is_stopped_in_the_middle(large) -> None:
    for seconds in (0, 0.1):
        with pytest.raises(InputOutputError, match=rf"no answer in {seconds:g} s"):
            llama.open_chat_model(str(large), ENDLESS, seconds).ask(LONG)
    assert llama.open_chat_model(str(large), GRAMMAR).ask("Mend it.").startswith("# Context")


def test_an_interruption_stops_it_in_the_middle_of_reading(large) -> None:
    voice = llama.open_chat_model(str(large), ENDLESS)
    before = signal.getsignal(signal.SIGINT)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        voice.ask(LONG)
    assert signal.getsignal(signal.SIGINT) is before


def test_another_thread_may_ask(large) -> None:
    answers = []
    thread = threading.Thread(target=lambda: answers.append(llama.open_chat_model(str(large), GRAMMAR).ask("Mend it.")))
    thread.start()
    thread.join()
    assert answers[0].startswith("# Context")


def test_a_prompt_that_is_too_long_is_told(tiny, tmp_path: Path) -> None:
    tiny.write(tmp_path / "tiny.gguf")
    with pytest.raises(InputOutputError, match=r"llama\.cpp: .*exceed"):
        llama.open_chat_model(str(tmp_path / "tiny.gguf"), GRAMMAR).ask("x" * 5000)


def test_threads_do_not_spin_while_they_wait(large, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where others want the processors, a model of several threads is 30 times slower otherwise."""
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    for given, wanted in ((None, b"passive"), ("active", b"active")):
        if given:
            monkeypatch.setenv("OMP_WAIT_POLICY", given)
        voice = llama.open_chat_model(str(large), GRAMMAR)
        assert b"\0OMP_WAIT_POLICY=%s\0" % wanted in b"\0" + Path(f"/proc/{server()}/environ").read_bytes()
        del voice


def test_the_process_is_limited_and_offered_to_the_system_first(large) -> None:
    voice = llama.open_chat_model(str(large), GRAMMAR)
    pid = server()
    data, _ = resource.prlimit(pid, resource.RLIMIT_DATA)
    assert data == llama_process.WEIGHTS_FACTOR * large.stat().st_size + llama_process.EXTRA_MEMORY
    assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "1000\n"
    assert os.getsid(pid) == pid
    del voice
    assert gone(pid)


@pytest.mark.parametrize("name", ["SEGV", "KILL", "ABRT", "STOP"])
def test_a_process_that_dies_while_it_answers_costs_the_answer_alone(large, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama, "GRACE_SECONDS", 1)
    voice = llama.open_chat_model(str(large), ENDLESS, 2 if name == "STOP" else 600)
    pid = server()
    threading.Timer(0.3, os.kill, (pid, getattr(signal, f"SIG{name}"))).start()
    with pytest.raises(InputOutputError, match="no answer in 3 s" if name == "STOP" else f"killed by SIG{name}"):
        voice.ask(LONG)
    assert gone(pid)


def test_the_process_ends_with_the_one_that_asks_it_however_that_ends(large) -> None:
    code = f"""
import time
from ctxkit.engines.summarizers import llama
voice = llama.open_chat_model({str(large)!r}, {ENDLESS!r})
print("ready", flush=True)
voice.ask({LONG!r})
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline() == b"ready\n"
        pid = server(parent.pid)
        time.sleep(0.3)
        parent.kill()
        assert gone(pid)


@pytest.fixture
def chat(tmp_path: Path):
    from tests.core.compact.sizes import working, written

    path = tmp_path / "chat.json"
    path.write_bytes(written("openai", *working(24, 25)))
    return path


@pytest.mark.slow
def test_a_conversation_is_compacted_with_it(large, run: Run, chat, tmp_path: Path) -> None:
    page, sized = tmp_path / "CONTEXT.md", ("--window", "2048", "--tokenizer", "o200k", "--strict", "--json")
    first = run("compact", chat, *sized, "--summarizer", f"llama:{large}", "--context-md", page)
    assert first.status == 0
    assert find_breaches(page.read_text()) == ()
    assert "Please fix the parser in src/parser.py." in page.read_text()
    assert run("compact", "--check", stdin=first.out).status == 0
    again = run("compact", chat, *sized, "--summarizer", f"llama:{large}", "--context-md", tmp_path / "other.md")
    assert again.out == first.out


def test_nothing_is_loaded_below_the_trigger(tiny, run: Run, chat, tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF nothing")
    done = run(
        "compact", chat, "--window", "200000", "--tokenizer", "o200k", "--summarizer", f"llama:{bad}", "--strict"
    )
    assert (done.status, done.out, done.err) == (0, chat.read_bytes(), "")
    sized = ("--window", "2048", "--tokenizer", "o200k", "--summarizer", f"llama:{bad}")
    failed = run("compact", chat, *sized)
    assert (failed.status, failed.err.count("warning")) == (0, 1)
    assert "llama.cpp cannot load it" in failed.err
    assert run("compact", chat, *sized, "--strict").status == 65


@pytest.mark.slow
def test_a_crash_or_an_interruption_while_a_conversation_is_compacted(large, ctxkit: str, home: dict[str, str], chat) -> None:
    for name in ("SEGV", "KILL", "INT"):
        command = [ctxkit, "compact", chat, "--window", "2048", "--tokenizer", "o200k"]
        process = subprocess.Popen(
            [*command, "--summarizer", f"llama:{large}"], env=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        pid = model_below(process)
        if name == "INT":
            process.send_signal(signal.SIGINT)
        else:
            os.kill(pid, getattr(signal, f"SIG{name}"))
        out, err = process.communicate(timeout=30)
        assert gone(pid)
        if name == "INT":
            assert (process.returncode, out, err) == (130, b"", b"")
        else:
            assert process.returncode == 0
            assert err.count(b"warning") == 1
            assert f"the process of llama.cpp was killed by SIG{name}".encode() in err
            assert json.loads(out)["messages"]


def model_below(process):
    """Return the process of llama.cpp below a command, once it has been at work for a moment."""
    until = time.monotonic() + 20
    while time.monotonic() < until and process.poll() is None:
        for pid in descendants(process.pid):
            with suppress(OSError):
                if "libllama" in Path(f"/proc/{pid}/maps").read_text():
                    time.sleep(0.1)
                    return pid
        time.sleep(0.02)
    raise AssertionError(process.communicate())


def descendants(pid):
    """Return the processes below one."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found, new = [], [pid]
    while new:
        new = [child for child, parent in parents.items() if parent in new]
        found += new
    return found


def server(parent=None):
    """Return the process of llama.cpp that a process, or this one, has started."""
    (pid,) = [
        pid
        for pid in descendants(parent or os.getpid())
        if b"llama_process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    return pid


def gone(pid):
    """Wait until a process is dead; a zombie that nobody waits for is."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False
