"""Any program may summarize."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, MissingDependencyError, UsageError
from ctxkit.engines.summarizers import command


def python(code):
    return f"{sys.executable} -c '{code}'"


def test_the_prompt_is_on_its_stdin_and_the_answer_on_its_stdout() -> None:
    voice = command.open_chat_model(python("import sys; print(sys.stdin.read().upper())"))
    assert voice.ask("one é\n") == "ONE É\n\n"
    assert (voice.prompt_limit, voice.tokenizer) == (command.PROMPT_TOKENS, None)
    assert command.open_chat_model("true", 900).prompt_limit == 900


def test_a_program_that_fails_is_told_with_its_last_line() -> None:
    voice = command.open_chat_model(python('import sys; sys.exit("first\\nlast")'))
    with pytest.raises(InputOutputError, match=r"ended with status 1: last$"):
        voice.ask("x")
    with pytest.raises(InputOutputError, match=r"ended with status 3$"):
        command.open_chat_model(python("raise SystemExit(3)")).ask("x")


def test_a_program_that_is_not_there_or_never_ends() -> None:
    with pytest.raises(MissingDependencyError, match="no such program: /no/such"):
        command.open_chat_model("/no/such x").ask("x")
    with pytest.raises(InputOutputError, match=r"no answer in 0\.2 s"):
        command.open_chat_model("sleep 5", seconds=0.2).ask("x")


def test_what_does_not_read_its_stdin_is_no_failure() -> None:
    assert command.open_chat_model("echo done").ask("x" * 1_000_000) == "done\n"


@pytest.mark.parametrize("line", ["", "  ", "echo 'open"])
def test_a_line_that_names_no_program(line: str) -> None:
    with pytest.raises(UsageError, match="--summarizer"):
        command.open_chat_model(line)


def test_what_takes_too_long_is_ended_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "GRACE_SECONDS", 0.3)
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
    started = time.monotonic()
    with pytest.raises(InputOutputError, match="no answer in 1 s"):
        command.open_chat_model(python(code), seconds=1).ask("x")
    assert time.monotonic() - started < 1 + 2 * command.GRACE_SECONDS + 30


def test_what_writes_without_end_is_stopped() -> None:
    with pytest.raises(InputOutputError, match="wrote more than 1,000,000 bytes"):
        command.open_chat_model("yes").ask("x")


def test_what_it_started_does_not_outlive_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(InputOutputError, match="no answer"):
        command.open_chat_model(f"sh -c 'echo $$ > {mark}; (sleep 1; echo late >> {mark}) & wait'", seconds=0.5).ask("x")
    time.sleep(1)
    assert "late" not in mark.read_text()


def test_what_it_leaves_behind_keeps_nobody_waiting() -> None:
    started = time.monotonic()
    assert command.open_chat_model("sh -c 'sleep 60 & echo done'").ask("x") == "done\n"
    assert time.monotonic() - started < 30


@pytest.mark.slow
def test_an_interruption_ends_both(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    line = f"sh -c 'echo $$ > {mark}; exec sleep 60'"
    code = f"from ctxkit.engines.summarizers import command\ncommand.open_chat_model({line!r}).ask('x')"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    while not (mark.exists() and mark.read_text().strip()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(50) != 0
    asks = ["kill", "-0", mark.read_text().strip()]
    began = time.monotonic()  # on a busy machine a process that was killed ends later
    while subprocess.run(asks, stderr=subprocess.DEVNULL).returncode == 0:
        assert time.monotonic() - began < 20
        time.sleep(0.05)
