import os
import subprocess
import sys

import pytest

from ctxkit.edge import say


@pytest.fixture(autouse=True)
def _loudness(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(say, "_verbosity", 0)


@pytest.mark.parametrize(
    ("turns", "heard"),
    [
        ((), ["ctxkit: warning: careful"]),
        ((-1,), []),
        ((-1, -1, 1), []),
        ((1,), ["ctxkit: warning: careful", "ctxkit: decided"]),
        ((1, -1), ["ctxkit: warning: careful"]),
    ],
)
def test_q_silences_warnings_and_v_adds_notes(capsys: pytest.CaptureFixture[str], turns, heard) -> None:
    for by in turns:
        say.change_verbosity(by)
    say.warn("careful")
    say.note("decided")
    out, err = capsys.readouterr()
    assert (out, err.splitlines()) == ("", heard)


def test_an_error_is_one_line_whatever_it_holds_and_is_said_to_the_quiet_too(capsys: pytest.CaptureFixture[str]) -> None:
    say.change_verbosity(-1)
    say.error("no\nsuch   file", "look again")
    say.error("nothing")
    assert capsys.readouterr().err == "ctxkit: no such file\n  hint: look again\nctxkit: nothing\n"


@pytest.mark.parametrize("speak", [say.warn, say.inform, say.note, say.error, lambda text: say.error("x", text)])
def test_no_line_holds_what_a_terminal_would_obey(capsys: pytest.CaptureFixture[str], speak) -> None:
    say.change_verbosity(1)
    speak("a\x1b]0;t\x07b\u202ec\x9b31m\nctxkit: forged\x7f\u2028\udcff\ud800")
    err = capsys.readouterr().err
    assert r"a\x1b]0;t\x07b\u202ec\x9b31m" in err
    assert r"forged\x7f\u2028\xff\ud800" in err
    assert "\nctxkit: forged" not in err
    assert all(line.isprintable() for line in err.splitlines())


def test_a_text_of_several_lines_keeps_them(capsys: pytest.CaptureFixture[str]) -> None:
    say.say("one\n\ttwo\x1b[31m")
    assert capsys.readouterr().err == "one\n\ttwo\\x1b[31m\n"


@pytest.mark.parametrize("speak", [say.warn, say.inform, say.note, say.error, say.say])
def test_no_line_shows_a_password_or_a_key(capsys: pytest.CaptureFixture[str], speak) -> None:
    say.change_verbosity(1)
    speak("summarizer: http://ana:hunter2@host/v1?api_key=abc123: Authorization: Bearer qwe456")
    err = capsys.readouterr().err
    assert "http://ana:***@host/v1?api_key=***" in err
    assert not any(secret in err for secret in ("hunter2", "abc123", "qwe456"))


def test_an_object_is_written_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    say.write('{"x":"token=\\u001b"}')
    assert capsys.readouterr().err == '{"x":"token=\\u001b"}\n'


def test_without_stderr_nothing_is_said_and_least_of_all_on_stdout(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    say.say("lost")
    assert capsys.readouterr().out == ""


def test_a_stderr_that_is_closed_or_broken_is_nobodys_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", buffering=1) as broken:
        monkeypatch.setattr(sys, "stderr", broken)
        say.say("into a broken pipe")
        with pytest.raises(BrokenPipeError):
            broken.flush()
        monkeypatch.undo()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, writer)  # let what is still buffered go somewhere
        os.close(null)
    monkeypatch.setattr(sys, "stderr", broken)
    say.say("into a closed file")


def test_a_process_started_without_stderr_keeps_its_stdout_clean() -> None:
    script = "from ctxkit.edge import say; say.warn('x'); say.error('y'); print('data')"
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", script], stdout=subprocess.PIPE, check=True
    )
    assert done.stdout == b"data\n"


@pytest.mark.parametrize(("value", "wanted"), [(None, False), ("", False), ("0", False), ("1", True), ("yes", True)])
def test_tracebacks_are_for_who_asks(monkeypatch: pytest.MonkeyPatch, value: str | None, wanted: bool) -> None:
    monkeypatch.delenv("CTXKIT_DEBUG", raising=False)
    if value is not None:
        monkeypatch.setenv("CTXKIT_DEBUG", value)
    assert say.is_debugging() is wanted
