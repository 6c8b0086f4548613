"""A process takes the place of its caller for one call, and leaves it afterwards."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

import ctxkit
from ctxkit.core.errors import MissingInputError, UsageError
from ctxkit.core.serve import Caller
from ctxkit.edge import call_process, say, settings, source
from ctxkit.edge.call_process import (
    DEFAULTS,
    OTHER_VARIABLES,
    check_variables,
    explain_refusal,
    has_own_place,
    list_variables,
    read_token,
)
from ctxkit.edge.setting_definitions import KEYS


def run_forked(work, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """Run a function in a fork with files as stdin, stdout and stderr; return its status and what it wrote."""
    files = [os.memfd_create("test") for _ in range(3)]
    os.pwrite(files[0], stdin, 0)
    pid = os.fork()
    if not pid:
        status = 99
        try:
            for number, descriptor in enumerate(files):
                os.dup2(descriptor, number)
            status = work()
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    texts = [os.pread(number, 100_000, 0) for number in files[1:]]
    for number in files:
        os.close(number)
    return status, texts[0], texts[1]


def test_a_call_sees_its_own_directory_variables_and_files(tmp_path: Path) -> None:
    def report() -> int:
        print(json.dumps([os.getcwd(), {name: os.environ.get(name) for name in ("CTXKIT_MODEL", "CTXKIT_SESSION", "HOME")}, sys.stdin.read()]))
        say.warn("a warning")
        return 7

    def work() -> int:
        os.environ |= {"CTXKIT_SESSION": "that of the server", "HOME": "/own"}
        return call_process.run_for_caller(Caller(str(tmp_path), (("CTXKIT_MODEL", "m"),)), report)

    status, out, err = run_forked(work, b"content")
    assert (status, err) == (7, b"ctxkit: warning: a warning\n")
    assert json.loads(out) == [str(tmp_path), {"CTXKIT_MODEL": "m", "CTXKIT_SESSION": None, "HOME": "/own"}, "content"]


def test_nothing_of_a_call_is_left_for_the_next(tmp_path: Path) -> None:
    def first() -> int:
        say.change_verbosity(-1)
        source.provide("-", b"stale")
        print("first", end="")
        return 0

    def second() -> int:
        say.warn("heard")
        print(os.getcwd(), os.environ.get("CTXKIT_MODEL"), b"".join(source.chunks("-")), end="")
        return 0

    def work() -> int:
        call_process.run_for_caller(Caller(str(tmp_path), (("CTXKIT_MODEL", "m"),)), first)
        return call_process.run_for_caller(Caller(), second)

    assert run_forked(work, b"fresh") == (0, b"first/ None b'fresh'", b"ctxkit: warning: heard\n")


def test_a_directory_that_is_gone_is_an_error(tmp_path: Path) -> None:
    status, out, err = run_forked(lambda: call_process.run_for_caller(Caller(str(tmp_path / "gone")), lambda: 0))
    assert (status, out) == (66, b"")
    assert err.decode() == f"ctxkit: {tmp_path / 'gone'}: No such file or directory\n  hint: the directory of the caller\n"


def test_a_variable_that_names_a_place_ends_the_call() -> None:
    status, out, err = run_forked(lambda: call_process.run_for_caller(Caller("", (("CTXKIT_EVENTS", "/x"),)), lambda: 0))
    assert (status, out) == (2, b"")
    assert err.decode().startswith("ctxkit: CTXKIT_EVENTS: names a file")


PLACES = ("/etc/passwd", "./x.json", "x.gguf", "cmd:touch x", "llama:x.gguf", "https://evil.example/v1", "redis://evil:6379", "unix:///x")
HARMLESS = {
    "model": "qwen3-30b", "session": "s1", "turn": "t1", "agent_id": "a1", "focus": "a test", "again": "true", "window": "900", "context_budget": "900",
    "reserve": "20%", "max_output_tokens": "9", "tokenizer": "qwen3", "input_price": "3.00", "price_date": "2030-01-01",
    "compact_trigger": "0.8", "hard_block": "0.9", "briefing_cap": "900", "result_cap": "none", "low_water": "0.5", "keep_recent": "9", "keep_last": "2",
    "summarizer": "extract", "result_offload_threshold": "16KB", "tool_deferral_threshold": "0.1", "hint": "sed", "store": "false",
    "server": "false", "redact": "true", "never_store": "cat *", "exclude": "make *", "include": "make *", "strict": "true", "pipe_notes": "false",
    "cache_max_age": "7d", "cache_max_size": "2GB",
}  # fmt: skip
"""A value of each setting that a request may set."""
NO_VARIABLES = {"events", "cache_dir", "data_dir", "calibration", "lint", "kinds", "trusted"}
"""Settings that a request never sets: paths, tables, and those of the user's own file."""
PLAIN = {"session", "turn", "agent_id", "focus", "price_date", "never_store", "exclude", "include", "reserve", "calibration"}
"""Settings whose value is a name or a text that is opened nowhere, whatever it looks like."""


