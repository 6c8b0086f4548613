"""Twenty daily situations of an agent's shell, and how each adapter gives a command to it: as data of tests and a page."""

import json
import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

FIRST_LINE_SECONDS = 3
"""Seconds within which the first line of a server is to be seen."""


class Situation(NamedTuple):
    """A script, and what holds behind an adapter.

    ``outcome`` is "same" if stdout with stderr, the status and the files are those without ctxkit; "noted" if a line on
    stderr is added; "map" if the output does not fit, and the whole of it is stored; "kept" if what comes after the end
    is stored; "seen" if lines are there while the command runs. With ``on_terminal``, stdin and stdout are a terminal.
    ``without_home`` takes HOME from the environment, ``interrupted`` sends SIGINT once the file "ready" is there.
    """

    name: str
    script: str
    outcome: str = "same"
    on_terminal: bool = False
    without_home: bool = False
    interrupted: bool = False


SITUATIONS = (
    Situation("editor", "vim note.txt; cat note.txt", on_terminal=True),
    Situation("here document", "cat > note.txt <<'EOF'\nvim $x `y` it's\nEOF\ncat note.txt"),
    Situation("own trap", "trap 'echo mine; : > trapped' EXIT; echo a; exit 4"),
    Situation("exec", "echo a; exec sh -c 'echo b; exit 5'"),
    Situation("background child", "(sleep 1; echo late; : > survived) & echo started", "kept"),
    Situation("server", "echo listening on 8080; echo $$ > pid; exec sleep 60", "seen"),
    Situation("watch", "watch -n 1 ls", on_terminal=True),
    Situation("failure before a pipe", "env sh -c 'echo 1 failed; exit 1' | tail -n 3; : > after", "noted"),
    Situation("sudo missing", "PATH=/nowhere sudo -n true"),
    Situation("binary output", "printf '\\000\\001\\377\\376\\r\\n\\n'; head -c 500 /dev/zero; printf 'no newline'"),
    Situation("colours", "printf '\\033[1;31mred\\033[0m\\n\\033]8;;x\\033\\\\link\\033]8;;\\033\\\\\\n'"),
    Situation("very long line", "head -c 300000 /dev/zero | tr '\\000' x; exit 3", "map"),
    Situation("100 MB", "yes 'a line of output that comes again and again' | head -c 100000000; exit 3", "map"),
    Situation("kill", "echo a; : > before; kill -9 $$; echo b"),
    Situation("timeout", "timeout 1 sh -c 'echo a; sleep 30; echo b'; echo $?"),
    Situation("cd", "mkdir -p sub && cd sub && pwd && : > here"),
    Situation("HOME unset", 'echo "${HOME-none}"; cd sub 2>/dev/null || echo ~ | wc -l; exit 2', without_home=True),
    Situation("umask", "umask 027; umask; : > private; ls -l private | cut -c1-10"),
    Situation(
        "Ctrl-C", "trap 'echo caught; exit 7' INT; echo begun; : > ready; sleep 30; echo not reached", interrupted=True
    ),
    Situation("two at once", "for n in 1 2 3; do echo $$ >> mine; echo $(pwd) $n; sleep 0.2; done"),
)
"""The situations in the order of the page."""
OUTCOMES = {
    "same": "the output, the status and the files are those without ctxkit",
    "noted": "the same, and one line on stderr names the program that failed",
    "map": "a map with the status, and the whole output is stored byte for byte",
    "kept": "the child lives on, and what it prints later is stored",
    "seen": "its first line is seen while it runs",
    "told": "a line says that the child ends with the sandbox of the host",
}
"""What the words of the page say."""
TRIED = (
    *("here document", "own trap", "exec", "background child", "failure before a pipe", "sudo missing", "binary output"),
    *("very long line", "cd", "umask"),
)
"""Situations that the tests of the harness run in each real host."""


class Adapter(NamedTuple):
    """How a host calls its hook before a command, and its shell with the answer.

    The event has the ``command`` in place of COMMAND. ``form`` is what the host puts around a script; a host without an
    ``event`` gives the script to the program that its settings name.
    """

    host: str
    event: dict[str, Any]
    shell: str = "bash"
    form: str = "{script}"

    def find_outcome(self, situation: Situation) -> str:
        """Return the outcome of a situation: notes on pipes need bash or zsh."""
        return "same" if situation.outcome == "noted" and self.shell == "sh" else situation.outcome

    def fill_event(self, command: str) -> str:
        """Return what the host sends."""
        return json.dumps(_replace(self.event, command))

    def make_script(self, command: str) -> str:
        """Return the script that the host gives to its shell."""
        return self.form.replace("{quoted}", shlex.quote(command)).replace("{script}", command)


def _replace(value: Any, command: str) -> Any:
    if isinstance(value, dict):
        return {key: _replace(inner, command) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replace(inner, command) for inner in value]
    return command if value == "COMMAND" else value


CLAUDE_CODE = (
    "source /nowhere/shell-snapshots/snapshot-bash-1-x.sh 2>/dev/null || true && eval {quoted} && pwd -P >| cwd.txt"
)
GEMINI = "shopt -u promptvars nullglob\n(\n  trap 'jobs -p > /dev/null' EXIT\n{script}\n)\n__code=$?\nexit $__code"
INPUT = {"command": "COMMAND"}
ADAPTERS = (
    Adapter("claude-code", {}, form=CLAUDE_CODE),
    Adapter("cline", {"tool_call": {"name": "run_commands", "input": {"commands": ["COMMAND"]}}}),
    Adapter("codex", {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": INPUT}),
    Adapter("copilot", {"sessionId": "s", "toolName": "bash", "toolArgs": INPUT}),
    Adapter("cursor", {"hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": INPUT}),
    Adapter("gemini", {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": INPUT}, form=GEMINI),
    Adapter("mini-swe-agent", {"tool": "bash", "input": INPUT}, shell="sh"),
    Adapter("opencode", {"tool": "bash", "input": INPUT}),
    Adapter("pi", {"tool": "bash", "input": INPUT}),
)
"""The adapters; the hosts start their shells so in the harness."""
IN_HOSTS: Mapping[str, Mapping[str, str]] = {
    **{host: {} for host in ("claude-code", "cline", "copilot", "gemini", "opencode", "pi")},
    "codex": {"background child": "told"},
    "mini-swe-agent": {"failure before a pipe": "same"},
}
"""The hosts that the harness starts, each with the outcomes that differ: sh notes no pipe."""


def find_host_outcome(host: str, situation: Situation) -> str | None:
    """Return the outcome of a situation in a host itself, None if none was tried."""
    if situation.name not in TRIED or host not in IN_HOSTS:
        return None
    return IN_HOSTS[host].get(situation.name, situation.outcome)
