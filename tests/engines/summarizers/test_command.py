"""Any program may summarize."""

import sys

import pytest

from ctxkit.core.trouble import EngineAbsent, IOFailed, Misuse
from ctxkit.engines.summarizers import command


def python(code):
    return f"{sys.executable} -c '{code}'"


def test_the_prompt_is_on_its_stdin_and_the_answer_on_its_stdout():
    voice = command.voice(python("import sys; print(sys.stdin.read().upper())"))
    assert voice.ask("one é\n") == "ONE É\n\n"
    assert (voice.room, voice.tokenizer) == (command.ROOM, None)
    assert command.voice("true", 900).room == 900


def test_a_program_that_fails_is_told_with_its_last_line():
    voice = command.voice(python('import sys; sys.exit("first\\nlast")'))
    with pytest.raises(IOFailed, match=r"ended with status 1: last$"):
        voice.ask("x")
    with pytest.raises(IOFailed, match=r"ended with status 3$"):
        command.voice(python("raise SystemExit(3)")).ask("x")


def test_a_program_that_is_not_there_or_never_ends():
    with pytest.raises(EngineAbsent, match="no such program: /no/such"):
        command.voice("/no/such x").ask("x")
    with pytest.raises(IOFailed, match=r"no answer in 0\.2 s"):
        command.voice("sleep 5", seconds=0.2).ask("x")


def test_what_does_not_read_its_stdin_is_no_failure():
    assert command.voice("echo done").ask("x" * 1_000_000) == "done\n"


@pytest.mark.parametrize("line", ["", "  ", "echo 'open"])
def test_a_line_that_names_no_program(line):
    with pytest.raises(Misuse, match="--summarizer"):
        command.voice(line)
