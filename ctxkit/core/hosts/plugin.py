"""What opencode and pi have in common: a file of JavaScript that passes each command to the hook."""

import json
from collections.abc import Callable, Mapping, Sequence

from ctxkit.core.hosts.events import INTRODUCTION, make_session_event, read_command, read_text
from ctxkit.core.hosts.host import Answer, ConflictError, EventKind, HookEvent
from ctxkit.core.hosts.wrap_script import HOOK
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue

MARK = "Written by ctxkit init "
"""What a file of ctxkit has in its head."""


class OwnedFile(NamedTuple):
    """A file that belongs to ctxkit as a whole.

    For the directory of the scripts, ``make_content`` returns the text of the file, and ``name_hook`` how it names the
    hook.
    """

    make_content: Callable[[str], str]
    name_hook: Callable[[str], str]

    def install(self, text: str, directory: str) -> str:
        """Return the new text of the file; raise ConflictError if it is not a file of ctxkit."""
        if text.strip() and MARK not in text:
            raise ConflictError("is not a file of ctxkit", hint="rename the file to have ctxkit there")
        return self.make_content(directory)

    def remove(self, text: str, directory: str) -> str | None:
        """Return None if the file belongs to ctxkit and names the hook, else its text."""
        return None if MARK in text and self.name_hook(directory) in text else text

    def is_installed(self, text: str, directory: str) -> bool:
        """Return whether the file belongs to ctxkit and names the hook."""
        return self.remove(text, directory) is None


HEAD = """\
// {mark}{host}. Remove it with "ctxkit init {host} --remove".
import {{ spawn }} from "node:child_process"
{imports}
const hook = {hook}

// Return the answer of the hook to an event: an empty one if the hook is gone, fails or takes too long.
const ask = (event, milliseconds) =>
  new Promise((resolve) => {{
    let answer = ""
    const finish = () => {{
      clearTimeout(timer)
      try {{
        resolve(JSON.parse(answer))
      }} catch {{
        resolve({{}})
      }}
    }}
    const child = spawn(hook, [], {{ stdio: ["pipe", "pipe", "ignore"] }})
    const timer = setTimeout(() => {{
      answer = ""
      child.kill("SIGKILL")
      finish()
    }}, milliseconds)
    child.on("error", finish)
    child.stdin.on("error", () => {{}})
    child.stdout.on("data", (data) => {{
      answer += data
    }})
    child.on("close", finish)
    child.stdin.end(JSON.stringify(event))
  }})

// Return the command that runs instead, or the same one.
const rewrite = async (command) => {{
  const answer = await ask({{ tool: "bash", input: {{ command }} }}, 5000)
  return typeof answer?.command === "string" ? answer.command : command
}}

"""


def make_plugin(host: str, directory: str, body: str, imports: str = "") -> str:
    """Return the text of a plugin: ``body`` calls ``rewrite`` with a command, and ``ask`` with another event."""
    return HEAD.format(mark=MARK, host=host, hook=json.dumps(f"{directory}/{HOOK}"), imports=imports) + body


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event of a command, of a result, of a compaction or of its session; None for anything else."""
    result = value.get(EventKind.RESULT.value)
    if isinstance(result, dict):
        return _read_result(result)
    for kind in (EventKind.COMPACTION, EventKind.RESUMPTION):
        event = value.get(kind.value)
        if isinstance(event, dict):
            return make_session_event(kind, read_text(event, "session"), read_text(event, "transcript"))
    return read_command(value.get("input")) if read_text(value, "tool") == "bash" else None


def _read_result(result: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event of a result that has blocks."""
    event = make_session_event(EventKind.RESULT, read_text(result, "session"), "")
    tool, blocks = read_text(result, "tool"), result.get("blocks")
    return event._replace(tool=tool, blocks=blocks) if event and tool and isinstance(blocks, list) else None


def make_result(_event: HookEvent, blocks: Sequence[JsonValue]) -> Answer:
    """Return the answer that replaces the blocks of a result."""
    return {"blocks": list(blocks)}


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the command."""
    return dict(tool_input)


def make_summary(page: str) -> Answer:
    """Return the answer that replaces the summary of a host; {} for no page."""
    return {"summary": f"{INTRODUCTION}{page}"} if page else {}


def find_no_rivals(_text: str) -> list[str]:
    """Return no names: the file has no hooks of others."""
    return []
