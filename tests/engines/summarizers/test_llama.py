"""A GGUF model on this machine may summarize: the real llama.cpp, and a model of random weights."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ctxkit.core.context.grammar import grammar
from ctxkit.core.context.limits import breaches
from ctxkit.core.context.prompt import prompt
from ctxkit.core.context.template import parse, render
from ctxkit.core.trouble import EngineAbsent, IOFailed, Malformed
from ctxkit.engines.summarizers import llama

GRAMMAR = 'root ::= "# Context\\n\\n## Task\\n" line "\\n"\nline ::= [a-z ]{1,20}'
CHAT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"
ENDLESS = "root ::= [a-z ]{3000}"
LONG = "The server listens on port 8080.\n" * 100


@pytest.fixture(scope="module")
def tiny():
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: make test-llama")
    pytest.importorskip("gguf", reason="gguf is not installed: make test-llama")
    from tests.engines.summarizers import tiny

    return tiny


@pytest.fixture(scope="module")
def large(tiny, tmp_path_factory):
    """Return the path of a model with a window in which a whole prompt fits."""
    path = tmp_path_factory.mktemp("models") / "large.gguf"
    tiny.write(path, window=16_384)
    return path


@pytest.mark.parametrize("template", [None, CHAT])
def test_every_answer_follows_the_grammar(tiny, tmp_path, template):
    path = tmp_path / "tiny.gguf"
    tiny.write(path, template=template)
    voice = llama.voice(str(path), GRAMMAR)
    first = voice.ask("Extract facts.")
    assert first.startswith("# Context\n\n## Task\n")
    assert first == voice.ask("Extract facts.")
    assert voice.room + llama.MARGIN + tiny.WINDOW // 3 == tiny.WINDOW
    assert voice.tokenizer("hello world") > 2


def test_a_file_that_is_no_model(tiny, tmp_path):
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF nothing")
    with pytest.raises(Malformed, match="cannot load"):
        llama.voice(str(path), GRAMMAR)
    with pytest.raises(Malformed, match="cannot load"):
        llama.voice(str(tmp_path / "absent.gguf"), GRAMMAR)


def test_without_llama_cpp(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "llama_cpp", None)
    with pytest.raises(EngineAbsent, match="not installed") as trouble:
        llama.voice("x.gguf", GRAMMAR)
    assert "ctxkit[llama]" in trouble.value.hint


def test_a_whole_prompt_is_answered_with_a_page(large):
    voice = llama.voice(str(large), grammar())
    assert voice.room == llama.WINDOW - llama.ANSWER - llama.MARGIN
    assert voice.most == llama.MOST
    answer = voice.ask(prompt("[User]: Mend the server."))
    assert parse(answer) is not None
    assert breaches(render(parse(answer))) == ()


def test_what_takes_too_long_is_stopped_in_the_middle(large):
    for seconds in (0, 0.1):
        with pytest.raises(IOFailed, match=rf"no answer in {seconds:g} s"):
            llama.voice(str(large), ENDLESS, seconds).ask(LONG)
    assert llama.voice(str(large), GRAMMAR).ask("Mend it.").startswith("# Context")


def test_an_interruption_stops_it_in_the_middle_of_reading(large):
    voice = llama.voice(str(large), ENDLESS)
    before = signal.getsignal(signal.SIGINT)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        voice.ask(LONG)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_ignored_interruption_stays_ignored(large):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        assert llama.voice(str(large), GRAMMAR).ask("Mend it.").startswith("# Context")
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_may_ask(large):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(llama.voice(str(large), GRAMMAR).ask("Mend it.")))
    thread.start()
    thread.join()
    assert answers[0].startswith("# Context")


def test_a_prompt_that_is_too_long_is_told(tiny, tmp_path):
    tiny.write(tmp_path / "tiny.gguf")
    with pytest.raises(IOFailed, match=r"llama\.cpp: .*exceed"):
        llama.voice(str(tmp_path / "tiny.gguf"), GRAMMAR).ask("x" * 5000)


def test_threads_do_not_spin_while_they_wait(large):
    """Where others want the processors, a model of several threads is 30 times slower otherwise."""
    code = f"""
import os
from ctxkit.engines.summarizers import llama
llama.voice({str(large)!r}, {GRAMMAR!r})
print(os.environ["OMP_WAIT_POLICY"])
"""
    env = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    for given, wanted in (({}, "passive"), ({"OMP_WAIT_POLICY": "active"}, "active")):
        done = subprocess.run([sys.executable, "-c", code], env={**env, **given}, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == (f"{wanted}\n", "")


@pytest.fixture
def chat(tmp_path):
    from tests.core.compact.sizes import working, written

    path = tmp_path / "chat.json"
    path.write_bytes(written("openai", *working(24, 25)))
    return path


def test_a_conversation_is_compacted_with_it(large, run, chat, tmp_path):
    page, sized = tmp_path / "CONTEXT.md", ("--window", "2048", "--tokenizer", "o200k", "--strict", "--json")
    first = run("compact", chat, *sized, "--summarizer", f"llama:{large}", "--context-md", page)
    assert first.status == 0
    assert breaches(page.read_text()) == ()
    assert "Please fix the parser in src/parser.py." in page.read_text()
    assert run("compact", "--check", stdin=first.out).status == 0
    again = run("compact", chat, *sized, "--summarizer", f"llama:{large}", "--context-md", tmp_path / "other.md")
    assert again.out == first.out


def test_nothing_is_loaded_below_the_trigger(tiny, run, chat, tmp_path):
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF nothing")
    done = run("compact", chat, "--window", "200000", "--tokenizer", "o200k", "--summarizer", f"llama:{bad}", "--strict")
    assert (done.status, done.out, done.err) == (0, chat.read_bytes(), "")
    sized = ("--window", "2048", "--tokenizer", "o200k", "--summarizer", f"llama:{bad}")
    failed = run("compact", chat, *sized)
    assert (failed.status, failed.err.count("warning")) == (0, 1)
    assert "llama.cpp cannot load it" in failed.err
    assert run("compact", chat, *sized, "--strict").status == 65


def test_an_interruption_of_the_command_is_its_status(large, ctxkit, home, chat):
    command = [ctxkit, "compact", chat, "--window", "2048", "--tokenizer", "o200k", "--summarizer", f"llama:{large}"]
    process = subprocess.Popen(command, env=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    maps = Path(f"/proc/{process.pid}/maps")
    while maps.exists() and process.poll() is None and "libllama" not in maps.read_text():
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
