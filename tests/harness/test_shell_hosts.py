"""Hosts whose shell reads a script in front of each command, headless against a scripted model."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ctxkit.core.hosts.trials import Chat, Gemini
from ctxkit.edge.host_trial import ScriptedModel
from tests.harness.cases import CASES, PROGRAMS, SERVER, HostCase, StartedHost
from tests.harness.test_mcp_hosts import WRAPPED, add_server

pytestmark = pytest.mark.harness
LONG = "seq -f 'line %.0f of a long and boring output, again' 5000; echo 'error: disk full' >&2; exit 4"
SUMMARIZED = ("opencode", "pi")
"""Hosts whose plugins see a compaction."""
COMMANDS = (
    *("factor 12", "pwd; printf 'a\\tb  \\n\\nit'\"'\"'s \\303\\251\\n'", "echo err >&2; exit 3", "false | cat"),
    *("cat; nosuch", "cd sub && pwd", "pwd"),
)
"""Commands that print little; a rule forbids the first."""
DIRECTORY = COMMANDS.index("cd sub && pwd")


class FullWindow:
    """The usage of a window that is full once, after the second answer."""

    def __init__(self) -> None:
        self.answers = 0

    def __get__(self, *_: object) -> dict[str, int]:
        self.answers += 1
        used = 30_000 if self.answers == 2 else 1_000
        return {"prompt_tokens": used, "completion_tokens": 10, "total_tokens": used + 10}


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def host(request: Any, ctxkit: str) -> Iterator[StartedHost]:
    """Yield a host outside /tmp and /dev/shm, which sandboxes of hosts treat in their own way."""
    case: HostCase = request.param
    if not shutil.which(case.program, path=PROGRAMS):
        pytest.skip(f"{case.program} is not installed: make test-harness installs it")
    with TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        started = StartedHost(case, Path(folder), ctxkit)
        yield started
        started.end()


def init_with_trust(host: StartedHost) -> None:
    assert "its commands through ctxkit" in host.init(*(["--trust"] if host.case.name == "codex" else []))


def test_small_output_statuses_directories_and_rules_are_as_without_ctxkit(host: StartedHost) -> None:
    plain = host.show(*COMMANDS)
    init_with_trust(host)
    seen = [re.sub(r"test -r \S+wrap\.sh && \. \S+wrap\.sh; ", "", text) for text in host.show(*COMMANDS)]
    assert seen == plain
    if host.case.name not in ("cline", "pi"):  # which have no rules
        assert "12: 2 2 3" not in plain[0]
    assert f"{host.project}/sub" in plain[DIRECTORY]


def test_long_output_is_a_map_and_the_host_works_without_ctxkit(host: StartedHost) -> None:
    init_with_trust(host)
    (seen,) = host.show(LONG)
    assert "Exit status 4" in seen
    assert "error: disk full" in seen
    assert "rises from 2 to 5000" in seen
    assert len(seen) < 12_000
    ref = re.search(r"ctxkit cache get (\w+) --lines", seen)
    assert ref
    part = subprocess.run([host.ctxkit, "cache", "get", ref[1], "--lines", "2500"], env=host.env, capture_output=True, check=True)
    assert part.stdout == b"line 2500 of a long and boring output, again\n"
    scripts = host.home / ".local" / "share" / "ctxkit" / "hosts" / host.case.name
    for script in scripts.iterdir():
        if script.name != "setup.json":
            script.write_text(script.read_text().replace(host.ctxkit, "/gone/ctxkit"))
    assert "1\n2\n3" in host.show("seq 3")[0]
    shutil.rmtree(scripts.parent)
    assert "1\n2\n3" in host.show("seq 3")[0]
    host.init("--remove")
    assert "1\n2\n3" in host.show("seq 3")[0]
    assert not any("hosts/" + host.case.name in path.read_text() for path in list_settings(host))


def list_settings(host: StartedHost) -> list[Path]:
    names = ("hooks.json", "settings.json", "ctxkit.json", "ctxkit.js", "PreToolUse")
    return [path for name in names for path in host.home.rglob(name) if "node_modules" not in path.parts]


@pytest.mark.parametrize("host", CASES[:1], ids=lambda case: case.name, indirect=True)
def test_facts_of_a_session_come_back_after_the_compaction_of_codex(host: StartedHost) -> None:
    init_with_trust(host)
    with ScriptedModel([("exec_command", {"cmd": "cat missing.cfg"})] * 2, forgets=True) as model:
        env = {**host.env, **host.case.configure(host.home, host.project, model.address)}
        config = host.home / ".codex" / "config.toml"
        config.write_text(f"model_auto_compact_token_limit = 500\n{config.read_text()}")
        argv = [str(shutil.which("codex", path=PROGRAMS)), *host.case.args[:-1], "Port 8080 is taken, always use 8099. Start it."]
        subprocess.run(argv, env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
    request = json.dumps(model.requests[-1])
    assert "ctxkit extracted these facts from the session before its compaction." in request
    assert "always use 8099" in request
    assert "cat missing.cfg" in request


@pytest.mark.parametrize("host", [case for case in CASES if case.name in SUMMARIZED], ids=lambda case: case.name, indirect=True)
def test_facts_of_a_session_are_in_the_request_after_a_compaction(host: StartedHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chat, "usage", FullWindow())
    init_with_trust(host)
    (host.home / ".pi" / "agent").mkdir(parents=True, exist_ok=True)
    settings = {"compaction": {"enabled": True, "reserveTokens": 4_000, "keepRecentTokens": 50}}
    (host.home / ".pi" / "agent" / "settings.json").write_text(json.dumps(settings))
    with ScriptedModel([("bash", {"command": "cat missing.cfg", "description": "x"})] * 2, forgets=True) as model:
        env = {**host.env, **host.case.configure(host.home, host.project, model.address)}
        argv = [str(shutil.which(host.case.program, path=PROGRAMS)), *host.case.args[:-1]]
        for words in (["Port 8080 is taken, always use 8099. Start it."], ["-c", "go on"]):
            done = subprocess.run(
                [*argv, *words], env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180
            )
    request = json.dumps(model.requests[-1])
    assert "ctxkit extracted these facts from the session before its compaction." in request, done.stdout + done.stderr
    assert "always use 8099" in request
    assert "cat missing.cfg" in request


@pytest.mark.parametrize("host", [case for case in CASES if case.name == "pi"], ids=lambda case: case.name, indirect=True)
@pytest.mark.parametrize("minutes", [4, 6])
def test_pi_compacts_before_a_prompt_while_the_cache_is_cold(host: StartedHost, monkeypatch: pytest.MonkeyPatch, minutes: int) -> None:
    """The provider keeps it for five minutes; its own threshold would be 28,000 tokens."""
    usage = {"prompt_tokens": 22_000, "completion_tokens": 10, "total_tokens": 22_010, "prompt_tokens_details": {"cache_write_tokens": 9_000}}
    monkeypatch.setattr(Chat, "usage", usage)
    init_with_trust(host)
    (host.home / ".pi" / "agent").mkdir(parents=True, exist_ok=True)
    settings = {"compaction": {"enabled": True, "reserveTokens": 4_000, "keepRecentTokens": 5}}
    (host.home / ".pi" / "agent" / "settings.json").write_text(json.dumps(settings))
    with ScriptedModel([("bash", {"command": "cat missing.cfg", "description": "x"})], forgets=True) as model:
        env = {**host.env, **host.case.configure(host.home, host.project, model.address)}
        argv = [str(shutil.which("pi", path=PROGRAMS)), *host.case.args[:-1]]
        for words in (["Port 8080 is taken, always use 8099. Start it."], ["-c", "go on"], ["-c", "and test it"]):
            for path in host.home.rglob("sessions/**/*.jsonl") if "and test it" in words else ():
                path.write_text(re.sub(r'"timestamp":(\d{13})', lambda at: f'"timestamp":{int(at[1]) - minutes * 60_000}', path.read_text()))
            subprocess.run([*argv, *words], env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
    assert ("ctxkit extracted these facts from the session before its compaction." in json.dumps(model.requests[-1])) is (minutes > 5)


@pytest.mark.parametrize("host", [case for case in CASES if case.name == "copilot"], ids=lambda case: case.name, indirect=True)
def test_facts_of_a_session_come_back_after_the_compaction_of_copilot(host: StartedHost) -> None:
    init_with_trust(host)
    calls = [("bash", {"command": f"seq {number} 600; cat missing.cfg", "description": "x"}) for number in range(3)]
    with ScriptedModel(calls, forgets=True) as model:
        env = {**host.env, **host.case.configure(host.home, host.project, model.address)}
        env |= {"COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "15000", "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "1000"}
        argv = [str(shutil.which("copilot", path=PROGRAMS)), "--allow-all-tools"]
        subprocess.run([*argv, "-p", "Port 8080 is taken, always use 8099. Start it."], env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
        for _ in range(6):  # it compacts in the background, and not if the process ends meanwhile
            subprocess.run([*argv, "--continue", "-p", "go on"], env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
            if "conversation history has been summarized" in (request := json.dumps(model.requests[-1])):
                break
    assert "conversation history has been summarized" in request
    assert request.count("ctxkit extracted these facts from the session before its compaction.") == 1
    assert "always use 8099" in request
    assert "cat missing.cfg" in request


@pytest.mark.parametrize("host", [case for case in CASES if case.name == "gemini"], ids=lambda case: case.name, indirect=True)
def test_facts_of_a_session_come_back_after_the_compaction_of_gemini(host: StartedHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gemini, "answer", "<state_snapshot>It is about ports.</state_snapshot>")
    init_with_trust(host)
    with ScriptedModel([("run_shell_command", {"command": "cat missing.cfg", "description": "x"})] * 2, forgets=True) as model:
        env = {**host.env, **host.case.configure(host.home, host.project, model.address)}
        settings = host.home / ".gemini" / "settings.json"
        settings.write_text(json.dumps({**json.loads(settings.read_bytes()), "model": {"compressionThreshold": 0.0005}}))
        argv = [str(shutil.which("gemini", path=PROGRAMS)), *host.case.args[2:]]
        first = "Port 8080 is taken, always use 8099. Start it."
        for words in (["-p", first], ["--resume", "latest", "-p", "go on"], ["--resume", "latest", "-p", "and test it"]):
            subprocess.run([*argv, *words], env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
    request = json.dumps(model.requests[-1])
    assert "Got it. Thanks for the additional context!" in request
    assert request.count("ctxkit extracted these facts from the session before its compaction.") == 1
    assert "always use 8099" in request
    assert "cat missing.cfg" in request


@pytest.mark.parametrize("host", [case for case in CASES if case.name == "pi"], ids=lambda case: case.name, indirect=True)
def test_a_long_list_of_pi_is_a_map_and_files_and_short_lists_are_whole(host: StartedHost) -> None:
    init_with_trust(host)
    (host.project / "many").mkdir()
    for number in range(2_000):
        (host.project / "many" / f"a_file_with_a_long_name_{number}.txt").touch()
    (host.project / "long.py").write_text("".join(f"value_{number} = 'a long and boring text'\n" for number in range(900)))
    calls = [("ls", {"path": "many", "limit": 5_000}), ("ls", {"path": "."}), ("read", {"path": "long.py"})]
    long, short, file = host.call(calls, "--tools", "ls,read")
    assert "a map, not the content" in long
    assert "ctxkit cache get" in long
    assert len(long) < 12_000
    assert "ctxkit" not in short + file
    assert "value_899" in file


@pytest.mark.parametrize("host", [case for case in CASES if case.name == "opencode"], ids=lambda case: case.name, indirect=True)
def test_a_long_page_in_opencode_is_a_map_and_a_short_one_is_whole(host: StartedHost) -> None:
    init_with_trust(host)
    for name, lines in (("long", 1_500), ("short", 3)):
        (host.home / f"{name}.txt").write_text("".join(f"line {number} of a long and boring page\n" for number in range(lines)))
    argv = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(host.home)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        port = re.search(r"port (\d+)", server.stdout.readline())
        assert port
        pages = [f"http://127.0.0.1:{port[1]}/{name}.txt" for name in ("long", "short")]
        long, short = host.call([("webfetch", {"url": page, "format": "text"}) for page in pages])
        server.terminate()
    assert "a map, not the content" in long
    assert "ctxkit cache get" in long
    assert len(long) < 12_000
    assert "ctxkit" not in short
    assert "line 2 of a long" in short


@pytest.mark.parametrize("host", [case for case in CASES if case.name == "opencode"], ids=lambda case: case.name, indirect=True)
def test_a_long_result_of_a_server_is_a_map_and_a_short_one_is_whole(host: StartedHost) -> None:
    init_with_trust(host)
    program = host.home / "server.py"
    program.write_text(SERVER)
    add_server(host, [sys.executable, str(program)])
    short, long = host.call([(WRAPPED[host.case.name].format("dump"), {"rows": rows}) for rows in (3, 2_500)])
    assert short == "".join(f"row {number} of a long table\n" for number in range(3))
    assert "dump (2,500 lines" in long
    assert len(long) < 10_000