def name_variable(key: str) -> str:
    return f"CTXKIT_{key.upper()}"


def test_each_setting_has_a_rule() -> None:
    assert set(HARMLESS) | NO_VARIABLES == set(KEYS)


@pytest.mark.parametrize("key", HARMLESS)
def test_a_harmless_value_is_carried(key: str) -> None:
    check_variables([(name_variable(key), HARMLESS[key])])
    carried = list_variables({name_variable(key): HARMLESS[key]})
    assert carried == ({} if key == "server" else {name_variable(key): HARMLESS[key]})


@pytest.mark.parametrize("key", sorted(set(KEYS) - PLAIN))
@pytest.mark.parametrize("place", PLACES)
def test_no_setting_takes_a_place(key: str, place: str) -> None:
    """A place is refused, or it is no value of the setting at all."""
    name = name_variable(key)
    if reason := explain_refusal(name, place):
        with pytest.raises(UsageError, match=re.escape(reason)):
            check_variables([(name, place)])
        assert list_variables({name: place}) == {}
        return
    if key in ("model", "tokenizer"):  # names are looked up in a table
        assert key == "model" or "/" not in place
        assert not place.endswith(".gguf")
        return
    with pytest.raises(ValueError, match="is "):
        KEYS[key].read(place)


@pytest.mark.parametrize("key", ["events", "cache_dir", "data_dir"])
def test_a_path_is_refused_however_it_is_written(key: str) -> None:
    for path in ("/x", "x", "~/x", "."):
        assert explain_refusal(name_variable(key), path)
    assert not explain_refusal(name_variable(key), "")


def test_each_variable_that_the_program_reads_is_known_or_refused() -> None:
    """Read the source: a new variable is a setting, or harmless and listed, or refused."""
    folder, names = Path(ctxkit.__file__).parent, set(os.environ)
    for path in folder.rglob("*.py"):
        names.update(re.findall(r"[\"']([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|PATH|HOME|SHELL|TMPDIR|TEMP|TMP|EDITOR|PAGER)[\"']", path.read_text()))
    assert {"XDG_CONFIG_HOME", "CTXKIT_API_KEY", "OPENAI_API_KEY", "TMPDIR", "PATH", "SHELL"} <= names
    allowed = {name for name in names if not explain_refusal(name, "/x")}
    assert allowed <= {*map(name_variable, HARMLESS), *OTHER_VARIABLES}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in DEFAULTS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "value", "is_own"),
    [
        ("CTXKIT_EVENTS", "e.jsonl", True),
        ("CTXKIT_STORE", "redis://x", True),
        ("CTXKIT_STORE", "false", False),
        ("CTXKIT_SERVER", "/run/s", False),
        ("CTXKIT_MODEL", "qwen3", False),
        ("CTXKIT_MODEL", "x.gguf", True),
        ("CTXKIT_SUMMARIZER", "cmd:x", True),
        ("XDG_CONFIG_HOME", "/elsewhere", True),
        ("XDG_CONFIG_HOME", "~/.config", False),
        ("XDG_DATA_HOME", "relative", False),
    ],
)
def test_a_variable_that_names_a_place_is_for_this_process_alone(own: Path, name: str, value: str, is_own: bool) -> None:
    environ = {name: value.replace("~", str(own))}
    assert has_own_place(environ, settings.load(environ)) == is_own


def test_the_users_own_file_holds_for_the_server_too(own: Path) -> None:
    file = own / ".config" / "ctxkit" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'events = "/x"\ntrusted = ["{own}/p"]\n')
    assert not has_own_place({}, settings.load({}))
    project = own / "p"
    project.mkdir()
    (project / ".ctxkit.toml").write_text('cache_dir = "/y"\n')
    assert has_own_place({}, settings.load({}, str(project)))


def write(path: Path, text: str, mode: int = 0o600) -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_a_token_is_read_without_its_line_end(tmp_path: Path) -> None:
    assert read_token(write(tmp_path / "t", "0123456789abcdef\n")) == "0123456789abcdef"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606])
def test_a_file_that_others_read_is_no_secret(tmp_path: Path, mode: int) -> None:
    with pytest.raises(UsageError, match="other users can read the token"):
        read_token(write(tmp_path / "t", "0123456789abcdef", mode))


@pytest.mark.parametrize("text", ["", "short", "x" * 5_000, "0123456789abcdefé", "0123456789\nabcdefgh"])
def test_what_is_no_token_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="is not a token"):
        read_token(write(tmp_path / "t", text))


def test_a_missing_file_and_a_fifo_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="No such file"):
        read_token(str(tmp_path / "absent"))
    os.mkfifo(tmp_path / "fifo", 0o600)
    with pytest.raises(UsageError, match="not a regular file"):
        read_token(str(tmp_path / "fifo"))
